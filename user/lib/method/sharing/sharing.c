// SPDX-License-Identifier: GPL-2.0
#include "method/sharing/sharing.h"

#include <errno.h>
#include <math.h>

#include "method/level/level.h"
#include "method/level/resident_lines.h"
#include "method/sharing/one_cpu.h"
#include "method/sharing/lines.h"
#include "method/sharing/tuning.h"
#include "result/outcome.h"

#define METHOD "eviction by another CPU"

/* Why it cannot be measured, or NULL and @q is ready. */
static const char *prepare(struct sharing_question *q)
{
	const struct cache_result *c = q->level;
	const struct parameter *below = q->k + 1 < q->h->cache_count ?
						&c[1].latency_ns :
						&q->h->memory_latency_ns;

	if (!parameter_is_measured(&c->line_bytes) ||
	    (!resident_lines_sets_known(c) && !sharing_is_listed(c)))
		return "lines that share a set are not known";
	if (c->inclusion == INCLUSION_EXCLUSIVE)
		return "exclusive: own lines come and go with those of the levels above";
	if (!parameter_is_measured(&c->latency_ns) ||
	    (parameter_is_measured(below) &&
	     below->value <= c->latency_ns.value))
		return "what a miss costs is not known";
	q->here = prober_load_ticks(q->p, c->latency_ns.value);
	q->assumed = !parameter_is_measured(below);
	q->unit = LEVEL_LEAST_MISS * q->here;
	if (!q->assumed)
		q->unit = prober_load_ticks(q->p, below->value) - q->here;
	q->above = 0;
	if (q->k) {
		if (!parameter_is_measured(&c[-1].latency_ns) ||
		    c[-1].latency_ns.value >= c->latency_ns.value)
			return "what a hit above costs is not known";
		q->above = prober_load_ticks(q->p, c[-1].latency_ns.value);
	}
	q->stray.more = q->unit;
	q->stray.less = q->here - q->above;
	q->counter = sampler_miss_counter(q->p->counters, q->k);
	q->unspared = sharing_is_listed(c) ?
			      !sharing_nothing_lost_below(q->h, q->k) :
			      !sharing_spared_below(q->h, q->k);
	return sharing_is_listed(c) ?
		       sharing_list_usable(q->p, q->h, q->k) :
		       sharing_choose_strided(q->p, q->h, q->k, &q->shape);
}

/*
 * A CPU leaves own lines alone: is it with an array of its own? What it
 * loads may be lost in an inclusive level below before it pushes anything out
 * here. But a CPU that shares this array shares all levels below it, so that it
 * would fare as the measured CPU does, which is tried before and after.
 */
static int push_again(struct sharing_question *q, bool *pushes,
		      struct failure *f)
{
	enum verdict own = VERDICT_UNDECIDED;
	int error = sharing_try_cpu(q, 0, &own, f);

	*pushes = own == VERDICT_NON_COMPACT;
	return error;
}

/* The measured CPU is tried after each that leaves own lines alone where levels below
 * may lose lines, else after all of them.
 */
static int ask_cpu(struct sharing_question *q, size_t i, enum verdict *verdict,
		   struct failure *f)
{
	bool pushes = true;
	int error = sharing_try_cpu(q, i + 1, verdict, f);

	if (!error && *verdict == VERDICT_COMPACT &&
	    !sharing_nothing_lost_below(q->h, q->k))
		error = push_again(q, &pushes, f);
	if (!pushes || !(latency_deviation_most(&q->stray) <= SHARING_STRAY))
		*verdict = VERDICT_UNDECIDED;
	return error;
}

/* Until one CPU is not clear: *@tried is its number then. Return: -ERANGE also where
 * one pushes own lines out, but perhaps out of a level below alone.
 */
static int ask_cpus(struct sharing_question *q, size_t *tried,
		    enum outcome *outcome, struct failure *f)
{
	const struct machine *m = q->p->m;
	struct cache_result *c = q->level;
	bool pushes = true;
	int error = 0;

