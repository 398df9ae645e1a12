// SPDX-License-Identifier: GPL-2.0
/*
 * memory_side.c - does something that no flush reaches answer before memory?
 *
 * A cache that belongs to memory keeps what is flushed from those of the CPUs. Lines of
 * other pages push it out there: all that lie at the same place of their pages, which
 * an index by address has in the same sets. Then the line comes from memory.
 */
#include <math.h>
#include <stdlib.h>

#include "method/behaviour/behaviour.h"
#include "method/behaviour/tuning.h"

#define METHOD "flush and sweep"
#define PAGE 4096
/* Far enough from a line for no prefetcher to bring in both. */
#define ASIDE (PAGE / 2)
/* Lines that are timed, in pages that small TLBs have entries for. */
#define LINES 16
/*
 * Times as long at least. Where nothing lies before memory, a row of DRAM that is open
 * still may save its opening and the closing of another: 30 of 80 ns and more.
 */
#define SLOWER 1.6

/**
 * struct sweep - lines at one place of all pages
 * @timed: LINES of them
 * @near: other lines of these pages, which bring in their translations
 * @others: all others
 */
struct sweep {
	struct sequence timed;
	struct sequence near;
	struct sequence others;
};

static void sweep_free(struct sweep *s)
{
	sequence_free(&s->timed);
	sequence_free(&s->near);
	sequence_free(&s->others);
}

static int sweep_make(struct prober *p, size_t pages, struct sweep *s,
		      struct failure *f)
{
	const uint64_t place = rng_below(&p->rng, ASIDE / 64) * 64;
	size_t *order = calloc(pages, sizeof(*order));

	s->timed.offsets = calloc(LINES, sizeof(*s->timed.offsets));
	s->near.offsets = calloc(LINES, sizeof(*s->near.offsets));
	s->others.offsets = calloc(pages, sizeof(*s->others.offsets));
	if (!order || !s->timed.offsets || !s->near.offsets ||
	    !s->others.offsets) {
		free(order);
		return prober_out_of_memory(f);
	}
	rng_order(&p->rng, order, pages);
	for (size_t i = 0; i < pages; i++) {
		const uint64_t line = order[i] * PAGE + place;

		if (i >= LINES) {
			s->others.offsets[s->others.length++] = line;
			continue;
		}
		s->timed.offsets[s->timed.length++] = line;
		s->near.offsets[s->near.length++] = line + ASIDE;
	}
	free(order);
	return 0;
}

/* Of a flushed line, the least of all samples, those between which the thread was
 * interrupted as well: what comes between adds to them.
 * @swept: after all others
 */
static int time_lines(struct prober *p, const struct sweep *s, bool swept,
		      double *ticks, struct failure *f)
{
	const struct walk_step steps[] = {
		{ .kind = STEP_LOAD_TOGETHER, .lines = &s->others },
		{ .kind = STEP_LOAD, .lines = &s->near },
		{ .kind = STEP_FLUSH, .lines = &s->timed },
	};
	const struct walk_plan plan = { .steps = swept ? steps : steps + 1,
					.step_count = swept ? 3 : 2,
					.samples = MEMORY_SIDE_SAMPLES };
	struct sample samples[MEMORY_SIDE_SAMPLES];
	int error = p->m->ops->walk(p->m, &s->timed, &plan, samples, f);

	*ticks = INFINITY;
	for (int i = 0; !error && i < MEMORY_SIDE_SAMPLES; i++)
		*ticks = fmin(*ticks,
			      samples[i].ticks / (double)samples[i].loads);
	return error;
}

static void leave(const struct prober *p, double flushed, double swept,
		  struct hierarchy *h)
{
	const double per_ns = p->m->timer.ticks_per_ns;

	parameter_undecided(
		&h->memory_latency_ns, METHOD,
		"%.1f ns after a flush, %.1f ns where %llu MiB of other lines came between: a cache that no flush reaches lies before memory",
		flushed / per_ns, swept / per_ns,
		(unsigned long long)(p->m->region.bytes >> 20));
	h->memory_latency_cycles = h->memory_latency_ns;
}

int memory_side_measure(struct prober *p, struct hierarchy *h,
			struct failure *f)
{
	const size_t pages = p->m->region.bytes / PAGE;
	struct sweep s = { .timed = { .offsets = NULL } };
	double flushed, swept;
	int error;

	if (!p->m->flushes_lines || pages <= LINES ||
	    !parameter_is_measured(&h->memory_latency_ns))
		return 0;
	prober_progress(p, "memory: what a flush does not reach");
	error = sweep_make(p, pages, &s, f);
	if (!error)
		error = time_lines(p, &s, false, &flushed, f);
	if (!error)
		error = time_lines(p, &s, true, &swept, f);
	sweep_free(&s);
	if (!error && swept > SLOWER * flushed)
		leave(p, flushed, swept, h);
	return error;
}
