/* SPDX-License-Identifier: GPL-2.0 */
/* machines.h - machines of the tool and their views; for the tests of these.
 * Included behind headers of the tool: libcheck has a macro named fail.
 */
#ifndef T_MACHINES_H
#define T_MACHINES_H

#include "machine/machine.h"
/* Behind the others. */
#include "kit/t.h"

/* A machine of @bytes of memory, opened by @open. An emulator that shares its host
 * may have no steady clock for a while, and then a machine refuses.
 */
struct machine *
m_open_kind(struct machine *(*open)(const struct machine_request *request,
				    struct failure *f),
	    uint64_t bytes);

/* The same for the machine of the module. */
struct machine *m_open(uint64_t bytes);

struct view *m_view(struct machine *m, const struct view_request *request);

#endif /* T_MACHINES_H */
