// SPDX-License-Identifier: GPL-2.0
/* votes.c - the most common of the paper's eight votes (section 3). */
#include <math.h>
#include <stdio.h>

#include "method/amp/decide.h"

void amp_vote(struct amp_parameter *to, double value)
{
	if (!isnan(value) && to->vote_count < AMP_VOTES)
		to->votes[to->vote_count++] = value;
}

double amp_elected(const struct amp_parameter *of, size_t *share)
{
	double elected = NAN;

	*share = 0;
	for (size_t i = 0; i < of->vote_count; i++) {
		size_t same = 0;

		for (size_t k = 0; k < of->vote_count; k++)
			same += of->votes[k] == of->votes[i];
		if (same > *share) {
			*share = same;
			elected = of->votes[i];
		}
	}
	return elected;
}

void amp_elect(struct amp_parameter *of)
{
	size_t share;
	double value = amp_elected(of, &share);

	if (!share) {
		parameter_undecided(&of->p, AMP_METHOD,
				    "no placement gave a vote");
		return;
	}
	parameter_measured(&of->p, value, 0, AMP_METHOD);
	snprintf(
		of->p.reason, sizeof(of->p.reason),
		"%zu of %d votes; how often such a majority is wrong is not known",
		share, AMP_VOTES);
}
