/* SPDX-License-Identifier: GPL-2.0 */
/* realkit.h - the machine on huge pages of this computer, for tests. */
#ifndef PROBE_PHYS_UNIT_MACHINE_REALKIT_H
#define PROBE_PHYS_UNIT_MACHINE_REALKIT_H

#include "machine/machine.h"

/** REALKIT_BYTES - memory of such a machine */
#define REALKIT_BYTES (UINT64_C(16) << 20)

/** realkit_open() - a machine on any CPU; NULL, and the check counts as skipped,
 * where the computer has no huge pages to give
 */
struct machine *realkit_open(void);

/* A checked fixture: one machine during each test. */
void realkit_setup(void);
void realkit_teardown(void);

/** realkit_machine() - the machine of the fixture, or NULL */
struct machine *realkit_machine(void);

/** realkit_open_view() - struct machine_ops.view_open; @f is emptied before */
int realkit_open_view(struct machine *m, const struct view_request *request,
		      struct view **view, struct failure *f);

/** realkit_view() - a view that is as it was requested; else the test fails */
struct view *realkit_view(struct machine *m, uint64_t page_bytes,
			  uint64_t pages, uint64_t frames, bool executable);

/** realkit_scatter() - one element a page, in a place of its own, in an order
 * that jumps about
 * @offsets: (out) r->pages of them; r->pages is 1 or no multiple of 13
 */
void realkit_scatter(const struct view_request *r, uint64_t *offsets);

/** realkit_walk_view() - three samples of 1,000 loads; an error has a text */
int realkit_walk_view(struct view *view, uint64_t *offsets, size_t length,
		      unsigned int flags, struct sample *samples);

/** realkit_walk_view_all() - realkit_scatter() is walked, and samples are whole
 */
void realkit_walk_view_all(struct view *view);

#endif
