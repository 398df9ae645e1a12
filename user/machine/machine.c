// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>

void machine_note(struct machine *m, const char *format, ...)
{
	va_list args;

	if (m->note_count >= sizeof(m->notes) / sizeof(m->notes[0]))
		return;
	va_start(args, format);
	vsnprintf(m->notes[m->note_count++], sizeof(m->notes[0]), format, args);
	va_end(args);
}

void machine_close(struct machine *m)
{
	if (m)
		m->ops->close(m);
}
