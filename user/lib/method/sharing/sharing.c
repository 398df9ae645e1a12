// SPDX-License-Identifier: GPL-2.0
#include "method/sharing/sharing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/level/resident_lines.h"
#include "method/probe/grain.h"
#include "method/sharing/listed.h"

#define METHOD "eviction by another CPU"
/* Of the first level, every such line gets a set: the next is nobody's. */
#define LINES_APART 4
#define SAMPLES 8
#define SETTLE_ROUNDS 250
#define BASE_ALIGN 4096
/* Lines of a set that push out all others, times the ways. */
#define TIMES_WAYS 3
/* Of so many times as many those are taken that leave the levels below alone. */
#define SPARE 8
/* What lines that are there may take more, in misses, and less, in hits above. */
#define STRAY 0.25

/**
 * struct question - who shares this level?
 * @p: asks the machine
 * @h: what is known
 * @k: index of the level
 * @level: it
 * @shape: lines that miss above and hit here
 * @counter: of the level's misses, a bit; 0: time
 * @above, @here: ticks of a hit in the level above, 0 for the first, and here
 * @unit: ticks that a miss costs at least
 * @stray: (out) where nobody pushes
 */
struct question {
	struct prober *p;
	const struct hierarchy *h;
	size_t k;
	struct cache_result *level;
	struct shape shape;
	unsigned int counter;
	double above;
	double here;
	double unit;
	struct stray stray;
};

/* Nothing that it loses is lost above. */
static bool keeps_no_lines(const struct cache_result *c)
{
	return c->inclusion == INCLUSION_NINE ||
	       c->inclusion == INCLUSION_EXCLUSIVE;
}

/* Where the lines of others begin: in the same sets as the first own one. */
static uint64_t behind(const struct question *q)
{
	uint64_t way = own_lines_way_bytes(q->level);

	return (shape_span(&q->shape) + way - 1) / way * way;
}

static size_t each(const struct question *q)
{
	return TIMES_WAYS * (size_t)q->level->ways.value;
}

static bool nothing_kept_below(const struct question *q)
{
	for (size_t d = q->k + 1; d < q->h->cache_count; d++)
		if (!keeps_no_lines(&q->h->caches[d]))
			return false;
	return true;
}

/* Lines of a set that others are chosen from. */
static size_t candidates(const struct question *q)
{
	return (nothing_kept_below(q) ? 1 : SPARE) * each(q);
}

static uint64_t span_of(const struct question *q)
{
	return behind(q) + (candidates(q) + 1) * own_lines_way_bytes(q->level) +
	       shape_span(&q->shape);
}

/* Is a set that of a line before? */
static bool met(const struct sequence *own, size_t i, uint64_t way)
{
	for (size_t j = 0; j < i; j++)
		if (own->offsets[i] % way == own->offsets[j] % way)
			return true;
	return false;
}

/* A level that may be inclusive is to lose none of the own lines itself. */
static bool spares(const struct question *q, const struct sequence *own,
		   uint64_t offset)
{
	for (size_t d = q->k + 1; d < q->h->cache_count; d++) {
		const struct cache_result *c = &q->h->caches[d];
		uint64_t way;

		if (keeps_no_lines(c))
			continue;
		way = own_lines_way_bytes(c);
		for (size_t i = 0; i < own->length; i++)
			if (own->offsets[i] % way == offset % way)
				return false;
	}
	return true;
}

/* Return: -ERANGE when too few lines are left. */
static int place_others(const struct question *q, uint64_t base,
			struct sharing_lines *l)
{
	uint64_t way = own_lines_way_bytes(q->level);
	uint64_t line = (uint64_t)q->level->line_bytes.value;
	size_t n = 0;

	l->push.offsets = calloc(l->own.length * each(q), sizeof(uint64_t));
	l->beside.offsets = calloc(l->own.length * each(q), sizeof(uint64_t));
	if (!l->push.offsets || !l->beside.offsets)
		return -ENOMEM;
	for (size_t i = 0; i < l->own.length; i++) {
		uint64_t set = (l->own.offsets[i] - base) % way;
		size_t wanted = n + each(q);

		if (met(&l->own, i, way))
			continue;
		for (size_t j = 0; n < wanted && j < candidates(q); j++) {
			uint64_t at = base + behind(q) + set + j * way;

			if (!spares(q, &l->own, at) ||
			    !spares(q, &l->own, at + line))
				continue;
			l->push.offsets[n] = at;
			l->beside.offsets[n++] = at + line;
		}
		if (n < wanted)
			return -ERANGE;
	}
	l->push.length = l->beside.length = n;
	return 0;
}

