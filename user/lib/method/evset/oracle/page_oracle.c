// SPDX-License-Identifier: GPL-2.0
/* page_oracle.c - are whole pages compact, all of their lines together? */
#include "method/evset/oracle/page_oracle.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/list_walk.h"

/* Fewer lines of a page are no better than single lines. */
#define LEAST_LINES 8
/* A class overflows in all of its sets at once, and misses in each of them:
 * this share of its lines, at least.
 */
#define LEAST_SHARE 0.6
/* Share of the typical misses of a set that overflows by one line. */
#define LEAST_TYPICAL 0.5
#define CLEARLY 0.5
#define MOST_SAMPLES 6
#define AGREEING 2
/* Half of a list has to evict from the levels above, whatever their policy. */
#define EVICTOR_TIMES 2
/* A disturbance that lasts for this many samples is waited out, for tenths of a
 * second.
 */
#define BAD_SAMPLES 3
#define PAUSE_MS 10
#define MOST_PAUSES_EACH 60
/* Ten seconds in all. */
#define MOST_PAUSES 1000
/* Sorting takes some three hundred questions for each class. */
#define MOST_TESTS 24000
#define MOST_ACCESSES 3000000
/* Time limit of all walks, for a slow machine. */
#define MOST_NS 12e9

/* Share of a round's time that may drift between a list and its control. */
#define DOUBT 0.004
/* Learning rates per sample: the clock or the power budget may change. */
#define LEARNING 0.2
#define FORGETTING 1.0003
#define USUAL 1.02
#define FIRST_SAMPLES 4
/* Drift since a list of that length fitted; a list that is faster than that hit
 * time by more has no hit time to be compared with.
 */
#define STALE 0.05
#define SAMPLES 2
/* Loads of a sample, in whole rounds: the timer's resolution is less than the
 * doubt.
 */
#define LEAST_LOADS 600
/* Rounds in which lines of the last list go; a list that misses may need more
 * to settle.
 */
#define WARM_ROUNDS 2
#define SETTLING 2

/**
 * struct page_sample - a sample of a list of pages, beside its control
 * @misses: of a round of the list, above that of fewer lines of the same pages,
 *          which fit, walked in the same order
 * @doubt: misses that drift may feign
 * @undisturbed: no contention was seen, or the list fits nevertheless
 */
struct page_sample {
	double misses;
	double doubt;
	bool undisturbed;
};

/**
 * struct votes - undisturbed samples of a list
 * @fits: samples by which it fits
 * @overflows: samples by which it overflows
 * @settled: the list had time to settle, once
 * @settles: it needs this time in the next sample
 */
struct votes {
	int fits;
	int overflows;
	bool settled;
	bool settles;
};

/* Misses of a round of a list that overflows, at least. */
static double misses_least(const struct evset_page_oracle *b)
{
	return fmax(LEAST_SHARE, LEAST_TYPICAL * b->typical_misses) *
	       (double)b->lines_per_page;
}

/*
 * Each pass of a walk has a line of each page, always in the order of @pages:
 * then translations hit and miss alike in a list and its control. If there are
 * fewer passes than places, each place is taken as often as any other, by
 * chance: in turns, pages of one class at every other place of the order would
 * share all of their sets.
 */
static int build(const struct evset_page_oracle *b, const uint64_t *pages,
		 size_t count, size_t passes, struct sequence *s,
		 struct failure *f)
{
	struct rng *rng = &b->e->x->prober->rng;
	uint64_t places[EVSET_PAGE_LINES];
	struct sequence order = { places, b->lines_per_page };
	size_t at = 0;

	s->length = count * passes;
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	memcpy(places, b->places, b->lines_per_page * sizeof(*places));
	for (size_t i = 0; i < count; i++) {
		if (!i || at + passes > b->lines_per_page) {
			sequence_shuffle(&order, rng);
			at = 0;
		}
		for (size_t j = 0; j < passes; j++)
			s->offsets[j * count + i] = pages[i] + places[at++];
	}
	return 0;
}

/* *value: ticks per load; INFINITY: disturbed. */
static int walk(struct evset_page_oracle *b, const uint64_t *pages,
		size_t count, size_t passes, bool settle, double *value,
		struct failure *f)
{
	struct walk_plan plan = { .samples = SAMPLES, .seldom = true };
	size_t rounds = WARM_ROUNDS * (settle ? SETTLING : 1);
	struct readings r = { .count = 0 };
	struct sequence s;
	int error;

