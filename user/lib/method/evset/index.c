// SPDX-License-Identifier: GPL-2.0
/*
 * index.c - the oracle of method/index/find.h on a machine: lines beside an
 * eviction set that lacks one of its own.
 *
 * Lines miss in the levels above only if lines of the same sets there follow
 * them. A line that differs in bits that select those sets gets evictors of its
 * own, which do not conflict with the eviction set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/stages.h"

#include "method/evset/tuning.h"
#include "method/index/find.h"

/* Lines of one question: a miss among as many still shows by time. */
#define MOST_LINES 256
/* Sets of the levels above that lines of one search may lie in. */
#define MOST_COLUMNS 2048
/* Error rate of quick answers. They draw nothing: each question is repeated
 * until it is settled (index_settle()), and that error is drawn.
 */
#define QUICKLY_WRONG 1e-3

/**
 * struct column - lines that share the sets of the levels above
 * @low: address bits in which they differ from the eviction set
 * @evictors: that evict from those sets
 * @count: of evictors; 0: none were found
 */
struct column {
	uint64_t low;
	uint64_t evictors[EVSET_MOST_EVICTORS];
	size_t count;
};

/**
 * struct query - the oracle's state
 * @e: the level
 * @set: the eviction set
 * @columns: so far; @column_count of them
 * @final: whether answers may be published
 * @list: room for one question
 */
struct query {
	struct evset_machine *e;
	const struct evset_set *set;
	struct column *columns[MOST_COLUMNS];
	size_t column_count;
	bool final;
	uint64_t *list;
};

/* Address of the window; inside a page its offset will do. */
static uint64_t origin(const struct evset_machine *e)
{
	return e->window.contiguous ? e->window.phys : e->window.begin;
}

static uint64_t low_of(const struct query *a, uint64_t offset)
{
	return (offset ^ a->set->lines[0]) & (a->e->window.low_bytes - 1);
}

static void draw_evictors(const struct query *a, struct column *c)
{
	struct evset_machine *e = a->e;
	uint64_t places = e->window.bytes / e->window.low_bytes;
	uint64_t at =
		(a->set->lines[0] - e->window.begin) % e->window.low_bytes ^
		c->low;

	c->count = 0;
	while (c->count < a->set->evictor_count && c->count < places) {
		uint64_t line = e->window.begin + at +
				rng_below(&e->x->prober->rng, places) *
					e->window.low_bytes;

		if (!evset_holds(c->evictors, c->count, line))
			c->evictors[c->count++] = line;
	}
}

/* Evictors that do not conflict with the eviction set, or none. */
static int find_evictors(struct query *a, struct column *c, bool final,
			 struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	for (int i = 0;
	     !error && i < EVICTOR_TRIES && verdict != VERDICT_COMPACT; i++) {
		draw_evictors(a, c);
		error = evset_any_congruent(&a->e->o, a->set, c->evictors,
					    c->count, final, &verdict, f);
	}
	if (verdict != VERDICT_COMPACT)
		c->count = 0;
	return error;
}

/*
 * If the evictors of several columns do not conflict all together, none of them
 * does. Otherwise halves show whose do; these are drawn anew.
 */
static int confirm(struct query *a, struct column **columns, size_t count,
		   struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	uint64_t all[COLUMN_GROUP * EVSET_MOST_EVICTORS];
	size_t n = 0, half = (count + 1) / 2;
	bool possible = true;
	int error = 0;

	for (size_t i = 0; i < count; i++) {
		memcpy(all + n, columns[i]->evictors,
		       columns[i]->count * sizeof(*all));
		n += columns[i]->count;
		possible &= columns[i]->count > 0;
	}
	if (possible || count > 1)
		error = evset_any_congruent(&a->e->o, a->set, all, n, true,
					    &verdict, f);
	if (error || (verdict == VERDICT_COMPACT && possible))
		return error;
	if (count == 1)
		return find_evictors(a, columns[0], true, f);
	error = confirm(a, columns, half, f);
	return error ? error : confirm(a, columns + half, count - half, f);
}

static struct column *column_of(const struct query *a, uint64_t low)
{
	for (size_t i = 0; i < a->column_count; i++)
		if (a->columns[i]->low == low)
			return a->columns[i];
	return NULL;
}

