// SPDX-License-Identifier: GPL-2.0
#include "method/sharing/tuning.h"
#include "method/sharing/unified.h"

#include <math.h>

#include "method/level/resident_lines.h"

/* All lines of large levels take long, and some of their sets are enough: those of
 * one line in ONE_IN at most, where the index leaves low address bits alone.
 * Where it does not, data do not push out what is loaded either: then all lines,
 * of levels no larger than this.
 */
#define MOST_BYTES (UINT64_C(2) << 20)
#define MOST_RANK 4
#define ONE_IN (1 << MOST_RANK)
/* Share of what is loaded that levels above may keep. */
#define MOST_KEPT 0.25
/* Lines that sweep the levels above, over what these have room for. */
#define TIMES_SWEPT 3
/* Frames of a guest's pages need not be contiguous beyond. */
#define GUEST_PAGE 4096

static uint64_t line_of(const struct unified *q)
{
	return (uint64_t)q->c->line_bytes.value;
}

static double loaded_lines(const struct unified *q)
{
	double lines = q->c->capacity_bytes.value / UNIFIED_PART_LOADED;

	return ldexp(lines / (double)line_of(q), -(int)q->even.rank) /
	       (q->other ? 2 : 1);
}

static bool is_even(const struct unified *q, uint64_t offset)
{
	for (unsigned int i = 0; i < GF2_BITS; i++)
		if (q->even.rows[i] && gf2_parity(q->even.rows[i], offset))
			return false;
	return true;
}

bool unified_sets_use(const struct unified *q, uint64_t offset)
{
	return is_even(q, offset) && !gf2_parity(q->other, offset);
}

bool unified_sets_are_other(const struct unified *q, uint64_t offset)
{
	return is_even(q, offset) && gf2_parity(q->other, offset);
}

bool unified_sets_linear(const struct unified *q)
{
	for (unsigned int i = 0; i < GF2_BITS; i++)
		if (q->even.rows[i] & (q->even.rows[i] - 1))
			return false;
	return true;
}

static void use_all(struct unified *q)
{
	q->other = 0;
	q->stride = line_of(q);
	q->even = (struct gf2_space){ .rank = 0 };
}

/* Every other one of those that are used. */
static void double_stride(struct unified *q)
{
	gf2_add(&q->even, q->stride);
	q->stride *= 2;
}

/* --- levels -------------------------------------------------------------- */

/* What distinguishes sets, as far as parities do. Return: false: not known. */
static bool sets_of(const struct unified *q, const struct cache_result *c,
		    struct gf2_space *sets)
{
	const struct index_function *m = &c->function;

	*sets = (struct gf2_space){ .rank = 0 };
	if (resident_lines_sets_known(c)) {
		uint64_t way = resident_lines_way_bytes(c);

		for (uint64_t bit = line_of(q); bit && way % (2 * bit) == 0;
		     bit *= 2)
			gf2_add(sets, bit);
		return true;
	}
	if (m->kind != INDEX_HASHED || m->nonlinear || !m->rank)
		return false;
	for (size_t i = 0; i < m->rank; i++)
		gf2_add(sets, m->masks[i]);
	return true;
}

/* Lines that are used and fit into a level above: some sets of this
 * one leave sets out there, or do not.
 */
static double room_of(const struct unified *q, const struct cache_result *c)
{
	struct gf2_space sets, both = q->even;
	double lines;

	if (!parameter_is_measured(&c->capacity_bytes))
		return INFINITY;
	lines = c->capacity_bytes.value / (double)line_of(q);
	if (!sets_of(q, c, &sets))
		return lines;
	for (unsigned int i = 0; i < GF2_BITS; i++)
		if (sets.rows[i])
			gf2_add(&both, sets.rows[i]);
	return ldexp(lines, (int)(both.rank - q->even.rank) - (int)sets.rank);
}

static double room_above(const struct unified *q, const struct hierarchy *h)
{
	double room = 0;

	for (const struct cache_result *c = h->caches; c < q->c; c++)
		room += room_of(q, c);
	return room;
}

static double kept_above(const struct unified *q, const struct hierarchy *h)
{
	return fmin(1, room_above(q, h) / loaded_lines(q));
}

/* --- lines of some sets -------------------------------------------------- */

/* Both of @a and of @b: orthogonal to all that is orthogonal to either. */
static void intersect(struct gf2_space *a, const struct gf2_space *b)
{
	struct gf2_space null, other;

	gf2_null_space(a, UINT64_MAX, &null);
	gf2_null_space(b, UINT64_MAX, &other);
	for (unsigned int i = 0; i < GF2_BITS; i++)
		if (other.rows[i])
			gf2_add(&null, other.rows[i]);
	gf2_null_space(&null, UINT64_MAX, a);
}

