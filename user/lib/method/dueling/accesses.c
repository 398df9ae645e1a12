// SPDX-License-Identifier: GPL-2.0
/* accesses.c - accesses that move the selector, and readings of a set. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "method/dueling/search.h"
#include "method/dueling/tuning.h"

/*
 * Share of the most misses that resisting thrashing can save: less is no
 * contrast.
 */
#define CONTRAST 0.25
/* Passes enough for a selector of 10 bits and eight leaders of either kind. */
#define THRASH_PASSES(ways) (128 / ((ways)-1))
#define REUSE_PASSES(ways) (1 + 24 / (ways))
/* Visits of a burst: recency saves all but the first. */
#define BURST_VISITS DUELING_LEAST_ROUNDS

size_t dueling_circle(unsigned int ways, unsigned int rounds,
		      unsigned int *blocks)
{
	size_t length = 0;

	for (unsigned int i = 0; i < rounds; i++)
		for (unsigned int j = 0; j <= ways; j++)
			blocks[length++] = j;
	for (unsigned int j = ways + 1; j < DUELING_LINES_PER_WAY * ways; j++)
		blocks[length++] = j;
	return length;
}

unsigned int dueling_burst_lines(unsigned int ways)
{
	return ways > 1 ? ways / 2 : 1;
}

double dueling_contrast(unsigned int ways, unsigned int rounds)
{
	double most = (rounds - 1.0) * (ways - 1.0);

	return CONTRAST * most > 1 ? CONTRAST * most : 1;
}

static int walk(struct dueling_search *s, size_t length, bool cold,
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

/* The first walk settles which lines resist, before misses count. */
static int thrash(struct dueling_search *s, struct failure *f)
{
	const struct dueling_oracle *o = s->oracle;
	int error =
		walk(s, dueling_circle(o->ways, o->rounds, s->blocks), true, f);

	for (unsigned int i = 0; !error && i < THRASH_PASSES(o->ways); i++)
		error = walk(s, o->ways + 1, false, f);
	return error;
}

static int reuse(struct dueling_search *s, struct failure *f)
{
	unsigned int ways = s->oracle->ways, burst = dueling_burst_lines(ways);
	unsigned int bursts = (DUELING_LINES_PER_WAY - 1) * ways / burst;
	int error = 0;

	for (unsigned int i = 0; !error && i < REUSE_PASSES(ways) * bursts;
	     i++) {
		for (unsigned int j = 0; j < BURST_VISITS * burst; j++)
			s->blocks[j] = i % bursts * burst + j % burst;
		error = walk(s, (size_t)BURST_VISITS * burst, false, f);
	}
	return error;
}

int dueling_push(struct dueling_search *s, enum dueling_push kind,
		 struct failure *f)
{
	s->found->pushes++;
	return kind == DUELING_THRASH ? thrash(s, f) : reuse(s, f);
}

void dueling_say(struct dueling_search *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->found->reason, sizeof(s->found->reason), format,
		  arguments);
	va_end(arguments);
}

int dueling_read(struct dueling_search *s, uint64_t set, double *misses,
		 struct failure *f)
{
	int error = -EAGAIN;

	for (int i = 0; i < MOST_TRIES && error == -EAGAIN; i++)
		error = s->oracle->read(s->oracle->context, set, misses, f);
	s->found->readings += !error;
	return error;
}
