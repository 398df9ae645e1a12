/* SPDX-License-Identifier: GPL-2.0 */
/* view_machine.h - a view as a machine, for methods that walk machines. */
#ifndef PROBE_PHYS_MACHINE_VIEW_MACHINE_H
#define PROBE_PHYS_MACHINE_VIEW_MACHINE_H

#include "machine/machine.h"

/**
 * struct view_machine - the machine whose region is a view
 * @machine: timer and counters are those of the inner one; no cold walks, no
 *           views
 * @inner: has the view
 * @view: of it
 */
struct view_machine {
	struct machine machine;
	struct machine *inner;
	struct view *view;
};

/**
 * view_machine_open() - map a view and be its machine
 * Return: 0, or as view_open() of the machine; -EOPNOTSUPP without views.
 */
int view_machine_open(struct view_machine *v, struct machine *inner,
		      const struct view_request *request, struct failure *f);
void view_machine_close(struct view_machine *v);

#endif
