// SPDX-License-Identifier: GPL-2.0
#include "method/evict/evict.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_BYTES 4096
/* Of a set: all of it was reused, and once again. */
#define PUSH_WAYS 2
#define PUSH_SPARE 4
/* Vectors below the shortest way that can be told: one in eight leaves a line
 * where it is.
 */
#define LEAST_VECTORS 3
/* Times the sets above: what clears those is in other sets of the level below. */
#define CLEAR_ROOM 8
#define TRIES 10000
/* Lines of a set that are flushed: more would take longer than they disturb. */
#define MOST_CLEANED 1024
#define ROUNDS 2
#define STEPS 6

static bool is_power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

static bool has(const uint64_t *vectors, size_t count, uint64_t v)
{
	for (size_t i = 0; i < count; i++)
		if (vectors[i] == v)
			return true;
	return false;
}

static bool choose_pushes(struct pushed *pu, size_t wanted)
{
	size_t n = 0;

	for (int i = 0; n < wanted && i < TRIES; i++) {
		uint64_t v = gf2_random(&pu->same, &pu->p->rng);

		if (v & (pu->least_bytes - 1) && !has(pu->push, n, v))
			pu->push[n++] = v;
	}
	return n == wanted;
}

/* Lines that clear the levels above for one that pushes: its sets above, not
 * the set that is pushed out of, nor that of the line in the level below.
 */
static bool clears(const struct pushed *pu, uint64_t u, size_t pushes)
{
	if (!(u & (pu->least_bytes - 1)) || !gf2_reduce(&pu->same, u))
		return false;
	for (size_t i = 0; i < pushes; i++) {
		uint64_t d = (pu->push[i] & (pu->upper_bytes - 1)) ^ u;

		if (!(d & (pu->least_bytes - 1)) || !gf2_reduce(&pu->same, d))
			return false;
	}
	return true;
}

/* @leaves: what they have to differ by */
static void try_clears(struct pushed *pu, const struct gf2_space *leaves,
		       size_t wanted)
{
	uint64_t bits = (pu->p->arena_bytes - 1) & ~(pu->upper_bytes - 1);

	for (int i = 0; pu->clear_count < wanted && i < TRIES; i++) {
		uint64_t u = rng_next(&pu->p->rng) & bits;

		if (gf2_reduce(leaves, u) &&
		    clears(pu, u, 2 * pu->push_count) &&
		    !has(pu->clear, pu->clear_count, u))
			pu->clear[pu->clear_count++] = u;
	}
}

/* Best are those in no set that a line some ways further is pushed out of. */
static bool choose_clears(struct pushed *pu, size_t wanted)
{
	struct gf2_space rows = pu->same;

	for (uint64_t bit = pu->least_bytes; bit < pu->p->arena_bytes; bit *= 2)
		gf2_add(&rows, bit);
	pu->clear_count = 0;
	try_clears(pu, &rows, wanted);
	try_clears(pu, &pu->same, wanted);
	return pu->clear_count == wanted;
}

/* The shortest way: few vectors keep a line in its set of such a level. */
static bool find_least(struct pushed *pu)
{
	int vectors = 0;

	pu->least_bytes = CLEAR_ROOM * pu->upper_bytes;
	if (pu->least_bytes < PAGE_BYTES)
		pu->least_bytes = PAGE_BYTES;
	for (unsigned int b = 0; b < GF2_BITS; b++) {
		vectors += pu->same.rows[b] != 0;
		if (vectors < LEAST_VECTORS)
			continue;
		if (UINT64_C(2) << b > pu->least_bytes)
			pu->least_bytes = UINT64_C(2) << b;
		return true;
	}
	return false;
}

const char *pushed_prepare(struct pushed *pu, const struct xray *x,
			   double above_ticks, double memory_ticks)
{
	const char *few =
		"too few lines that share a set of the level above are known";
	const struct xray_level *last;
	size_t clearing = 0;

	*pu = (struct pushed){ .p = x->prober,
			       .above_ticks = above_ticks,
			       .memory_ticks = memory_ticks };
	if (!x->upper_count || !x->upper[x->upper_count - 1].masks ||
	    !is_power_of_two(pu->p->arena_bytes))
		return few;
	last = &x->upper[x->upper_count - 1];
	for (size_t j = 0; j + 1 < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];

		if (u->masks || !is_power_of_two(u->way_bytes))
			return "the levels above it are hashed, too, or have sets in no power of two";
		if (u->way_bytes > pu->upper_bytes)
			pu->upper_bytes = u->way_bytes;
		if (xray_clearing(u) > clearing)
			clearing = xray_clearing(u);
	}
	pu->line_bytes = last->line_bytes;
	pu->set_bytes = xray_level_bytes(last) / last->ways;
	pu->push_count = PUSH_WAYS * last->ways + PUSH_SPARE;
	xray_null_space(x, &pu->same);
	if (clearing > PUSHED_CLEAR || 2 * pu->push_count > PUSHED_MOST ||
	    !find_least(pu) || pu->least_bytes > pu->p->arena_bytes / 8 ||
	    !choose_pushes(pu, 2 * pu->push_count) ||
	    !choose_clears(pu, clearing))
		return few;
	return NULL;
}

