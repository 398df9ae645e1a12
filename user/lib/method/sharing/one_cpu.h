/* SPDX-License-Identifier: GPL-2.0 */
/* one_cpu.h - the question to one CPU: does it push lines of the measured CPU out of a
 * level?
 */
#ifndef PROBE_PHYS_METHOD_SHARING_ONE_CPU_H
#define PROBE_PHYS_METHOD_SHARING_ONE_CPU_H

#include "method/probe/grain.h"
#include "method/probe/prober.h"
#include "result/result.h"

/** SHARING_STRAY - what lines that are there may take more, in misses, and less, in hits
 * above
 */
#define SHARING_STRAY 0.25

/**
 * struct sharing_question - which CPUs share this level?
 * @p: measurement
 * @h: what is known
 * @k: index of the level
 * @level: it
 * @shape: lines that miss above and hit here
 * @counter: of the level's misses, a bit; 0: time
 * @above, @here: ticks of a hit in the level above, 0 for the first, and here
 * @unit: ticks that a miss costs at least
 * @assumed: that is a bound, until own lines have been pushed out
 * @pushed: of own lines, how much the measured CPU has pushed out, in misses: the least
 *          of its trials' blocks, 1 at most, and where it has not been tried
 * @apart: a CPU has left own lines alone
 * @lost: how much of them was gone after CPUs that leave them alone, the most of a block
 * @unspared: a level below may lose own lines to those of any CPU
 * @pauses: how often to wait until nothing else takes own lines away
 * @stray: (out) where no CPU pushes
 */
struct sharing_question {
	struct prober *p;
	const struct hierarchy *h;
	size_t k;
	struct cache_result *level;
	struct shape shape;
	unsigned int counter;
	double above;
	double here;
	double unit;
	bool assumed;
	double pushed;
	bool apart;
	double lost;
	bool unspared;
	unsigned int pauses;
	struct stray stray;
};

/**
 * sharing_try_cpu() - put the question to one CPU
 * @other: number of the CPU, as of struct walk_step
 * @verdict: (out) compact: it leaves own lines alone, unlike the measured CPU, which has
 *           to be tried first, and again afterwards. Non-compact: it pushes them out;
 *           the measured CPU far more than CPUs that leave them alone, and most
 * Return: 0; -ERANGE: too few lines; -EINTR; another -errno with @f set.
 */
int sharing_try_cpu(struct sharing_question *q, size_t other,
		    enum verdict *verdict, struct failure *f);

#endif
