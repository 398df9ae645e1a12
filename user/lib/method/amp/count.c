// SPDX-License-Identifier: GPL-2.0
/* count.c - misses of sequences, by the counter of a level. */
#include "method/amp/decide.h"
#include "method/amp/tuning.h"

/* Most rounds of loads before one of stores. */
#define MOST_STEPS 32

static const struct shape words = { .inner = 1, .stride = 8, .outer = 64 };

int amp_note_unread(struct amp_space *s, size_t count, size_t unread,
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
	int error = prober_observe(s->p, q, plan, 1U << s->counter, r, f);

	return error ? error : amp_note_unread(s, r->count, r->unread, f);
}

/* Loads bring lines in; stores show whether they are there. */
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

static int count_layout(struct amp_space *s, struct tlb_layout *layout,
			struct readings *r, struct failure *f)
{
	const uint64_t before = s->p->m->conditions.samples;
	struct tlb_observation o;
	int error = tlb_view_observe(s->view, layout, s->counter, &o, f);

	r->count = !error && o.counted ? o.count : 0;
	for (size_t i = 0; i < r->count; i++)
		r->values[i] = o.misses[i] * (double)layout->s.length;
	s->accesses += (s->p->m->conditions.samples - before) *
		       (layout->s.length > s->view->loads ? layout->s.length :
							    s->view->loads);
	sequence_free(&layout->s);
	if (error)
		return error;
	return amp_note_unread(s, r->count, o.counted ? 0 : o.count, f);
}

/*
 * Below the first level page tables are walked: lines are full, as for X-Ray.
 */
static int lay_pages(struct amp_space *s, const struct shape *w,
		     struct tlb_layout *layout, struct failure *f)
{
	return s->search.upper ?
		       tlb_layout_place_dense(s->view, w, false, layout, f) :
		       tlb_layout_place(s->view, w, false, layout, f);
}

static int count_pages(struct amp_space *s, const struct shape *w,
		       struct trial_block *b, struct failure *f)
{
	struct tlb_layout layout;
	int error;

	if (s->search.upper) {
		const struct shape control = tlb_control(&s->search);

		error = lay_pages(s, &control, &layout, f);
	} else {
		error = tlb_layout_words(s->view, shape_length(w), &layout, f);
	}
	if (!error)
		error = count_layout(s, &layout, &b->of[TRIAL_CONTROL], f);
	if (!error)
		error = lay_pages(s, w, &layout, f);
	if (!error)
		error = count_layout(s, &layout, &b->of[TRIAL_TEST], f);
	return error;
}

int amp_take_block(struct amp_space *s, struct amp_question *q,
		   struct trial_block *b, struct failure *f)
{
	const struct shape *control =
		s->x.upper_count ? &s->x.reference.control : &words;
	unsigned int loads = q->contended ? LOADS_WHEN_CONTENDED :
					    LOADS_PER_SAMPLE;
	int error;

	if (prober_stopped(s->p))
		return -EINTR;
	*b = (struct trial_block){ .exposure = 1 };
	if (s->view)
		return count_pages(s, &q->w, b, f);
	b->exposure = trial_exposure(shape_length(&q->w), shape_length(control),
				     loads);
	error = count_lines(s, control, 0, loads, &b->of[TRIAL_CONTROL], f);
	if (!error)
		error = count_lines(s, &q->w, q->flags, loads,
				    &b->of[TRIAL_TEST], f);
	return error;
}
