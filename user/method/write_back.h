/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_back.h - whether the first level keeps what was written until it loses
 * the line.
 *
 * A line x is read so often that the first level keeps it while others push it
 * out of the second, as for inclusion. Then x is stored to, pushed out of the
 * second level once more, in case that the store went through to it, and pushed
 * out of the first. A modified line is written back then, and the second level
 * has it; an unmodified one is just dropped. (The sequence is ours; published
 * methods count writes, which no counter here does.) Above an inclusive second
 * level write_seen.h asks.
 */
#ifndef PROBE_PHYS_WRITE_BACK_H
#define PROBE_PHYS_WRITE_BACK_H

#include "../report/result.h"
#include "prober.h"

/**
 * write_back_measure() - of the first level; the others are left open
 *
 * Decided against lines that were pushed out of the first level only (there)
 * and lines that were not stored to (dropped), by a sign test on placements. That
 * x is not there proves
 * nothing: the level below may not take what is written back. So what is decided
 * is write-back; write-through stays open.
 *
 * @h: caches with their geometry, latencies and inclusion; write_back is filled
 *     in
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_back_measure(struct prober *p, struct hierarchy *h,
		       struct failure *f);

#endif
