// SPDX-License-Identifier: GPL-2.0
/* survivors.c - which level is looked at, and its result. */
#include "method/survivors/survivors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/level/resident_lines.h"
#include "method/probe/time_limit.h"
#include "method/survivors/internal.h"
#include "method/survivors/tuning.h"

/* Lines that a search begins with; where all of them evict none, twice as many. */
#define FIRST_LINES 512
/* Lines that push others out of the level above, by its ways. More would take ways of
 * the level below.
 */
#define TIMES_WAYS 3
#define LEAST_TIMES_WAYS 2
/* Lines of a set of the level above, at most: 504 MiB of 16 ways have 252 sets for each of
 * 2,048 above (Xeon 6980P, Intel ARK), and 24 lines evict. Half of them go each time, and
 * each look loads all of them at most.
 */
#define MOST_LINES 8192
#define MOST_ACCESSES (UINT64_C(2) * MOST_LINES * SORTING_LOOKS * ATTEMPTS)
/* A line that is taken for one of a set by chance makes this set hold one more; sets
 * that agree do so by two such chances.
 */
#define AGREE 2

static bool is_known(const struct parameter *p)
{
	return parameter_is_measured(p);
}

/* Lines as far apart share a set. */
static void take_strides(struct survivors *s, size_t most)
{
	const size_t wanted = most < RESULT_SET_LINES ? most : RESULT_SET_LINES;
	const uint64_t way = resident_lines_way_bytes(s->above);
	uint64_t first;

	if (way % SURVIVOR_PAGE_BYTES)
		return;
	first = resident_lines_first(s->p, way, wanted);
	if (first == UINT64_MAX)
		return;
	s->place = first % SURVIVOR_PAGE_BYTES;
	for (; s->push.length < wanted; first += way)
		s->push.offsets[s->push.length++] = first;
}

/* Lines at the place of the first one. */
static void take_push(struct survivors *s)
{
	const struct cache_result *above = s->above;
	const size_t wanted = TIMES_WAYS * (size_t)above->ways.value;

	if (!above->set_line_count) {
		take_strides(s, wanted);
		return;
	}
	s->place = above->set_lines[0] % SURVIVOR_PAGE_BYTES;
	for (size_t i = 0; i < above->set_line_count && s->push.length < wanted;
	     i++)
		if (above->set_lines[i] % SURVIVOR_PAGE_BYTES == s->place)
			s->push.offsets[s->push.length++] = above->set_lines[i];
}

/* Lines of one of its sets are known. */
static bool has_lines(const struct cache_result *c)
{
	return c->set_line_count || resident_lines_sets_known(c);
}

/* NULL: there is none, or what has to be known is not. */
static struct cache_result *find_level(const struct prober *p,
				       struct hierarchy *h)
{
	for (size_t i = 1; i < h->cache_count; i++) {
		const struct cache_result *above = &h->caches[i - 1];
		struct cache_result *c = &h->caches[i];

		if (is_known(&c->ways))
			continue;
		return p->m->times_each && p->m->flushes_lines &&
				       !is_known(&c->effective_ways) &&
				       is_known(&above->ways) &&
				       has_lines(above) &&
				       is_known(&c->latency_ns) &&
				       is_known(&h->memory_latency_ns) ?
			       c :
			       NULL;
	}
	return NULL;
}

static int reserve(struct survivors *s, struct failure *f)
{
	const size_t n = s->page_count + 1;

	s->push.offsets = calloc(RESULT_SET_LINES, sizeof(*s->push.offsets));
	s->members = calloc(n, sizeof(*s->members));
	s->lines = calloc(n, sizeof(*s->lines));
	s->pages = calloc(n, sizeof(*s->pages));
	s->left.offsets = calloc(n + 2 * SURVIVOR_SET_LINES + RESULT_SET_LINES,
				 sizeof(*s->left.offsets));
	if (!s->push.offsets || !s->members || !s->lines || !s->pages ||
	    !s->left.offsets)
		return prober_out_of_memory(f);
	rng_order(&s->p->rng, s->pages, s->page_count);
	return 0;
}

static void release(struct survivors *s)
{
	free(s->push.offsets);
	free(s->members);
	free(s->lines);
	free(s->pages);
	free(s->left.offsets);
}

/* Sets that hold more lines than they would by chance. */
static bool are_sets(const struct survivor_set *sets)
{
	size_t several = 0;

	for (size_t i = 0; i < SURVIVOR_TARGETS; i++)
		several += sets[i].count > AGREE;
	return several >= AGREE;
}

/* More and more lines, until subsets of them evict. *@found: (out) they do. */
static int try_lines(struct survivors *s, double wrong,
		     struct survivor_set *sets, bool *found, struct failure *f)
{
	int error = 0;

	s->member_count = s->pages_seen = 0;
	for (size_t wanted = FIRST_LINES; !error && !*found; wanted *= 2) {
		prober_progress(s->p, "survivors: %zu lines of a set of L%d",
				wanted, s->above->level);
		error = survivors_gather(s, wanted, f);
		if (error || s->too_many || s->member_count <= SURVIVOR_TARGETS)
			break;
		error = survivors_find_sets(s, wrong, sets, f);
		*found = !error && are_sets(sets);
		if (s->pages_seen == s->page_count)
			break;
	}
	return error;
}

/* Other load shifts what readings say for a while, and hides what lines evict. Return:
 * -EDOM: readings say nothing.
 */