/* Bits of an offset below that of a physical address, for loads and for code. */
static uint64_t page_of(const struct unified *q)
{
	const struct machine *m = q->p->m;
	const struct region *r = &m->region;
	uint64_t page = q->code->request.page_bytes;

	if (r->page_bytes < page)
		page = r->page_bytes;
	if (m->virtual_machine && page > GUEST_PAGE)
		page = GUEST_PAGE;
	while (page > 1 && r->extent_count &&
	       (r->extents[0].phys - r->extents[0].offset) % page)
		page /= 2;
	return page;
}

/* Not too few: where sets duel for a policy, some of either side have to be among
 * them, or it becomes another one.
 */
static bool leaves_enough(const struct unified *q)
{
	double lines = loaded_lines(q);

	return (lines > ENOUGH_LINES && q->even.rank < MOST_RANK) ||
	       lines * UNIFIED_PART_LOADED > UNIFIED_LINES;
}

/* Lines that share the parities of @some, as far as they do not stay above. */
static void leave_out(struct unified *q, const struct hierarchy *h,
		      const struct gf2_space *some)
{
	for (unsigned int i = 0; i < GF2_BITS; i++) {
		struct gf2_space before = q->even;
		double kept;

		if (!some->rows[i] || !leaves_enough(q) ||
		    !gf2_add(&q->even, some->rows[i]))
			continue;
		kept = kept_above(q, h);
		if (kept > q->kept && kept > MOST_KEPT)
			q->even = before;
		else
			q->kept = kept;
	}
}

/* Of this level, as far as addresses in one page show them. Return: false: none. */
static bool sets_in_page(const struct unified *q, struct gf2_space *sets)
{
	struct gf2_space page = { .rank = 0 };

	if (!sets_of(q, q->c, sets))
		return false;
	for (uint64_t bit = 1; bit < page_of(q); bit *= 2)
		gf2_add(&page, bit);
	intersect(sets, &page);
	return sets->rank;
}

bool unified_sets_choose(struct unified *q, const struct hierarchy *h)
{
	struct gf2_space common[RESULT_MAX_LEVELS], above;
	size_t own = (size_t)(q->c - h->caches), first = own;

	use_all(q);
	q->kept = kept_above(q, h);
	if (!sets_in_page(q, &common[own]))
		return false;
	for (; first && sets_of(q, &h->caches[first - 1], &above); first--) {
		common[first - 1] = common[first];
		intersect(&common[first - 1], &above);
	}
	for (; first <= own; first++)
		leave_out(q, h, &common[first]);
	while (q->even.rows[gf2_low_bit(q->stride)] == q->stride)
		q->stride *= 2;
	return true;
}

/* --- lines of other sets -------------------------------------------------- */

/* All that distinguishes sets above, and sets that are used from those that are not. */
static bool sets_above(const struct unified *q, const struct hierarchy *h,
		       struct gf2_space *all)
{
	struct gf2_space sets;

	*all = q->even;
	for (const struct cache_result *c = h->caches; c < q->c; c++) {
		if (!sets_of(q, c, &sets))
			return false;
		for (unsigned int i = 0; i < GF2_BITS; i++)
			if (sets.rows[i])
				gf2_add(all, sets.rows[i]);
	}
	return true;
}

/* Memory that has @lines of other sets. */
static double swept_bytes(const struct unified *q, double lines)
{
	return ldexp(lines * (double)line_of(q), (int)q->even.rank + 1);
}

bool unified_sets_sweep(struct unified *q, const struct hierarchy *h)
{
	const double lines = TIMES_SWEPT * room_above(q, h);
	const double room_bytes = (double)q->p->m->region.bytes;
	struct gf2_space own, above;

	if (q->kept <= MOST_KEPT || !(swept_bytes(q, lines) <= room_bytes) ||
	    !sets_in_page(q, &own) || !sets_above(q, h, &above))
		return false;
	for (unsigned int i = 0; i < GF2_BITS; i++)
		if (own.rows[i] && gf2_reduce(&above, own.rows[i]))
			q->other = own.rows[i];
	q->kept = kept_above(q, h);
	q->swept_lines = (size_t)lines;
	return q->other;
}

/* --- some lines of each page --------------------------------------------- */

/* More lines where those that are left would stay in the levels above. */
void unified_sets_stride(struct unified *q, const struct hierarchy *h)
{
	uint64_t most = ONE_IN * line_of(q);

	for (use_all(q); loaded_lines(q) > ENOUGH_LINES && q->stride < most;)
		double_stride(q);
	while (loaded_lines(q) * UNIFIED_PART_LOADED > UNIFIED_LINES)
		double_stride(q);
	for (most = q->stride; most >= line_of(q); most /= 2) {
		for (use_all(q); q->stride < most;)
			double_stride(q);
		q->kept = kept_above(q, h);
		if (q->kept <= MOST_KEPT)
			break;
	}
}

bool unified_sets_all(struct unified *q, const struct hierarchy *h)
{
	if (!q->even.rank || q->c->capacity_bytes.value > MOST_BYTES)
		return false;
	use_all(q);
	q->kept = kept_above(q, h);
	return true;
}