	error = build(b, pages, count, passes, &s, f);
	if (error)
		return error;
	plan.warm_rounds = (unsigned int)rounds;
	plan.loads = (unsigned int)((LEAST_LOADS + s.length - 1) / s.length *
				    s.length);
	error = sampler_observe(b->e->x->prober->m, &s, &plan, 0, &r, f);
	*value = r.count ? statistics_peek(r.values, r.count, 0) : INFINITY;
	if (r.count)
		b->walked_ticks +=
			*value * (double)(s.length * rounds +
					  SAMPLES * (size_t)plan.loads);
	sequence_free(&s);
	return error;
}

/* The control has to miss in the levels above, too, but to fit although half of
 * the pages are of one class.
 */
static size_t few_passes(const struct evset_page_oracle *b, size_t count)
{
	size_t passes = (b->lines_each * b->lines_per_page + count - 1) / count;

	return passes < b->lines_per_page / 2 ? passes : b->lines_per_page / 2;
}

/* Under contention the watched pages take longer than usual, and no sample
 * counts.
 */
static int is_undisturbed(struct evset_page_oracle *b, bool *typical,
			  struct failure *f)
{
	size_t passes = few_passes(b, b->watched_count);
	double now = 0;
	int error = 0;

	*typical = false;
	do {
		error = walk(b, b->watched, b->watched_count, passes, false,
			     &now, f);
		if (error || !isfinite(now))
			return error;
		if (!b->samples)
			b->typical = now;
		else if (now < b->typical)
			b->typical -= LEARNING * (b->typical - now);
		else
			b->typical *= FORGETTING;
	} while (++b->samples <= FIRST_SAMPLES);
	*typical = now <= b->typical * USUAL;
	return 0;
}

/* Does a list take as long as others of that length that fit? */
static bool fits_alone(const struct evset_page_oracle *b, size_t count,
		       double list, double *misses)
{
	double hit = b->hits[evset_bucket(count)];
	double loads = (double)(count * b->lines_per_page);
	double doubt = STALE * loads * hit / b->e->scale.penalty;

	*misses = (list - hit) * loads / b->e->scale.penalty;
	return hit > 0 && *misses > -doubt &&
	       *misses + doubt < CLEARLY * misses_least(b);
}

/* A slower hit time is learnt slowly: contention may have gone unnoticed. */
static void learn_hit(struct evset_page_oracle *b, size_t count, double twin)
{
	double *hit = &b->hits[evset_bucket(count)];

	if (*hit > 0 && *hit < twin)
		*hit += LEARNING * (twin - *hit);
	else
		*hit = twin;
}

/* *l->undisturbed: a list that fits needs no control. */
static int walk_both(struct evset_page_oracle *b, const struct sequence *order,
		     bool settle, double *list, double *twin,
		     struct page_sample *l, struct failure *f)
{
	size_t count = order->length;
	int error = walk(b, order->offsets, count, b->lines_per_page, settle,
			 list, f);

	if (!error && !settle)
		l->undisturbed = fits_alone(b, count, *list, &l->misses);
	if (error || l->undisturbed)
		return error;
	return walk(b, order->offsets, count, few_passes(b, count), settle,
		    twin, f);
}

/* A list, its control and the watched pages. @settle: the list may settle for
 * longer; if not, it alone is walked where it takes no longer than one that
 * fits: disturbance only adds.
 */
static int take_sample(struct evset_page_oracle *b, const uint64_t *pages,
		       size_t count, bool settle, struct page_sample *l,
		       struct failure *f)
{
	struct sequence order = { calloc(count, sizeof(*pages)), count };
	double loads = (double)(count * b->lines_per_page);
	double list = INFINITY, twin = INFINITY;
	int error;

	if (!order.offsets)
		return prober_out_of_memory(f);
	memcpy(order.offsets, pages, count * sizeof(*pages));
	sequence_shuffle(&order, &b->e->x->prober->rng);
	error = walk_both(b, &order, settle, &list, &twin, l, f);
	sequence_free(&order);
	if (error || l->undisturbed)
		return error;
	if (!isfinite(list) || !isfinite(twin))
		return 0;
	l->misses = (list - twin) * loads / b->e->scale.penalty;
	l->doubt = DOUBT * loads * twin / b->e->scale.penalty;
	error = is_undisturbed(b, &l->undisturbed, f);
	if (!error && l->undisturbed)
		learn_hit(b, count, twin);
	return error;
}

/*
 * *clear: more samples would hardly change the verdict.
 *
 * A tree of 16 ways misses half as often in the first rounds of 17 lines as
 * later on: a sample with too few misses votes once the list had time to
 * settle.
 */
