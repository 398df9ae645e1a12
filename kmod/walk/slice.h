/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slice.h - one slice of a walk: the time with interrupts off, always
 * bounded by a deadline of the time-stamp counter.
 */
#ifndef PP_WALK_SLICE_H
#define PP_WALK_SLICE_H

#include <uapi/linux/probe_phys.h>

#include "cpu/cpu.h"
#include "walk/chain.h"
#include "walk/disturb.h"

/**
 * struct pp_slicer - state of a walk between two slices
 * @chain: the sequence
 * @counters: group to read around each slice, or NULL
 * @disturb: watch over SMIs and the clock
 * @cpu: CPU that the slices must run on
 * @slice_ticks: longest time with interrupts off
 * @rewarm: unmeasured loads wanted at the start of each slice
 * @fitted: rewarm loads that are likely to fit half a slice; known after the
 *          first pp_slice_warm()
 * @group: loads of one sample, 0: as many whole rounds as fit the slice
 * @at: position, relative to the chain's base
 * @pos: the element that should be there
 * @rest: loads that a group still lacks after it was split, 0: none
 */
struct pp_slicer {
	const struct pp_chain *chain;
	struct pp_counters *counters;
	struct pp_disturb disturb;
	int cpu;
	u64 slice_ticks;
	u64 rewarm;
	u64 fitted;
	u64 group;
	u64 at;
	u32 pos;
	u64 rest;
};

/**
 * pp_slice_warm() - one slice of unmeasured loads
 * @s: state of the walk
 * @loads: the most there may be
 * @done: (out) how many there were
 *
 * Context: process. Return: 0, -ENXIO when this is another CPU, -EIO when
 * the chain does not lead to the expected element.
 */
int pp_slice_warm(struct pp_slicer *s, u64 loads, u64 *done);

/**
 * pp_slice_measure() - one sample
 * @s: state of the walk
 * @left: loads still wanted: a multiple of a round minus the loads done
 * @sample: (out) filled in, valid when 0 is returned
 *
 * Context: as pp_slice_warm(). Return: the same, or -EAGAIN when the rewarm
 * loads took too long and nothing was measured; the next slice has fewer.
 */
int pp_slice_measure(struct pp_slicer *s, u64 left,
		     struct probe_phys_sample *sample);

#endif /* PP_WALK_SLICE_H */
