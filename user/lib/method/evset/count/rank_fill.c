// SPDX-License-Identifier: GPL-2.0
/* rank_fill.c - lists that fill all sets of a level, and more than fill them.
 */
#include <stdlib.h>
#include <string.h>

#include "method/evset/count/rank.h"
#include "method/evset/oracle/list_walk.h"

/* Misses per load of lists that fit, and of lists with 3 A / 2 lines in each
 * set: a third of these miss at least, under any policy.
 */
#define FITTING 0.2
#define OVERFLOWING 0.33
#define MOST_CONGRUENT (2 * EVSET_MOST_WAYS)

/* Lines of one set: the given ones, and those that differ by the null space. */
static size_t congruent_lines(const struct linear *l, uint64_t *lines,
			      size_t most)
{
	const struct evset_set *set = l->set;
	size_t n = 0;

	for (; n < set->count && n < most; n++)
		lines[n] = set->lines[n];
	for (size_t i = 0; i < l->null_count * set->count && n < most; i++) {
		uint64_t line = evset_move_line(l->e,
						set->lines[i % set->count],
						l->null[i / set->count]);

		if (!evset_holds(lines, n, line))
			lines[n++] = line;
	}
	return n;
}

/* Two lines of one set cannot differ only in bits that distinguish sets. */
static bool contradicts(const struct linear *l, const uint64_t *lines,
			size_t count)
{
	uint64_t apart = 0;

	for (size_t i = 0; i < l->basis_count; i++)
		apart |= l->basis[i];
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			uint64_t a = lines[i] - l->e->window.begin;
			uint64_t b = lines[j] - l->e->window.begin;

			if (!((a ^ b) & ~apart))
				return true;
		}
	}
	return false;
}

/* Misses per load of @count lines in each of 2^@bits sets. */
static int fill(struct linear *l, const uint64_t *lines, size_t count,
		size_t bits, double *misses, struct failure *f)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += evset_span(l->e, lines[i], l->basis, bits, l->lines + n);
	return evset_list_misses(l->e, l->lines, n, 0, misses, f);
}

/* A level that admits lines on reuse only keeps what it had: a line of each set
 * comes twice, the second time when the levels above have lost it.
 */
static int reuse(struct linear *l, const uint64_t *lines, size_t count,
		 size_t bits, struct failure *f)
{
	struct prober *p = l->e->x->prober;
	size_t sets = (size_t)1 << bits;
	struct sequence s = { calloc(2 * count * sets, sizeof(*s.offsets)), 0 };
	const struct walk_step step = { STEP_LOAD, &s, 0 };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = 1 };
	uint64_t word = lines[0];
	const struct sequence one = { &word, 1 };
	struct sample unused;
	int error;

	if (!s.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++) {
		struct sequence once = { s.offsets + s.length, 0 };

		once.length = evset_span(l->e, lines[i], l->basis, bits,
					 once.offsets);
		sequence_shuffle(&once, &p->rng);
		memcpy(once.offsets + once.length, once.offsets,
		       once.length * sizeof(*once.offsets));
		s.length += 2 * once.length;
	}
	error = p->m->ops->walk(p->m, &one, &plan, &unused, f);
	sequence_free(&s);
	return error;
}

bool linear_is_long(const struct linear *l)
{
	return l->basis_count >= 40 ||
	       (l->set->count - 1) << l->basis_count > LINEAR_MOST_LINES;
}

int linear_fits(struct linear *l, enum outcome *outcome, struct failure *f)
{
	size_t ways = l->set->count - 1, bits = l->basis_count, count;
	uint64_t lines[MOST_CONGRUENT];
	double misses = 1, fitting = evset_fitting_misses(l->e, FITTING);
	int error;

	*outcome = OUTCOME_OPEN;
	count = congruent_lines(l, lines, 2 * ways);
	if (count <= ways || linear_is_long(l) || contradicts(l, lines, count))
		return 0;
	/* Lines of neighbours leave room for these; if there were half as many
	 * sets there would be no room.
	 */
	error = fill(l, lines, (3 * ways + 3) / 4, bits, &misses, f);
	if (!error && misses > fitting) {
		error = reuse(l, lines, (3 * ways + 3) / 4, bits, f);
		if (!error)
			error = fill(l, lines, (3 * ways + 3) / 4, bits,
				     &misses, f);
	}
	if (error || misses > fitting)
		return error;
	/* Otherwise the test is void. Control lines need room, too. */
	while (bits && (count << bits > LINEAR_MOST_LINES ||
			2 * count << bits > ways << l->basis_count))
		bits--;
	error = fill(l, lines, count, bits, &misses, f);
	*outcome = outcome_if(!error && misses > OVERFLOWING, OUTCOME_OPEN);
	return error;
}
