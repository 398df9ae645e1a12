/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_share.h - what translations take of loads that hit, by views: the same line
 * is shown by pages of any size, and by as many as one likes.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_PAGE_SHARE_H
#define PROBE_PHYS_METHOD_LEVEL_PAGE_SHARE_H

#include "method/probe/prober.h"

/** PAGE_SHARE_CYCLES - two latencies are the same that differ by less, in core
 * cycles, or by PAGE_SHARE_PART of them: clocks are no steadier than that
 */
#define PAGE_SHARE_CYCLES 0.5
#define PAGE_SHARE_PART 0.04

/**
 * page_share_measure() - what each load of the machine's memory takes on top of its
 * latency
 *
 * Where no first-level TLB holds pages of the memory's size, each load waits for a
 * translation, and so does the fastest. A hit of the first level takes the least
 * that is seen with any page size.
 * @ticks: (out) 0: nothing more than in views, or there are none
 * Return: 0, -EINTR or another -errno with @f set.
 */
int page_share_measure(struct prober *p, double *ticks, struct failure *f);

/**
 * page_share_added() - what translations of a sequence's pages add to each load
 *
 * By a view of as many pages that show the same few lines.
 * @line_room: bytes of lines that surely stay in the first level
 * @ticks: (out) on top of page_share_measure(); NAN: not known
 * Return: as page_share_measure().
 */
int page_share_added(struct prober *p, const struct sequence *s,
		     uint64_t line_room, double *ticks, struct failure *f);

#endif
