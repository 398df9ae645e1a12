// SPDX-License-Identifier: GPL-2.0
/*
 * model_rounds.c - the same accesses round after round.
 *
 * A model is an automaton: once a round leaves it as it was some rounds before,
 * the rounds between, a period, follow each other for ever. Then nothing needs
 * to be done for them but to add what they cost. The state is compared as Brent
 * (1980) finds cycles: with that at a few beginnings, each kept longer than the
 * one before.
 */
#include <stdlib.h>

#include "model/model_state.h"

/* A beginning is kept this many times as long as the one before: rounds settle
 * soon, but a period may be some dozens of them.
 */
#define LONGER 8
/* Longest period of which each access is noted. */
#define LONGEST_NOTED ((size_t)1 << 20)

static size_t count_arrays(const struct model *m)
{
	size_t count = m->levels.cache_count;

	for (unsigned int cpu = 0; cpu < m->levels.cpus; cpu++)
		count += m->cpus[cpu].tlb.count + m->cpus[cpu].walks.count;
	return count;
}

int model_rounds_init(struct model *m)
{
	struct model_rounds *r = &m->rounds;
	size_t count = count_arrays(m);

	r->arrays = calloc(count + 1, sizeof(struct array *));
	r->luck = calloc(count + 1, sizeof(*r->luck));
	if (!r->arrays || !r->luck)
		return -ENOMEM;
	for (size_t i = 0; i < m->levels.cache_count; i++)
		r->arrays[r->count++] = &m->levels.caches[i].array;
	for (unsigned int cpu = 0; cpu < m->levels.cpus; cpu++) {
		struct model_cpu *c = &m->cpus[cpu];

		for (size_t i = 0; i < c->tlb.count; i++)
			r->arrays[r->count++] = &c->tlb.arrays[i].array;
		for (size_t i = 0; i < c->walks.count; i++)
			r->arrays[r->count++] = &c->walks.all[i].array;
	}
	return 0;
}

void model_rounds_free(struct model *m)
{
	free(m->rounds.arrays);
	free(m->rounds.luck);
	free(m->rounds.done);
	journal_free(&m->rounds.journal);
}

static void write_journal(struct model_rounds *r, struct journal *journal)
{
	for (size_t i = 0; i < r->count; i++)
		r->arrays[i]->journal = journal;
}

static void begin_journal(struct model_rounds *r)
{
	journal_begin(&r->journal);
	for (size_t i = 0; i < r->count; i++) {
		const struct policy *p = &r->arrays[i]->policy;

		r->luck[i] = (struct model_luck){ p->rng.state, p->psel,
						  r->arrays[i]->missed };
	}
	r->used = r->cpu->tlb.used;
	r->turn = r->cpu->tlb.turn;
	r->counts = r->cpu->counts;
	r->since = 0;
	if (!r->begun)
		write_journal(r, &r->journal);
	r->begun = true;
}

static bool is_as_begun(const struct model_rounds *r)
{
	if (r->cpu->tlb.used != r->used || r->cpu->tlb.turn != r->turn ||
	    !journal_undone(&r->journal))
		return false;
	for (size_t i = 0; i < r->count; i++) {
		const struct policy *p = &r->arrays[i]->policy;

		if (p->rng.state != r->luck[i].random ||
		    p->psel != r->luck[i].psel ||
		    r->arrays[i]->missed != r->luck[i].missed)
			return false;
	}
	return true;
}

/* All members are 64-bit words. */
static void add_counts(struct model_counts *to, const struct model_counts *from,
		       uint64_t times)
{
	uint64_t *into = (uint64_t *)to;
	const uint64_t *what = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*into); i++)
		into[i] += times * what[i];
}

/* The model stands where it stood @since rounds before. */
static void begin_period(struct model_rounds *r,
			 const struct model_access *round, size_t length)
{
	struct model_counts now = r->cpu->counts;

	write_journal(r, NULL);
	add_counts(&now, &r->counts, UINT64_MAX);
	r->counts = now;
	r->round = round;
	r->length = length;
	r->period = r->since * length;
	r->noted = 0;
	r->stands = r->ahead = 0;
}

