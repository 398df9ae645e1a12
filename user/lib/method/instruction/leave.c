// SPDX-License-Identifier: GPL-2.0
/* leave.c - say why the instruction cache is undecided. */
#include <stdarg.h>
#include <stdio.h>

#include "method/instruction/icache.h"

void icache_leave(struct icache *c, const char *format, ...)
{
	struct cache_result *r = c->found;
	struct parameter *all[] = { &r->ways,		&r->capacity_bytes,
				    &r->line_bytes,	&r->sets,
				    &r->index_decision, &r->miss_cycles };
	char reason[sizeof(r->ways.reason)];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	r->index = INDEX_UNKNOWN;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		parameter_undecided(all[i], ICACHE_METHOD, "%s", reason);
}
