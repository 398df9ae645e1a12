/* SPDX-License-Identifier: GPL-2.0 */
/*
 * contention.h - does somebody else use a level all the time?
 *
 * A hypervisor may show two threads of one core as two cores, and have others run
 * on the second one. Who uses the first level all the time makes it look as if it
 * had fewer ways, for as long as one measures. But what he brings comes at any
 * time: lines that just fit are lost now and then in many sets, where a level that
 * has just so many ways loses them in those few that the kernel uses.
 */
#ifndef PROBE_PHYS_METHOD_STRIDE_CONTENTION_H
#define PROBE_PHYS_METHOD_STRIDE_CONTENTION_H

#include "method/level/level.h"

/**
 * xray_crowded() - look at as many lines as fit in many sets
 * @x: that measured it; time tells, and what a miss costs is known
 * @level: it
 * @doubted: somebody was there a moment ago: more sets have to say that nobody is
 * @reason: (out) why nothing can be said of its ways; empty: nobody is there
 * Return: 0, -EINTR when stopped, or another -errno with @f set.
 */
int xray_crowded(struct xray *x, const struct xray_level *level, bool doubted,
		 char *reason, size_t size, struct failure *f);

#endif