/* The same address with other bits, in the window. */
static uint64_t fold(const struct pushed *pu, uint64_t line, uint64_t v)
{
	uint64_t window = pu->p->arena_offset;

	return window + ((line - window) ^ v);
}

static void load(struct sequence *s, uint64_t line)
{
	s->offsets[s->length++] = line;
}

/* What a vector leaves of sets above. */
static uint64_t above(const struct pushed *pu, uint64_t v)
{
	return pu->upper_bytes ? v & (pu->upper_bytes - 1) : 0;
}

static void reuse(const struct pushed *pu, uint64_t x, uint64_t v,
		  struct sequence *s)
{
	uint64_t low = above(pu, v);

	load(s, fold(pu, x, v));
	for (size_t i = 0; i < pu->clear_count; i++)
		load(s, fold(pu, x, low ^ pu->clear[i]));
	load(s, fold(pu, x, v));
}

bool pushed_spares(const struct pushed *pu, uint64_t line, uint64_t other)
{
	uint64_t differ = line ^ other;

	if (!gf2_reduce(&pu->same, differ))
		return false;
	for (size_t i = 0; i < pu->push_count; i++)
		for (size_t j = 0; j < pu->clear_count; j++) {
			uint64_t c = above(pu, pu->push[i]) ^ pu->clear[j];

			if (!gf2_reduce(&pu->same, differ ^ c))
				return false;
			/* Most of them are alike. */
			if (i && above(pu, pu->push[i]) ==
					 above(pu, pu->push[i - 1]))
				break;
		}
	return true;
}

size_t pushed_loads(const struct pushed *pu)
{
	return pu->push_count * (pu->clear_count + 2);
}

void pushed_out(const struct pushed *pu, uint64_t line, struct sequence *s)
{
	for (size_t i = 0; i < pu->push_count; i++)
		reuse(pu, line, pu->push[i], s);
}

static bool make_room(struct sequence *s, size_t length)
{
	s->length = 0;
	s->offsets = calloc(length + 1, sizeof(*s->offsets));
	return s->offsets;
}

int pushed_clean(struct pushed *pu, const uint64_t *lines, size_t count,
		 struct failure *f)
{
	const struct prober *p = pu->p;
	uint64_t apart = p->arena_bytes / MOST_CLEANED;
	size_t each;
	struct sequence s = { NULL, 0 };
	const struct walk_step step = { STEP_FLUSH, &s, 0 };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = 1 };
	uint64_t word = lines[0];
	const struct sequence one = { &word, 1 };
	struct sample unused;
	int error;

	if (apart < pu->least_bytes)
		apart = pu->least_bytes;
	each = p->arena_bytes / apart;
	if (!make_room(&s, count * each))
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < each; j++)
			load(&s, p->arena_offset +
					 (lines[i] - p->arena_offset) % apart +
					 j * apart);
	error = p->m->ops->walk(p->m, &one, &plan, &unused, f);
	sequence_free(&s);
	return error;
}

/* Other lines of the pages. */
static void touch(const struct pushed *pu, const struct sequence *timed,
		  struct sequence *s)
{
	for (size_t i = 0; i < timed->length; i++)
		load(s, fold(pu, timed->offsets[i] / PAGE_BYTES * PAGE_BYTES,
			     PAGE_BYTES / 2));
}

static void push_all(const struct pushed *pu, const struct pushed_walk *w,
		     struct sequence *order, struct sequence *s)
{
	for (unsigned int r = 0; r < w->rounds; r++) {
		sequence_shuffle(order, &pu->p->rng);
		for (size_t i = 0; i < order->length; i++)
			load(s, order->offsets[i]);
		for (size_t i = 0; i < order->length; i++)
			pushed_out(pu, order->offsets[i], s);
	}
}

/* What comes back is reused, so that it stays. */
static void bring_back(const struct pushed *pu, const struct pushed_walk *w,
		       struct sequence *s)
{
	for (size_t i = 0; i < w->kept_count; i++)
		reuse(pu, w->lines[i], 0, s);
	for (size_t i = 0; i < w->late_count; i++)
		load(s, w->late[i]);
	for (size_t i = 0; i < w->late_count; i++)
		pushed_out(pu, w->late[i], s);
}

/**
 * struct prepared - a walk as the machine wants it
 * @flushed: nobody has these at first
 * @order: lines that are pushed out
 * @loads: everything that is done before
 * @touched: other lines of the pages
 * @timed: what is walked
 */
struct prepared {
	struct sequence flushed;
	struct sequence order;
	struct sequence loads;
	struct sequence touched;
	struct sequence timed;
};

static bool prepare_walk(struct pushed *pu, const struct pushed_walk *w,
			 struct prepared *to)
{
	size_t all = w->count + w->late_count, each = pushed_loads(pu) + 1;

