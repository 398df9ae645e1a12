// SPDX-License-Identifier: GPL-2.0
#include "method/amp/decide.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Share of a row's lines that counts as one "miss": a fifth missing is clearly
 * not none, a tenth may be contention. One step beyond the size, a fifth of the
 * lines misses under policies for which contention is not assumed (LRU: 40 %).
 */
#define CONTENDED_MISS 0.4
/* The paper's threshold: share of the expected misses (section 3.2). */
#define FAILURE_SHARE 0.8
/*
 * As prober_compact(): few misses may mean that not all lines were let in yet.
 */
#define FEW_MISSES 0.4
/* Longer lists take too long to settle. */
#define FEW_LINES 32768

void amp_forget(struct amp_space *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->measured[i]);
	free(s->measured);
	s->measured = NULL;
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
	return s->view ? tlb_shape(&s->search, stride, count) :
			 xray_shape(&s->x, stride, count);
}

uint64_t amp_most(const struct amp_space *s)
{
	return s->view ? s->view->pages : s->p->arena_bytes;
}

static struct amp_question *find(struct amp_space *s, const struct shape *w,
				 unsigned int flags, bool contended,
				 struct failure *f)
{
	struct amp_question *q;

	for (size_t i = 0; i < s->count; i++)
		if (s->measured[i]->flags == flags &&
		    s->measured[i]->contended == contended &&
		    !memcmp(&s->measured[i]->w, w, sizeof(*w)))
			return s->measured[i];
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 32;
		struct amp_question **more = realloc(
			s->measured, room * sizeof(struct amp_question *));

		if (!more) {
			prober_out_of_memory(f);
			return NULL;
		}
		s->measured = more;
		s->room = room;
	}
	q = calloc(1, sizeof(*q));
	if (!q) {
		prober_out_of_memory(f);
		return NULL;
	}
	q->w = *w;
	q->flags = flags;
	q->contended = contended;
	s->measured[s->count++] = q;
	return q;
}

static int blocks_up_to(struct amp_space *s, struct amp_question *q,
			size_t count, struct failure *f)
{
	int error = 0;

	while (!error && q->count < count) {
		error = amp_take_block(s, q, &q->blocks[q->count], f);
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

/* Blocks that votes have used are used again. */
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

	if (r->q->contended)
		t.miss = CONTENDED_MISS * (double)shape_length(&r->q->w);
	if (t.rules.max_blocks > AMP_MOST_BLOCKS)
		t.rules.max_blocks = AMP_MOST_BLOCKS;
	r->next = 0;
	r->least = INFINITY;
	error = trial_run(&t, verdict, f);
	*d = t.decision;
	return error;
}

/*
 * Some placements fit and some do not, or few lines miss: earlier lines may not
 * have been evicted yet.
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

	if (!error && !j->space->view &&
	    may_settle(*verdict, &d, r.least, shape_length(&q->w))) {
		q = find(j->space, &q->w, PROBER_LONG_WARMUP, q->contended, f);
		r.q = q;
		error = q ? decide(&r, verdict, &d, f) : -ENOMEM;
	}
	if (!error && *verdict == VERDICT_UNDECIDED)
		amp_doubt(
			j,
			"no clear verdict over %zu blocks %llu %s apart (%zu fast, %zu slow of %zu)",
			q->w.outer, (unsigned long long)q->w.stride,
			j->space->view ? "pages" : "bytes", d.fast, d.slow,
			d.observations);
	return error;
}

static int ask(struct amp_judge *j, const struct shape *w, bool contended,
	       double expected, enum verdict *verdict, struct failure *f)
{
	struct amp_question *q = find(j->space, w, 0, contended, f);
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
		  j->space->view ? "pages" : "bytes");
	return 0;
}

int amp_decide(struct amp_judge *j, const struct shape *w, double expected,
	       enum verdict *verdict, struct failure *f)
{
	return ask(j, w, false, expected, verdict, f);
}

int amp_decide_row(struct amp_judge *j, uint64_t units, double expected,
		   enum verdict *verdict, struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = j->space->unit,
				 .outer = (size_t)units };

	return ask(j, &w, j->contended, expected, verdict, f);
}
