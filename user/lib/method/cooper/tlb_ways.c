// SPDX-License-Identifier: GPL-2.0
/* tlb_ways.c - the gap test, with pages for lines (section IV-E). */
#include <math.h>
#include <stdlib.h>

#include "method/cooper/tlb.h"
#include "sequence/page_reference_string.h"

/* Sets of more ways are not built, but for arrays that are one set. */
#define MOST_WAYS 64
#define MOST_CANDIDATES 32
/*
 * Draws of the pages of each string. The probability that an index spreads
 * pages which should share a set, and yet fills and overfills sets in all
 * draws, is below one in a thousand for each candidate.
 */
#define DRAWS 8
/* Both kinds of strings, by candidate. */
#define STRINGS (2 * DRAWS)

/**
 * struct candidate - a possible number of ways
 * @ways: number of ways
 * @sets: pages this far apart, or a multiple, share a set
 */
struct candidate {
	size_t ways;
	size_t sets;
};

/**
 * struct string - pages that just fill sets of a candidate, or overfill them
 * @pages: @count of them
 */
struct string {
	uint64_t *pages;
	size_t count;
};

/**
 * struct gap - the strings of all candidates
 * @strings: STRINGS of each: the draws that fill sets, those that overfill them
 */
struct gap {
	struct cooper *c;
	const struct cooper_pages *pages;
	const struct cooper_tlb *t;
	struct candidate candidates[MOST_CANDIDATES];
	size_t candidate_count;
	struct string *strings;
	struct cooper_string *timed;
};

/* Policies that are not LRU keep some of one page too many. */
static size_t too_many(size_t ways)
{
	return ways + (ways < 8 ? 1 : ways / 8);
}

/* Numbers of ways for which there are pages enough to draw from. */
static void list_candidates(struct gap *g)
{
	size_t entries = g->t->pages;

	for (size_t ways = 1; ways <= entries; ways++) {
		size_t sets = entries / ways;

		if (entries % ways || (ways > MOST_WAYS && sets > 1) ||
		    g->pages->count / sets < 2 * too_many(ways) ||
		    g->candidate_count == MOST_CANDIDATES)
			continue;
		g->candidates[g->candidate_count++] =
			(struct candidate){ ways, sets };
	}
}

/* Of @places, each as likely as another one (Knuth 3.4.2, S), by way of
 * @chosen, ascending.
 */
static void draw(struct rng *rng, size_t places, size_t count, size_t *chosen)
{
	for (size_t at = 0, taken = 0; taken < count; at++)
		if (rng_below(rng, places - at) < count - taken)
			chosen[taken++] = at;
}

/*
 * Adjacent sets, or random ones: entries that adjacent pages share show in one
 * of both.
 */
static void draw_sets(struct rng *rng, size_t sets, size_t count, bool adjacent,
		      size_t *chosen)
{
	size_t first = rng_below(rng, sets);

	if (!adjacent) {
		draw(rng, sets, count, chosen);
		return;
	}
	for (size_t i = 0; i < count; i++)
		chosen[i] = (first + i) % sets;
}

/*
 * @members pages of each of enough sets that the level above cannot
 * keep half of the pages.
 */
static int draw_string(struct gap *g, const struct candidate *a, size_t members,
		       bool adjacent, struct string *s)
{
	size_t sets = (2 * g->t->above + members - 1) / members, *chosen;
	size_t places = g->pages->count / a->sets;
	struct rng *rng = &g->c->p->rng;

	sets = sets < 1 ? 1 : sets > a->sets ? a->sets : sets;
	chosen = calloc(sets + members, sizeof(*chosen));
	s->pages = calloc(members * sets, sizeof(*s->pages));
	if (!chosen || !s->pages) {
		free(chosen);
		return -ENOMEM;
	}
	draw_sets(rng, a->sets, sets, adjacent, chosen);
	for (size_t i = 0; i < sets; i++) {
		draw(rng, places, members, chosen + sets);
		for (size_t j = 0; j < members; j++)
			s->pages[s->count++] =
				chosen[sets + j] * a->sets + chosen[i];
	}
	free(chosen);
	return 0;
}