static void end_round(struct model_rounds *r, const struct model_access *round,
		      size_t length)
{
	if (r->begun) {
		r->since++;
		if (is_as_begun(r)) {
			begin_period(r, round, length);
			return;
		}
		if (r->since < r->limit)
			return;
		r->limit *= LONGER;
	}
	begin_journal(r);
}

/* Return: room for the results of all accesses of a period, or NULL. */
static struct model_done *notes_of(struct model_rounds *r)
{
	struct model_done *done;

	if (r->period > LONGEST_NOTED)
		return NULL;
	if (r->period <= r->room)
		return r->done;
	done = realloc(r->done, r->period * sizeof(*done));
	if (!done)
		return NULL;
	r->done = done;
	r->room = r->period;
	return done;
}

/* Accesses within one round, where the model stands. */
static void do_some(struct model *m, size_t count)
{
	struct model_rounds *r = &m->rounds;
	const struct model_access *all = r->round + r->stands % r->length;
	struct model_done *notes = notes_of(r);

	if (notes && r->stands == r->noted) {
		model_do(m, all, count, notes + r->noted);
		r->noted += count;
	} else {
		model_run(m, all, count);
	}
	r->stands = (r->stands + count) % r->period;
}

static uint64_t within_round(const struct model_rounds *r, uint64_t accesses)
{
	uint64_t left = r->length - r->stands % r->length;

	return accesses < left ? accesses : left;
}

/* Does the accesses that were counted before. */
static void catch_up(struct model *m)
{
	struct model_rounds *r = &m->rounds;
	struct model_counts counts = r->cpu->counts;

	while (r->ahead) {
		uint64_t count = within_round(r, r->ahead);

		do_some(m, (size_t)count);
		r->ahead -= count;
	}
	r->cpu->counts = counts;
}

/* Accesses of a known period, less than one. */
static void go_on(struct model *m, uint64_t accesses)
{
	struct model_rounds *r = &m->rounds;

	while (accesses && r->noted < r->period) {
		uint64_t count = within_round(r, accesses);

		do_some(m, (size_t)count);
		accesses -= count;
	}
	for (; accesses; accesses--) {
		uint64_t next = r->stands + r->ahead;

		if (next >= r->period)
			next -= r->period;
		model_count(&r->cpu->counts, &r->done[next]);
		r->ahead++;
		if (r->ahead == r->period)
			r->ahead = 0;
	}
}

static uint64_t repeat(struct model *m, uint64_t accesses)
{
	struct model_rounds *r = &m->rounds;
	uint64_t ticks = r->cpu->counts.ticks;

	add_counts(&r->cpu->counts, &r->counts, accesses / r->period);
	go_on(m, accesses % r->period);
	return r->cpu->counts.ticks - ticks;
}

void model_rounds_forget(struct model *m)
{
	struct model_rounds *r = &m->rounds;

	if (r->period)
		catch_up(m);
	else if (r->begun)
		write_journal(r, NULL);
	r->begun = false;
	r->period = 0;
	r->limit = 1;
}

void model_rounds_begin(struct model *m, unsigned int cpu)
{
	struct model_rounds *r = &m->rounds;
	struct model_cpu *c = &m->cpus[model_known_cpu(m, cpu)];

	model_rounds_end(m);
	for (size_t i = 0; i < m->profile->prefetcher_count; i++)
		if (c->prefetchers[i].on &&
		    prefetch_remembers(&c->prefetchers[i]))
			return;
	r->cpu = c;
}

void model_rounds_end(struct model *m)
{
	model_rounds_forget(m);
	m->rounds.cpu = NULL;
}

uint64_t model_rounds(struct model *m, const struct model_access *round,
		      size_t length, size_t *at, uint64_t accesses)
{
	struct model_rounds *r = &m->rounds;
	uint64_t ticks = 0;

	while (accesses && !r->period) {
		uint64_t count = length - *at;

		if (count > accesses)
			count = accesses;
		ticks += model_run(m, round + *at, (size_t)count);
		accesses -= count;
		*at += (size_t)count;
		if (*at < length)
			continue;
		*at = 0;
		if (r->cpu)
			end_round(r, round, length);
	}
	if (accesses) {
		ticks += repeat(m, accesses);
		*at = (*at + accesses) % length;
	}
	return ticks;
}
