// SPDX-License-Identifier: GPL-2.0
#include "method/amp/ask.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADS_PER_SAMPLE 2000
/* What counting has pushed out is missed once: the longer, the less of it. */
#define LOADS_WHEN_CROWDED 8000
/* Of the lines of a row, for one "miss": a fifth is clearly not none, a tenth may
 * be what something else took. One step of the size more than fits misses a
 * fifth of them, but for policies of which it is asked without (LRU: 40 %).
 */
#define CROWD 0.4
/* The paper's threshold, of the misses expected (section 3.2). */
#define FAILURE_SHARE 0.8
/* Rounds of loads before one of stores. */
#define MOST_STEPS 32
/* As prober_compact(): maybe not all lines have been let in yet. */
#define FEW_MISSES 0.4
/* Of more than that many waiting takes too long. */
#define FEW_LINES 32768
/* So many observations in a row are not lost by chance. */
#define MOST_UNREAD 12

static const struct shape words = { .inner = 1, .stride = 8, .outer = 64 };

void amp_forget(struct amp_space *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->asked[i]);
	free(s->asked);
	s->asked = NULL;
	s->count = 0;
	s->room = 0;
}

void amp_doubt(struct amp_judge *j, const char *format, ...)
{
	va_list args;

	if (j->why[0])
		return;
	va_start(args, format);
	vsnprintf(j->why, sizeof(j->why), format, args);
	va_end(args);
}

struct shape amp_shape(const struct amp_space *s, uint64_t stride, size_t count)
{
	return s->lens ? tlb_shape(&s->search, stride, count) :
			 xray_shape(&s->x, stride, count);
}

uint64_t amp_most(const struct amp_space *s)
{
	return s->lens ? s->lens->pages : s->p->arena_bytes;
}

/* --- counting ------------------------------------------------------------ */

int amp_tell_unread(struct amp_space *s, size_t count, size_t unread,
		    struct failure *f)
{
	if (count || !unread) {
		s->unread = count ? 0 : s->unread;
		return 0;
	}
	s->voids++;
	if (++s->unread < MOST_UNREAD)
		return 0;
	f->text[0] = '\0';
	return fail(
		f, STATUS_FAILED, ENODATA,
		"%s does not run any more: others have taken the counters meanwhile",
		machine_counter_name(s->counter));
}

int amp_count(struct amp_space *s, const struct sequence *q,
	      const struct walk_plan *plan, struct readings *r,
	      struct failure *f)
{
	size_t unread;
	int error = prober_stopped(s->p) ?
			    -EINTR :
			    sampler_count_telling(s->p->m, q, plan, s->counter,
						  r->values, &r->count, &unread,
						  f);

	return error ? error : amp_tell_unread(s, r->count, unread, f);
}

/* Loads bring the lines, stores tell whether they are there. */
static int count_stores(struct amp_space *s, const struct sequence *q,
			struct walk_plan *plan, struct readings *r,
			struct failure *f)
{
	struct walk_step steps[MOST_STEPS];

	plan->step_count = plan->warm_rounds < MOST_STEPS ? plan->warm_rounds :
							    MOST_STEPS;
	for (size_t i = 0; i < plan->step_count; i++)
		steps[i] = (struct walk_step){ .kind = STEP_LOAD, .lines = q };
	plan->flags |= WALK_STORES;
	plan->steps = steps;
	return amp_count(s, q, plan, r, f);
}

static int count_lines(struct amp_space *s, const struct shape *w,
		       unsigned int flags, unsigned int usual,
		       struct readings *r, struct failure *f)
{
	unsigned int loads = prober_loads(s->p, usual, 0);
	const struct machine_conditions before = s->p->m->conditions;
	struct walk_plan plan;
	struct sequence q;
	uint64_t base;
	int error;

	if (!prober_choose_base(s->p, w, &base))
		return -ERANGE;
	error = prober_build(s->p, w, base, &q, f);
	if (error)
		return error;
	plan = prober_plan(q.length, flags, loads);
	error = s->stores ? count_stores(s, &q, &plan, r, f) :
			    amp_count(s, &q, &plan, r, f);
	if (loads < q.length || s->stores)
		loads = (unsigned int)q.length;
	prober_count_samples(s->p, &before, loads);
	s->accesses += plan.warm_rounds * q.length +
		       (s->p->m->conditions.samples - before.samples) *
			       (uint64_t)loads;
	sequence_free(&q);
	for (size_t i = 0; !error && i < r->count; i++)
		r->values[i] *= (double)shape_length(w);
	return error;
}

