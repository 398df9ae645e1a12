// SPDX-License-Identifier: GPL-2.0
/* page_masks.c - does a line that is moved within its page stay in its set? */
#include "method/evset/count/page_masks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gf2.h"
#include "method/evset/oracle/per_load.h"
#include "method/index/find.h"

/* Distances in one sample. */
#define AT_ONCE 6
/* Lines of other classes, moved as far: they evict from the levels above, and
 * are the negative controls. At least this many.
 */
#define OTHERS_LEAST 16
/* A distance is decided when CLASSES more samples say one thing than the other,
 * of at most MOST_ANSWERS; disturbed samples are repeated.
 */
#define CLASSES 3
#define MOST_ANSWERS 9
#define OF_CLASSES 3
#define TRIES 4
#define DRAWS 64
#define MOST_DISTANCES 4096
/* Attempts at masks that predict fresh lines: contention may have ended by the
 * next one.
 */
#define MASKS_TRIES 3
#define MASKS_PAUSE_MS 50

/**
 * struct moves - lines that are moved, and their samples
 * @in: where the lines come from
 * @class: whose lines overflow
 * @by: distances, XORed to an offset; @count of them
 * @lines: of the list: @own that overflow, then others of each distance, moved
 *         as well, then the moved lines of each distance
 * @own: lines that overflow
 * @at: of each distance, where its moved lines begin in @lines
 * @length: of the list
 * @excess: of each line, ticks above the mean
 * @moved: of each distance, lines of the class that were moved
 */
struct moves {
	const struct evset_sorted_lines *in;
	size_t class;
	uint64_t by[AT_ONCE];
	size_t count;
	uint64_t *lines;
	size_t own;
	size_t at[AT_ONCE];
	size_t length;
	double *excess;
	size_t moved;
};

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t own_lines(const struct evset_sorted_lines *in, size_t class)
{
	return least_of(evset_class_lines(in->c, class) - EVSET_MOVED_LINES,
			EVSET_OVERFULL(in->c->ways));
}

/* A line of a class: the first ones overflow, others are moved. */
static uint64_t line_of(const struct evset_sorted_lines *in, size_t class,
			size_t i)
{
	const struct evset_classes *c = in->c;

	return c->lines[c->begin[class] + i % evset_class_lines(c, class)];
}

static size_t others_wanted(const struct evset_sorted_lines *in)
{
	const size_t wanted =
		in->e->o.upper_evictors + in->e->o.upper_evictors / 2;

	return wanted > OTHERS_LEAST ? wanted : OTHERS_LEAST;
}

static size_t others_of(const struct moves *m)
{
	const size_t wanted = others_wanted(m->in);
	const struct evset_set *sets = m->in->c->sets;

	return sets ? least_of(sets[m->class].evictor_count, wanted) : wanted;
}

/* The @i-th line that is not of the class and shares its sets above: of the
 * other classes in turn, or an evictor of its set.
 */
static uint64_t other_line(const struct moves *m, size_t from, size_t first,
			   size_t i)
{
	const struct evset_classes *c = m->in->c;
	const size_t turn = c->count - 1;
	size_t class;

	if (c->sets)
		return c->sets[m->class].evictors[i];
	class = (from + i) % turn;
	class += class >= m->class;
	return line_of(m->in, class, first + i / turn);
}

/* Others, and behind these the lines of the class, for distance number @k. */
static void list_moved(struct moves *m, struct rng *rng, size_t k)
{
	const struct evset_sorted_lines *in = m->in;
	const size_t own = own_lines(in, m->class);
	const size_t rest = evset_class_lines(in->c, m->class) - own;
	const size_t first = rng_below(rng, rest);
	const size_t from = rng_below(rng, in->c->count - 1);
	const size_t others = others_of(m);
	uint64_t *control = m->lines + own + k * others;

	m->moved = least_of(rest, EVSET_MOVED_LINES);
	m->at[k] = own + m->count * others + k * m->moved;
	for (size_t i = 0; i < m->moved; i++)
		m->lines[m->at[k] + i] =
			line_of(in, m->class, own + (first + i) % rest) ^
			m->by[k];
	for (size_t i = 0; i < others; i++)
		control[i] = other_line(m, from, first, i) ^ m->by[k];
}

static void list_moves(struct moves *m, struct rng *rng)
{
	const struct evset_sorted_lines *in = m->in;

	m->own = own_lines(in, m->class);
	for (size_t i = 0; i < m->own; i++)
		m->lines[i] = line_of(in, m->class, i);
	for (size_t k = 0; k < m->count; k++)
		list_moved(m, rng, k);
	m->length = m->at[m->count - 1] + m->moved;
}

