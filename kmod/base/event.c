// SPDX-License-Identifier: GPL-2.0
/* event.c - the listener of events, if there is one. */
#include <linux/compiler.h>

#include "base/event.h"

static pp_event_fn current_listener;

void pp_event_listen(pp_event_fn listener)
{
	WRITE_ONCE(current_listener, listener);
}

void pp_event(enum probe_phys_event_kind kind, const struct pp_object *obj,
	      int cpu, u64 count)
{
	pp_event_fn listener = READ_ONCE(current_listener);

	if (listener)
		listener(kind, obj, cpu, count);
}
