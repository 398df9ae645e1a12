// SPDX-License-Identifier: GPL-2.0
#include "unified.h"

#include <math.h>

#include "../observe/sampler.h"

#define METHOD "code against data"

/* Of the level: what is loaded, and what comes in between. */
#define PART_LOADED 2
#define TIMES_BETWEEN 3
/* Of what lies below: else it may be that level that loses lines, and takes
 * them away above.
 */
#define TIMES_BELOW 8
/* More code takes too long. */
#define MOST_BYTES (UINT64_C(2) << 20)
#define LARGE_PAGE (UINT64_C(2) << 20)
/* All alike; each by chance one time in two (Wald's alpha, 1e-6). */
#define ROUNDS 20
#define MOST_UNCLEAR 10
#define ATTEMPTS 5
/* Between nothing and data: where code has to be. */
#define LIKE_NOTHING 0.3
#define LIKE_DATA 0.7
/* What data push out clearly misses. */
#define CLEARLY_SLOWER 1.3
#define MOST_STRAY 0.25
#define LEAST_MISSED 0.5

/**
 * struct question - about one level
 * @p: asks the machine
 * @c: the level
 * @below: the one below, NULL: none is known
 * @counter: of its misses, a bit; 0: time
 * @code: pages to run
 * @loaded: lines that are loaded before and after
 * @data: lines that push them out
 */
struct question {
	struct prober *p;
	struct cache_result *c;
	const struct cache_result *below;
	unsigned int counter;
	struct view *code;
	struct sequence loaded;
	struct sequence data;
};

static uint64_t between_bytes(const struct question *q)
{
	return TIMES_BETWEEN * (uint64_t)q->c->capacity_bytes.value;
}

/* --- lines --------------------------------------------------------------- */

static int place(struct question *q, struct sequence *s, uint64_t from,
		 uint64_t bytes, struct failure *f)
{
	uint64_t line = (uint64_t)q->c->line_bytes.value;
	const struct shape w = { .inner = 1,
				 .stride = line,
				 .outer = bytes / line };

	if (sequence_place(s, &w, from))
		return prober_out_of_memory(f);
	sequence_shuffle(s, &q->p->rng);
	return 0;
}

/* What a module maps as code is the beginning of the region. */
static int place_lines(struct question *q, struct failure *f)
{
	const struct view_request *r = &q->code->request;
	uint64_t from = (r->pages * r->page_bytes + LARGE_PAGE - 1) /
			LARGE_PAGE * LARGE_PAGE;
	uint64_t bytes = (uint64_t)q->c->capacity_bytes.value / PART_LOADED;
	int error;

	if (from + bytes + between_bytes(q) > q->p->m->region.bytes)
		return -ERANGE;
	error = place(q, &q->loaded, from, bytes, f);
	if (!error)
		error = place(q, &q->data, from + bytes, between_bytes(q), f);
	return error;
}

static int open_code(struct question *q, struct failure *f)
{
	const struct machine *m = q->p->m;
	int error = -EOPNOTSUPP;

	for (size_t i = m->view_page_count; error && i-- > 0;) {
		uint64_t page = m->view_page_bytes[i];
		struct view_request r = { .page_bytes = page,
					  .executable = true };

		if (page > LARGE_PAGE || (!q->counter && page < LARGE_PAGE))
			continue;
		r.pages = r.frames = (between_bytes(q) + page - 1) / page;
		error = m->ops->view_open(q->p->m, &r, &q->code, f);
		if (error)
			q->code = NULL;
	}
	return error;
}

/* Jumps through all of it, so that it can be run again. */
static int write_code(struct question *q, struct failure *f)
{
	const struct walk_plan once = { .loads = 1, .samples = 1 };
	struct sequence jumps = { .offsets = NULL };
	struct sample unused;
	int error = place(q, &jumps, 0, between_bytes(q), f);

	if (!error)
		error = q->p->m->ops->view_walk(q->code, &jumps, &once, &unused,
						f);
	sequence_free(&jumps);
	return error;
}

/* --- what is asked ------------------------------------------------------- */

enum between {
	NOTHING,
	CODE,
	DATA,
	BETWEEN
};

/* Per load, by the counter or by time. Return: -EAGAIN: always disturbed. */
static int load_again(struct question *q, enum between what, double *value,
		      struct failure *f)
{
	const struct walk_step steps[] = { { STEP_LOAD, &q->loaded, 0 },
					   { STEP_LOAD, &q->loaded, 0 },
					   { STEP_LOAD, &q->data, 0 } };
	const struct walk_plan plan = { .samples = 1,
					.counters = q->counter,
					.steps = steps,
					.step_count = what == DATA ? 3 : 2,
					.code = what == CODE ? q->code : NULL };
	struct machine *m = q->p->m;
	struct sample s;

	for (int i = 0; i < ATTEMPTS; i++) {
		int error;

		if (prober_stopped(q->p))
			return -EINTR;
		error = m->ops->walk(m, &q->loaded, &plan, &s, f);
		if (error)
			return error;
		if (s.disturbed || (s.counted & q->counter) != q->counter)
			continue;
		*value = q->counter ? s.counts[__builtin_ctz(q->counter)] :
				      s.ticks;
		*value /= (double)s.loads;
		return 0;
	}
	return -EAGAIN;
}

