// SPDX-License-Identifier: GPL-2.0
#include "method/dueling/dueling.h"

#include <errno.h>
#include <stdlib.h>

#include "method/dueling/search.h"

static int begin(struct dueling_search *s, const struct dueling_oracle *oracle,
		 struct budget *budget, struct rng *rng,
		 struct dueling_finding *found, struct failure *f)
{
	*s = (struct dueling_search){
		.oracle = oracle, .budget = budget, .rng = rng, .found = found
	};
	*found = (struct dueling_finding){ .sets = oracle->sets };
	s->groups = calloc(oracle->groups, sizeof(*s->groups));
	s->blocks =
		calloc((size_t)(DUELING_MOST_ROUNDS + DUELING_LINES_PER_WAY) *
			       (oracle->ways + 1),
		       sizeof(*s->blocks));
	if (s->groups && s->blocks)
		return 0;
	return fail(f, STATUS_FAILED, ENOMEM,
		    "set dueling: out of memory (free some)");
}

static int end(struct dueling_search *s, int error)
{
	if (error == -EAGAIN || error == -EDQUOT) {
		dueling_say(s, error == -EAGAIN ?
				       "too disturbed: no answers any more" :
				       "the error that may be made is used up");
		error = 0;
	}
	free(s->groups);
	free(s->blocks);
	return error;
}

int dueling_look(const struct dueling_oracle *oracle, struct budget *budget,
		 struct rng *rng, struct dueling_finding *found,
		 struct failure *f)
{
	struct dueling_search s;
	int error = begin(&s, oracle, budget, rng, found, f);

	if (!error)
		error = dueling_sample(&s, f);
	if (!error && found->verdict == DUELING_SEEN)
		error = dueling_scan(&s, f);
	return end(&s, error);
}

int dueling_follows(const struct dueling_oracle *oracle, struct budget *budget,
		    struct rng *rng, uint64_t set,
		    struct dueling_finding *found, struct failure *f)
{
	struct dueling_search s;
	int error = begin(&s, oracle, budget, rng, found, f);

	if (!error)
		error = dueling_sample_set(&s, set, f);
	return end(&s, error);
}
