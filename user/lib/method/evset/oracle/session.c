// SPDX-License-Identifier: GPL-2.0
/* session.c - a level under test, and where its candidates come from. */
#include "method/evset/oracle/session.h"

#include <stdlib.h>

#include "method/evset/oracle/list_walk.h"
#include "method/level/host_pages.h"
#include "method/level/xor_copies.h"

#define LEAST_LOW_BYTES 4096
/* An uncontended machine needs a tenth of these. */
#define MOST_TESTS 30000
#define MOST_ACCESSES 16000000
/* Enough for every class to overflow, in few translations. */
#define MOST_WINDOW_BYTES (UINT64_C(256) << 20)
#define MOVE_BYTES 64
/* Of candidates, while the line size is not known. */
#define ALIGN_BYTES 1024

int evset_places(struct evset_machine *e, uint64_t at, size_t first,
		 size_t count, struct sequence *s, struct failure *f)
{
	const uint64_t low = e->window.low_bytes;

	*s = (struct sequence){ .offsets = calloc(count, sizeof(*s->offsets)),
				.length = count };
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++)
		s->offsets[i] = e->window.begin + (first + i) * low + at;
	sequence_shuffle(s, &e->x->prober->rng);
	return 0;
}

int evset_candidates(struct evset_machine *e, size_t most, uint64_t **lines,
		     size_t *count, struct failure *f)
{
	const size_t all = e->window.bytes / e->window.low_bytes;
	const uint64_t at = rng_below(&e->x->prober->rng,
				      e->window.low_bytes / ALIGN_BYTES) *
			    ALIGN_BYTES;
	struct sequence s;
	int error = evset_places(e, at, 0, all, &s, f);

	*lines = s.offsets;
	*count = all < most ? all : most;
	return error;
}

int evset_random_places(struct evset_machine *e, uint64_t at, size_t count,
			size_t sparse, uint64_t **lines, size_t *made,
			struct failure *f)
{
	const size_t all = e->window.bytes / e->window.low_bytes;
	const size_t places = count * sparse < all ? count * sparse : all;
	const size_t first = rng_below(&e->x->prober->rng, all - places + 1);
	struct sequence s;
	int error = evset_places(e, at, first, places, &s, f);

	*lines = s.offsets;
	*made = places < count ? places : count;
	return error;
}

void evset_move_set(const struct evset_machine *e, const struct evset_set *set,
		    uint64_t by, struct evset_set *moved)
{
	*moved = *set;
	for (size_t i = 0; i < set->count; i++)
		moved->lines[i] = evset_move_line(e, set->lines[i], by);
	for (size_t i = 0; i < set->evictor_count; i++)
		moved->evictors[i] = evset_move_line(e, set->evictors[i], by);
}

uint64_t evset_draw_move(const struct evset_machine *e)
{
	const uint64_t bytes =
		e->window.splintered && e->window.low_bytes > HOST_PAGES_BYTES ?
			HOST_PAGES_BYTES :
			e->window.low_bytes;

	return rng_below(&e->x->prober->rng, bytes / MOVE_BYTES) * MOVE_BYTES;
}

bool evset_window(const struct prober *p, uint64_t *window, uint64_t *bytes,
		  uint64_t *phys)
{
	const struct region *r = &p->m->region;
	uint64_t skip;

	*phys = r->phys_known && r->extent_count ? r->extents[0].phys : 0;
	if (r->extent_count)
		*phys += p->arena_offset - r->extents[0].offset;
	*bytes = MOST_WINDOW_BYTES;
	if (!r->phys_known || p->arena_bytes < *bytes / 8)
		return false;
	for (;; *bytes /= 2) {
		skip = (*bytes - *phys % *bytes) % *bytes;
		if (skip + *bytes <= p->arena_bytes)
			break;
	}
	*window = p->arena_offset + skip;
	*phys += skip;
	return true;
}

/* Consecutive frames of a guest may lie anywhere in the host. */
static bool is_scattered(const struct evset_machine *e)
{
	return e->x->prober->pieces == VERDICT_NON_COMPACT &&
	       e->window.low_bytes <= HOST_PAGES_BYTES;
}

/* Of memory that is known to be contiguous pages have no part in it: closer lines are
 * more, of which a level of long lines may need more than there are in pages.
 */
static uint64_t low_bytes_contiguous(const struct xray *x)
{
	uint64_t low = ALIGN_BYTES;

	for (size_t i = 0; i < x->upper_count; i++)
		if (x->upper[i].way_bytes > low)
			low = x->upper[i].way_bytes;
	return low;
}

static void choose_window(struct evset_machine *e)
{
	const struct prober *p = e->x->prober;
	const struct region *r = &p->m->region;
	uint64_t bytes = MOST_WINDOW_BYTES;

	e->window.splintered = is_scattered(e);
	e->window.contiguous = !e->window.splintered &&
			       evset_window(p, &e->window.begin,
					    &e->window.bytes, &e->window.phys);
	e->window.block_bytes = e->window.bytes;
	if (e->window.contiguous && !p->m->virtual_machine)
		e->window.low_bytes = low_bytes_contiguous(e->x);
	if (!e->window.contiguous) {
		uint64_t page = r->page_bytes > e->window.low_bytes ?
					r->page_bytes :
					e->window.low_bytes;
		uint64_t places;

		e->window.bytes = r->bytes < bytes ? r->bytes : bytes;
		places = (r->bytes - e->window.bytes) / page;
		e->window.begin =
			rng_below(&e->x->prober->rng, places + 1) * page;
		e->window.block_bytes =
			e->window.splintered ? HOST_PAGES_BYTES : r->page_bytes;
	}
}

void evset_allow(struct evset_machine *e)
{
	e->budget.most_tests = e->o.tests + MOST_TESTS;
	e->budget.most_accesses = e->o.accesses + MOST_ACCESSES;
}

void evset_machine_begin(struct evset_machine *e, struct xray *x,
			 bool *possible)
{
	const struct region *r = &x->prober->m->region;

	*e = (struct evset_machine){ .x = x,
				     .window.low_bytes = LEAST_LOW_BYTES,
				     .scale.penalty = 1,
				     .effort.warmup_factor = 1 };
	evset_allow(e);
	e->o.compact = evset_compact;
	e->o.pause = evset_machine_pause;
	e->o.context = e;
	*possible = !xray_is_below_hashed(x);
	for (size_t i = 0; i < x->upper_count; i++) {
		const struct xray_level *u = &x->upper[i];

		if (u->way_bytes & (u->way_bytes - 1))
			*possible = false;
		if (u->way_bytes > e->window.low_bytes)
			e->window.low_bytes = u->way_bytes;
		if (xray_clearing(u) > e->o.upper_evictors)
			e->o.upper_evictors = xray_clearing(u);
	}
	choose_window(e);
	if (!e->window.contiguous && r->page_bytes < e->window.low_bytes)
		*possible = false;
	if (2 * e->o.upper_evictors > EVSET_MOST_EVICTORS)
		*possible = false;
}

size_t evset_span(const struct evset_machine *e, uint64_t line,
		  const uint64_t *bits, size_t count, uint64_t *lines)
{
	size_t n = 1;

	lines[0] = line;
	for (size_t i = 0; i < count; i++, n *= 2)
		for (size_t j = 0; j < n; j++)
			lines[n + j] = evset_move_line(e, lines[j], bits[i]);
	return n;
}