	*to = (struct prepared){ .flushed = { NULL, 0 } };
	if (!make_room(&to->flushed, all) || !make_room(&to->order, w->count) ||
	    !make_room(&to->loads,
		       (w->rounds * w->count + w->late_count) * each +
			       w->kept_count * each) ||
	    !make_room(&to->touched, all) || !make_room(&to->timed, all))
		return false;
	for (size_t i = 0; i < w->count; i++) {
		load(&to->flushed, w->lines[i]);
		load(&to->order, w->lines[i]);
		if ((i >= w->kept_count) != w->time_kept)
			load(&to->timed, w->lines[i]);
	}
	for (size_t i = 0; i < w->late_count; i++) {
		load(&to->flushed, w->late[i]);
		if (!w->time_kept)
			load(&to->timed, w->late[i]);
	}
	push_all(pu, w, &to->order, &to->loads);
	bring_back(pu, w, &to->loads);
	if (w->touch)
		touch(pu, &to->timed, &to->touched);
	sequence_shuffle(&to->timed, &pu->p->rng);
	return true;
}

int pushed_observe(struct pushed *pu, const struct pushed_walk *w,
		   struct readings *r, struct failure *f)
{
	struct prepared walk;
	const struct walk_step steps[] = { { STEP_FLUSH, &walk.flushed, 0 },
					   { STEP_LOAD, &walk.loads, 0 },
					   { STEP_LOAD, &walk.touched, 0 } };
	const struct walk_plan plan = { .samples = PUSHED_SAMPLES,
					.steps = steps,
					.step_count = w->touch ? 3 : 2 };
	int error;

	r->count = 0;
	if (!prepare_walk(pu, w, &walk))
		error = prober_out_of_memory(f);
	else
		error = prober_observe(pu->p, &walk.timed, &plan, 0, r, f);
	sequence_free(&walk.flushed);
	sequence_free(&walk.order);
	sequence_free(&walk.loads);
	sequence_free(&walk.touched);
	sequence_free(&walk.timed);
	return error;
}

bool pushed_place(struct pushed *pu, const struct pushed_rows *rows,
		  uint64_t *test, uint64_t *control)
{
	struct prober *p = pu->p;
	size_t lines = PAGE_BYTES / pu->line_bytes;
	uint64_t all = p->arena_bytes / rows->stride, from, odd = 1;
	uint64_t low = 0, at;

	if (rows->count > all || rows->count > lines)
		return false;
	from = rng_below(&p->rng, all - rows->count + 1);
	if (rows->stride > PAGE_BYTES)
		low = rng_below(&p->rng, rows->stride / PAGE_BYTES) *
		      PAGE_BYTES;
	/* Any odd number visits each multiple once. */
	if (rows->anywhere && is_power_of_two(all))
		odd = 2 * rng_below(&p->rng, all / 2) + 1;
	at = rows->shift ? 0 : rng_below(&p->rng, lines);
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t row = odd == 1 ? from + i : (from + i * odd) % all;
		uint64_t page = p->arena_offset + row * rows->stride + low;

		test[i] = page + at * pu->line_bytes + i % 2 * rows->shift;
		control[i] = page + (at + i) % lines * pu->line_bytes;
	}
	return true;
}

struct trial pushed_trial(struct pushed *pu, const struct trial_ops *ops,
			  void *context, size_t lines)
{
	struct trial t = prober_trial(pu->p, ops, context);

	t.loads = (double)lines / (pu->memory_ticks - pu->hit_ticks);
	t.hit_by_control = true;
	t.test_first = true;
	return t;
}

/**
 * struct placement - rows under test
 * @pu: as it is
 * @rows: which
 * @lines: where they lie now, and as many that share no set
 */
struct placement {
	struct pushed *pu;
	const struct pushed_rows *rows;
	uint64_t lines[TRIAL_SIDES][PUSHED_LINES];
};

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;

	(void)b;
	(void)f;
	return pushed_place(at->pu, at->rows, at->lines[TRIAL_TEST],
			    at->lines[TRIAL_CONTROL]) ?
		       0 :
		       -ERANGE;
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *at = context;
	const struct pushed_walk w = { .lines = at->lines[side],
				       .count = at->rows->count,
				       .rounds = ROUNDS };
	int error = pushed_clean(at->pu, w.lines, w.count, f);

	return error ? error : pushed_observe(at->pu, &w, &b->of[side], f);
}

int pushed_compact(struct pushed *pu, const struct pushed_rows *rows,
		   enum verdict *verdict, struct evidence *e, struct failure *f)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe };
	struct placement at = { .pu = pu, .rows = rows };
	struct trial t = pushed_trial(pu, &ops, &at, rows->count);
	int error;

	*e = (struct evidence){ .counted = false };
	*verdict = VERDICT_UNDECIDED;
	if (rows->count > PUSHED_LINES)
		return -ERANGE;
	error = trial_run(&t, verdict, f);
	e->decision = t.decision;
	e->bases_differ = !error && trial_split(&t, *verdict);
	return error;
}
