// SPDX-License-Identifier: GPL-2.0
#include "method/policy/catalogue.h"
#include "method/policy/tuning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* At least this many of them, after the accesses that make the set forget. */
#define LEAST_PER_WAY 2
/* Visits to a line that make the set forget it. */
#define THOROUGH_VISITS 7
/* Accesses of both kinds, per way. */
#define MOST_PER_WAY (9 + CATALOGUE_PER_WAY)
#define SAME 1e-9
/* Predictions that differ by more are distinguished by answers. */
#define APART 0.7
/* Cycles that both must predict exactly. */
#define ENOUGH_EXACT 24
#define SELDOM 12

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Lines of cycle @i: a few more than fit, or twice as many. */
static unsigned int lines_of(const struct set_oracle *o, size_t i)
{
	const unsigned int half = o->ways / 2 ? o->ways / 2 : 1;
	const unsigned int more[] = { half, half, 1, o->ways };
	unsigned int lines = o->ways + more[i % 4];

	return lines < o->blocks ? lines : o->blocks;
}

/*
 * Lines that do not come again make the set forget: under most policies they
 * replace all earlier ones. Other state vanishes when fewer lines than fit come
 * repeatedly, and then as many as fit: this leaves one known way, and a known
 * order. (Found by trying: no shorter sequence of its kind brings as many
 * policies to one state. Predictions do not depend on it.)
 */
size_t policy_catalogue_others(unsigned int *numbers,
			       const struct set_oracle *o, unsigned int first,
			       bool thorough)
{
	unsigned int but_one = o->ways - 1, again = first + but_one;
	size_t length = 0;

	if (!thorough)
		return cycle_repeat(numbers, first,
				    least(2 * o->ways, o->blocks - first), 1);
	length += cycle_repeat(numbers, first, but_one, 2);
	length += cycle_repeat(numbers + length, again, but_one, 2);
	length += cycle_repeat(numbers + length, again, but_one, 2);
	return length + cycle_repeat(numbers + length, again, o->ways, 3);
}

/* Whether there are enough lines, and enough words in each. */
static bool can_be_thorough(const struct set_oracle *o, unsigned int lines)
{
	return lines + 2 * o->ways - 1 <= o->blocks &&
	       o->most_visits >= THOROUGH_VISITS;
}

/**
 * struct hand - a cycle that is being drawn
 * @ways: of the set
 * @lines: number of lines to draw from
 * @left: visits left of each line
 * @lap: as many lines as fit, in the order of this lap
 */
struct hand {
	unsigned int ways;
	unsigned int lines;
	unsigned int left[3 * SET_MOST_WAYS];
	unsigned int lap[SET_MOST_WAYS];
};

static void shuffle_lap(struct hand *h, struct rng *rng)
{
	for (unsigned int i = 0; i < h->ways; i++) {
		unsigned int j = (unsigned int)rng_below(rng, i + 1);

		h->lap[i] = h->lap[j];
		h->lap[j] = i;
	}
}

/*
 * Any line (@kind 0, 1); at times one of the last few (2); mostly one of as
 * many as fit (3); or all of those, and then another one (7), so that all of
 * them were used when it comes.
 */
static unsigned int draw_one(struct hand *h, const unsigned int *before,
			     size_t at, size_t kind, struct rng *rng)
{
	unsigned int block = (unsigned int)rng_below(rng, h->lines);
	size_t in_lap = at % (h->ways + 1);

	if (kind % 8 == 7) {
		if (!in_lap)
			shuffle_lap(h, rng);
		if (in_lap < h->ways)
			block = h->lap[in_lap];
		else
			block = h->ways + block % (h->lines - h->ways);
	} else if (kind % 4 == 3) {
		if (rng_below(rng, SELDOM))
			block %= h->ways;
	} else if (kind % 4 == 2 && at > 4 && rng_below(rng, 2)) {
		block = before[at - 1 - rng_below(rng, 4)];
	}
	while (!h->left[block])
		block = (block + 1) % h->lines;
	h->left[block]--;
	return block;
}

void policy_catalogue_trim(struct cycle *c, const struct set_oracle *o)
{
	size_t low = 0, high = c->length + 1;

	while (o->fits && high - low > 1) {
		c->length = (low + high) / 2;
		if (o->fits(o->context, c))
			low = c->length;
		else
			high = c->length;
	}
	if (o->fits)
		c->length = low;
}

static void draw(struct cycle *c, unsigned int *numbers,
		 const struct set_oracle *o, unsigned int lines, size_t kind,
		 bool thorough, struct rng *rng)
{
	struct hand h = { .ways = o->ways, .lines = lines };
	size_t others = 0, own = CATALOGUE_PER_WAY * o->ways + CATALOGUE_MORE;

	if (!c->cold)
		others = policy_catalogue_others(numbers, o, lines, thorough);
	for (unsigned int i = 0; i < lines; i++)
		h.left[i] = o->most_visits;
	own = least(own, (size_t)lines * o->most_visits);
	c->length = least(others + own, o->most_accesses);
	for (size_t i = 0; others + i < c->length; i++)
		numbers[others + i] =
			draw_one(&h, numbers + others, i, kind, rng);
	c->blocks = numbers;
	policy_catalogue_trim(c, o);
	/* The oracle's cycles are too short for a thorough beginning. */
	if (thorough && c->length < others + LEAST_PER_WAY * o->ways)
		draw(c, numbers, o, lines, kind, false, rng);
}