	*outcome = OUTCOME_OPEN;
	c->shared_count = 0;
	c->shared_cpus[c->shared_count++] = m->cpu;
	for (*tried = 0; *tried < m->other_count; ++*tried) {
		enum verdict verdict = VERDICT_UNDECIDED;

		if (c->shared_count == RESULT_MAX_CPUS)
			break;
		error = ask_cpu(q, *tried, &verdict, f);
		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_NON_COMPACT && q->unspared)
			return -ERANGE;
		if (verdict == VERDICT_NON_COMPACT)
			c->shared_cpus[c->shared_count++] = m->others[*tried];
	}
	if (c->shared_count <= *tried)
		error = push_again(q, &pushes, f);
	*outcome = pushes ? OUTCOME_DECIDED : OUTCOME_VOID;
	return error;
}

static int ask_once(struct sharing_question *q, size_t *tried,
		    enum outcome *outcome, struct failure *f)
{
	enum verdict own = VERDICT_UNDECIDED;
	int error;

	q->pushed = 1;
	q->lost = 0;
	q->apart = false;
	error = sharing_try_cpu(q, 0, &own, f);
	*outcome = OUTCOME_VOID;
	if (!error && own == VERDICT_NON_COMPACT)
		error = ask_cpus(q, tried, outcome, f);
	return error;
}

/* Again where it is not clear: other users of the core or the level may rest then. */
static int ask_again(struct sharing_question *q, size_t *tried,
		     enum outcome *outcome, struct failure *f)
{
	int error = ask_once(q, tried, outcome, f);

	for (int i = 1;
	     !error && *outcome != OUTCOME_DECIDED && i < SHARING_TRIES; i++) {
		q->p->m->ops->pause(q->p->m, SHARING_APART_MS);
		q->stray.most = q->stray.sum = 0;
		q->stray.count = 0;
		error = ask_once(q, tried, outcome, f);
	}
	return error;
}

static int ask_all(struct sharing_question *q, struct failure *f)
{
	const struct machine *m = q->p->m;
	struct budget *budget = &q->p->budget;
	const struct budget_scope scope = budget_open(budget);
	struct parameter *to = &q->level->sharing;
	enum outcome outcome = OUTCOME_VOID;
	size_t tried = 0, untried;
	int error = ask_again(q, &tried, &outcome, f);
	const double bound = budget_close(budget, &scope);

	if (error)
		return error;
	untried = m->unusable_cpus + m->other_count - tried;
	if (outcome == OUTCOME_VOID)
		parameter_undecided(to, METHOD,
				    "nothing is sure to push lines out of it");
	else if (outcome == OUTCOME_OPEN)
		parameter_undecided(to, METHOD, "no clear verdict on CPU %d",
				    m->others[tried]);
	else if (untried)
		parameter_undecided(
			to, METHOD,
			"%zu CPUs at least, but %zu that are online could not be tried (not allowed for this process, or too many)",
			q->level->shared_count, untried);
	else
		parameter_measured(to, (double)q->level->shared_count, bound,
				   METHOD);
	return 0;
}

int sharing_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < h->cache_count; k++) {
		struct cache_result *c = &h->caches[k];
		struct sharing_question q = { .p = p,
					      .h = h,
					      .k = k,
					      .level = c,
					      .pauses = SHARING_PAUSES };
		const char *why;

		if (!p->m->other_count) {
			parameter_unavailable(
				&c->sharing,
				"there is no other CPU to try it with");
			continue;
		}
		prober_progress(p, "L%zu: sharing", k + 1);
		why = prepare(&q);
		if (why)
			parameter_undecided(&c->sharing, METHOD, "%s", why);
		else
			error = ask_all(&q, f);
		if (error == -ERANGE) {
			parameter_undecided(
				&c->sharing, METHOD,
				"a level below may lose the lines first");
			error = 0;
		}
		if (!why)
			c->sharing.by = q.counter ? "counters" : "time";
	}
	h->tests = p->tests;
	return error;
}
