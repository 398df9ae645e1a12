// SPDX-License-Identifier: GPL-2.0
/*
 * tlb_unified.c - do fetches evict entries of loads, or loads those of fetches
 * (section 3.6)?
 */
#include <stdlib.h>

#include "method/amp/pages.h"
#include "method/amp/tuning.h"

/*
 * Share of the entries: pages to keep; and multiple of the entries: pages that
 * evict them.
 */
#define PART 2
#define SWEEP 2
#define TIMES_ABOVE 2

/**
 * struct visits - pages to keep, and pages visited between two visits to them
 * @a: the array
 * @kept: pages to keep
 * @swept: other pages
 * @stay: sequence over @kept
 * @many: sequence over all of @swept
 * @few: as many accesses to as few of @swept as possible
 */
struct visits {
	const struct amp_array *a;
	struct amp_pages kept;
	struct amp_pages swept;
	struct sequence stay;
	struct sequence many;
	struct sequence few;
};

/* --- sequences ----------------------------------------------------------- */

static int lay(struct amp_space *space, const struct amp_pages *pages,
	       uint64_t base, size_t count, struct sequence *s,
	       struct failure *f)
{
	s->offsets = calloc(count, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	s->length = count;
	for (size_t i = 0; i < count; i++)
		s->offsets[i] = amp_pages_offset(pages, base + i, 0);
	sequence_shuffle(s, &space->p->rng);
	return 0;
}

static int lay_few(struct amp_space *space, const struct amp_pages *pages,
		   size_t count, struct sequence *s, struct failure *f)
{
	const uint64_t apart = pages->view->request.executable ?
				       VIEW_SLOT_BYTES :
				       sizeof(uint64_t);

	s->offsets = calloc(count, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	s->length = count;
	for (size_t i = 0; i < count; i++)
		s->offsets[i] = i * apart;
	sequence_shuffle(s, &space->p->rng);
	return 0;
}

static int open_visits(struct visits *v, bool other, struct failure *f)
{
	const struct amp_array *a = v->a;
	const uint64_t page_bytes = a->row->mapped_bytes;
	const size_t keep = a->geometry->size / PART;
	const size_t sweep = SWEEP * a->geometry->size;
	int error = amp_pages_open(a->space, page_bytes, 2 * keep, 1,
				   a->executable, &v->kept, f);

	if (!error)
		error = amp_pages_open(a->space, page_bytes, sweep, 1,
				       a->executable != other, &v->swept, f);
	if (!error)
		error = lay(a->space, &v->kept,
			    rng_below(&a->space->p->rng, keep + 1), keep,
			    &v->stay, f);
	if (!error)
		error = lay(a->space, &v->swept, 0, sweep, &v->many, f);
	return error ? error : lay_few(a->space, &v->swept, sweep, &v->few, f);
}

static void close_visits(struct visits *v)
{
	sequence_free(&v->stay);
	sequence_free(&v->many);
	sequence_free(&v->few);
	amp_pages_close(&v->kept);
	amp_pages_close(&v->swept);
}

/* --- visits -------------------------------------------------------------- */

static int walk(const struct amp_array *a, const struct amp_pages *pages,
		const struct sequence *s, unsigned int rounds, bool counting,
		struct sample *sample, struct failure *f)
{
	const struct walk_plan plan = {
		.flags = counting ? WALK_AT_ONCE : 0,
		.warm_rounds = rounds - 1,
		.loads = 1,
		.samples = 1,
		.counters = counting ? 1U << a->space->counter : 0,
	};

	a->space->accesses += rounds * s->length;
	if (prober_stopped(a->space->p))
		return -EINTR;
	return pages->view->m->ops->view_walk(pages->view, s, &plan, sample, f);
}

/* A single sample: a repeated one would hit what the first one has loaded. */
static int visit(const struct visits *v, const struct sequence *between,
		 struct readings *r, struct failure *f)
{
	const struct amp_array *a = v->a;
	struct sample unused, sample = { .loads = 0 };
	bool counted;
	int error =
		walk(a, &v->kept, &v->stay, ENTER_ROUNDS, false, &unused, f);

	if (!error)
		error = walk(a, &v->swept, between, SWEEP_ROUNDS + 1, false,
			     &unused, f);
	if (!error)
		error = walk(a, &v->kept, &v->stay, 1, true, &sample, f);
	if (error || sample.disturbed || sample.loads != v->stay.length)
		return error;
	counted = sample.counted >> a->space->counter & 1;
	if (counted)
		r->values[r->count++] =
			sample.counts[a->space->counter] / (double)sample.loads;
	return amp_note_unread(a->space, counted, !counted, f);
}

/* @other: the other kind of access comes between, otherwise the same one */
static int take(const struct amp_array *a, bool other, struct trial_block *b,
		struct failure *f)
{
	struct visits v = { .a = a };
	int error = open_visits(&v, other, f);

	for (int i = 0; !error && i < PROBER_BLOCK_SAMPLES; i++) {
		error = visit(&v, &v.many, &b->of[TRIAL_TEST], f);
		if (!error)
			error = visit(&v, &v.few, &b->of[TRIAL_CONTROL], f);
	}
	close_visits(&v);
	return error;
}

static int take_other(struct amp_share *s, struct trial_block *b,
		      struct failure *f)
{
	return take(s->context, true, b, f);
}

static int take_same(struct amp_share *s, struct trial_block *b,
		     struct failure *f)
{
	return take(s->context, false, b, f);
}

int amp_find_tlb_unified(const struct amp_run *run, const struct amp_array *a,
			 struct failure *f)
{
	struct amp_parameter *to = &a->row->unified;
	struct amp_array array = *a;
	const struct amp_share by_other = { .space = a->space,
					    .geometry = a->geometry,
					    .take = take_other,
					    .context = &array };
	struct amp_share by_same = by_other;
	int error;

	by_same.take = take_same;
	if (a->geometry->size / PART < TIMES_ABOVE * a->above) {
		parameter_undecided(
			&to->p, AMP_METHOD,
			"the level above holds too large a part of what it holds");
		return 0;
	}
	if (!a->space->p->m->view_executable) {
		parameter_undecided(&to->p, AMP_METHOD,
				    "there are no pages to jump to here");
		return 0;
	}
	error = amp_decide_unified(run, &by_other, &by_same, a->row, f);
	return amp_cannot(to, error, f);
}