/* Enough lines to overflow, and some more to move. */
static bool is_enough(const struct evset_classes *c, size_t class)
{
	return evset_class_lines(c, class) >= c->ways + 1 + EVSET_MOVED_LINES;
}

/* The largest of a few classes overflows most clearly. */
static void choose_class(struct moves *m, struct rng *rng)
{
	const struct evset_classes *c = m->in->c;
	size_t most = 0;

	for (int i = 0; i < OF_CLASSES || !most; i++) {
		size_t class = rng_below(rng, c->count);

		if (!is_enough(c, class) || evset_class_lines(c, class) < most)
			continue;
		most = evset_class_lines(c, class);
		m->class = class;
	}
}

/* One sample of all distances. NON_COMPACT: lines stay in their set; UNDECIDED:
 * the lines of a distance differ.
 */
static int take_sample(struct moves *m, enum verdict *verdict,
		       struct failure *f)
{
	struct evset_machine *e = m->in->e;
	double at;
	int error;

	choose_class(m, &e->x->prober->rng);
	list_moves(m, &e->x->prober->rng);
	error = evset_sample_overfull(e, m->lines, m->own, m->at[0] - m->own,
				      m->length, m->excess, &at, f);
	for (size_t k = 0; k < m->count; k++) {
		size_t missing = 0;

		for (size_t i = 0; i < m->moved; i++)
			missing += m->excess[m->at[k] + i] > at;
		verdict[k] = isinf(at)		 ? VERDICT_UNDECIDED :
			     !missing		 ? VERDICT_COMPACT :
			     missing == m->moved ? VERDICT_NON_COMPACT :
						   VERDICT_UNDECIDED;
	}
	return error;
}

/* Until one class has decided all distances. */
static int ask(struct moves *m, enum verdict *verdict, struct failure *f)
{
	bool open = true;
	int error = 0;

	for (size_t k = 0; k < m->count; k++)
		verdict[k] = VERDICT_UNDECIDED;
	for (int i = 0; !error && open && i < TRIES; i++) {
		enum verdict now[AT_ONCE];

		error = take_sample(m, now, f);
		open = false;
		for (size_t k = 0; !error && k < m->count; k++) {
			if (verdict[k] == VERDICT_UNDECIDED)
				verdict[k] = now[k];
			open |= verdict[k] == VERDICT_UNDECIDED;
		}
	}
	return error;
}

/* stays[k] of some distances; OUTCOME_DECIDED: classes agree on each. */
static int agree(struct moves *m, bool *stays, enum outcome *outcome,
		 struct failure *f)
{
	int lead[AT_ONCE] = { 0 }, error = 0;

	*outcome = OUTCOME_OPEN;
	for (int i = 0;
	     !error && *outcome != OUTCOME_DECIDED && i < MOST_ANSWERS; i++) {
		enum verdict verdict[AT_ONCE];

		error = ask(m, verdict, f);
		*outcome = outcome_if(!error, OUTCOME_OPEN);
		for (size_t k = 0; !error && k < m->count; k++) {
			lead[k] += (verdict[k] == VERDICT_NON_COMPACT) -
				   (verdict[k] == VERDICT_COMPACT);
			if (abs(lead[k]) < CLASSES)
				*outcome = OUTCOME_OPEN;
		}
	}
	for (size_t k = 0; k < m->count; k++)
		stays[k] = lead[k] > 0;
	return error;
}

/* Distances that leave lines in their sets; OUTCOME_DECIDED: classes
 * agree on each, and the distances are a space.
 */
static int find_space(struct moves *m, struct gf2_space *space, bool *stays,
		      enum outcome *outcome, struct failure *f)
{
	const struct evset_sorted_lines *in = m->in;
	const size_t all = in->page_bytes / in->line_bytes;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	for (size_t from = 1;
	     !error && *outcome == OUTCOME_DECIDED && from < all;
	     from += m->count) {
		m->count = least_of(all - from, AT_ONCE);
		for (size_t k = 0; k < m->count; k++)
			m->by[k] = (from + k) * in->line_bytes;
		error = agree(m, stays + from, outcome, f);
	}
	if (!evset_distance_space(stays, all, in->line_bytes, space))
		*outcome = OUTCOME_OPEN;
	return error;
}

/* Distances, none twice, half of them such that lines stay in their sets. */
static void draw_distances(struct moves *m, const struct gf2_space *space,
			   size_t most)
{
	const struct evset_sorted_lines *in = m->in;
	struct rng *rng = &in->e->x->prober->rng;
	const size_t all = in->page_bytes / in->line_bytes;

	m->count = 0;
	for (int i = 0; m->count < most && i < DRAWS; i++) {
		uint64_t by = space->rank && i % 2 ?
				      gf2_random(space, rng) :
				      rng_below(rng, all) * in->line_bytes;

		if (by && !evset_holds(m->by, m->count, by))
			m->by[m->count++] = by;
	}
}