static int build(struct question *q, struct sharing_lines *l, struct failure *f)
{
	struct prober *p = q->p;
	uint64_t base = p->arena_offset;
	int error;

	if (sharing_is_listed(q->level))
		return sharing_place_listed(p, q->h, q->k, l, f);
	base += rng_below(&p->rng,
			  (p->arena_bytes - span_of(q)) / BASE_ALIGN + 1) *
		BASE_ALIGN;
	error = sequence_place(&l->own, &q->shape, base);
	if (!error)
		error = place_others(q, base, l);
	if (!error)
		error = sequence_shuffle_shape(&l->own, &q->shape, &p->rng);
	if (error)
		return error == -ERANGE ? error : prober_out_of_memory(f);
	sequence_shuffle(&l->push, &p->rng);
	sequence_shuffle(&l->beside, &p->rng);
	return sequence_check(&l->own) ? -ERANGE : 0;
}

/* All own lines are there before, where new ones seldom get in: flushed, each
 * leaves its place. One that got none would cost more while others push it out
 * of the levels below, too.
 */
static int settle(struct question *q, const struct sharing_lines *l,
		  struct failure *f)
{
	const struct walk_plan plan = { .warm_rounds = SETTLE_ROUNDS,
					.loads = 1,
					.samples = 1 };
	struct sample unused;

	return q->p->m->ops->walk(q->p->m, &l->own, &plan, &unused, f);
}

/**
 * struct placement - the question to one CPU
 * @q: the question
 * @other: number of the CPU, as of struct walk_step
 * @l: where lines lie now
 */
struct placement {
	struct question *q;
	size_t other;
	struct sharing_lines l;
};

/* Own lines, after the other CPU has loaded @theirs, from memory. Lines that clear
 * the levels above follow both: nothing is left there of either.
 */
