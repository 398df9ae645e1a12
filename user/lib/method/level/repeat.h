/* SPDX-License-Identifier: GPL-2.0 */
/*
 * repeat.h - a search for a geometry, repeated until it is reproduced: load from
 * elsewhere may change what one search finds, but seldom to the same answer.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_REPEAT_H
#define PROBE_PHYS_METHOD_LEVEL_REPEAT_H

#include "method/level/geometry.h"

/**
 * struct geometry_search - one way to find a level's geometry
 * @find: (out) @g. Return: 0; -ERANGE: memory is too short; another -errno
 * @context: its first argument
 * @needs_contiguous: pages that lie anywhere in the host's memory make it undecided
 */
struct geometry_search {
	int (*find)(void *context, struct xray *x, struct xray_geometry *g,
		    struct failure *f);
	void *context;
	bool needs_contiguous;
};

/**
 * geometry_repeat() - search until one answer has come out three times and no other
 * one has
 *
 * The searches are tens of milliseconds apart.
 * Return: 0 or -errno of @by, but for -ERANGE, which is an answer.
 */
int geometry_repeat(struct xray *x, const struct geometry_search *by,
		    struct xray_geometry *g, struct failure *f);

#endif
