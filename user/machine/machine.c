// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *machine_counter_name(enum machine_counter counter)
{
	static const char *const names[MACHINE_COUNTERS] = {
		[COUNTER_CYCLES] = "cycles",
		[COUNTER_LOADS] = "loads",
		[COUNTER_L1D_MISS] = "l1d_miss",
		[COUNTER_L2_MISS] = "l2_miss",
		[COUNTER_L3_MISS] = "l3_miss",
		[COUNTER_DTLB_MISS] = "dtlb_miss",
		[COUNTER_STLB_MISS] = "stlb_miss",
		[COUNTER_ITLB_MISS] = "itlb_miss",
	};

	return counter < MACHINE_COUNTERS ? names[counter] : "unknown";
}

void machine_note(struct machine *m, const char *format, ...)
{
	va_list args;

	if (m->note_count >= sizeof(m->notes) / sizeof(m->notes[0]))
		return;
	va_start(args, format);
	vsnprintf(m->notes[m->note_count], sizeof(m->notes[0]), format, args);
	va_end(args);
	for (size_t i = 0; i < m->note_count; i++)
		if (!strcmp(m->notes[i], m->notes[m->note_count]))
			return;
	m->note_count++;
}

void machine_close(struct machine *m)
{
	if (m)
		m->ops->close(m);
}
