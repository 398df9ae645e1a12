/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace.h - how fast code is fetched and decoded just now.
 *
 * A step of returns (returns.h) takes longer, by a fifth, though every line of it
 * hits, while another thread of the core fetches as well: on a shared host the thread
 * of another guest, for microseconds or for tenths of a second. A miss of one line is
 * a percent or two of a round. So a ring of a few lines, which hit, is timed on both
 * sides of a sample: one that was taken while it was slower than at its best is
 * disturbed. Called by chase_clock.c and view_walk.c.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CODE_PACE_H
#define PROBE_PHYS_MACHINE_NATIVE_CODE_PACE_H

#include "machine/native/code/returns.h"
#include "machine/native/timer.h"

/**
 * struct pace - a ring of few lines; all zero: none
 * @pages: of its lines
 * @ring: it
 * @rounds: of a reading; 0: not chosen yet
 * @least: cycles of a step at their least; 0: not known yet
 * @least_now: the least since pace_begin(), of the longer one of two readings about
 *             a sample; 0: none
 */
struct pace {
	char *pages;
	struct returns ring;
	uint64_t rounds;
	double least;
	double least_now;
};

/** pace_open() - write the ring. Nothing where there can be none. */
void pace_open(struct pace *p);
void pace_close(struct pace *p);

/** pace_begin() - a walk begins: choose the length of a reading, of at least @ticks */
void pace_begin(struct pace *p, const struct timer *timer, double ticks);

/** pace_end() - the walk ends
 * @lacking: some of its samples were disturbed: what was the best before is not to
 *           be had now, so the best of this walk takes its place
 */
void pace_end(struct pace *p, bool lacking);

/** pace_read() - ticks of a step now */
double pace_read(const struct pace *p, const struct timer *timer);

/** pace_is_best() - is a step of @cycles as fast as at its best?
 * @changed: share by which cycles of one step differ at most, by how they are timed:
 *           the best and these may be off by as much, in either direction
 */
bool pace_is_best(const struct pace *p, double cycles, double changed);

/** pace_note() - the longer one of two readings about a sample, at one frequency */
void pace_note(struct pace *p, double cycles);

#endif
