// SPDX-License-Identifier: GPL-2.0
/* prepare.c - vectors of address bits that evict a line from a hashed level. */
#include "method/evict/internal.h"
#include "method/evict/tuning.h"
#include "method/level/xor_copies.h"

/* Of a set: all of it was reused, and once again. */
#define EVICT_WAYS 2
#define EVICT_SPARE 4
/* Vectors below the shortest way that can be found: where there is one, half of all
 * vectors leave a line where it is.
 */
#define LEAST_VECTORS 1

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

static bool choose_evicting(struct evictor *ev, size_t wanted)
{
	size_t n = 0;

	for (int i = 0; n < wanted && i < PREPARE_TRIES; i++) {
		uint64_t v = gf2_random(&ev->same, &ev->p->rng);

		if (v & (ev->least_bytes - 1) && !has(ev->evict, n, v))
			ev->evict[n++] = v;
	}
	return n == wanted;
}

/* Lines that clear the levels above for an evicting line: they share its sets
 * there, but neither the set that a line is evicted from nor that of the evicted
 * line in the level below.
 */
static bool clears(const struct evictor *ev, uint64_t u, size_t evicting)
{
	if (!(u & (ev->least_bytes - 1)) || !gf2_reduce(&ev->same, u))
		return false;
	for (size_t i = 0; i < evicting; i++) {
		uint64_t d = (ev->evict[i] & (ev->upper_bytes - 1)) ^ u;

		if (!(d & (ev->least_bytes - 1)) || !gf2_reduce(&ev->same, d))
			return false;
	}
	return true;
}

/* @leaves: what they have to differ by */
static void try_clears(struct evictor *ev, const struct gf2_space *leaves,
		       size_t wanted)
{
	uint64_t bits = (ev->p->arena_bytes - 1) & ~(ev->upper_bytes - 1);

	for (int i = 0; ev->clear_count < wanted && i < PREPARE_TRIES; i++) {
		uint64_t u = rng_next(&ev->p->rng) & bits;

		if (gf2_reduce(leaves, u) &&
		    clears(ev, u, 2 * ev->evict_count) &&
		    !has(ev->clear, ev->clear_count, u))
			ev->clear[ev->clear_count++] = u;
	}
}

/* Best are vectors into no set from which a line some ways further is evicted. */
static bool choose_clears(struct evictor *ev, size_t wanted)
{
	struct gf2_space rows = ev->same;

	for (uint64_t bit = ev->least_bytes; bit < ev->p->arena_bytes; bit *= 2)
		gf2_add(&rows, bit);
	ev->clear_count = 0;
	try_clears(ev, &rows, wanted);
	try_clears(ev, &ev->same, wanted);
	return ev->clear_count == wanted;
}

/* The shortest way: few vectors keep a line in its set of such a level. */
static bool find_least(struct evictor *ev)
{
	int vectors = 0;

	ev->least_bytes = CLEAR_ROOM * ev->upper_bytes;
	if (ev->least_bytes < EVICT_PAGE_BYTES)
		ev->least_bytes = EVICT_PAGE_BYTES;
	for (unsigned int b = 0; b < GF2_BITS; b++) {
		vectors += ev->same.rows[b] != 0;
		if (vectors < LEAST_VECTORS)
			continue;
		if (UINT64_C(2) << b > ev->least_bytes)
			ev->least_bytes = UINT64_C(2) << b;
		return true;
	}
	return false;
}

bool evict_draw(struct evictor *ev)
{
	struct evictor drawn = *ev;

	if (!choose_evicting(&drawn, 2 * ev->evict_count) ||
	    !choose_clears(&drawn, ev->clear_count))
		return false;
	*ev = drawn;
	return true;
}

const char *evict_prepare(struct evictor *ev, struct xray *x,
			  double above_ticks, double memory_ticks)
{
	const char *few =
		"too few lines that share a set of the level above are known";
	const struct xray_level *last;

	*ev = (struct evictor){ .x = x,
				.p = x->prober,
				.above_ticks = above_ticks,
				.memory_ticks = memory_ticks };
	if (!x->upper_count || !x->upper[x->upper_count - 1].masks ||
	    !is_power_of_two(ev->p->arena_bytes))
		return few;
	last = &x->upper[x->upper_count - 1];
	for (size_t j = 0; j + 1 < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];

		if (u->masks || !is_power_of_two(u->way_bytes))
			return "the levels above it are hashed, too, or have sets in no power of two";
		if (u->way_bytes > ev->upper_bytes)
			ev->upper_bytes = u->way_bytes;
		if (xray_clearing(u) > ev->clear_count)
			ev->clear_count = xray_clearing(u);
	}
	ev->line_bytes = last->line_bytes;
	ev->set_bytes = xray_level_bytes(last) / last->ways;
	ev->evict_count = EVICT_WAYS * last->ways + EVICT_SPARE;
	xray_null_space(x, &ev->same);
	if (ev->clear_count > EVICT_CLEAR || 2 * ev->evict_count > EVICT_MOST ||
	    !find_least(ev) || ev->least_bytes > ev->p->arena_bytes / 8 ||
	    !evict_draw(ev))
		return few;
	return NULL;
}
