/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_back.h - whether the first level keeps what was written until it loses
 * the line.
 *
 * A modified line is written back when the first level loses it, and the second
 * level has it then; a line that was only loaded is dropped. write_through.h
 * has the sequences. (They are ours; published methods count writes, which no
 * counter here does.)
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_BACK_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_BACK_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * write_back_measure() - of the first level; the others are left open
 *
 * Above a second level that is neither inclusive nor exclusive by
 * write_back_lost(), above an inclusive one by write_back_unseen(). What stays
 * undecided so write_through_seen() decides where the second level sees stores.
 *
 * @h: caches with their geometry, latencies and inclusion; write_back is filled
 *     in
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_back_measure(struct prober *p, struct hierarchy *h,
		       struct failure *f);

#endif
