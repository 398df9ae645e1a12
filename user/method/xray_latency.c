// SPDX-License-Identifier: GPL-2.0
/* xray_latency.c - what a hit of a level takes, and what memory takes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../observe/proof.h"
#include "../observe/sampler.h"
#include "xray.h"

#define METHOD "x-ray"
/* Two controls, one of them a third longer, must agree this well. */
#define STEADY 0.05
/* From the first level to memory it is a factor of ten and more everywhere. */
#define CLEARLY_COLD 4
#define LATENCY_TRIALS 9
#define ASIDE_TRIALS 3
/* Of a cold load, for what it waits for beside memory: translations. */
#define ASIDE 0.03
/* More of a latency than that is not taken off it. */
#define MOST_ASIDE 0.5
/* Lines that are flushed are timed again where all samples were disturbed. */
#define COLD_ATTEMPTS 3
#define COLD_PAUSE_MS 20
#define LINES_ROUNDS 64
#define LINES_LOADS 2000
#define LINES_SAMPLES 8

/* In pages of their own, which no prefetcher crosses; few in a few pages, for
 * which any cache and any TLB has room; and lines that hit in any cache.
 */
static const struct shape far_lines = { .inner = 1,
					.stride = PROOF_COLD_STRIDE,
					.outer = PROOF_COLD_LINES };
static const struct shape close_lines = {
	.inner_stride = 960, .inner = 4, .stride = PROOF_COLD_STRIDE, .outer = 4
};
static const struct shape few_lines = { .inner = 1, .stride = 320, .outer = 4 };

struct latency {
	double ticks;
	double cycles;
	double ns;
};

/* Cycles come from integer additions timed right beside, so that the clock
 * frequency cancels.
 */
static int find_latency(struct prober *p, const struct shape *w,
			unsigned int flags, struct latency *l,
			struct failure *f)
{
	double cycles[LATENCY_TRIALS], ticks[LATENCY_TRIALS];
	size_t count = 0;

	for (int i = 0; i < LATENCY_TRIALS; i++) {
		double cycle = sampler_cycle_ticks(p->m), t;
		int error = prober_time(p, w, flags, &t, f);

		if (error)
			return error;
		ticks[count] = t;
		cycles[count++] = cycle > 0 ? t / cycle : NAN;
	}
	/* Disturbance only adds: the quieter trials are nearer the truth. */
	l->ticks = sampler_quantile(ticks, count, 0.25);
	l->ns = l->ticks / p->m->timer.ticks_per_ns;
	l->cycles = isfinite(cycles[0]) ?
			    sampler_quantile(cycles, count, 0.25) :
			    NAN;
	return 0;
}

static void report_latency(struct parameter *cycles, struct parameter *ns,
			   const struct latency *l)
{
	if (l->ticks <= 0) {
		parameter_undecided(
			cycles, METHOD,
			"the clock stands still while it is loaded");
		*ns = *cycles;
		return;
	}
	if (isfinite(l->cycles))
		parameter_measured(cycles, l->cycles, 0, METHOD);
	else
		parameter_undecided(cycles, METHOD,
				    "one core cycle could not be timed");
	parameter_measured(ns, l->ns, 0, METHOD);
}

/* @aside: (out) share of @cold that other lines of the same pages take, warm */
static int time_cold(struct prober *p, const struct shape *w,
		     struct latency *cold, struct latency *warm, double *aside,
		     struct failure *f)
{
	struct latency few = { .ticks = 0 };
	int error = find_latency(p, w, WALK_COLD | WALK_PLAIN_LOADS, cold, f);

	if (!error)
		error = find_latency(p, w, WALK_PLAIN_LOADS, warm, f);
	if (!error)
		error = find_latency(p, &few_lines, WALK_PLAIN_LOADS, &few, f);
	if (error)
		return error;
	*aside = (warm->ticks - few.ticks) / cold->ticks;
	return 0;
}

/* Where memory begins all levels below the first depend on. */
static int time_patiently(struct prober *p, const struct shape *lines,
			  struct latency *cold, struct latency *warm,
			  double *aside, struct failure *f)
{
	int error = time_cold(p, lines, cold, warm, aside, f);

	for (int i = 1; error == -EAGAIN && i < COLD_ATTEMPTS; i++) {
		p->m->ops->pause(p->m, COLD_PAUSE_MS);
		error = time_cold(p, lines, cold, warm, aside, f);
	}
	return error;
}

static void report_memory(const struct prober *p, struct hierarchy *h,
			  const struct latency *cold,
			  const struct latency *warm, double aside,
			  double *ticks)
{
	struct parameter *cycles = &h->memory_latency_cycles;
	bool slow = cold->ticks > CLEARLY_COLD * warm->ticks;

	if (slow)
		*ticks = cold->ticks;
	if (slow && p->m->region.remote) {
		parameter_undecided(
			cycles, METHOD,
			"%.1f ns of memory of another NUMA node (choose a CPU of a node with contiguous memory by --cpu)",
			cold->ns);
	} else if (slow && aside > ASIDE) {
		parameter_undecided(
			cycles, METHOD,
			"%.1f ns after a flush, but lines that are there take %.1f ns: translations miss as well",
			cold->ns, warm->ns);
	} else if (slow) {
		report_latency(cycles, &h->memory_latency_ns, cold);
		return;
	} else {
		parameter_undecided(
			cycles, METHOD,
			"%.1f ns after a flush, %.1f ns without: the flush seems to be ignored here",
			cold->ns, warm->ns);
	}
	h->memory_latency_ns = *cycles;
}