static int draw_strings(struct gap *g)
{
	int error = 0;

	for (size_t i = 0; !error && i < g->candidate_count * STRINGS; i++) {
		const struct candidate *a = &g->candidates[i / STRINGS];
		bool fills = i % STRINGS < DRAWS;

		error = draw_string(g, a, fills ? a->ways : too_many(a->ways),
				    i % 2, &g->strings[i]);
		g->timed[i] = (struct cooper_string){
			.x = (double)(g->strings[i].count *
				      g->pages->page_bytes),
			.view = g->pages->view,
		};
	}
	return error;
}

static int make(void *context, size_t which, unsigned int trial,
		struct sequence *s, struct failure *f)
{
	const struct gap *g = context;
	const struct page_string w = {
		.pages = g->strings[which].pages,
		.count = g->strings[which].count,
		.lines = 1,
		.page_bytes = g->pages->page_bytes,
		.line_bytes = g->c->line_bytes,
	};

	(void)trial;
	if (page_string_place(s, &w, &g->c->p->rng))
		return prober_out_of_memory(f);
	return 0;
}

/*
 * One page too many for a set misses at least once per round, under any policy:
 * half of that cost, but not less than the unit of time.
 */
static double edge_of(const struct cooper_tlb *t, size_t ways)
{
	double excess =
		(double)(too_many(ways) - ways) / (double)too_many(ways);

	return t->hit_cycles +
	       fmax(1, (t->miss_cycles - t->hit_cycles) * excess / 2);
}

/* Whether all draws have filled sets and overfilled them. */
static bool explains(const struct gap *g, size_t which)
{
	const struct candidate *a = &g->candidates[which];
	const struct cooper_string *s = &g->timed[which * STRINGS];
	double edge = edge_of(g->t, a->ways);

	for (size_t i = 0; i < DRAWS; i++)
		if (s[i].cycles > edge || !(s[DRAWS + i].cycles > edge))
			return false;
	return true;
}

static void decide(const struct gap *g)
{
	struct parameter *ways = &g->t->row->ways;

	/*
	 * Fewer ways may explain it as well, if several sets of the candidate
	 * are one set of the array; more ways cannot.
	 */
	for (size_t i = g->candidate_count; i-- > 0;) {
		if (!explains(g, i))
			continue;
		parameter_measured(ways, (double)g->candidates[i].ways, 0,
				   COOPER_METHOD);
		return;
	}
	parameter_undecided(
		ways, COOPER_METHOD,
		"no number of ways predicts which of %zu pages compete: a hashed index, or random replacement",
		g->t->pages);
}

static void forget(struct gap *g)
{
	for (size_t i = 0; g->strings && i < g->candidate_count * STRINGS; i++)
		free(g->strings[i].pages);
	free(g->strings);
	free(g->timed);
}

int cooper_measure_tlb_ways(struct cooper *c, const struct cooper_pages *pages,
			    const struct cooper_tlb *t, struct failure *f)
{
	struct gap g = { .c = c, .pages = pages, .t = t };
	struct cooper_sweep sweep = { .make = make,
				      .context = &g,
				      .what = "ways of a TLB" };
	int error;

	list_candidates(&g);
	sweep.count = g.candidate_count * STRINGS;
	g.strings = calloc(sweep.count + 1, sizeof(*g.strings));
	g.timed = calloc(sweep.count + 1, sizeof(*g.timed));
	if (!g.strings || !g.timed || draw_strings(&g)) {
		forget(&g);
		return prober_out_of_memory(f);
	}
	sweep.strings = g.timed;
	error = cooper_sweep(c, &sweep, f);
	if (!error)
		decide(&g);
	forget(&g);
	return error;
}
