// SPDX-License-Identifier: GPL-2.0
/* list_walk.c - lists of lines, walked on a machine. */
#include "method/evset/oracle/list_walk.h"
#include "method/evset/oracle/set_conflict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWIN_PAGE_BYTES 4096
#define SHORT_LINE_BYTES 64
#define TWIN_LINES_LEAST 64

#define QUICK_SAMPLES 9
#define QUICK_LOADS 150
#define QUICK_WARM_LOADS 6000
#define QUICK_WARM_LEAST 6
/* Lists that hit already need few rounds. */
#define BRIEF_WARM_LOADS 600
#define BRIEF_WARM_LEAST 3
#define LONG_LIST 16384
#define LONG_WARM_LEAST 4
#define LONG_SAMPLES 3
#define CAREFUL_SAMPLES 8
#define CAREFUL_LOADS 500
#define CAREFUL_MOST_LOADS 2000
#define CAREFUL_ROUNDS 4
#define CAREFUL_WARM_LOADS 20000
#define WARM_MOST 64
#define LONG_WARM_ROUNDS 250
/* Translations become costly within a few pages more. */
#define BUCKETS_PER_OCTAVE 12
/* Uses after which a hit time is measured again. */
#define HIT_USES 100
#define HIT_TRIALS 3
#define MISSES_CLEARLY 0.5
/**
 * struct list_plan - a list and how it is walked
 * @lines: @count of them, the first @together in a row, the rest @in_order
 * @warm: rounds that warm up
 * @loads: of a sample
 * @samples: their number
 */
struct list_plan {
	const uint64_t *lines;
	size_t count;
	size_t together;
	bool in_order;
	size_t warm;
	unsigned int loads;
	unsigned int samples;
};

static unsigned int counter_of(const struct evset_machine *e)
{
	return xray_counter(e->x);
}

static int walk(struct evset_machine *e, struct sequence *s,
		const struct list_plan *a, struct readings *r,
		struct failure *f)
{
	const struct walk_plan plan = { .warm_rounds = (unsigned int)a->warm,
					.loads = a->loads,
					.samples = a->samples,
					.seldom = true };

	return prober_observe(e->x->prober, s, &plan, counter_of(e), r, f);
}

/* A list in random order, its first part in a row. */
static int build(struct evset_machine *e, const struct list_plan *a,
		 struct sequence *s, struct failure *f)
{
	struct sequence first, rest;

	s->length = a->count;
	s->offsets = calloc(a->count, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	memcpy(s->offsets, a->lines, a->count * sizeof(*s->offsets));
	first = (struct sequence){ s->offsets, a->together };
	rest = (struct sequence){ s->offsets + a->together,
				  a->count - a->together };
	sequence_shuffle(&first, &e->x->prober->rng);
	if (!a->in_order)
		sequence_shuffle(&rest, &e->x->prober->rng);
	return 0;
}

/* Ticks per load that translating the pages of a list adds; VOID: a sample
 * was disturbed.
 */
static int find_translation(struct evset_machine *e, const struct sequence *s,
			    const struct list_plan *a, double *added,
			    enum outcome *outcome, struct failure *f)
{
	static const struct shape words = { .inner = 1,
					    .stride = 8,
					    .outer = 64 };
	struct readings slow, fast = { .count = 0 };
	struct sequence twin, near;
	int error;

