// SPDX-License-Identifier: GPL-2.0
#include "method/dueling/dueling.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/dueling/search.h"

#define MOST_TRIES 8
/* Of what resisting thrashing saves at best, that makes a difference. */
#define CONTRAST 0.25
/* A selector of 10 bits and eight leaders of either kind. */
#define THRASH_PASSES(ways) (128 / ((ways)-1))
#define REUSE_PASSES(ways) (1 + 24 / (ways))
/* Twice is what recency wins by. */
#define BURST_VISITS DUEL_LEAST_ROUNDS

size_t duel_circle(unsigned int ways, unsigned int rounds, unsigned int *blocks)
{
	size_t length = 0;

	for (unsigned int i = 0; i < rounds; i++)
		for (unsigned int j = 0; j <= ways; j++)
			blocks[length++] = j;
	for (unsigned int j = ways + 1; j < DUEL_LINES_PER_WAY * ways; j++)
		blocks[length++] = j;
	return length;
}

unsigned int duel_burst_lines(unsigned int ways)
{
	return ways > 1 ? ways / 2 : 1;
}

double duel_contrast(unsigned int ways, unsigned int rounds)
{
	double most = (rounds - 1.0) * (ways - 1.0);

	return CONTRAST * most > 1 ? CONTRAST * most : 1;
}

static int walk(struct duel_search *s, size_t length, bool cold,
		struct failure *f)
{
	struct cycle c = { .blocks = s->blocks,
			   .length = length,
			   .cold = cold };
	int error = -EAGAIN;

	for (int i = 0; i < MOST_TRIES && error == -EAGAIN; i++)
		error = s->oracle->walk(s->oracle->context, s->groups, &c, f);
	return error;
}

/* Which lines resist is settled before it counts. */
static int thrash(struct duel_search *s, struct failure *f)
{
	const struct duel_oracle *o = s->oracle;
	int error =
		walk(s, duel_circle(o->ways, o->rounds, s->blocks), true, f);

	for (unsigned int i = 0; !error && i < THRASH_PASSES(o->ways); i++)
		error = walk(s, o->ways + 1, false, f);
	return error;
}

static int reuse(struct duel_search *s, struct failure *f)
{
	unsigned int ways = s->oracle->ways, burst = duel_burst_lines(ways);
	unsigned int bursts = (DUEL_LINES_PER_WAY - 1) * ways / burst;
	int error = 0;

	for (unsigned int i = 0; !error && i < REUSE_PASSES(ways) * bursts;
	     i++) {
		for (unsigned int j = 0; j < BURST_VISITS * burst; j++)
			s->blocks[j] = i % bursts * burst + j % burst;
		error = walk(s, (size_t)BURST_VISITS * burst, false, f);
	}
	return error;
}

int duel_push(struct duel_search *s, enum duel_push kind, struct failure *f)
{
	s->found->pushes++;
	return kind == DUEL_THRASH ? thrash(s, f) : reuse(s, f);
}

void duel_say(struct duel_search *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->found->reason, sizeof(s->found->reason), format,
		  arguments);
	va_end(arguments);
}

int duel_read(struct duel_search *s, uint64_t set, double *misses,
	      struct failure *f)
{
	int error = -EAGAIN;

	for (int i = 0; i < MOST_TRIES && error == -EAGAIN; i++)
		error = s->oracle->read(s->oracle->context, set, misses, f);
	s->found->readings += !error;
	return error;
}

static int begin(struct duel_search *s, const struct duel_oracle *oracle,
		 struct rng *rng, struct duel_finding *found, struct failure *f)
{
	*s = (struct duel_search){ .oracle = oracle,
				   .rng = rng,
				   .found = found };
	*found = (struct duel_finding){ .sets = oracle->sets };
	s->groups = calloc(oracle->groups, sizeof(*s->groups));
	s->blocks = calloc((size_t)(DUEL_MOST_ROUNDS + DUEL_LINES_PER_WAY) *
				   (oracle->ways + 1),
			   sizeof(*s->blocks));
	if (s->groups && s->blocks)
		return 0;
	return fail(f, STATUS_FAILED, ENOMEM,
		    "set dueling: out of memory (free some)");
}

static int end(struct duel_search *s, int error)
{
	if (error == -EAGAIN) {
		duel_say(s, "too disturbed: no answers any more");
		error = 0;
	}
	free(s->groups);
	free(s->blocks);
	return error;
}

int duel_look(const struct duel_oracle *oracle, struct rng *rng,
	      struct duel_finding *found, struct failure *f)
{
	struct duel_search s;
	int error = begin(&s, oracle, rng, found, f);

	if (!error)
		error = duel_sample(&s, f);
	if (!error && found->verdict == DUEL_SEEN)
		error = duel_scan(&s, f);
	return end(&s, error);
}

int duel_follows(const struct duel_oracle *oracle, struct rng *rng,
		 uint64_t set, struct duel_finding *found, struct failure *f)
{
	struct duel_search s;
	int error = begin(&s, oracle, rng, found, f);

	if (!error)
		error = duel_sample_set(&s, set, f);
	return end(&s, error);
}

void duel_finding_free(struct duel_finding *found)
{
	free(found->roles);
	found->roles = NULL;
}

size_t duel_ranges(const struct duel_finding *found, enum duel_role role,
		   struct duel_range *ranges, size_t most)
{
	size_t count = 0;

	for (uint64_t set = 0; found->roles && set < found->sets; set++) {
		if (found->roles[set] != role)
			continue;
		if (set && found->roles[set - 1] == role) {
			if (count <= most)
				ranges[count - 1].last = set;
			continue;
		}
		if (count < most)
			ranges[count] = (struct duel_range){ set, set };
		count++;
	}
	return count;
}