static int look(const struct placement *a, const struct sequence *theirs,
		unsigned int counter, struct readings *r, struct failure *f)
{
	const struct sharing_lines *l = &a->l;
	const struct walk_step steps[] = {
		{ STEP_FLUSH, &l->own, 0 },
		{ STEP_FLUSH, theirs, 0 },
		{ STEP_FLUSH, &l->clear, 0 },
		{ STEP_LOAD, &l->own, 0 },
		{ STEP_LOAD, &l->clear, 0 },
		{ STEP_LOAD, theirs, a->other },
		{ STEP_LOAD, &l->clear, a->other },
	};
	const struct walk_plan plan = { .samples = SAMPLES,
					.steps = steps,
					.step_count = l->clear.length ? 7 : 6 };

	return prober_observe(a->q->p, &l->own, &plan, counter, r, f);
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error = build(a->q, &a->l, f);

	(void)b;
	return error ? error : settle(a->q, &a->l, f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *a = context;

	return look(a, side == TRIAL_TEST ? &a->l.push : &a->l.beside,
		    a->q->counter, &b->of[side], f);
}

/* Where nobody pushes own lines hit here, and not above. */
static int note_control(void *context, struct trial_block *b, struct failure *f)
{
	const struct placement *a = context;
	struct question *q = a->q;
	struct readings ticks;
	double off, step;
	int error = look(a, &a->l.beside, 0, &ticks, f);

	(void)b;
	if (error || !ticks.count)
		return error;
	step = q->p->m->timer.resolution_ticks / (double)a->l.own.length;
	off = sampler_near_middle(ticks.values, ticks.count, step) - q->here;
	if (off < 0 && !q->k)
		return 0;
	q->stray.grain = step / 2;
	stray_add(&q->stray, off);
	return 0;
}

static void release(void *context)
{
	struct placement *a = context;

	sharing_lines_free(&a->l);
}

/* Compact: CPU @other leaves own lines alone. */
static int ask(struct question *q, size_t other, enum verdict *verdict,
	       struct failure *f)
{
	static const struct trial_ops ops = { place, observe, note_control,
					      release };
	struct placement a = { .q = q, .other = other };
	struct trial t = prober_trial(q->p, &ops, &a);

	t.miss = q->counter ? 1 : q->unit;
	t.hit_by_control = true;
	t.unanimous = true;
	t.failed_counts = true;
	return trial_run(&t, verdict, f);
}

/* Whether lines can be chosen that leave all levels below alone. */
static bool spared_below(const struct question *q)
{
	for (size_t d = q->k + 1; d < q->h->cache_count; d++) {
		const struct cache_result *c = &q->h->caches[d];

		if (!keeps_no_lines(c) && !own_lines_sets_known(c))
			return false;
	}
	return true;
}

/* Why it cannot be asked, or NULL and @q is ready. */
static const char *prepare(struct question *q)
{
	const struct cache_result *c = q->level;
	const struct parameter *below = q->k + 1 < q->h->cache_count ?
						&c[1].latency_ns :
						&q->h->memory_latency_ns;
	const char *why;

	if (!parameter_is_measured(&c->line_bytes) ||
	    (!own_lines_sets_known(c) && !sharing_is_listed(c)))
		return "lines that share a set are not known";
	if (c->inclusion == INCLUSION_EXCLUSIVE)
		return "exclusive: own lines come and go with those of the levels above";
	if (!parameter_is_measured(&c->latency_ns) ||
	    !parameter_is_measured(below) ||
	    below->value <= c->latency_ns.value)
		return "what a miss costs is not known";
	q->here = prober_load_ticks(q->p, c->latency_ns.value);
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
	q->counter =
		q->k > 2 ? 0 : q->p->counters & 1U << (COUNTER_L1D_MISS + q->k);
	if (sharing_is_listed(c))
		return nothing_kept_below(q) ?
			       sharing_list_usable(q->p, q->h, q->k) :
			       "a level below may lose the lines first";
	why = own_lines_choose(q->p, q->h, q->k, LINES_APART, &q->shape);
	if (why)
		return why;
	if (span_of(q) > q->p->arena_bytes)
		return "too little memory is contiguous";
	if (!spared_below(q))
		return "a level below may lose the lines first";
	return NULL;
}

/*
 * CPU @other leaves own lines alone: is it with an array of its own? What it
 * loads may be lost in an inclusive level below before it pushes anything out
 * here. But whoever shares this array shares all that is below it, so that it
 * would fare as the measured CPU does, which is asked before and after.
 */
static int confirm_apart(struct question *q, enum verdict *verdict,
			 struct failure *f)
{
	enum verdict own = VERDICT_UNDECIDED;
	int error;

	if (nothing_kept_below(q))
		return 0;
	error = ask(q, 0, &own, f);
	if (own != VERDICT_NON_COMPACT)
		*verdict = VERDICT_UNDECIDED;
	return error;
}

static int ask_all(struct question *q, struct failure *f)
{
	const struct machine *m = q->p->m;
	const double before = q->p->budget.alpha_drawn;
	struct cache_result *c = q->level;
	enum verdict verdict = VERDICT_UNDECIDED;
	size_t i = 0, unasked;
	int error = ask(q, 0, &verdict, f);

	if (!error && verdict != VERDICT_NON_COMPACT) {
		parameter_undecided(&c->sharing, METHOD,
				    "nothing is sure to push lines out of it");
		return 0;
	}
	c->shared_count = 0;
	c->shared_cpus[c->shared_count++] = m->cpu;
	for (;
	     !error && i < m->other_count && c->shared_count < RESULT_MAX_CPUS;
	     i++) {
		error = ask(q, i + 1, &verdict, f);
		if (!error && verdict == VERDICT_COMPACT)
			error = confirm_apart(q, &verdict, f);
		if (!error && (verdict == VERDICT_UNDECIDED ||
			       !(stray_most(&q->stray) <= STRAY))) {
			parameter_undecided(&c->sharing, METHOD,
					    "no clear verdict on CPU %d",
					    m->others[i]);
			return 0;
		}
		if (verdict == VERDICT_NON_COMPACT)
			c->shared_cpus[c->shared_count++] = m->others[i];
	}
	unasked = m->unasked + m->other_count - i;
	if (!error && unasked)
		parameter_undecided(
			&c->sharing, METHOD,
			"%zu CPUs at least, but %zu that are online could not be asked (not allowed for this process, or too many)",
			c->shared_count, unasked);
	else if (!error)
		parameter_measured(&c->sharing, (double)c->shared_count,
				   budget_bound(&q->p->budget, before), METHOD);
	return error;
}

int sharing_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < h->cache_count; k++) {
		struct cache_result *c = &h->caches[k];
		struct question q = { .p = p, .h = h, .k = k, .level = c };
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