	*added = 0;
	if (sequence_translation_twin(&twin, s, TWIN_PAGE_BYTES,
				      SHORT_LINE_BYTES, sizeof(uint64_t)))
		return prober_out_of_memory(f);
	error = walk(e, &twin, a, &slow, f);
	sequence_free(&twin);
	if (!error && sequence_place(&near, &words, e->window.begin))
		error = prober_out_of_memory(f);
	if (!error) {
		error = walk(e, &near, a, &fast, f);
		sequence_free(&near);
	}
	*outcome = outcome_if(!error && slow.count && fast.count, OUTCOME_VOID);
	if (*outcome == OUTCOME_DECIDED)
		*added = statistics_quantile(slow.values, slow.count, 0.25) -
			 statistics_quantile(fast.values, fast.count, 0.25);
	return error;
}

static size_t twin_most(const struct evset_machine *e)
{
	size_t most = e->x->reference.twin_lines;

	return most > TWIN_LINES_LEAST ? most : TWIN_LINES_LEAST;
}

static int walk_control_lines(struct evset_machine *e,
			      const struct sequence *list,
			      const struct list_plan *a, struct readings *r,
			      double *added, struct failure *f)
{
	struct sequence s;
	int error;

	if (evset_control_lines(e, list, a->together, &s))
		return prober_out_of_memory(f);
	*added = evset_conflict_added(e, list, &s);
	error = walk(e, &s, a, r, f);
	sequence_free(&s);
	return error;
}

/* The level's control, and the translation ticks of the list's pages. */
static int walk_control(struct evset_machine *e, const struct sequence *list,
			const struct list_plan *a, struct readings *r,
			double *added, struct failure *f)
{
	struct prober *p = e->x->prober;
	const struct shape *w = &e->x->reference.control;
	struct sequence control;
	enum outcome hit = OUTCOME_DECIDED;
	double conflict;
	int error;

	if (shape_span(w) > p->arena_bytes)
		return -ERANGE;
	if (sequence_place(&control, w, p->arena_offset))
		return prober_out_of_memory(f);
	error = sequence_shuffle_shape(&control, w, &p->rng) ?
			prober_out_of_memory(f) :
			walk(e, &control, a, r, f);
	conflict = evset_conflict_added(e, list, &control);
	sequence_free(&control);
	/* The twin of a longer list would not fit itself. */
	if (!error && !counter_of(e) && a->count <= twin_most(e))
		error = find_translation(e, list, a, added, &hit, f);
	*added += conflict;
	/* Then the hit time in these pages is not known. */
	if (hit != OUTCOME_DECIDED)
		r->count = 0;
	return error;
}

/* Control lines for a list as it is walked: readings per load, and the hit
 * time.
 */
static int observe_hits(struct evset_machine *e, const struct sequence *list,
			const struct list_plan *a, struct readings *r,
			double *hit, struct failure *f)
{
	double added = 0;
	int error;

	r->count = 0;
	error = evset_has_control_lines(e, a->lines, a->count) ?
			walk_control_lines(e, list, a, r, &added, f) :
			walk_control(e, list, a, r, &added, f);
	*hit = 0;
	if (!error && !counter_of(e) && r->count)
		*hit = statistics_low_mean(r->values, r->count);
	for (size_t i = 0; !error && i < r->count; i++)
		r->values[i] += added;
	if (r->count)
		*hit += added;
	return error;
}

size_t evset_bucket(size_t count)
{
	size_t b = (size_t)(BUCKETS_PER_OCTAVE *
			    log2((double)(count ? count : 1)));

	return b < EVSET_BUCKETS ? b : EVSET_BUCKETS - 1;
}

/* Recent ticks per load of a list of that length that hits. */
static int recent_hit(struct evset_machine *e, const struct list_plan *a,
		      double *hit, struct failure *f)
{
	size_t b = evset_bucket(a->count);
	struct readings r;
	int error = 0;

	*hit = 0;
	if (counter_of(e))
		return 0;
	if (e->scale.hit[b] <= 0 || e->scale.hit_uses[b]++ >= HIT_USES) {
		e->scale.hit[b] = 0;
		e->scale.hit_uses[b] = 0;
		for (int i = 0; !error && i < HIT_TRIALS; i++) {
			struct sequence s;

			error = build(e, a, &s, f);
			if (error)
				break;
			error = observe_hits(e, &s, a, &r, hit, f);
			sequence_free(&s);
			if (!error && r.count &&
			    (e->scale.hit[b] <= 0 || *hit < e->scale.hit[b]))
				e->scale.hit[b] = *hit;
		}
	}
	*hit = e->scale.hit[b];
	return error;
}

static size_t clamp(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

static struct list_plan plan_of(const struct evset_machine *e,
				const uint64_t *lines, size_t count)
{
	return (struct list_plan){ .lines = lines,
				   .count = count,
				   .together = e->o.together,
				   .in_order = e->o.in_order };
}

/* Samples that began at different places of a round would mix lines
 * differently.
 */
static unsigned int whole_rounds(size_t loads, size_t count)
{
	return (unsigned int)((loads + count - 1) / count * count);
}

static struct list_plan quickly(const struct evset_machine *e,
				const uint64_t *lines, size_t count, bool brief)
{
	struct list_plan a = plan_of(e, lines, count);

	a.loads = whole_rounds(QUICK_LOADS, count);
	a.samples = QUICK_SAMPLES;
	a.warm = clamp(QUICK_WARM_LOADS / count, QUICK_WARM_LEAST, WARM_MOST) *
		 e->effort.warmup_factor;
	a.warm = clamp(a.warm, QUICK_WARM_LEAST, LONG_WARM_ROUNDS);
	/* A round of a long list is a mean by itself. */
	if (count > LONG_LIST) {
		a.warm = LONG_WARM_LEAST * e->effort.warmup_factor;
		a.samples = LONG_SAMPLES;
	}
	if (brief)
		a.warm = clamp(BRIEF_WARM_LOADS / count, BRIEF_WARM_LEAST,
			       WARM_MOST);
	return a;
}

static struct list_plan carefully(const struct evset_machine *e,
				  const uint64_t *lines, size_t count,
				  bool longer)
{
	struct list_plan a = plan_of(e, lines, count);

	a.loads = whole_rounds(clamp(CAREFUL_ROUNDS * count, CAREFUL_LOADS,
				     CAREFUL_MOST_LOADS),
			       count);
	a.samples = CAREFUL_SAMPLES;
	a.warm = clamp(CAREFUL_WARM_LOADS / count, QUICK_WARM_LEAST, WARM_MOST);
	if (longer)
		a.warm = LONG_WARM_ROUNDS;
	return a;
}

int evset_sample_list(struct evset_machine *e, const uint64_t *lines,
		      size_t count, enum evset_control control, double *misses,
		      double *hit, struct failure *f)
{
	const struct list_plan a =
		quickly(e, lines, count,
			control == EVSET_CONTROL_RECENT ||
				control == EVSET_CONTROL_PAGES_BRIEFLY);
	struct readings r = { .count = 0 };
	struct sequence s;
	int error = 0;

	*hit = counter_of(e) ? 0 : e->x->hit_ticks;
	if (control == EVSET_CONTROL_RECENT)
		error = recent_hit(e, &a, hit, f);
	if (!error)
		error = build(e, &a, &s, f);
	if (error)
		return error;
	if (!counter_of(e) && (control == EVSET_CONTROL_PAGES ||
			       control == EVSET_CONTROL_PAGES_BRIEFLY))
		error = observe_hits(e, &s, &a, &r, hit, f);
	/* Beside an unknown hit time any list would miss. */
	if (!error && !counter_of(e) && *hit <= 0)
		error = -EAGAIN;
	if (!error)
		error = walk(e, &s, &a, &r, f);
	sequence_free(&s);
	if (error || !r.count)
		return error ? error : -EAGAIN;
	*misses = (statistics_low_mean(r.values, r.count) - *hit) *
		  (double)count / e->scale.penalty;
	return 0;
}

/**
 * struct placement - a list in a trial
 * @e: the level
 * @a: the list
 * @s: its present order
 */
struct placement {
	struct evset_machine *e;
	const struct list_plan *a;
	struct sequence s;
};

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;

	(void)b;
	return build(at->e, at->a, &at->s, f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *at = context;

	return side == TRIAL_CONTROL ?
		       observe_hits(at->e, &at->s, at->a, &b->of[side], &b->hit,
				    f) :
		       walk(at->e, &at->s, at->a, &b->of[side], f);
}

static void release(void *context)
{
	struct placement *at = context;

	sequence_free(&at->s);
}

int evset_list_decide(struct evset_machine *e, const uint64_t *lines,
		      size_t count, bool longer, enum verdict *verdict,
		      double *misses, struct failure *f)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe,
					      .release = release };
	const struct list_plan a = carefully(e, lines, count, longer);
	struct placement at = { .e = e, .a = &a };
	struct trial t = prober_trial(e->x->prober, &ops, &at);
	int error;

	t.loads = (double)count;
	t.miss = e->scale.penalty;
	/* evset_compact() counts tests, quick ones too. */
	t.tests = NULL;
	error = trial_run(&t, verdict, f);
	/* A list faster than hits hits in a level above, which may hide misses.
	 */
	if (!error && *verdict == VERDICT_COMPACT &&
	    t.most_misses < -MISSES_CLEARLY)
		*verdict = VERDICT_UNDECIDED;
	*misses = t.least_misses;
	return error;
}