static int count_laid(struct amp_space *s, struct laid *laid,
		      struct readings *r, struct failure *f)
{
	const uint64_t before = s->p->m->conditions.samples;
	struct observation o;
	int error = lens_observe(s->lens, laid, s->counter, &o, f);

	r->count = !error && o.counted ? o.count : 0;
	for (size_t i = 0; i < r->count; i++)
		r->values[i] = o.misses[i] * (double)laid->s.length;
	s->accesses += (s->p->m->conditions.samples - before) *
		       (laid->s.length > s->lens->loads ? laid->s.length :
							  s->lens->loads);
	sequence_free(&laid->s);
	if (error)
		return error;
	return amp_tell_unread(s, r->count, o.counted ? 0 : o.count, f);
}

/* Below the first level page tables are walked: lines are full, as X-Ray has
 * them.
 */
static int lay_pages(struct amp_space *s, const struct shape *w,
		     struct laid *laid, struct failure *f)
{
	return s->search.upper ? lens_place_dense(s->lens, w, false, laid, f) :
				 lens_place(s->lens, w, false, laid, f);
}

static int count_pages(struct amp_space *s, const struct shape *w,
		       struct trial_block *b, struct failure *f)
{
	struct laid laid;
	int error;

	if (s->search.upper) {
		const struct shape control = tlb_control(&s->search);

		error = lay_pages(s, &control, &laid, f);
	} else {
		error = lens_words(s->lens, shape_length(w), &laid, f);
	}
	if (!error)
		error = count_laid(s, &laid, &b->of[TRIAL_CONTROL], f);
	if (!error)
		error = lay_pages(s, w, &laid, f);
	if (!error)
		error = count_laid(s, &laid, &b->of[TRIAL_TEST], f);
	return error;
}

static int take_block(struct amp_space *s, struct amp_question *q,
		      struct trial_block *b, struct failure *f)
{
	const struct shape *control =
		s->x.upper_count ? &s->x.reference.control : &words;
	unsigned int loads = q->crowded ? LOADS_WHEN_CROWDED : LOADS_PER_SAMPLE;
	int error;

	if (prober_stopped(s->p))
		return -EINTR;
	*b = (struct trial_block){ .exposure = 1 };
	if (s->lens)
		return count_pages(s, &q->w, b, f);
	b->exposure = trial_exposure(shape_length(&q->w), shape_length(control),
				     loads);
	error = count_lines(s, control, 0, loads, &b->of[TRIAL_CONTROL], f);
	if (!error)
		error = count_lines(s, &q->w, q->flags, loads,
				    &b->of[TRIAL_TEST], f);
	return error;
}

/* --- the questions ------------------------------------------------------- */

static struct amp_question *find(struct amp_space *s, const struct shape *w,
				 unsigned int flags, bool crowded,
				 struct failure *f)
{
	struct amp_question *q;

	for (size_t i = 0; i < s->count; i++)
		if (s->asked[i]->flags == flags &&
		    s->asked[i]->crowded == crowded &&
		    !memcmp(&s->asked[i]->w, w, sizeof(*w)))
			return s->asked[i];
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 32;
		struct amp_question **more =
			realloc(s->asked, room * sizeof(struct amp_question *));

		if (!more) {
			prober_out_of_memory(f);
			return NULL;
		}
		s->asked = more;
		s->room = room;
	}
	q = calloc(1, sizeof(*q));
	if (!q) {
		prober_out_of_memory(f);
		return NULL;
	}
	q->w = *w;
	q->flags = flags;
	q->crowded = crowded;
	s->asked[s->count++] = q;
	return q;
}

static int blocks_up_to(struct amp_space *s, struct amp_question *q,
			size_t count, struct failure *f)
{
	int error = 0;

	while (!error && q->count < count) {
		error = take_block(s, q, &q->blocks[q->count], f);
		q->count += !error;
	}
	return error;
}

double amp_least(const struct trial_block *b)
{
	const struct readings *test = &b->of[TRIAL_TEST];
	double least = INFINITY;

	for (size_t i = 0; i < test->count; i++)
		least = fmin(least, test->values[i]);
	return least;
}

static int vote(struct amp_judge *j, struct amp_question *q, double expected,
		enum verdict *verdict, struct failure *f)
{
	int error = blocks_up_to(j->space, q, (size_t)j->vote + 1, f);
	const struct trial_block *b = &q->blocks[j->vote];