static int find_sets(struct survivors *s, const struct hierarchy *h,
		     const struct cache_result *c, double wrong,
		     struct survivor_set *sets, bool *found, struct failure *f)
{
	int error = -EDOM;

	*found = false;
	for (int i = 0; (!error || error == -EDOM) && !*found && i < ATTEMPTS;
	     i++) {
		if (i)
			s->p->m->ops->pause(s->p->m, ATTEMPTS_APART_MS);
		error = survivors_scale(s, h, c, f);
		if (!error)
			error = try_lines(s, wrong, sets, found, f);
	}
	return error;
}

/**
 * struct counts - ways of several sets
 * @most: of any
 * @agree: sets that have as many
 * @decided: sets that have any
 */
struct counts {
	size_t most;
	size_t agree;
	size_t decided;
};

static int count_sets(struct survivors *s, double wrong,
		      struct survivor_set *sets, struct counts *counts,
		      struct failure *f)
{
	int error = 0;

	*counts = (struct counts){ 0 };
	for (size_t i = 0; !error && i < SURVIVOR_TARGETS; i++) {
		size_t ways = 0;

		error = survivors_count(s, &sets[i], wrong, &ways, f);
		if (ways > counts->most)
			*counts = (struct counts){ ways, 0, counts->decided };
		counts->agree += ways && ways == counts->most;
		counts->decided += ways > 0;
	}
	return error;
}

/* Error of a set, where two of them that are wrong alike err with @both. */
static double error_of_set(double both)
{
	const double pairs = SURVIVOR_TARGETS * (SURVIVOR_TARGETS - 1) / 2.0;

	return sqrt(both / pairs);
}

static void report(struct cache_result *c, const struct counts *counts,
		   double bound)
{
	if (counts->agree >= AGREE)
		parameter_measured(&c->effective_ways, (double)counts->most,
				   bound, SURVIVORS_METHOD);
	else
		parameter_undecided(
			&c->effective_ways, SURVIVORS_METHOD,
			"%zu of %d sets show how many lines they keep, and %zu of them keep %zu",
			counts->decided, SURVIVOR_TARGETS, counts->agree,
			counts->most);
	cache_result_say_by(c, "time");
}

/* Why no sets were found. */
static void leave(const struct survivors *s, struct cache_result *c, int error)
{
	struct parameter *to = &c->effective_ways;

	if (error == -EDOM)
		parameter_undecided(
			to, SURVIVORS_METHOD,
			"no reading distinguishes lines of L%d, L%d and memory",
			s->above->level, c->level);
	else if (error == -ETIME)
		parameter_undecided(
			to, SURVIVORS_METHOD,
			"no sets found within %.0f million accesses",
			MOST_ACCESSES / 1e6);
	else if (s->too_many)
		parameter_undecided(
			to, SURVIVORS_METHOD,
			"%zu lines of %zu pages read as if they were of one set of L%d: more than can be",
			s->member_count, s->pages_seen, s->above->level);
	else
		parameter_undecided(
			to, SURVIVORS_METHOD,
			"%zu lines of a set of L%d, all that there are, leave others in it",
			s->member_count, s->above->level);
}

static int find_and_count(struct survivors *s, const struct hierarchy *h,
			  struct cache_result *c, struct failure *f)
{
	const double both = s->p->rules.alpha;
	const struct budget_scope scope = budget_open(&s->p->budget);
	struct survivor_set sets[SURVIVOR_TARGETS];
	struct counts counts = { 0 };
	bool found = false;
	int error = find_sets(s, h, c, error_of_set(both), sets, &found, f);

	/* Once for their lines, once for how many stay. */
	if (!error && found && budget_draw(&s->p->budget, both) &&
	    budget_draw(&s->p->budget, both))
		error = count_sets(s, error_of_set(both), sets, &counts, f);
	if (!error && found)
		report(c, &counts, budget_bound(&s->p->budget, scope.drawn));
	else if (!error || error == -EDOM || error == -ETIME)
		leave(s, c, error);
	budget_close(&s->p->budget, &scope);
	return error == -EDOM || error == -ETIME ? 0 : error;
}

/* As long as a level may be searched for, and no more accesses than it may need. */
static int measure(struct survivors *s, const struct hierarchy *h,
		   struct cache_result *c, struct failure *f)
{
	struct prober *p = s->p;
	const double ns = p->limit_s > 0 ? p->limit_s * 1e9 : INFINITY;
	struct time_limit before;
	char why[TIME_LIMIT_WHY_BYTES];
	int error;

	s->last_access = p->m->conditions.accesses + MOST_ACCESSES;
	time_limit_set(p, ns, &before);
	error = find_and_count(s, h, c, f);
	if (!time_limit_ended(p, &before, error))
		return error;
	time_limit_why(p, why, sizeof(why));
	parameter_undecided(&c->effective_ways, SURVIVORS_METHOD, "%s", why);
	return 0;
}

int survivors_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct cache_result *c = find_level(p, h);
	struct survivors s = { .p = p, .above = c ? c - 1 : NULL };
	int error;

	if (!c)
		return 0;
	s.page_count = p->m->region.bytes / SURVIVOR_PAGE_BYTES;
	error = reserve(&s, f);
	if (!error) {
		take_push(&s);
		if ((double)s.push.length >=
		    LEAST_TIMES_WAYS * s.above->ways.value)
			error = measure(&s, h, c, f);
	}
	release(&s);
	return error;
}
