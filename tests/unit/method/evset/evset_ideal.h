/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evset_ideal.h - an ideal oracle: line number i stands for offset 64 * i, and
 * its class is drawn once.
 */
#ifndef PROBE_PHYS_UNIT_METHOD_EVSET_EVSET_IDEAL_H
#define PROBE_PHYS_UNIT_METHOD_EVSET_EVSET_IDEAL_H

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/sort/classes.h"

/**
 * struct ideal - a level of @classes sets that candidates fall into
 * @ways: A
 * @above: ways of one set above, which all lines share: shorter lists hit there
 * @wrong: share of quick answers that call a compact list non-compact
 * @missed: share of quick answers that call a non-compact list compact
 * @used: one out of this many classes is contended; 0: none
 * @held: ways that a neighbour holds there
 * @stretch: answers after which the neighbour comes or goes; 0: it stays
 * @answers: given
 * @once: no list may have a line twice
 * @class_of: of each line
 */
struct ideal {
	struct evset_oracle o;
	struct rng rng;
	size_t ways;
	size_t classes;
	size_t above;
	double wrong;
	double missed;
	size_t used;
	size_t held;
	size_t stretch;
	size_t answers;
	bool once;
	size_t count;
	size_t *class_of;
	uint64_t *lines;
};

/* Free ways of a class. */
static size_t ideal_ways(const struct ideal *i, size_t class)
{
	bool theirs = i->used && class % i->used == 0;

	if (i->stretch && i->answers / i->stretch % 2)
		theirs = false;
	return i->ways - (theirs ? i->held : 0);
}

static int ideal_compact(void *context, const uint64_t *lines, size_t count,
			 bool surely, enum verdict *verdict, struct failure *f)
{
	struct ideal *i = context;
	size_t *in = calloc(i->classes, sizeof(*in));
	bool *walked = calloc(i->count, sizeof(*walked));

	(void)f;
	if (!in || !walked)
		abort();
	*verdict = VERDICT_COMPACT;
	i->answers++;
	for (size_t j = 0; j < count; j++) {
		size_t class = i->class_of[lines[j] / 64];

		/* A line cannot come twice in a chain. */
		if (i->once && walked[lines[j] / 64]) {
			fprintf(stderr, "evset: a line comes twice\n");
			abort();
		}
		walked[lines[j] / 64] = true;
		if (++in[class] > ideal_ways(i, class) && count > i->above)
			*verdict = VERDICT_NON_COMPACT;
	}
	free(walked);
	free(in);
	if (!surely &&
	    rng_uniform(&i->rng) <
		    (*verdict == VERDICT_COMPACT ? i->wrong : i->missed))
		*verdict = *verdict == VERDICT_COMPACT ? VERDICT_NON_COMPACT :
							 VERDICT_COMPACT;
	return 0;
}

static void ideal_begin(struct ideal *i, size_t ways, size_t classes,
			size_t count, size_t above, uint64_t seed)
{
	*i = (struct ideal){ .ways = ways,
			     .classes = classes,
			     .count = count,
			     .above = above,
			     .rng = { seed } };
	i->class_of = calloc(count, sizeof(*i->class_of));
	i->lines = calloc(count, sizeof(*i->lines));
	if (!i->class_of || !i->lines)
		abort();
	for (size_t j = 0; j < count; j++) {
		i->class_of[j] = rng_below(&i->rng, classes);
		i->lines[j] = 64 * j;
	}
	i->o = (struct evset_oracle){ .compact = ideal_compact,
				      .context = i,
				      .upper_evictors = above ? above + 1 : 0 };
}

/* Lines of all classes, sorted. Return: as evset_classify(). */
static inline int ideal_classify(struct ideal *i, struct evset_classes *c,
				 struct failure *f)
{
	struct evset_unsorted u = { .lines = i->lines, .count = i->count };
	int error = evset_overflow(&i->o, i->lines, i->count,
				   i->o.upper_evictors, &u.prefix, f);

	return error ? error : evset_classify(&i->o, &u, i->ways, c, f);
}

static void ideal_end(struct ideal *i)
{
	free(i->class_of);
	free(i->lines);
}

#endif