/* Lines of the list that evict each other from the levels above. */
static size_t lines_at(const struct query *a, size_t lines, uint64_t low)
{
	size_t count = 0;

	for (size_t i = 0; i < lines; i++)
		count += low_of(a, a->list[i]) == low;
	return count;
}

/**
 * struct lows - columns of one question that need evictors
 * @low: address bits in which lines differ from the eviction set
 * @missing: evictors that are needed, beside the lines of the question
 * @count: of columns
 */
struct lows {
	uint64_t low[MOST_LINES];
	size_t missing[MOST_LINES];
	size_t count;
};

static void list_lows(const struct query *a, size_t lines, struct lows *l)
{
	uint64_t seen[MOST_LINES];
	size_t seen_count = 0;

	l->count = 0;
	for (size_t i = 0; i < lines; i++) {
		uint64_t low = low_of(a, a->list[i]);
		size_t there;

		if (!low || evset_holds(seen, seen_count, low))
			continue;
		seen[seen_count++] = low;
		there = lines_at(a, lines, low);
		if (there >= a->set->evictor_count)
			continue;
		l->low[l->count] = low;
		l->missing[l->count++] = a->set->evictor_count - there;
	}
}

/* Columns that were not needed before. */
static int make_columns(struct query *a, const struct lows *l,
			struct failure *f)
{
	size_t begin = a->column_count;
	int error = 0;

	for (size_t i = 0;
	     !error && i < l->count && a->column_count < MOST_COLUMNS; i++) {
		struct column *c;

		if (column_of(a, l->low[i]))
			continue;
		c = calloc(1, sizeof(*c));
		if (!c)
			return prober_out_of_memory(f);
		c->low = l->low[i];
		a->columns[a->column_count++] = c;
		error = find_evictors(a, c, false, f);
	}
	for (size_t some; !error && begin < a->column_count; begin += some) {
		some = a->column_count - begin;
		if (some > COLUMN_GROUP)
			some = COLUMN_GROUP;
		error = confirm(a, a->columns + begin, some, f);
	}
	return error;
}

/* The evictors of each column of @lines, once: as many as the lines do not make
 * up for.
 */
static int add_evictors(struct query *a, size_t lines, size_t *count,
			bool *possible, struct failure *f)
{
	struct lows l = { .count = 0 };
	int error = 0;

	*count = lines;
	*possible = true;
	if (a->set->evictor_count) {
		list_lows(a, lines, &l);
		error = make_columns(a, &l, f);
	}
	for (size_t i = 0; !error && i < l.count; i++) {
		struct column *c = column_of(a, l.low[i]);
		size_t missing = l.missing[i];

		/* Contention may have ended. */
		if (c && !c->count)
			error = find_evictors(a, c, true, f);
		*possible &= c && c->count;
		for (size_t k = 0; c && k < c->count && missing; k++)
			if (!evset_holds(a->list, lines, c->evictors[k])) {
				a->list[(*count)++] = c->evictors[k];
				missing--;
			}
	}
	return error;
}

static int ask(void *context, size_t set, const uint64_t *lines, size_t count,
	       enum verdict *verdict, struct failure *f)
{
	struct query *a = context;
	bool possible;
	size_t all = 0;
	int error;

	(void)set;
	for (size_t i = 0; i < count; i++) {
		uint64_t offset =
			a->e->window.begin + (lines[i] - origin(a->e));

		/* A member: the set as it is answers. */
		if (evset_holds(a->set->lines, a->set->count, offset))
			return evset_ask_set(&a->e->o, a->set, a->set->lines,
					     a->set->count, a->final, verdict,
					     f);
		/* The evictors of the set are not congruent. */
		if (!evset_holds(a->set->evictors, a->set->evictor_count,
				 offset))
			a->list[all++] = offset;
	}
	*verdict = VERDICT_COMPACT;
	if (!all)
		return 0;
	error = add_evictors(a, all, &all, &possible, f);
	*verdict = VERDICT_UNDECIDED;
	if (error || !possible)
		return error;
	return evset_any_congruent(&a->e->o, a->set, a->list, all, a->final,
				   verdict, f);
}

