// SPDX-License-Identifier: GPL-2.0
/* compact.c - do lines stay in the level below? A trial against their pages. */
#include "method/evict/internal.h"
#include "method/evict/tuning.h"

#include <errno.h>

bool evict_place(struct evictor *ev, const struct evict_rows *rows,
		 uint64_t *test, uint64_t *control)
{
	struct prober *p = ev->p;
	size_t lines = EVICT_PAGE_BYTES / ev->line_bytes;
	uint64_t all = p->arena_bytes / rows->stride, from, odd = 1;
	uint64_t low = 0, at;

	if (rows->count > all || rows->count > lines)
		return false;
	from = rng_below(&p->rng, all - rows->count + 1);
	if (rows->stride > EVICT_PAGE_BYTES)
		low = rng_below(&p->rng, rows->stride / EVICT_PAGE_BYTES) *
		      EVICT_PAGE_BYTES;
	/* Any odd number visits each multiple once. */
	if (rows->anywhere && !(all & (all - 1)))
		odd = 2 * rng_below(&p->rng, all / 2) + 1;
	at = rows->shift ? 0 : rng_below(&p->rng, lines);
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t row = odd == 1 ? from + i : (from + i * odd) % all;
		uint64_t page = p->arena_offset + row * rows->stride + low;

		test[i] = page + at * ev->line_bytes + i % 2 * rows->shift;
		control[i] = page + (at + i) % lines * ev->line_bytes;
	}
	return true;
}

struct trial evict_trial(struct evictor *ev, const struct trial_ops *ops,
			 void *context, size_t lines)
{
	struct trial t = prober_trial(ev->p, ops, context);

	t.loads = EVICT_SPACED * (double)lines / ev->penalty_ticks;
	t.hit_by_control = true;
	t.test_first = true;
	return t;
}

/**
 * struct placement - rows under test
 * @ev: as it is
 * @rows: which
 * @lines: where they lie now, and as many that share no set
 */
struct placement {
	struct evictor *ev;
	const struct evict_rows *rows;
	uint64_t lines[TRIAL_SIDES][EVICT_LINES];
};

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;

	(void)b;
	(void)f;
	return evict_draw(at->ev) && evict_place(at->ev, at->rows,
						 at->lines[TRIAL_TEST],
						 at->lines[TRIAL_CONTROL]) ?
		       0 :
		       -ERANGE;
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *at = context;
	const struct evict_walk w = { .lines = at->lines[side],
				      .count = at->rows->count,
				      .spaced = true,
				      .rounds = EVICT_ROUNDS };
	int error = evict_flush_sets(at->ev, w.lines, w.count, f);

	return error ? error : evict_observe(at->ev, &w, &b->of[side], f);
}

int evict_compact(struct evictor *ev, const struct evict_rows *rows,
		  enum verdict *verdict, struct evidence *e, struct failure *f)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe };
	struct placement at = { .ev = ev, .rows = rows };
	struct trial t = evict_trial(ev, &ops, &at, rows->count);
	int error;

	*e = (struct evidence){ .counted = false };
	*verdict = VERDICT_UNDECIDED;
	if (rows->count > EVICT_LINES)
		return -ERANGE;
	error = trial_run(&t, verdict, f);
	e->decision = t.decision;
	e->bases_differ = !error && trial_split(&t, *verdict);
	return error;
}
