/* SPDX-License-Identifier: GPL-2.0 */
/*
 * geometry.h - what a search for the geometry of a level has found: data that
 * searches by strides (method/stride) and by evicted lines (method/evict) fill in.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_GEOMETRY_H
#define PROBE_PHYS_METHOD_LEVEL_GEOMETRY_H

#include "method/level/level.h"

/**
 * struct xray_geometry - what the search for a level's geometry found
 * @level: valid when @found
 * @found: the number of lines settled, and Theorem 1 holds around it
 * @hashed: no stride thrashes it, or verdicts depend on the base
 * @modulo: the sets are no power of two
 * @nested: a level above has the same sets: level.own is not known
 * @cramped: too little contiguous memory for the strides
 * @translation: translations miss, so it is undecided
 * @unclear: lines conflict, but no verdict was come to on some of them
 * @reused: lines may be let in only when they are used again
 * @takes: below a hashed level: as of xray_takes_victims()
 * @seen_bytes: the most that any repetition found, though others disagreed
 * @reason: in words, when not @found
 */
struct xray_geometry {
	struct xray_level level;
	bool found;
	bool hashed;
	bool modulo;
	bool nested;
	bool cramped;
	bool translation;
	bool unclear;
	bool reused;
	enum verdict takes;
	uint64_t seen_bytes;
	char reason[256];
};

#endif
