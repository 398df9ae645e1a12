// SPDX-License-Identifier: GPL-2.0
/* pinned_lines.c - which lines are pinned, and which evict them where. */
#include "method/behaviour/pinned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/gf2.h"
#include "method/level/resident_lines.h"

#define PAGE_BYTES 4096
/* Where a line is stored to: not the word that the walk follows. */
#define OTHER_WORD 8

/* Differences of addresses are those of offsets: memory is contiguous, but need
 * not be aligned.
 */
static uint64_t phys_of(const struct prober *p, uint64_t offset)
{
	const struct region *r = &p->m->region;

	if (!r->extent_count)
		return offset;
	return r->extents[0].phys + (offset - r->extents[0].offset);
}

static bool has_masks(const struct prober *p, const struct cache_result *c)
{
	const struct index_function *m = &c->function;

	return c->index == INDEX_HASHED && m->kind == INDEX_HASHED &&
	       !m->nonlinear && m->rank && !p->m->virtual_machine &&
	       p->m->region.phys_known && p->m->region.extent_count;
}

/* Lines of one page differ in the bits of their offsets alone, wherever it lies;
 * masks of these bits hold in guests, too.
 */
static bool has_page_masks(const struct cache_result *c, uint64_t a, uint64_t b)
{
	const struct index_function *m = &c->function;

	return (a ^ b) < PAGE_BYTES && !m->nonlinear && m->rank;
}

enum pinned_shared pinned_share(const struct prober *p,
				const struct cache_result *c, uint64_t a,
				uint64_t b)
{
	const struct index_function *m = &c->function;
	uint64_t differ = phys_of(p, a) ^ phys_of(p, b);

	if (resident_lines_sets_known(c))
		return a % resident_lines_way_bytes(c) ==
				       b % resident_lines_way_bytes(c) ?
			       PINNED_SHARED_YES :
			       PINNED_SHARED_NO;
	if (has_page_masks(c, a, b))
		differ = a ^ b;
	else if (!has_masks(p, c))
		return PINNED_SHARED_UNKNOWN;
	/* Sets that masks distinguish differ, whatever higher bits add. */
	if (differ >> m->high_bit > 1)
		return PINNED_SHARED_UNKNOWN;
	for (size_t i = 0; i < m->rank; i++)
		if (gf2_parity(differ, m->masks[i]))
			return PINNED_SHARED_NO;
	return PINNED_SHARED_YES;
}

bool pinned_knows_sets(const struct pinned *k, size_t index)
{
	const struct cache_result *c = pinned_cache(k, index);

	return resident_lines_sets_known(c) || has_masks(k->p, c);
}

/* Must a line of @list stay out of the set that x has of level @index? */
static bool avoids(const struct pinned *k, enum pinned_list list, size_t index)
{
	if (list == PINNED_OVER_HOLDER)
		return index == k->holder || index == k->level;
	if (list == PINNED_UPPER)
		return index == k->level;
	if (list == PINNED_REUSE)
		return index + 1 == k->level || index == k->level;
	return list == PINNED_PUSH && k->avoids && index > k->level &&
	       pinned_cache(k, index)->inclusion != INCLUSION_EXCLUSIVE &&
	       pinned_knows_sets(k, index);
}

static bool evicts_above(enum pinned_list list)
{
	return list == PINNED_UPPER || list == PINNED_OVER_HOLDER;
}

static bool is_in(const uint64_t *lines, size_t count, uint64_t line)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i] == line)
			return true;
	return false;
}

/* Does a line stay out of x's set of level @index? Where only a list of that set
 * is known, a line that is not in the list does so but for chance: of many lines
 * that evict from the levels above a few may lie in it.
 */
static bool stays_out(const struct pinned *k, enum pinned_list list,
		      size_t index, uint64_t x, uint64_t offset)
{
	const struct cache_result *c = pinned_cache(k, index);

	if (evicts_above(list) && !pinned_knows_sets(k, index))
		return c->set_line_count &&
		       !is_in(c->set_lines, c->set_line_count, offset);
	return pinned_share(k->p, c, x, offset) == PINNED_SHARED_NO;
}