	if (error || !b->of[TRIAL_TEST].count)
		return error;
	*verdict = amp_least(b) >= FAILURE_SHARE * expected ?
			   VERDICT_NON_COMPACT :
			   VERDICT_COMPACT;
	return 0;
}

/**
 * struct reading - a question that is decided by its blocks
 * @j: decides
 * @q: the question
 * @next: number of the next block
 * @least: misses of a round, least of all so far
 */
struct reading {
	struct amp_judge *j;
	struct amp_question *q;
	size_t next;
	double least;
};

/* What votes have seen before is not observed again. */
static int next_block(void *context, struct trial_block *b, struct failure *f)
{
	struct reading *r = context;
	int error = blocks_up_to(r->j->space, r->q, r->next + 1, f);

	if (error)
		return error;
	*b = r->q->blocks[r->next++];
	r->least = fmin(r->least, amp_least(b));
	return 0;
}

static int decide(struct reading *r, enum verdict *verdict, struct decision *d,
		  struct failure *f)
{
	static const struct trial_ops ops = { .place = next_block };
	struct trial t = prober_trial(r->j->space->p, &ops, r);
	int error;

	if (r->q->crowded)
		t.miss = CROWD * (double)shape_length(&r->q->w);
	if (t.rules.max_blocks > AMP_MOST_BLOCKS)
		t.rules.max_blocks = AMP_MOST_BLOCKS;
	r->next = 0;
	r->least = INFINITY;
	error = trial_run(&t, verdict, f);
	*d = t.decision;
	return error;
}

/* Some placements fit and some do not, or few lines miss: maybe what was there
 * before has not left yet.
 */
static bool may_settle(enum verdict verdict, const struct decision *d,
		       double least, size_t length)
{
	if (verdict == VERDICT_UNDECIDED)
		return length <= FEW_LINES;
	return verdict == VERDICT_NON_COMPACT && !d->compact_blocks &&
	       least < FEW_MISSES * (double)length;
}

static int decide_patiently(struct amp_judge *j, struct amp_question *q,
			    enum verdict *verdict, struct failure *f)
{
	struct reading r = { .j = j, .q = q };
	struct decision d;
	int error = decide(&r, verdict, &d, f);

	if (!error && !j->space->lens &&
	    may_settle(*verdict, &d, r.least, shape_length(&q->w))) {
		q = find(j->space, &q->w, PROBER_LONG_WARMUP, q->crowded, f);
		r.q = q;
		error = q ? decide(&r, verdict, &d, f) : -ENOMEM;
	}
	if (!error && *verdict == VERDICT_UNDECIDED)
		amp_doubt(
			j,
			"no clear verdict over %zu blocks %llu %s apart (%zu fast, %zu slow of %zu)",
			q->w.outer, (unsigned long long)q->w.stride,
			j->space->lens ? "pages" : "bytes", d.fast, d.slow,
			d.observations);
	return error;
}

static int ask(struct amp_judge *j, const struct shape *w, bool crowded,
	       double expected, enum verdict *verdict, struct failure *f)
{
	struct amp_question *q = find(j->space, w, 0, crowded, f);
	int error;

	*verdict = VERDICT_UNDECIDED;
	if (!q)
		return -ENOMEM;
	error = j->vote == AMP_ALL ? decide_patiently(j, q, verdict, f) :
				     vote(j, q, expected, verdict, f);
	if (error != -ERANGE)
		return error;
	amp_doubt(j, "too little memory for %zu blocks %llu %s apart", w->outer,
		  (unsigned long long)w->stride,
		  j->space->lens ? "pages" : "bytes");
	return 0;
}

int amp_ask(struct amp_judge *j, const struct shape *w, double expected,
	    enum verdict *verdict, struct failure *f)
{
	return ask(j, w, false, expected, verdict, f);
}

int amp_ask_row(struct amp_judge *j, uint64_t units, double expected,
		enum verdict *verdict, struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = j->space->unit,
				 .outer = (size_t)units };

	return ask(j, &w, j->crowded, expected, verdict, f);
}

/* --- votes --------------------------------------------------------------- */

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
		parameter_undecided(&of->p, AMP_METHOD, "nobody could vote");
		return;
	}
	parameter_measured(&of->p, value, 0, AMP_METHOD);
	snprintf(
		of->p.reason, sizeof(of->p.reason),
		"%zu of %d votes; how often such a majority is wrong is not known",
		share, AMP_VOTES);
}