static void vote(struct evset_page_oracle *b, const struct page_sample *l,
		 bool settled, struct votes *v, bool *clear)
{
	const double least = misses_least(b) + l->doubt;
	const bool early = !settled && l->misses < least &&
			   l->misses >= CLEARLY * least;

	if (l->misses >= least) {
		v->overflows++;
		v->settled |= settled;
		b->misses = l->misses;
		*clear = v->settled && v->overflows >= v->fits + AGREEING;
	} else if (!early) {
		v->fits++;
		*clear = v->fits >= v->overflows + AGREEING ||
			 (!v->overflows && l->misses < CLEARLY * least);
	}
	v->settles = early || v->overflows > v->fits;
}

/* *again: another sample may be undisturbed. Return: 0 or -EAGAIN, if all
 * pauses are used up.
 */
static int wait_out_contention(struct evset_page_oracle *b, int *pauses,
			       bool *again)
{
	struct machine *m = b->e->x->prober->m;

	if (++b->pauses > MOST_PAUSES)
		return -EAGAIN;
	m->ops->pause(m, PAUSE_MS);
	*again = ++*pauses < MOST_PAUSES_EACH;
	return 0;
}

static bool is_spent(const struct evset_page_oracle *b)
{
	const struct machine *m = b->e->x->prober->m;

	return b->walked_ticks > MOST_NS * m->timer.ticks_per_ns ||
	       b->o.tests > b->most_tests || b->o.accesses > b->most_accesses;
}

static int pages_compact(void *context, const uint64_t *pages, size_t count,
			 bool final, enum verdict *verdict, struct failure *f)
{
	struct evset_page_oracle *b = context;
	struct votes v = { .fits = 0 };
	bool clear = false, again = true;
	int error = 0, pauses = 0, bad = 0;

	(void) final;
	b->e->x->prober->tests++;
	*verdict = VERDICT_UNDECIDED;
	if (is_spent(b) || count > EVSET_MOST_PAGES)
		return -EAGAIN;
	while (!error && again && !clear &&
	       v.fits + v.overflows < MOST_SAMPLES) {
		bool settle = v.settles;
		struct page_sample l = { .misses = INFINITY };

		if (prober_stopped(b->e->x->prober))
			return -EINTR;
		error = take_sample(b, pages, count, settle, &l, f);
		if (error)
			break;
		bad = l.undisturbed ? 0 : bad + 1;
		if (l.undisturbed)
			vote(b, &l, settle, &v, &clear);
		else if (bad >= BAD_SAMPLES)
			error = wait_out_contention(b, &pauses, &again);
	}
	if (v.fits || v.overflows)
		*verdict = v.overflows > v.fits ? VERDICT_NON_COMPACT :
						  VERDICT_COMPACT;
	return error;
}

void evset_page_oracle_allow(struct evset_page_oracle *b)
{
	b->most_tests = b->o.tests + MOST_TESTS;
	b->most_accesses = b->o.accesses + MOST_ACCESSES;
}

static void pages_pause(void *context)
{
	const struct evset_page_oracle *b = context;

	evset_machine_pause(b->e);
}

bool evset_page_oracle_begin(struct evset_page_oracle *b,
			     struct evset_machine *e, uint64_t line_bytes)
{
	size_t upper_evictors = e->o.upper_evictors ? e->o.upper_evictors : 1;

	*b = (struct evset_page_oracle){
		.o = { .compact = pages_compact,
		       .pause = pages_pause,
		       .context = b,
		       .upper_evictors = EVICTOR_TIMES * upper_evictors },
		.e = e,
		.line_bytes = line_bytes,
		.lines_per_page = e->window.low_bytes / line_bytes,
		.lines_each = 2 * upper_evictors,
	};
	evset_page_oracle_allow(b);
	for (size_t i = 0; i < b->lines_per_page && i < EVSET_PAGE_LINES; i++)
		b->places[i] = i * line_bytes;
	return b->lines_per_page >= LEAST_LINES &&
	       b->lines_per_page <= EVSET_PAGE_LINES &&
	       2 * b->o.upper_evictors <= EVSET_MOST_EVICTORS;
}

void evset_page_oracle_forget(struct evset_page_oracle *b)
{
	b->samples = 0;
	memset(b->hits, 0, sizeof(b->hits));
}

void evset_page_oracle_watch(struct evset_page_oracle *b, const uint64_t *pages,
			     size_t count)
{
	size_t most = 2 * b->o.upper_evictors < EVSET_WATCHED ?
			      2 * b->o.upper_evictors :
			      EVSET_WATCHED;

	b->watched_count = count < most ? count : most;
	memcpy(b->watched, pages, b->watched_count * sizeof(*pages));
	evset_page_oracle_forget(b);
}