static bool is_welcome(const struct pinned *k, enum pinned_list list,
		       uint64_t x, uint64_t offset)
{
	for (size_t i = 0; i < k->h->cache_count; i++)
		if (avoids(k, list, i) && !stays_out(k, list, i, x, offset))
			return false;
	return true;
}

static size_t pick_listed(const struct pinned *k, const struct cache_result *c,
			  enum pinned_list list, uint64_t x, uint64_t *to,
			  size_t wanted)
{
	size_t n = 0;

	for (size_t i = 0; n < wanted && i < c->set_line_count; i++)
		if (c->set_lines[i] != x &&
		    is_welcome(k, list, x, c->set_lines[i]))
			to[n++] = c->set_lines[i];
	return n;
}

/* Lines of one set of a level, as x, from the next one on. */
static size_t pick(const struct pinned *k, size_t index, enum pinned_list list,
		   uint64_t x, uint64_t *to, size_t wanted)
{
	const struct cache_result *c = pinned_cache(k, index);
	const struct prober *p = k->p;
	uint64_t way, first, all, before, n = 0;

	if (!resident_lines_sets_known(c))
		return pick_listed(k, c, list, x, to, wanted);
	way = resident_lines_way_bytes(c);
	before = (x - p->arena_offset) / way;
	first = x - before * way;
	all = (p->arena_offset + p->arena_bytes - PAGE_BYTES - first) / way + 1;
	for (uint64_t i = 1; n < wanted && i < all; i++) {
		uint64_t offset = first + (before + i) % all * way;

		if (is_welcome(k, list, x, offset))
			to[n++] = offset;
	}
	return n;
}

/* Return: the level whose set lines of a list share with x, or its number. */
static size_t level_of(const struct pinned *k, enum pinned_list list)
{
	if (list == PINNED_UPPER)
		return k->level - 1;
	if (list == PINNED_REUSE)
		return k->level - 2;
	return list == PINNED_OVER_HOLDER ? k->holder - 1 : k->level;
}

/* A hashed level may let lines in on reuse only, and keep others whatever comes:
 * those that push out are used again.
 */
static bool reuses(const struct pinned *k)
{
	return k->unpushed && k->level > 1 &&
	       !resident_lines_sets_known(pinned_cache(k, k->level - 1)) &&
	       resident_lines_sets_known(pinned_cache(k, k->level - 2));
}

static size_t wanted_of(const struct pinned *k, enum pinned_list list)
{
	size_t n;

	/* No level is above. */
	if ((list == PINNED_OVER_HOLDER && !k->holder) ||
	    (list == PINNED_UPPER && !k->level) ||
	    (list == PINNED_REUSE && !reuses(k)))
		return 0;
	if (list == PINNED_PUSH)
		return k->unpushed ? 0 : k->wanted + pinned_fillers(k);
	n = PINNED_MOST_WAYS * pinned_ways(k, level_of(k, list));
	/* None comes twice where as many pass as push. */
	if (list == PINNED_UPPER && !k->unpushed &&
	    resident_lines_sets_known(pinned_cache(k, k->level - 1)) &&
	    n < k->wanted)
		n = k->wanted;
	return n;
}

/*
 * Lines of a level's set that a stride keeps in x's set of the lower level, too:
 * a few of them leave the other lines of that set alone.
 */
static size_t pick_few(const struct pinned *k, size_t index, uint64_t x,
		       uint64_t *to)
{
	size_t few = PINNED_MOST_WAYS * pinned_ways(k, index);

	if (!resident_lines_sets_known(pinned_cache(k, index)) ||
	    2 * few > pinned_ways(k, k->level))
		return 0;
	return pick(k, index, PINNED_FILL, x, to, few);
}

/* Lines of a set of a level further up, where too few are of it by now. */
static size_t add_upper(const struct pinned *k, size_t index,
			enum pinned_list list, uint64_t x, uint64_t *to,
			size_t have)
{
	uint64_t way = resident_lines_way_bytes(pinned_cache(k, index));
	size_t need = PINNED_MOST_WAYS * pinned_ways(k, index), n = have, more;
	uint64_t *others = to + have;

	for (size_t i = 0; i < have; i++)
		need -= need && to[i] % way == x % way;
	if (!need)
		return have;
	more = pick(k, index, list, x, others, need + have);
	for (size_t i = 0; need && i < more; i++)
		if (!is_in(to, have, others[i])) {
			to[n++] = others[i];
			need--;
		}
	return n;
}

