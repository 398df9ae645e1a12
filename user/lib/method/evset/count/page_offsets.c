// SPDX-License-Identifier: GPL-2.0
#include "method/evset/count/page_masks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gf2.h"
#include "method/evset/oracle/per_load.h"
#include "method/level/host_pages.h"

/* Lines of each class that are moved: where a distance leads to the same sets,
 * all of one class miss.
 */
#define MOVED 2
/* Classes that overflow in turn and have to agree. A line counts if it misses
 * in two samples; if more single lines than SINGLE_MOST miss, the level is
 * contended.
 */
#define TURNS 4
#define SINGLE_MOST 4
/* Samples without an overflowing class are repeated. */
#define TRIES 4
#define MOST_DISTANCES 256

/**
 * struct landing - a class that overflows, and lines that are moved
 * @in: where the lines come from
 * @class: whose lines overflow
 * @lines: @own lines that overflow, then MOVED of each class
 * @length: of all
 * @excess: of each line, ticks above the mean; and as much room for sorting
 * @twice: of each line: it missed in the sample before, too
 */
struct landing {
	const struct evset_sorted_lines *in;
	size_t class;
	uint64_t *lines;
	size_t own;
	size_t length;
	double *excess;
	bool *twice;
};

/* Lines of each class, from a random one on. */
static void list_landing(struct landing *l, struct rng *rng, uint64_t by)
{
	const struct evset_classes *c = l->in->c;
	size_t own = evset_class_lines(c, l->class);

	l->own = own < EVSET_OVERFULL(c->ways) ? own : EVSET_OVERFULL(c->ways);
	memcpy(l->lines, c->lines + c->begin[l->class],
	       l->own * sizeof(*l->lines));
	l->length = l->own;
	for (size_t k = 0; k < c->count; k++) {
		size_t of = evset_class_lines(c, k), from = rng_below(rng, of);

		for (size_t i = 0; i < MOVED; i++)
			l->lines[l->length++] =
				c->lines[c->begin[k] + (from + i) % of] ^ by;
	}
}

/* Which moved lines miss in two samples, in both of which the class overflows;
 * otherwise they are void.
 */
static int take_sample(struct landing *l, uint64_t by, enum outcome *outcome,
		       struct failure *f)
{
	struct evset_machine *e = l->in->e;
	int error = 0, good = 0;

	list_landing(l, &e->x->prober->rng, by);
	for (size_t i = 0; i < l->length; i++)
		l->twice[i] = true;
	for (int i = 0; !error && good < 2 && i < TRIES; i++) {
		double at;

		error = evset_sample_overfull(e, l->lines, l->own,
					      l->length - l->own, l->length,
					      l->excess, &at, f);
		if (isinf(at))
			continue;
		for (size_t k = 0; k < l->length; k++)
			l->twice[k] = l->twice[k] && l->excess[k] > at;
		good++;
	}
	*outcome = outcome_if(good == 2, OUTCOME_VOID);
	return error;
}

/* Does a distance lead to the same sets again? NON_COMPACT: it does. *other:
 * not each line to its own set.
 */
static int ask(struct landing *l, uint64_t by, enum verdict *verdict,
	       bool *other, struct failure *f)
{
	const struct evset_classes *c = l->in->c;
	struct rng *rng = &l->in->e->x->prober->rng;
	size_t turns = 0, others = 0, single = 0;
	int error = 0;

	*verdict = VERDICT_UNDECIDED;
	for (int i = 0; !error && i < TURNS; i++) {
		enum outcome outcome = OUTCOME_VOID;
		size_t classes = 0;

		l->class = rng_below(rng, c->count);
		error = take_sample(l, by, &outcome, f);
		if (error || outcome != OUTCOME_DECIDED)
			return error;
		/* Noise makes single lines miss, hardly all of one class. */
		for (size_t k = l->own; k < l->length; k += MOVED) {
			bool all = l->twice[k] && l->twice[k + 1];

			classes += all;
			single += !all && (l->twice[k] || l->twice[k + 1]);
			others += all && (k - l->own) / MOVED != l->class;
		}
		turns += classes == 1;
		if (classes > 1)
			return 0;
	}
	if (single > SINGLE_MOST)
		return error;
	if (turns == TURNS)
		*verdict = VERDICT_NON_COMPACT;
	else if (!turns)
		*verdict = VERDICT_COMPACT;
	*other = others > TURNS / 2;
	return error;
}

bool evset_distance_space(const bool *of, size_t count, uint64_t line_bytes,
			  struct gf2_space *space)
{
	bool is = true;

	*space = (struct gf2_space){ .rank = 0 };
	for (size_t i = 1; i < count; i++)
		if (of[i])
			gf2_add(space, i * line_bytes);
	for (size_t i = 1; i < count; i++)
		is = is && of[i] == !gf2_reduce(space, i * line_bytes);
	return is;
}

/* Distances that lead to the same sets; OUTCOME_DECIDED: they are a space. */
static int find_same(struct landing *l, bool *same, struct gf2_space *space,
		     bool *folded, enum outcome *outcome, struct failure *f)
{
	const uint64_t line = l->in->line_bytes;
	const size_t all = l->in->page_bytes / line;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	*folded = false;
	for (size_t i = 1; !error && *outcome == OUTCOME_DECIDED && i < all;
	     i++) {
		enum verdict verdict;
		bool other = false;

		error = ask(l, i * line, &verdict, &other, f);
		*outcome =
			outcome_if(verdict != VERDICT_UNDECIDED, OUTCOME_OPEN);
		same[i] = verdict == VERDICT_NON_COMPACT;
		*folded |= same[i] && other && i * line < HOST_PAGES_BYTES;
	}
	if (!evset_distance_space(same, all, line, space))
		*outcome = OUTCOME_OPEN;
	return error;
}

int evset_page_offsets(const struct evset_sorted_lines *in, uint64_t *offsets,
		       size_t most, size_t *count, bool *folded,
		       struct failure *f)
{
	const size_t all = in->page_bytes / in->line_bytes;
	const size_t n = EVSET_OVERFULL(in->c->ways) + MOVED * in->c->count;
	struct landing l = { .in = in,
			     .lines = calloc(n, sizeof(*l.lines)),
			     .excess = calloc(2 * n, sizeof(*l.excess)),
			     .twice = calloc(n, sizeof(*l.twice)) };
	bool *same = calloc(all + 1, sizeof(*same));
	enum outcome outcome = OUTCOME_OPEN;
	struct gf2_space space = { .rank = 0 };
	int error = 0;

	*count = 0;
	if (!l.lines || !l.excess || !l.twice || !same)
		error = prober_out_of_memory(f);
	else if (in->page_bytes <= HOST_PAGES_BYTES && all <= MOST_DISTANCES &&
		 MOVED * in->c->count >= 2 * in->e->o.upper_evictors)
		error = find_same(&l, same, &space, folded, &outcome, f);
	/* The least of the distances that lead to the same sets. */
	for (size_t i = 0;
	     !error && outcome == OUTCOME_DECIDED && i < all && *count < most;
	     i++)
		if (gf2_reduce(&space, i * in->line_bytes) ==
		    i * in->line_bytes)
			offsets[(*count)++] = i * in->line_bytes;
	free(l.lines);
	free(l.excess);
	free(l.twice);
	free(same);
	return error;
}
