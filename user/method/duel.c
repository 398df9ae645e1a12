// SPDX-License-Identifier: GPL-2.0
#include "duel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duel_search.h"

#define MOST_TRIES 8

static unsigned int more(unsigned int ways)
{
	return ways > 1 ? ways / 2 : 1;
}

unsigned int duel_lines_reused(unsigned int ways)
{
	return more(ways);
}

size_t duel_pattern(enum duel_push kind, unsigned int ways,
		    unsigned int *blocks)
{
	unsigned int window = duel_lines_reused(ways), lines;
	size_t length = 0;

	if (kind == DUEL_THRASH) {
		for (unsigned int i = 0; i < ways + more(ways); i++)
			blocks[length++] = i;
		return length;
	}
	lines = DUEL_PUSH_LINES_PER_WAY * ways / window * window;
	for (unsigned int first = 0; first < lines; first += window)
		for (unsigned int i = 0; i < DUEL_PUSH_VISITS * window; i++)
			blocks[length++] = first + i % window;
	return length;
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

int duel_do_push(struct duel_search *s, enum duel_push kind, struct failure *f)
{
	s->found->pushes++;
	return s->oracle->push(s->oracle->context, kind, s->groups, f);
}

int duel_look(const struct duel_oracle *oracle, struct rng *rng,
	      struct duel_finding *found, struct failure *f)
{
	struct duel_search s = { .oracle = oracle, .rng = rng, .found = found };
	int error;

	*found = (struct duel_finding){ .sets = oracle->sets };
	s.groups = calloc(oracle->groups, sizeof(*s.groups));
	if (!s.groups)
		return fail(f, STATUS_FAILED, ENOMEM,
			    "set dueling: out of memory (free some)");
	error = duel_sample(&s, f);
	if (!error && found->verdict == DUEL_SEEN)
		error = duel_scan(&s, f);
	if (error == -EAGAIN) {
		duel_say(&s, "too disturbed: no answers any more");
		error = 0;
	}
	free(s.groups);
	return error;
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