static unsigned int log2_of(uint64_t bytes)
{
	return 63 - (unsigned int)__builtin_clzll(bytes);
}

/* Bits above a page are unknown if pages lie anywhere, or if a hypervisor
 * places them.
 */
static uint64_t known_bytes(const struct evset_machine *e)
{
	const struct machine *m = e->x->prober->m;

	if ((m->virtual_machine || !e->window.contiguous) &&
	    m->region.page_bytes < e->window.bytes)
		return m->region.page_bytes;
	return e->window.bytes;
}

/* Only lines of one page that share a set, wherever the page is, prove that the
 * page is contiguous in the host; lines of a page that is not look like those
 * of an index that is no XOR.
 */
static void withhold_scattered(struct index_function *found, uint64_t bytes)
{
	size_t bits = found->high_bit - found->low_bit + 1;

	if (!found->nonlinear && !found->modulus_bytes && found->rank < bits)
		return;
	*found = (struct index_function){ .kind = INDEX_UNKNOWN };
	snprintf(
		found->reason, sizeof(found->reason),
		"lines of a page of %llu KiB share no sets, or not where others do: it may not be contiguous in the host",
		(unsigned long long)bytes / 1024);
}

static int find_and_check(struct query *a, uint64_t line_bytes, size_t pairs,
			  struct index_function *found, struct failure *f)
{
	const double alpha = a->e->x->prober->rules.alpha;
	const uint64_t seed = rng_next(&a->e->x->prober->rng);
	uint64_t addresses[EVSET_MOST_WAYS + 1];
	const struct index_set set = { addresses, a->set->count };
	const struct index_oracle oracle = {
		.test = ask,
		.context = a,
		.sets = &set,
		.set_count = 1,
		.low_bit = log2_of(line_bytes),
		.high_bit = log2_of(known_bytes(a->e)) - 1,
		.most_lines = MOST_LINES,
		.most_alike = a->set->count - 1,
		.false_yes = a->final ? alpha : QUICKLY_WRONG,
		.false_no = a->final ? alpha : QUICKLY_WRONG,
		.budget = &a->e->x->prober->budget,
	};
	int error;

	for (size_t i = 0; i < a->set->count; i++)
		addresses[i] =
			a->set->lines[i] - a->e->window.begin + origin(a->e);
	error = index_find(&oracle, seed, found, f);
	if (!error && a->e->x->prober->m->virtual_machine)
		withhold_scattered(found, known_bytes(a->e));
	if (error || !pairs || !found->rank)
		return error;
	error = index_verify(&oracle, found, pairs, seed + 1, &found->check, f);
	if (!error)
		index_judge(found);
	if (error != -EINVAL || found->check.congruent || found->check.apart ||
	    found->check.undecided)
		return error;
	/* The masks predict none of the pairs: nothing proves them. */
	index_withhold(
		found,
		"masks came out, but they predict none of the pairs of lines");
	f->text[0] = '\0';
	f->status = STATUS_DONE;
	return 0;
}

int index_of_level(struct evset_machine *e, const struct evset_set *set,
		   uint64_t line_bytes, size_t pairs,
		   struct index_function *found, struct failure *f)
{
	struct query *a = calloc(1, sizeof(*a));
	int error;

	*found = (struct index_function){ .kind = INDEX_UNKNOWN };
	snprintf(
		found->reason, sizeof(found->reason),
		"no memory that is contiguous beyond the sets of the levels above");
	if (!a)
		return prober_out_of_memory(f);
	a->e = e;
	a->set = set;
	a->list = calloc(MOST_LINES * (size_t)(1 + EVSET_MOST_EVICTORS),
			 sizeof(*a->list));
	error = a->list ? 0 : prober_out_of_memory(f);
	if (!error && known_bytes(e) > e->window.low_bytes)
		error = find_and_check(a, line_bytes, pairs, found, f);
	/* Quick answers fail for some policies. */
	if (!error && found->kind == INDEX_UNKNOWN && !found->rank &&
	    known_bytes(e) == e->window.bytes) {
		a->final = true;
		error = find_and_check(a, line_bytes, pairs, found, f);
	}
	for (size_t i = 0; i < a->column_count; i++)
		free(a->columns[i]);
	free(a->list);
	free(a);
	return error;
}
