// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/walk_cache.h"

#include <errno.h>
#include <math.h>

#include "base/statistics.h"
#include "method/accessed/tuning.h"
#include "method/accessed/walk_trial.h"

#define METHOD "accessed-bits"
/*
 * One of more entries than fit is lost in each trial. If all did fit, they would be kept
 * in half of the trials at least, as the next smaller number was in three of four, and
 * as one entry alone would be: all trials have lost some with a probability of 2^-TRIALS
 * then.
 */
#define TRIALS 24
#define MOST (TRIALS * 3 / 4)
/* Disturbed trials are left out; more of them than this are no trials. */
#define MOST_DISTURBED (TRIALS * (TRIAL_PATIENCE - 1))
/* Times as many entries as fit, of which a cache keeps as many as it has. */
#define MORE 2.5
/*
 * Tests of single entries. With the error of a test, 1e-6, they distinguish a cache from
 * one that has a quarter more: an index that spreads neighbours unevenly loses more. Of
 * half as many tests the difference has to be larger.
 */
#define MORE_TESTS 512
/*
 * Where the kernel clears the bits, what it walks for may take entries: fewer than this
 * may be what it has left of more, and so may a number that is no power of two.
 */
#define LEAST_DISTURBED 8
/* Until others that take entries of the same core may have gone. */
#define LATER_MS 200

static const char *const names[MACHINE_TABLES] = { "pde", "pdpte", "pml4e" };

/**
 * struct walk_search - for the entries of one cache
 * @w: pages
 * @r: the result
 * @next_bytes: what an entry of the next level spans; 0: not known
 * @last_bytes: what one of the level below spans; 0: those are pages
 * @disturbed: trials in a row that said nothing
 */
struct walk_search {
	struct walk_view w;
	struct walk_cache_result *r;
	uint64_t next_bytes;
	uint64_t last_bytes;
	int disturbed;
};

static void leave(struct walk_search *s, const char *reason)
{
	parameter_undecided(&s->r->entries, METHOD, "%s", reason);
}

/* One trial that says something. Return: as walk_try(); -EAGAIN: none does. */
static int try_once(struct walk_search *s, const struct walk_shape *shape,
		    uint64_t *lost, struct failure *f)
{
	int error;

	do
		error = walk_try(&s->w, shape, lost, f);
	while (error == -EAGAIN && s->disturbed++ < MOST_DISTURBED);
	return error;
}

/* @verdict: (out) compact: @entries are kept; non-compact: not all of them are */
static int decide_fit(struct walk_search *s, size_t entries, size_t apart,
		      enum verdict *verdict, struct failure *f)
{
	const struct walk_shape all = { .entries = entries,
					.apart = apart,
					.tested = entries };
	struct prober *p = s->w.prober;
	int kept = 0, none = 0, error = 0;

	*verdict = VERDICT_UNDECIDED;
	if (!budget_draw(&p->budget, pow(0.5, TRIALS)))
		return 0;
	p->tests++;
	s->disturbed = 0;
	while (!error && kept < MOST && kept + none < TRIALS &&
	       (!kept || none <= TRIALS - MOST)) {
		uint64_t lost;

		error = try_once(s, &all, &lost, f);
		if (error)
			break;
		kept += !lost;
		none += lost > 0;
	}
	if (error)
		return error;
	if (kept >= MOST)
		*verdict = VERDICT_COMPACT;
	else if (!kept)
		*verdict = VERDICT_NON_COMPACT;
	return 0;
}

/* Entries between those that lie below one entry of the next level and below another. */
static size_t apart_of(const struct walk_search *s)
{
	return (size_t)(s->next_bytes / s->w.span);
}

/* More could not be tried below two entries of the next level. */
static size_t most_tried(const struct walk_search *s)
{
	const size_t apart = apart_of(s);

	return apart < s->w.entries ? s->w.entries - apart : s->w.entries;
}

/*
 * The most entries that are kept.
 * @most: (out) 0: not one is
 * @reason: (out) why that is not known; NULL: it is
 */
static int find_most(struct walk_search *s, size_t *most, const char **reason,
		     struct failure *f)
{
	const size_t limit = most_tried(s);
	size_t kept = 0, next = 1, lost = limit + 1;