int xray_measure_memory(struct prober *p, struct hierarchy *h, double *ticks,
			struct failure *f)
{
	double cycle = sampler_cycle_ticks(p->m), aside = 0;
	struct latency cold, warm;
	int error;

	prober_progress(p, "memory latency");
	error = time_patiently(p, &far_lines, &cold, &warm, &aside, f);
	if (!error && aside > ASIDE)
		error = time_patiently(p, &close_lines, &cold, &warm, &aside,
				       f);
	if (error == -ERANGE)
		return fail(
			f, STATUS_UNAVAILABLE, ENOMEM,
			"memory: only %llu KiB are contiguous (free some memory, or compact it)",
			(unsigned long long)(p->arena_bytes >> 10));
	if (error && error != -EAGAIN)
		return error;
	if (cycle > 0)
		parameter_measured(&h->cycle_ns,
				   cycle / p->m->timer.ticks_per_ns, 0,
				   "integer additions");
	*ticks = INFINITY;
	if (error) {
		parameter_undecided(&h->memory_latency_cycles, METHOD, "%s",
				    f->text);
		h->memory_latency_ns = h->memory_latency_cycles;
		return 0;
	}
	report_memory(p, h, &cold, &warm, aside, ticks);
	return 0;
}

/*
 * Lines far apart (copies of a hashed index) miss translations as well, for
 * which each load waits before it goes to the caches: what their pages cost is
 * taken off. *aside: (out) share of the latency that it is.
 */
static int find_hit(struct xray *x, const struct shape *w, struct latency *l,
		    double *aside, struct failure *f)
{
	double added[ASIDE_TRIALS], ticks, rest;
	int error = find_latency(x->prober, w, WALK_PLAIN_LOADS, l, f);

	*aside = 0;
	if (!x->upper_count)
		return error;
	for (int i = 0; !error && i < ASIDE_TRIALS; i++)
		error = prober_translation(x->prober, w, &x->reference,
					   &added[i], f);
	if (error)
		return error;
	ticks = sampler_quantile(added, ASIDE_TRIALS, 0.5);
	if (!(ticks > ASIDE * l->ticks))
		return 0;
	rest = 1 - ticks / l->ticks;
	*aside = 1 / rest - 1;
	l->ticks *= rest;
	l->cycles *= rest;
	l->ns *= rest;
	return 0;
}

/*
 * The same hits, though the core's clock may have changed its pace between: then
 * they take as many cycles. Where the level has a clock of its own it is the time
 * that stays.
 */
static bool agree(const struct latency *a, const struct latency *b,
		  double within)
{
	return fabs(a->ticks - b->ticks) <= within * b->ticks ||
	       fabs(a->cycles - b->cycles) <= within * b->cycles;
}

int xray_measure_latency(struct xray *x, struct cache_result *c, bool *steady,
			 struct failure *f)
{
	/* Too few lines may hit above, too many may miss here. */
	static const size_t others[] = { 4, 2 };
	struct shape w = xray_control(x, 3), other = w;
	struct latency l, check;
	double aside = 0, unused;
	int error = find_hit(x, &w, &l, &aside, f);
	/* Of twice as many folds more get past a policy that keeps some; others
	 * with as many say nothing of that.
	 */
	int trials = xray_is_folded(x) ? 1 : 2;

	check = l;
	for (int i = 0; !error && x->upper_count && i < trials; i++) {
		other = xray_control(x, others[i]);
		error = find_hit(x, &other, &check, &unused, f);
		if (agree(&check, &l, STEADY))
			break;
	}
	if (error == -ERANGE) {
		parameter_undecided(&c->latency_cycles, METHOD,
				    "not enough contiguous memory");
		c->latency_ns = c->latency_cycles;
		return 0;
	}
	if (error)
		return error;
	*steady = agree(&check, &l, 2 * STEADY);
	if (!(aside < MOST_ASIDE)) {
		parameter_undecided(
			&c->latency_cycles, METHOD,
			"%.2f ns beside translations that take %.0f %% of that",
			l.ns, 100 * aside);
	} else if (agree(&check, &l, STEADY)) {
		report_latency(&c->latency_cycles, &c->latency_ns, &l);
		return 0;
	} else {
		parameter_undecided(
			&c->latency_cycles, METHOD,
			"%.2f ns with %zu lines, %.2f ns with %zu: they do not all hit in this level",
			l.ns, shape_length(&w), check.ns, shape_length(&other));
	}
	c->latency_ns = c->latency_cycles;
	return 0;
}

int xray_time_lines(struct prober *p, const uint64_t *lines, size_t count,
		    double *ticks, struct failure *f)
{
	static const struct walk_plan plan = { .warm_rounds = LINES_ROUNDS,
					       .loads = LINES_LOADS,
					       .samples = LINES_SAMPLES };
	double values[SAMPLER_MAX];
	struct sequence s = { .length = count };
	size_t taken = 0;
	int error;

	s.offsets = calloc(count, sizeof(*s.offsets));
	if (!s.offsets)
		return prober_out_of_memory(f);
	memcpy(s.offsets, lines, count * sizeof(*lines));
	sequence_shuffle(&s, &p->rng);
	error = prober_stopped(p) ? -EINTR : 0;
	if (!error)
		error = sampler_take(p->m, &s, &plan, values, &taken, f);
	sequence_free(&s);
	*ticks = taken ? sampler_quantile(values, taken, 0.25) : NAN;
	return error;
}
