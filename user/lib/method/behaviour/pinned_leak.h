/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pinned_leak.h - does the keeper of pinned_line.h keep the line at all?
 *
 * A level that replaces lines in the order in which they came (FIFO) drops a line
 * that is used again and again, and the next use brings the line back into the
 * levels below. Whatever is found there then says nothing of what the keeper does
 * with it.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_LEAK_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_LEAK_H

#include "method/behaviour/pinned_line.h"

/**
 * kept_leak() - how often the keeper lacks the line right before a use
 *
 * After lines that push, with uses between them, the line is looked for in the
 * keeper, and compared with one that was just loaded; after one more pushing line
 * again, and so on for twice the keeper's ways. A keeper that drops the line
 * after a fixed number of fills, or at random, lacks it at one of as many moments
 * as it has ways. By the keeper's counter of misses where there is one, else by
 * time. A wrong answer is a matter of one placement: keep voting (kept_votes).
 *
 * @k: prepared; the keeper's latency and that of the level below it are known
 * @leaks: (out) the line is missing more often than at half of the moments at
 *         which a keeper that drops lines would lack it
 * Return: 0; -EINTR; other -errno with @f set.
 */
int kept_leak(const struct kept *k, const struct kept_place *at, bool *leaks,
	      struct failure *f);

#endif