	*reason = NULL;
	while (lost - kept > 1) {
		enum verdict verdict;
		int error = decide_fit(s, next, 0, &verdict, f);

		if (error)
			return error;
		if (verdict == VERDICT_UNDECIDED) {
			*reason =
				"as many entries are kept in some trials and not in others";
			return 0;
		}
		if (verdict == VERDICT_COMPACT)
			kept = next;
		else
			lost = next;
		if (lost <= limit)
			next = kept + (lost - kept) / 2;
		else
			next = kept * 2 < lost ? kept * 2 : lost - 1;
	}
	*most = kept;
	return 0;
}

/* @kept: (out) of MORE_TESTS entries */
static int count_kept(struct walk_search *s, const struct walk_shape *shape,
		      uint64_t *kept, struct failure *f)
{
	*kept = 0;
	for (int i = 0; i < MORE_TESTS; i++) {
		uint64_t lost;
		int error;

		s->disturbed = 0;
		error = try_once(s, shape, &lost, f);
		if (error)
			return error;
		*kept += !lost;
	}
	return 0;
}

/* A test of its own: could an event of @rate have happened @count times, or more? */
static bool is_likely(const struct walk_search *s, uint64_t count, double rate)
{
	struct prober *p = s->w.prober;
	const double alpha = p->rules.alpha;

	p->tests++;
	return budget_draw(&p->budget, alpha) &&
	       statistics_binomial_tail(count, MORE_TESTS, rate) > alpha;
}

/*
 * Of more entries than a cache has it keeps as many as it has. If it keeps more than fit
 * at once, it has sets, and neighbours do not use them alike; or it keeps more of others
 * than neighbours, whose numbers differ in a bit that its index takes.
 * @kept: (out) the most of both
 */
static int check_more(struct walk_search *s, size_t most, bool *agrees,
		      double *kept, struct failure *f)
{
	const double wanted =
		fmin(ceil(MORE * (double)most), (double)s->w.entries);
	const double share = (double)most / wanted;
	struct walk_shape shape = { .entries = (size_t)wanted, .tested = 1 };
	uint64_t near, far;
	int error;

	*agrees = false;
	error = count_kept(s, &shape, &near, f);
	shape.spread = true;
	if (!error)
		error = count_kept(s, &shape, &far, f);
	if (error)
		return error;
	*kept = wanted * (double)(near > far ? near : far) / MORE_TESTS;
	*agrees = is_likely(s, near, share) &&
		  is_likely(s, MORE_TESTS - near, 1 - share) &&
		  is_likely(s, far, share);
	return 0;
}

/*
 * Below two entries of the next level instead of one: if those are in the same cache,
 * there is room for one less.
 */
static int check_alone(struct walk_search *s, size_t most, bool *alone,
		       struct failure *f)
{
	const size_t apart = apart_of(s);
	enum verdict verdict = VERDICT_COMPACT;
	int error = 0;

	/* Or there are entries of levels between. */
	*alone = s->w.view->request.page_bytes >= s->last_bytes;
	if (!*alone) {
		parameter_undecided(
			&s->r->entries, METHOD,
			"%zu entries fit, with those between them and small pages, which may share a cache",
			most);
		return 0;
	}
	if (apart && most > 1 && apart < s->w.entries)
		error = decide_fit(s, most, apart, &verdict, f);
	*alone = !error && verdict == VERDICT_COMPACT;
	if (!error && !*alone)
		parameter_undecided(
			&s->r->entries, METHOD,
			"%zu entries fit, and fewer below two entries of the next level: both levels may share a cache",
			most);
	return error;
}

static bool is_believed(size_t entries)
{
	return entries >= LEAST_DISTURBED && !(entries & (entries - 1));
}

/* Another thread of the core that holds entries makes a cache look smaller. */
static int look_later(struct walk_search *s, size_t most, bool *agrees,
		      struct failure *f)
{
	struct prober *p = s->w.prober;
	enum verdict verdict;
	int error;

