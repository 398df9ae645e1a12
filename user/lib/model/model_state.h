/* SPDX-License-Identifier: GPL-2.0 */
/* model_state.h - state that the files of the model share. */
#ifndef PROBE_PHYS_MODEL_MODEL_STATE_H
#define PROBE_PHYS_MODEL_MODEL_STATE_H

#include "model/journal.h"
#include "model/model.h"
#include "model/prefetch.h"
#include "model/tlb.h"
#include "model/walk_cache.h"

/**
 * struct model_counts - accesses of one CPU, counted
 * @translated: translations by the first level (1), a later one (2), a walk (0)
 * @served: loads, stores, fetches by the level of their chain that served them
 * @kinds: loads, stores, fetches
 * @ticks: costs so far
 */
struct model_counts {
	uint64_t translated[SIDES][3];
	uint64_t served[3][PROFILE_MAX_CACHES + 1];
	uint64_t kinds[3];
	uint64_t ticks;
};

/**
 * struct model_cpu - one CPU
 * @tlb: its translations
 * @walks: its caches of page walks
 * @prefetchers: those that follow its loads and stores
 * @counts: its accesses
 */
struct model_cpu {
	struct tlb tlb;
	struct walk_caches walks;
	struct prefetcher prefetchers[PROFILE_MAX_PREFETCHERS];
	struct model_counts counts;
};

/** struct model_done - result of one access
 * @tables: levels of page tables above that of its page whose entry was read, bits
 *          1 << enum profile_table
 */
struct model_done {
	uint32_t ticks;
	uint8_t kind;
	uint8_t translated;
	uint8_t served;
	uint8_t tables;
};

/** struct model_luck - what an array and its policy keep that belongs to no set
 */
struct model_luck {
	uint64_t random;
	unsigned int psel;
	uint64_t missed;
};

/**
 * struct model_rounds - rounds of accesses, and whether they repeat themselves
 * @arrays: all of the model, @count of them
 * @luck: theirs when the journal was begun
 * @used, @turn: the CPU's of struct tlb then
 * @journal: contents of sets then
 * @cpu: CPU of the rounds; NULL: none announced
 * @begun: there is a journal
 * @since: rounds since then
 * @limit: rounds that are compared with this beginning before the next one
 * @period: accesses that bring everything back to where it was; 0: not known
 * @counts: what the CPU had done when the journal was begun; @period: what a
 *          period does
 * @round: @period: the accesses, @length of them
 * @done: results of the first @noted accesses of a period
 * @room: how many fit there
 * @stands: access of a period before which the model stands
 * @ahead: accesses that are counted but not done yet
 */
struct model_rounds {
	struct array **arrays;
	size_t count;
	struct model_luck *luck;
	uint64_t used;
	unsigned int turn;
	struct journal journal;
	struct model_cpu *cpu;
	bool begun;
	uint64_t since;
	uint64_t limit;
	uint64_t period;
	struct model_counts counts;
	const struct model_access *round;
	size_t length;
	struct model_done *done;
	size_t noted;
	size_t room;
	uint64_t stands;
	uint64_t ahead;
};

struct model {
	const struct profile *profile;
	struct levels levels;
	struct model_cpu *cpus;
	struct model_rounds rounds;
};

/** model_known_cpu() - a CPU that the profile does not have is its first one */
static inline unsigned int model_known_cpu(const struct model *m,
					   unsigned int cpu)
{
	return cpu < m->levels.cpus ? cpu : 0;
}

/** model_side() - which translations and caches an access uses */
static inline enum side model_side(enum model_kind kind)
{
	return kind == MODEL_FETCH ? SIDE_FETCH : SIDE_DATA;
}

/** model_rounds_init() - of a model that is complete else. Return: 0 or -errno;
 * model_rounds_free() in either case.
 */
int model_rounds_init(struct model *m);
void model_rounds_free(struct model *m);

/** model_do() - model_run() with the result of each access */
void model_do(struct model *m, const struct model_access *all, size_t count,
	      struct model_done *done);

static inline void model_count(struct model_counts *c,
			       const struct model_done *d)
{
	enum side side = model_side(d->kind);

	c->translated[side][d->translated]++;
	c->served[d->kind][d->served]++;
	c->kinds[d->kind]++;
	c->ticks += d->ticks;
}

/** model_rounds_forget() - the model changes otherwise: rounds begin anew */
void model_rounds_forget(struct model *m);

#endif
