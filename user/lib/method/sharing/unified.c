// SPDX-License-Identifier: GPL-2.0
#include "method/sharing/sharing.h"

#include <math.h>
#include <stdlib.h>

#include "method/level/flush_lines.h"
#include "method/sharing/unified.h"

/* Of the level: what comes in between. */
#define TIMES_BETWEEN 3
/* Parts that are used twice do not stay in the level above. */
#define TIMES_ABOVE 2
#define LARGE_PAGE (UINT64_C(2) << 20)

static uint64_t between_bytes(const struct unified *q)
{
	return TIMES_BETWEEN * (uint64_t)q->c->capacity_bytes.value;
}

/* --- lines --------------------------------------------------------------- */

/* Lines in random order; or parts of @twice bytes, each of them used twice. A
 * line that is used again, at the level in question, does not make way for the
 * next one where new lines are the first to go.
 */
static int place_in_parts(struct unified *q, struct sequence *s, uint64_t from,
			  uint64_t bytes, uint64_t twice, struct failure *f)
{
	uint64_t part = twice ? twice : bytes, end = from + bytes;

	s->length = 0;
	s->offsets = calloc(2 * (bytes / q->stride + 1), sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (uint64_t at = from, next; at < end; at = next) {
		struct sequence once = { s->offsets + s->length, 0 };
		uint64_t i = (at + q->stride - 1) / q->stride * q->stride;

		next = end - at < part ? end : at + part;
		for (; i < next; i += q->stride)
			if (unified_sets_use(q, i))
				once.offsets[once.length++] = i;
		sequence_shuffle(&once, &q->p->rng);
		s->length += once.length;
		for (size_t j = 0; twice && j < once.length; j++)
			s->offsets[s->length++] =
				once.offsets[j] + VIEW_SLOT_BYTES;
	}
	return 0;
}

/* As many lines of other sets, anywhere: code that shares a page runs in other lines. */
static int place_sweep(struct unified *q, struct failure *f)
{
	const size_t lines = q->swept_lines;
	struct sequence *s = &q->sweep;

	s->length = 0;
	s->offsets = calloc(lines + 1, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (uint64_t i = 0; s->length < lines && i < q->p->m->region.bytes;
	     i += q->stride)
		if (unified_sets_are_other(q, i))
			s->offsets[s->length++] = i;
	sequence_shuffle(s, &q->p->rng);
	return s->length < lines ? -ERANGE : 0;
}

/* By time their translations look like misses, once code has taken them away. */
static bool has_small_pages(const struct unified *q)
{
	return !q->counter && q->p->m->region.page_bytes < LARGE_PAGE;
}

/* What a module maps as code is the beginning of the region. Where that leaves
 * too little, the same lines are loaded that are run as well.
 */
static int place_lines(struct unified *q, struct failure *f)
{
	const struct view_request *r = &q->code->request;
	uint64_t from = (r->pages * r->page_bytes + LARGE_PAGE - 1) /
			LARGE_PAGE * LARGE_PAGE;
	uint64_t bytes =
		(uint64_t)q->c->capacity_bytes.value / UNIFIED_PART_LOADED;
	uint64_t room = q->p->m->region.bytes, data = from + bytes;
	int error;

	if (from + bytes > room)
		return -ERANGE;
	if (data + between_bytes(q) > room)
		data = 0;
	error = place_in_parts(q, &q->loaded, from, bytes, 0, f);
	if (!error && has_small_pages(q))
		error = unified_place_touch(q, f);
	if (!error && q->other)
		error = place_sweep(q, f);
	if (!error)
		error = place_in_parts(q, &q->fill, from, bytes, q->part, f);
	if (!error)
		error = place_in_parts(q, &q->data, data, between_bytes(q),
				       q->part, f);
	return error;
}

static int open_code(struct unified *q, struct failure *f)
{
	const struct machine *m = q->p->m;
	int error = -EOPNOTSUPP;

	for (size_t i = m->view_page_count; error && i-- > 0;) {
		uint64_t page = m->view_page_bytes[i];
		struct view_request r = { .page_bytes = page,
					  .executable = true };

		if (page > LARGE_PAGE ||
		    (!q->counter && page < LARGE_PAGE && !has_small_pages(q)))
			continue;
		r.pages = r.frames = (between_bytes(q) + page - 1) / page;
		error = m->ops->view_open(q->p->m, &r, &q->code, f);
		if (error)
			q->code = NULL;
	}
	return error;
}

/* Jumps through all of it, so that it can be run again. */
static int write_code(struct unified *q, struct failure *f)
{
	const struct walk_plan once = { .loads = 1, .samples = 1 };
	struct sequence jumps = { .offsets = NULL };
	struct sample unused;
	int error = place_in_parts(q, &jumps, 0, between_bytes(q), q->part, f);

	if (!error)
		error = q->p->m->ops->view_walk(q->code, &jumps, &once, &unused,
						f);
	sequence_free(&jumps);
	return error;
}

/* --- levels -------------------------------------------------------------- */

static bool leave(struct unified *q)
{
	struct parameter *to = &q->c->unified;
	const struct machine *m = q->p->m;

	if (!parameter_is_measured(&q->c->capacity_bytes) ||
	    !parameter_is_measured(&q->c->line_bytes))
		parameter_undecided(to, UNIFIED_METHOD,
				    "capacity or line size is not known");
	else if (!m->ops->view_open || !m->view_executable)
		parameter_undecided(to, UNIFIED_METHOD, "no executable pages");
	else if (!q->counter && !(q->miss > q->hit && q->hit >= q->first))
		parameter_undecided(to, UNIFIED_METHOD,
				    "what hits and misses cost is not known");
	else
		return false;
	return true;
}

/* All of it anew, with @q->part. */
static int try_level(struct unified *q, enum outcome *outcome,
		     struct failure *f)
{
	int error = place_lines(q, f);

	if (!error)
		error = write_code(q, f);
	if (!error)
		error = unified_decide(q, outcome, f);
	sequence_free(&q->loaded);
	sequence_free(&q->fill);
	sequence_free(&q->sweep);
	sequence_free(&q->data);
	sequence_free(&q->touch);
	return error;
}

/* One line of each set, if they are no more than leave the level above. Return:
 * 0: there is no such part.
 */
static uint64_t choose_part(const struct unified *q)
{
	const struct cache_result *c = q->c;
	double part;

	if (!parameter_is_measured(&c->ways) || c->ways.value < 2 ||
	    c->line_bytes.value < 2 * VIEW_SLOT_BYTES || !q->above ||
	    !parameter_is_measured(&q->above->capacity_bytes))
		return 0;
	part = fmax(c->capacity_bytes.value / c->ways.value,
		    TIMES_ABOVE * q->above->capacity_bytes.value);
	return (uint64_t)ceil(part / (double)q->stride) * q->stride;
}

/* Where the levels above keep too much of what is loaded. */
static int try_swept(struct unified *q, const struct hierarchy *h,
		     enum outcome *outcome, struct failure *f)
{
	const double kept = q->kept;
	int error = 0;

	if (unified_sets_sweep(q, h))
		error = try_level(q, outcome, f);
	q->other = 0;
	q->kept = kept;
	return error;
}

/* Until it is clear, one way after the other. */
static int try_lines(struct unified *q, const struct hierarchy *h,
		     enum outcome *outcome, struct failure *f)
{
	int error;

	q->part = 0;
	error = try_level(q, outcome, f);
	if (!error && *outcome == OUTCOME_VOID)
		error = try_swept(q, h, outcome, f);
	if (!error && *outcome == OUTCOME_VOID && unified_sets_all(q, h))
		error = try_level(q, outcome, f);
	if (!error && *outcome == OUTCOME_VOID)
		q->part = choose_part(q);
	if (!error && q->part && q->part <= between_bytes(q))
		error = try_level(q, outcome, f);
	return error;
}

/* Masks are known of the bits that were varied: in frames far away, of code, their
 * parities may be others, and it passes by.
 */
static bool passes_by(const struct unified *q)
{
	const struct parameter *to = &q->c->unified;

	return parameter_is_measured(to) && !to->value &&
	       !unified_sets_linear(q);
}

static int try_ways(struct unified *q, const struct hierarchy *h,
		    enum outcome *outcome, struct failure *f)
{
	int error = 0;

	if (unified_sets_choose(q, h)) {
		error = try_lines(q, h, outcome, f);
		if (error || !passes_by(q))
			return error;
		if (unified_sets_all(q, h))
			return try_lines(q, h, outcome, f);
	}
	unified_sets_stride(q, h);
	return try_lines(q, h, outcome, f);
}

/* May a level below take lines away here? */
static bool is_robbed(const struct unified *q)
{
	for (size_t i = 0; i < q->below_count; i++)
		if (q->below[i].inclusion != INCLUSION_NINE &&
		    q->below[i].inclusion != INCLUSION_EXCLUSIVE)
			return true;
	return false;
}

static int empty_levels(struct unified *q, struct failure *f)
{
	const uint64_t first = 0;
	const struct room all = {
		.to = q->p->m->region.bytes,
		.step = (uint64_t)q->c->line_bytes.value,
		.lines = &first,
		.count = 1,
	};

	return level_flush(q->p, &all, f);
}

static int measure_level(struct unified *q, const struct hierarchy *h,
			 struct failure *f)
{
	struct failure why = { .text = "" };
	enum outcome outcome = OUTCOME_OPEN;
	int error;

	if (leave(q))
		return 0;
	error = open_code(q, &why);
	if (error) {
		parameter_undecided(&q->c->unified, UNIFIED_METHOD,
				    "no executable pages: %s",
				    why.text[0] ? why.text : "none are large");
		return error == -EINTR ? error : 0;
	}
	error = try_ways(q, h, &outcome, f);
	if (!error && outcome == OUTCOME_VOID && is_robbed(q)) {
		error = empty_levels(q, f);
		if (!error)
			error = try_ways(q, h, &outcome, f);
	}
	q->p->m->ops->view_close(q->code);
	if (error != -ERANGE)
		return error;
	f->text[0] = '\0';
	parameter_undecided(
		&q->c->unified, UNIFIED_METHOD,
		has_small_pages(q) ?
			"too little memory, or pages too small for several of its lines" :
			"too little memory");
	return 0;
}

static double ticks_of(const struct unified *q, const struct parameter *ns)
{
	return parameter_is_measured(ns) ? prober_load_ticks(q->p, ns->value) :
					   NAN;
}

/* The first level below whose lines stay there, else memory. */
static double ticks_of_far(const struct unified *q, const struct hierarchy *h)
{
	for (size_t i = 0; i < q->below_count; i++) {
		const struct cache_result *b = &q->below[i];

		if (unified_keeps(b, q->c->capacity_bytes.value))
			return ticks_of(q, &b->latency_ns);
	}
	return ticks_of(q, &h->memory_latency_ns);
}

/* What the levels around it say. Unknown latencies are no numbers. */
static void look_around(struct unified *q, const struct hierarchy *h, size_t k)
{
	const struct parameter *below = &h->memory_latency_ns;

	if (k)
		q->above = &h->caches[k - 1];
	q->below = &h->caches[k + 1];
	q->below_count = h->cache_count - k - 1;
	if (q->below_count)
		below = &q->below->latency_ns;
	q->first = ticks_of(q, &h->caches[0].latency_ns);
	q->hit = ticks_of(q, &q->c->latency_ns);
	q->miss = ticks_of(q, below);
	q->beyond = ticks_of(q, q->below_count > 1 ? &q->below[1].latency_ns :
						     &h->memory_latency_ns);
	q->far = ticks_of_far(q, h);
	if (q->far < q->miss)
		q->far = q->miss;
}

int unified_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < h->cache_count; i++) {
		struct unified q = { .p = p,
				     .h = h,
				     .c = &h->caches[i],
				     .scope = budget_open(&p->budget) };

		prober_progress(p, "L%zu: whether it holds code", i + 1);
		look_around(&q, h, i);
		q.counter = sampler_miss_counter(p->counters, i);
		if (i && q.counter)
			q.counter_above =
				sampler_miss_counter(p->counters, i - 1);
		error = measure_level(&q, h, f);
		budget_close(&p->budget, &q.scope);
	}
	h->tests = p->tests;
	return error;
}