static int choose_cycles(struct policy_catalogue *b, const struct set_oracle *o)
{
	struct rng rng = { b->seed };
	unsigned int *next;

	b->cycle_count = o->flushes ? POLICY_ALL_CYCLES : POLICY_CYCLES;
	next = b->numbers = calloc(
		b->cycle_count * (MOST_PER_WAY * o->ways + CATALOGUE_MORE),
		sizeof(*next));
	if (!next)
		return -ENOMEM;
	for (size_t i = 0; i < b->cycle_count; i++) {
		unsigned int lines = lines_of(o, i);
		struct cycle *c = &b->cycles[i];

		*c = (struct cycle){ .cold = i >= POLICY_CYCLES };
		draw(c, next, o, lines, i, can_be_thorough(o, lines), &rng);
		next += c->length;
	}
	return 0;
}

size_t policy_catalogue_exact(const struct policy_catalogue *b,
			      size_t hypothesis)
{
	size_t told = 0;

	for (size_t i = 0; i < POLICY_CYCLES; i++)
		told += prediction_is_exact(&b->predictions[hypothesis][i]);
	return told;
}

bool policy_catalogue_vague(const struct policy_catalogue *b, size_t hypothesis)
{
	return policy_catalogue_exact(b, hypothesis) < ENOUGH_EXACT;
}

bool policy_catalogue_alike(const struct policy_catalogue *b, size_t one,
			    size_t other)
{
	size_t told = 0;

	if (b->classes[one] == b->classes[other])
		return true;
	for (size_t i = 0; i < POLICY_CYCLES; i++) {
		const struct prediction *p = &b->predictions[one][i];
		const struct prediction *q = &b->predictions[other][i];

		if (!prediction_is_exact(p) || !prediction_is_exact(q))
			continue;
		if (!prediction_allows(p, q->low - APART, q->high + APART))
			return false;
		told++;
	}
	return told >= ENOUGH_EXACT;
}

static bool same(const struct policy_catalogue *b, size_t one, size_t other)
{
	for (size_t i = 0; i < POLICY_CYCLES; i++) {
		const struct prediction *p = &b->predictions[one][i];
		const struct prediction *q = &b->predictions[other][i];

		if (p->low > q->low + SAME || p->low < q->low - SAME ||
		    p->high > q->high + SAME || p->high < q->high - SAME)
			return false;
	}
	return true;
}

static void classify(struct policy_catalogue *b)
{
	for (size_t i = 0; i < b->known.deterministic; i++) {
		size_t first = 0;

		while (first < i &&
		       (b->classes[first] != first || !same(b, first, i)))
			first++;
		b->classes[i] = first;
	}
}

static int predict(struct policy_catalogue *b, size_t at)
{
	const struct hypothesis *h = &b->known.all[at];
	size_t first = 0, from = 0;
	int error = 0;

	while (first < at &&
	       !hypothesis_same_when_full(&b->known.all[first], h))
		first++;
	if (first < at) {
		from = POLICY_CYCLES;
		memcpy(b->predictions[at], b->predictions[first],
		       from * sizeof(b->predictions[at][0]));
	}
	for (size_t i = from; !error && i < b->cycle_count; i++)
		error = hypothesis_predict(
			h, b->known.ways, &b->cycles[i],
			&b->cycles[(5 * i + 3) % POLICY_CYCLES], b->seed,
			&b->predictions[at][i]);
	return error;
}

int policy_catalogue_make(struct policy_catalogue *b,
			  const struct set_oracle *oracle, uint64_t seed)
{
	int error = 0;

	*b = (struct policy_catalogue){ .seed = seed };
	if (oracle->ways < 2 || oracle->ways > SET_MOST_WAYS ||
	    oracle->blocks <= oracle->ways ||
	    oracle->most_accesses < 2 * (size_t)oracle->ways)
		return -ERANGE;
	if (known_policies_make(&b->known, oracle->ways))
		return -ENOMEM;
	b->predictions =
		calloc(b->known.deterministic, sizeof(*b->predictions));
	b->classes = calloc(b->known.deterministic, sizeof(*b->classes));
	if (!b->predictions || !b->classes || choose_cycles(b, oracle))
		return -ENOMEM;
	for (size_t i = 0; !error && i < b->known.deterministic; i++)
		error = predict(b, i);
	if (error)
		return error;
	classify(b);
	/*
	 * The first two are LRU and FIFO: cycles too short to distinguish these
	 * are useless.
	 */
	return b->classes[1] ? 0 : -ERANGE;
}

void policy_catalogue_free(struct policy_catalogue *b)
{
	known_policies_free(&b->known);
	free(b->predictions);
	free(b->classes);
	free(b->numbers);
	*b = (struct policy_catalogue){ .cycle_count = 0 };
}

/* Pairs of classes that an answer to cycle @at would not separate. */
static size_t pairs_left(const struct policy_catalogue *b, const size_t *left,
			 size_t count, size_t at, double tolerance)
{
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct prediction *p =
				&b->predictions[left[i]][at];

			pairs += prediction_allows(&b->predictions[left[j]][at],
						   p->low - 2 * tolerance,
						   p->high + 2 * tolerance);
		}
	return pairs;
}

size_t policy_catalogue_best(const struct policy_catalogue *b,
			     const bool *alive, const bool *measured,
			     double tolerance)
{
	size_t *left = calloc(b->known.deterministic + 1, sizeof(*left));
	size_t count = 0, best = b->cycle_count, fewest;

	if (!left)
		return best;
	for (size_t i = 0; i < b->known.deterministic; i++)
		if (alive[i] && b->classes[i] == i)
			left[count++] = i;
	fewest = count * (count - 1) / 2;
	for (size_t i = 0; count > 1 && i < POLICY_CYCLES; i++) {
		size_t pairs;

		if (measured[i])
			continue;
		pairs = pairs_left(b, left, count, i, tolerance);
		if (pairs >= fewest)
			continue;
		fewest = pairs;
		best = i;
	}
	free(left);
	return best;
}
