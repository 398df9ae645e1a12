// SPDX-License-Identifier: GPL-2.0
/* allows.c - numbers of ways that looks at single sets allow. */
#include "method/accessed/search.h"

/*
 * Known last arrays have 1 to 6, 8, 10, 12, 16, 20 or 24 ways: 1, 3 or 5 times a power of
 * two. Where others hold entries, another number is more likely one of these.
 */
#define MOST_KNOWN_ODD 5

bool accessed_is_known(unsigned int ways)
{
	unsigned int odd = ways;

	while (odd && odd % 2 == 0)
		odd /= 2;
	return odd && odd <= MOST_KNOWN_ODD;
}

/*
 * Pages of others lie in sets at random: as many as that hold n entries hold n - 1 in
 * n / mean times as many looks (Poisson), and in more if the mean changes. If there were
 * @more ways, that share of looks would show more than @ways pages.
 */
static bool hides(const struct accessed_search *s, unsigned int ways,
		  unsigned int more)
{
	const double mean = more - column_spread(&s->looks).mean;
	const double held = more - ways;

	return mean <= MOST_HELD * more &&
	       !column_lacks(&s->looks, ways, held / (held + mean),
			     s->v->prober->rules.alpha);
}

/*
 * Poisson's variance is its mean, and more if that changes. Tests that lose pages of
 * their own add to the mean alone: of simulated pages at random the share was 0.85. Others
 * that hold nearly as many of each set spread less.
 */
#define LEAST_SPREAD 0.5

static bool lie_at_random(const struct column_looks *looks, unsigned int ways)
{
	const struct column_spread spread = column_spread(looks);

	return spread.variance >= LEAST_SPREAD * (ways - spread.mean);
}

/*
 * Others hold entries of nearly all sets: those that keep the most show all their ways,
 * unless a smaller array would show as many now and then.
 */
static bool is_end(const struct accessed_search *s, unsigned int ways)
{
	const struct column_looks *looks = &s->looks;
	const double alpha = s->v->prober->rules.alpha;

	if (!column_ends(looks, s->v->kind, ways, alpha) ||
	    !lie_at_random(looks, ways))
		return false;
	for (unsigned int i = 1; i <= looks->pages; i++)
		if (accessed_is_known(i) &&
		    ((i < ways &&
		      !column_exceeds(looks, s->v->kind, i, alpha)) ||
		     (i > ways && hides(s, ways, i))))
			return false;
	return true;
}

bool accessed_is_exceeded(const struct accessed_search *s, unsigned int ways)
{
	return ways <= FIT_MOST &&
	       column_is_more(s->fit[ways + 1], s->fit[ways], s->v->kind,
			      s->v->prober->rules.alpha);
}

/*
 * Nothing that disturbs makes more to be kept. How much less it makes is not known: sets
 * that it has left alone show their ways. One page more than ways never fits.
 */
bool accessed_allows(const struct accessed_search *s, double ways)
{
	const unsigned int number = (unsigned int)ways;
	const unsigned int at = number < FIT_MOST ? number : FIT_MOST;
	const enum touch_kind kind = s->v->kind;
	const double alpha = s->v->prober->rules.alpha;

	return accessed_is_known(number) && !accessed_is_exceeded(s, number) &&
	       (column_allows(&s->looks, kind, number, alpha) ||
		is_end(s, number) ||
		(at == number &&
		 column_is_most(s->fit[at], s->fit[at + 1], kind, alpha)));
}