/* Room for the lines of a list, and for those that are picked from. */
static size_t room_for(const struct pinned *k, enum pinned_list list,
		       size_t wanted)
{
	size_t room = wanted + 1;

	for (size_t i = 0; evicts_above(list) && wanted && i <= k->level; i++)
		room = 2 * room + PINNED_MOST_WAYS * pinned_ways(k, i);
	return room;
}

/* Lines to push and lines to fill are one list, in two parts. */
static int choose_list(const struct pinned *k, enum pinned_list list,
		       uint64_t x, struct pinned_place *at)
{
	size_t wanted = wanted_of(k, list), level, n;
	uint64_t *to = calloc(room_for(k, list, wanted), sizeof(*to));

	if (!to)
		return -ENOMEM;
	at->offsets[list] = to;
	if (!wanted)
		return 0;
	level = level_of(k, list);
	n = pick(k, level, list, x, to, wanted);
	if (n < wanted && list == PINNED_UPPER) {
		wanted = n = pick_few(k, level, x, to);
		at->few_upper = true;
	}
	if (n < wanted || !n)
		return -ERANGE;
	sequence_shuffle(&(struct sequence){ to, n }, &k->p->rng);
	/* The others clear levels above, but say nothing of the one right above. */
	if (list == PINNED_UPPER)
		at->passing = n;
	while (evicts_above(list) && level-- > 0)
		if (resident_lines_sets_known(pinned_cache(k, level)))
			n = add_upper(k, level, list, x, to, n);
	at->counts[list] = n;
	return 0;
}

/* Each line that pushes out, those that clear the levels above, and it again. */
static int reuse_lines(struct pinned_place *at)
{
	size_t lines = at->counts[PINNED_UPPER],
	       between = at->counts[PINNED_REUSE];
	uint64_t *once = at->offsets[PINNED_UPPER], *to;
	size_t n = 0;

	if (!between)
		return 0;
	to = calloc(lines * (between + 2) + 1, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < lines; i++) {
		to[n++] = once[i];
		memcpy(&to[n], at->offsets[PINNED_REUSE],
		       between * sizeof(*to));
		n += between;
		to[n++] = once[i];
	}
	free(once);
	at->offsets[PINNED_UPPER] = to;
	at->counts[PINNED_UPPER] = n;
	return 0;
}

static uint64_t choose_x(const struct pinned *k)
{
	const struct cache_result *c = pinned_cache(k, k->level - k->unpushed);
	struct prober *p = k->p;

	if (!resident_lines_sets_known(c))
		return c->set_lines[rng_below(&p->rng, c->set_line_count)];
	return p->arena_offset +
	       rng_below(&p->rng, p->arena_bytes / PAGE_BYTES) * PAGE_BYTES;
}

int pinned_place(struct pinned *k, struct pinned_place *at, struct failure *f)
{
	uint64_t x = choose_x(k);
	int error = 0;

	*at = (struct pinned_place){ .counts = { 1, 1 } };
	at->offsets[PINNED_X] = malloc(sizeof(x));
	at->offsets[PINNED_WORD] = malloc(sizeof(x));
	if (!at->offsets[PINNED_X] || !at->offsets[PINNED_WORD])
		return prober_out_of_memory(f);
	at->offsets[PINNED_X][0] = x;
	at->offsets[PINNED_WORD][0] = x ^ OTHER_WORD;
	error = choose_list(k, PINNED_PUSH, x, at);
	if (!error)
		error = choose_list(k, PINNED_UPPER, x, at);
	if (!error)
		error = choose_list(k, PINNED_OVER_HOLDER, x, at);
	if (!error)
		error = choose_list(k, PINNED_REUSE, x, at);
	if (!error)
		error = reuse_lines(at);
	if (error == -ENOMEM)
		return prober_out_of_memory(f);
	return error;
}

void pinned_release(struct pinned_place *at)
{
	for (int i = 0; i < PINNED_LISTS; i++) {
		free(at->offsets[i]);
		at->offsets[i] = NULL;
	}
}
