// SPDX-License-Identifier: GPL-2.0
#include "info/capability.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct capability *capability_add(struct capability_list *list,
				  const char *name, enum capability_state state)
{
	struct capability *c;

	if (list->count < CAPABILITY_MAX)
		list->count++;
	c = &list->items[list->count - 1];
	memset(c, 0, sizeof(*c));
	c->name = name;
	c->state = state;
	return c;
}

void capability_detail(struct capability *c, const char *format, ...)
{
	size_t used = strlen(c->detail);
	va_list args;

	va_start(args, format);
	vsnprintf(c->detail + used, sizeof(c->detail) - used, format, args);
	va_end(args);
}

void capability_remedy(struct capability *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->remedy, sizeof(c->remedy), format, args);
	va_end(args);
}

void capability_fact(struct capability *c, const char *name, uint64_t value)
{
	if (c->fact_count < CAPABILITY_MAX_FACTS)
		c->facts[c->fact_count++] =
			(struct capability_fact){ name, value };
}