/* A distance is undecided unless two samples agree on it. */
static int sample_twice(struct moves *m, enum verdict *verdict,
			struct failure *f)
{
	enum verdict again[AT_ONCE];
	int error = take_sample(m, verdict, f);

	if (!error)
		error = take_sample(m, again, f);
	for (size_t k = 0; !error && k < m->count; k++)
		if (again[k] != verdict[k])
			verdict[k] = VERDICT_UNDECIDED;
	return error;
}

static int predict(struct moves *m, const struct gf2_space *space, size_t pairs,
		   struct index_function *found, struct failure *f)
{
	int error = 0;

	for (size_t done = 0; !error && done < pairs; done += m->count) {
		enum verdict verdict[AT_ONCE];

		draw_distances(m, space, least_of(pairs - done, AT_ONCE));
		error = sample_twice(m, verdict, f);
		for (size_t k = 0; !error && k < m->count; k++)
			index_check_count(&found->check,
					  !gf2_reduce(space, m->by[k]),
					  verdict[k]);
	}
	index_check_rates(&found->check);
	return error;
}

static int find_masks(struct moves *m, bool *stays, size_t pairs,
		      struct index_function *found, struct failure *f)
{
	const struct evset_sorted_lines *in = m->in;
	const uint64_t bits = in->page_bytes - in->line_bytes;
	struct gf2_space space = { .rank = 0 }, masks;
	uint64_t rows[GF2_BITS];
	enum outcome outcome = OUTCOME_OPEN;
	int error;

	*found = (struct index_function){ .kind = INDEX_UNKNOWN };
	error = find_space(m, &space, stays, &outcome, f);
	if (error)
		return error;
	if (outcome != OUTCOME_DECIDED) {
		snprintf(
			found->reason, sizeof(found->reason),
			"lines of a page that are moved alike do not stay together alike");
		return 0;
	}
	gf2_null_space(&space, bits, &masks);
	found->low_bit = gf2_low_bit(in->line_bytes);
	found->high_bit = gf2_low_bit(in->page_bytes) - 1;
	found->rank = gf2_lowest(&masks, NULL, rows);
	memcpy(found->masks, rows, found->rank * sizeof(*rows));
	snprintf(
		found->limit, sizeof(found->limit),
		"true of two lines of one page of %llu KiB: it is contiguous in the host, more is not known to be",
		(unsigned long long)in->page_bytes / 1024);
	error = predict(m, &space, pairs, found, f);
	if (!error)
		index_judge(found);
	return error;
}

static bool are_enough(const struct evset_sorted_lines *in)
{
	const struct evset_classes *c = in->c;
	const size_t others = (c->count - 1) * (c->ways / 2);
	size_t n = 0, ready = 0;

	for (size_t k = 0; k < c->count; k++) {
		n += is_enough(c, k);
		ready += c->sets &&
			 c->sets[k].evictor_count > in->e->o.upper_evictors;
	}
	return n >= CLASSES && c->count > 1 &&
	       (c->sets ? ready == c->count : others_wanted(in) <= others) &&
	       in->page_bytes / in->line_bytes <= MOST_DISTANCES;
}

int evset_page_masks(const struct evset_sorted_lines *in, size_t pairs,
		     struct index_function *found, struct failure *f)
{
	const size_t n = 2 * EVSET_OVERFULL(in->c->ways) +
			 AT_ONCE * (EVSET_MOVED_LINES + others_wanted(in)) + 1;
	struct moves m = { .in = in,
			   .lines = calloc(n, sizeof(*m.lines)),
			   .excess = calloc(2 * n, sizeof(*m.excess)) };
	struct machine *machine = in->e->x->prober->m;
	bool *stays =
		calloc(in->page_bytes / in->line_bytes + 1, sizeof(*stays));
	int error = m.lines && m.excess && stays ? 0 : prober_out_of_memory(f);

	*found = (struct index_function){
		.reason =
			"too few lines were sorted by set to move some of them"
	};
	for (int i = 0;
	     !error && are_enough(in) && !found->rank && i < MASKS_TRIES; i++) {
		if (i)
			machine->ops->pause(machine, MASKS_PAUSE_MS);
		error = find_masks(&m, stays, pairs, found, f);
	}
	free(m.lines);
	free(m.excess);
	free(stays);
	return error;
}
