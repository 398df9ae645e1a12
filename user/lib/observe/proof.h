/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proof.h - a counter is believed when it has counted what is known.
 *
 * Event tables are wrong, events have errata, hypervisors return constants.
 */
#ifndef PROBE_PHYS_OBSERVE_PROOF_H
#define PROBE_PHYS_OBSERVE_PROOF_H

#include "machine/machine.h"

/** PROOF_COLD_LINES - flushed lines that a counter of misses has to count */
#define PROOF_COLD_LINES 48

/** PROOF_COLD_STRIDE - bytes between them: far enough for no prefetcher to
 * bring one for another
 */
#define PROOF_COLD_STRIDE (5 * 4096 + 320)
/** PROOF_HOT_LOADS - loads of one round over a few lines that are all there */
#define PROOF_HOT_LOADS 64

/**
 * struct proof - what a counter said of sequences whose misses are known
 * @hot: per round of PROOF_HOT_LOADS loads that all hit: 0 is right
 * @cold: per PROOF_COLD_LINES lines that were flushed: that many are right
 * @answered: it counted at all, undisturbed and not multiplexed
 * @believed: both are nearly right
 */
struct proof {
	double hot;
	double cold;
	bool answered;
	bool believed;
};

/**
 * proof_of_counter() - try one that counts misses of a data cache
 * @offset: memory to use: a multiple of 4096
 * @bytes: of it; -ERANGE when that is less than 1 MiB or so
 * Return: 0 or -errno with @f set (but not for -ERANGE).
 */
int proof_of_counter(struct machine *m, uint64_t offset, uint64_t bytes,
		     enum machine_counter counter, struct proof *proof,
		     struct failure *f);

#endif