	p->m->ops->pause(p->m, LATER_MS);
	error = decide_fit(s, most + 1, 0, &verdict, f);
	*agrees = !error && verdict == VERDICT_NON_COMPACT;
	return error;
}

/* What the kernel does between touches and tests may take entries. */
static int check_disturbed(struct walk_search *s, size_t most, bool *agrees,
			   struct failure *f)
{
	*agrees = false;
	if (!most) {
		leave(s,
		      "none is kept: there is none, or the kernel, which clears the bits, empties it");
		return 0;
	}
	if (!is_believed(most)) {
		parameter_undecided(
			&s->r->entries, METHOD,
			"%zu are kept: the kernel, which clears the bits, may take some",
			most);
		return 0;
	}
	return look_later(s, most, agrees, f);
}

/* @agrees: (out) else the result says why not */
static int check_sets(struct walk_search *s, size_t most, bool *agrees,
		      struct failure *f)
{
	double kept;
	int error = check_more(s, most, agrees, &kept, f);

	if (!error && !*agrees)
		parameter_undecided(
			&s->r->entries, METHOD,
			"%zu entries fit at once, %.0f of more are kept: they do not use all sets alike",
			most, kept);
	return error;
}

static int confirm(struct walk_search *s, size_t most, struct failure *f)
{
	bool agrees = true;
	int error = most ? check_sets(s, most, &agrees, f) : 0;

	if (!error && agrees && most)
		error = check_alone(s, most, &agrees, f);
	if (!error && agrees && s->w.prober->m->clearing_disturbs) {
		leave(s,
		      "more are kept later: something takes entries now and then");
		error = check_disturbed(s, most, &agrees, f);
	}
	if (!error && agrees)
		parameter_measured(&s->r->entries, (double)most, 0, METHOD);
	return error;
}

static int search(struct walk_search *s, struct failure *f)
{
	const char *reason;
	size_t most = 0;
	int error = find_most(s, &most, &reason, f);

	if (error)
		return error;
	if (reason) {
		leave(s, reason);
		return 0;
	}
	if (most == most_tried(s)) {
		parameter_undecided(
			&s->r->entries, METHOD,
			"all %zu are kept: more than views can show", most);
		return 0;
	}
	return confirm(s, most, f);
}

static int measure_one(struct walk_search *s, struct prober *p,
		       struct failure *f)
{
	const struct budget_scope scope = budget_open(&p->budget);
	struct failure why = { .text = "" };
	int error = walk_view_open(&s->w, p, s->r->span_bytes, &why);
	double bound;

	if (error) {
		parameter_unavailable(&s->r->entries, "%s", why.text);
		error = error == -EINTR ? error : 0;
	} else {
		error = search(s, f);
	}
	if (error == -EAGAIN) {
		leave(s, "all trials were disturbed, or TLBs had the pages");
		error = 0;
	}
	walk_view_close(&s->w);
	bound = budget_close(&p->budget, &scope);
	s->r->entries.by = METHOD;
	if (parameter_is_measured(&s->r->entries))
		s->r->entries.error_bound = bound;
	return error;
}

int walk_caches_measure(struct prober *p, struct hierarchy *h,
			struct failure *f)
{
	const struct machine *m = p->m;
	int error = 0;

	if (!m->table_count || !m->ops->view_touch_tables) {
		struct walk_cache_result *r =
			hierarchy_add_walk_cache(h, names[0], 0);

		if (r)
			parameter_unavailable(
				&r->entries,
				"accessed bits of entries that point to tables: not to be had here (load probe_phys.ko, on x86-64)");
		return 0;
	}
	for (size_t i = 0; !error && i < m->table_count; i++) {
		const bool last = i + 1 == m->table_count;
		struct walk_search s = {
			.r = hierarchy_add_walk_cache(h, names[i],
						      m->table_bytes[i]),
			.next_bytes = last ? 0 : m->table_bytes[i + 1],
			.last_bytes = i ? m->table_bytes[i - 1] : 0,
		};

		if (!s.r)
			break;
		prober_progress(p, "caches of page walks: %s", names[i]);
		error = measure_one(&s, p, f);
	}
	h->tests = p->tests;
	h->complete = h->complete && !error;
	return error;
}