static bool clear(const struct question *q, const double *values)
{
	if (q->counter)
		return values[NOTHING] < MOST_STRAY &&
		       values[DATA] > LEAST_MISSED;
	return values[DATA] > CLEARLY_SLOWER * values[NOTHING];
}

/* Are lines that are pushed out below taken away here? */
static bool safe_below(const struct question *q)
{
	const struct cache_result *b = q->below;

	return !b || b->inclusion == INCLUSION_NINE ||
	       b->inclusion == INCLUSION_EXCLUSIVE ||
	       (parameter_is_measured(&b->capacity_bytes) &&
		b->capacity_bytes.value >=
			TIMES_BELOW * q->c->capacity_bytes.value);
}

static void conclude(struct question *q, int like_code, int unclear)
{
	struct parameter *to = &q->c->unified;

	if (unclear > MOST_UNCLEAR)
		parameter_undecided(
			to, METHOD,
			"what data push out, and what code does, cannot be told from what stays");
	else if (like_code && like_code < ROUNDS)
		parameter_undecided(to, METHOD,
				    "code pushed data out in %d of %d rounds",
				    like_code, ROUNDS);
	else if (like_code && !safe_below(q))
		parameter_undecided(
			to, METHOD,
			"code pushes data out, but it may be a level below that loses them");
	else
		parameter_measured(to, like_code > 0, ldexp(1, -ROUNDS),
				   METHOD);
	to->by = q->counter ? "counters" : "time";
}

static int ask(struct question *q, struct failure *f)
{
	int like_code = 0, like_nothing = 0, unclear = 0;

	while (like_code + like_nothing < ROUNDS && unclear <= MOST_UNCLEAR) {
		double values[BETWEEN], share;
		int error = 0;

		for (int i = 0; !error && i < BETWEEN; i++)
			error = load_again(q, (enum between)i, &values[i], f);
		if (error && error != -EAGAIN)
			return error;
		if (error || !clear(q, values)) {
			unclear++;
			continue;
		}
		share = (values[CODE] - values[NOTHING]) /
			(values[DATA] - values[NOTHING]);
		like_code += share > LIKE_DATA;
		like_nothing += share < LIKE_NOTHING;
		unclear += share >= LIKE_NOTHING && share <= LIKE_DATA;
		/* Half and half: more rounds change nothing. */
		if (like_code && like_nothing)
			break;
	}
	q->p->tests++;
	conclude(q, like_code, unclear);
	return 0;
}

/* --- levels -------------------------------------------------------------- */

static bool leave(struct question *q)
{
	struct parameter *to = &q->c->unified;
	const struct machine *m = q->p->m;

	if (!parameter_is_measured(&q->c->capacity_bytes) ||
	    !parameter_is_measured(&q->c->line_bytes))
		parameter_undecided(to, METHOD,
				    "capacity or line size is not known");
	else if (q->c->capacity_bytes.value > MOST_BYTES)
		parameter_undecided(
			to, METHOD, "%llu MiB of code are more than is tried",
			(unsigned long long)(between_bytes(q) >> 20));
	else if (!m->ops->view_open || !m->view_executable)
		parameter_undecided(to, METHOD, "no executable pages");
	else if (!q->counter && m->region.page_bytes < LARGE_PAGE)
		parameter_undecided(
			to, METHOD,
			"pages are small: by time translations that miss look the same");
	else
		return false;
	return true;
}

static int measure_level(struct question *q, struct failure *f)
{
	struct failure why = { .text = "" };
	int error;

	if (leave(q))
		return 0;
	error = open_code(q, &why);
	if (error) {
		parameter_undecided(&q->c->unified, METHOD,
				    "no executable pages: %s",
				    why.text[0] ? why.text : "none are large");
		return error == -EINTR ? error : 0;
	}
	error = place_lines(q, f);
	if (!error)
		error = write_code(q, f);
	if (!error)
		error = ask(q, f);
	q->p->m->ops->view_close(q->code);
	sequence_free(&q->loaded);
	sequence_free(&q->data);
	if (error != -ERANGE)
		return error;
	f->text[0] = '\0';
	parameter_undecided(&q->c->unified, METHOD, "too little memory");
	return 0;
}

int unified_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	static const enum machine_counter of_level[] = { COUNTER_L1D_MISS,
							 COUNTER_L2_MISS,
							 COUNTER_L3_MISS };
	int error = 0;

	for (size_t i = 0; !error && i < h->cache_count; i++) {
		struct question q = { .p = p, .c = &h->caches[i] };

		prober_progress(p, "L%zu: whether it holds code", i + 1);
		if (i + 1 < h->cache_count)
			q.below = &h->caches[i + 1];
		if (i < sizeof(of_level) / sizeof(of_level[0]))
			q.counter = p->counters & 1U << of_level[i];
		error = measure_level(&q, f);
	}
	h->tests = p->tests;
	return error;
}
