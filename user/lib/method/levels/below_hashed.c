// SPDX-License-Identifier: GPL-2.0
/* below_hashed.c - how sequences get past a level that eviction sets found, or that keeps
 * lines whatever comes.
 */
#include <errno.h>

#include "method/evset/oracle/session.h"
#include "method/level/xor_copies.h"
#include "method/levels/internal.h"
#include "method/stride/stride.h"

/* Strides of the search for lower levels begin here. */
#define LONGEST_PERIOD_BYTES (UINT64_C(64) * 1024)

static bool has_geometry(const struct cache_result *c)
{
	return parameter_is_measured(&c->ways) &&
	       parameter_is_measured(&c->sets) &&
	       parameter_is_measured(&c->line_bytes);
}

static bool strides_say_all(const struct cache_result *c)
{
	return c->index == INDEX_LINEAR && has_geometry(c);
}

static bool masks_say_all(const struct cache_result *c)
{
	const struct index_function *m = &c->function;

	return m->kind == INDEX_HASHED && !m->nonlinear && m->rank &&
	       has_geometry(c) &&
	       c->sets.value == (double)(UINT64_C(1) << m->rank);
}

/* Lines so far apart agree in all bits that masks have. */
static uint64_t period_of(const struct index_function *m)
{
	uint64_t all = 0;

	for (size_t i = 0; i < m->rank; i++)
		all |= m->masks[i];
	return UINT64_C(2) << (63 - __builtin_clzll(all));
}

int xray_go_below(struct xray *x, const struct cache_result *c,
		  struct xray_level *level, enum outcome *outcome,
		  struct failure *f)
{
	struct prober *p = x->prober;
	struct xray_level whole;
	uint64_t window, bytes, phys;
	int error;

	*level = (struct xray_level){ .ways = 0 };
	*outcome = OUTCOME_OPEN;
	if (p->m->virtual_machine ||
	    !(strides_say_all(c) || masks_say_all(c)) ||
	    !evset_window(p, &window, &bytes, &phys))
		return 0;
	whole = (struct xray_level){
		.ways = (size_t)c->ways.value,
		.way_bytes = (uint64_t)(c->sets.value * c->line_bytes.value),
		.line_bytes = (uint64_t)c->line_bytes.value,
		.own = (size_t)c->ways.value,
		.masks = masks_say_all(c) ? &c->function : NULL,
	};
	*level = whole;
	/* No hash, or one of low bits only: strides do. */
	if (c->index == INDEX_LINEAR ||
	    period_of(&c->function) <= LONGEST_PERIOD_BYTES) {
		level->bytes = level->ways * level->way_bytes;
		if (c->index != INDEX_LINEAR)
			level->way_bytes = period_of(&c->function);
		level->masks = NULL;
		error = xray_find_clearing(x, level, outcome, f);
		if (*outcome != OUTCOME_DECIDED)
			*level = whole;
		return error == -EAGAIN ? 0 : error;
	}
	p->arena_offset = window;
	p->arena_bytes = bytes;
	error = xray_find_copies_clearing(x, level, outcome, f);
	/* What is known of it stays. */
	return error == -EAGAIN || error == -ERANGE ? 0 : error;
}

/* A mask for each bit between line and way. */
static bool write_linear(const struct xray_level *level,
			 struct index_function *masks)
{
	const uint64_t line = level->line_bytes;

	if (__builtin_popcountll(line) != 1 ||
	    __builtin_popcountll(level->way_bytes) != 1 ||
	    level->way_bytes <= line ||
	    level->way_bytes / line >> INDEX_MOST_MASKS)
		return false;
	*masks = (struct index_function){ .kind = INDEX_LINEAR,
					  .low_bit = gf2_low_bit(line),
					  .high_bit = GF2_BITS - 1 };
	for (uint64_t bit = line; bit < level->way_bytes; bit *= 2)
		masks->masks[masks->rank++] = bit;
	return true;
}

bool xray_go_by_evictions(struct xray *x, struct xray_level *level,
			  struct index_function *linear)
{
	struct prober *p = x->prober;
	uint64_t window, bytes, phys;

	if (p->m->virtual_machine || xray_is_below_hashed(x) || !level->ways ||
	    level->own != level->ways ||
	    (!level->masks && !write_linear(level, linear)) ||
	    !evset_window(p, &window, &bytes, &phys))
		return false;
	if (!level->masks)
		level->masks = linear;
	level->keeps = true;
	p->arena_offset = window;
	p->arena_bytes = bytes;
	return true;
}
