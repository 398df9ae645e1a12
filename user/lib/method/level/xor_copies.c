// SPDX-License-Identifier: GPL-2.0
/*
 * xor_copies.c - sequences that get past a hashed level whose masks are known.
 *
 * No stride puts lines into one set of such a level. Address bits that its
 * masks cancel do: XORed into any line they keep it in its set. XOR copies are
 * copies of each line by enough of them to clear that set; they take the place
 * of X-Ray's copies <m0, s, n> (section 5.1). As there, no two of a row may
 * share a set of the level below: they differ in address bits below those of
 * the stride, which no row changes.
 */
#include "method/level/tuning.h"
#include "method/level/xor_copies.h"

/* Copies of a control differ in address bits below this, if there are enough:
 * the sets of the level below span these bytes at least.
 */
#define CONTROL_BYTES (UINT64_C(64) * 1024)
/* Between its rows: other sets everywhere, and no neighbours of a line. */
#define CONTROL_STRIDE (17 * 64)
/* A page, and what no line is longer than. */
#define PAGE_BYTES 4096
#define LONGEST_LINE_BYTES 1024

bool xray_is_below_hashed(const struct xray *x)
{
	for (size_t j = 0; j < x->upper_count; j++)
		if (x->upper[j].masks)
			return true;
	return false;
}

/* Address bits that the sets of all hashed levels are known by. */
static uint64_t known_bits(const struct xray *x)
{
	uint64_t bits = x->prober->arena_bytes - 1;

	for (size_t j = 0; j < x->upper_count; j++) {
		const struct index_function *m = x->upper[j].masks;

		if (m)
			bits &= ((UINT64_C(2) << m->high_bit) - 1) &
				~((UINT64_C(1) << m->low_bit) - 1);
	}
	return bits;
}

void xray_null_space(const struct xray *x, struct gf2_space *null)
{
	struct gf2_space masks = { .rank = 0 };
	uint64_t bits = known_bits(x);

	for (size_t j = 0; j < x->upper_count; j++) {
		const struct index_function *m = x->upper[j].masks;

		for (size_t i = 0; m && i < m->rank; i++)
			gf2_add(&masks, m->masks[i] & bits);
	}
	gf2_null_space(&masks, bits, null);
}

/* Address bits from here on are not in the index of the first levels. */
static unsigned int first_free_bit(const struct xray *x)
{
	unsigned int bit = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		while (!x->upper[j].masks && bit + 1 < GF2_BITS &&
		       UINT64_C(1) << bit < x->upper[j].way_bytes)
			bit++;
	return bit;
}

static void add_copies(struct shape_folds *folds, uint64_t vector, size_t least)
{
	if (vector && (size_t)1 << folds->count < least &&
	    folds->count < SHAPE_MOST_FOLDS)
		folds->vectors[folds->count++] = vector;
}

/* Low vectors first, so that long strides have the same copies as short ones:
 * with different ones a row may have lines in half as many sets at twice the stride, as if
 * the way were twice as long.
 */
size_t xray_copies(const struct xray *x, uint64_t stride, size_t least,
		   struct shape_folds *folds)
{
	unsigned int end = stride ? gf2_low_bit(stride) : GF2_BITS;
	unsigned int free = first_free_bit(x);
	struct gf2_space null;

	*folds = (struct shape_folds){ .origin = x->prober->arena_offset };
	xray_null_space(x, &null);
	for (unsigned int bit = free; bit < end; bit++)
		add_copies(folds, null.rows[bit], least);
	for (unsigned int bit = free < end ? free : end; bit--;)
		add_copies(folds, null.rows[bit], least);
	return (size_t)1 << folds->count;
}

/* Copies that are enough for every hashed level. */
static size_t most_clearing(const struct xray *x)
{
	size_t most = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		if (x->upper[j].masks && xray_clearing(&x->upper[j]) > most)
			most = xray_clearing(&x->upper[j]);
	return most;
}

/* The least doubling of a stride that leaves @least copies below its lowest bit;
 * the copies are in @folds.
 */
static uint64_t find_copies(const struct xray *x, uint64_t stride, size_t least,
			    struct shape_folds *folds)
{
	while (xray_copies(x, stride, least, folds) < least &&
	       stride < x->prober->arena_bytes)
		stride *= 2;
	return stride;
}

uint64_t xray_least_copied_stride(const struct xray *x, uint64_t stride)
{
	struct shape_folds folds;

	return find_copies(x, stride, most_clearing(x), &folds);
}

size_t xray_copies_in_set(const struct shape_folds *folds,
			  const struct xray_level *level)
{
	size_t together = 1;

	if (level->masks)
		return (size_t)1 << folds->count;
	if (level->way_bytes & (level->way_bytes - 1))
		return 1;
	for (size_t i = 0; i < folds->count; i++)
		if (!(folds->vectors[i] & (level->way_bytes - 1)))
			together *= 2;
	return together;
}

struct shape xray_copied_shape(const struct xray *x, uint64_t stride,
			       size_t count)
{
	struct shape w = { .inner = 1, .stride = stride, .outer = count };

	xray_copies(x, stride, most_clearing(x), &w.folds);
	return w;
}

bool xray_copies_suffice(const struct xray *x)
{
	const struct xray_level *last = &x->upper[x->upper_count - 1];
	struct shape w = xray_copied_shape(x, 0, 1);

	return xray_copies_in_set(&w.folds, last) >= xray_clearing(last);
}

/* Rows of one set of a level above do what copies do not. */
static void add_rows(const struct xray *x, size_t multiple, uint64_t apart,
		     struct shape *w)
{
	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];
		size_t there = xray_copies_in_set(&w->folds, u);
		size_t rows = multiple * xray_clearing(u) / there;

		if (there >= xray_clearing(u))
			continue;
		while (apart % u->way_bytes && apart < x->prober->arena_bytes)
			apart *= 2;
		if (w->stride < apart)
			w->stride = apart;
		if (w->outer < rows)
			w->outer = rows;
	}
}

static struct shape copied_control(const struct xray *x, size_t multiple,
				   size_t least)
{
	struct shape w = { .inner = 1,
			   .stride = CONTROL_STRIDE,
			   .outer = multiple };
	uint64_t apart;

	if (!xray_copies_suffice(x))
		least *= MORE_FOLDS;
	apart = find_copies(x, CONTROL_BYTES, least, &w.folds);
	add_rows(x, multiple, apart, &w);
	return w;
}

/* Where all copies share a set of the first levels: the same in another one in the
 * same pages, and with each load the other (sequence_shuffle_shape()).
 */
static void take_turns(const struct xray *x, struct shape_folds *folds)
{
	uint64_t way = UINT64_C(1) << first_free_bit(x);

	if (way > PAGE_BYTES)
		way = PAGE_BYTES;
	for (size_t i = 0; i < folds->count; i++)
		if (folds->vectors[i] & (way - 1))
			return;
	if (way > LONGEST_LINE_BYTES && folds->count < SHAPE_MOST_FOLDS)
		folds->vectors[folds->count++] = way / 2;
}

struct shape xray_copied_control(const struct xray *x, size_t multiple)
{
	size_t least = most_clearing(x) * (multiple > 3 ? 2 : 1);
	struct shape w = copied_control(x, multiple, least);

	take_turns(x, &w.folds);
	return w;
}

struct shape xray_copied_reference(const struct xray *x)
{
	struct shape w = copied_control(x, 3, most_clearing(x));

	/* Else the rows are needed, and share sets. */
	if (w.stride == CONTROL_STRIDE)
		w.outer = 1;
	return w;
}

/* Parts of a row, of which the hashed level keeps the last one. */
static size_t phases_of(const struct xray *x, const struct shape *w)
{
	const struct xray_level *last = &x->upper[x->upper_count - 1];
	size_t phases = 2;

	while (((size_t)1 << w->folds.count) > phases * last->ways)
		phases *= 2;
	return phases;
}

/* Lines of a set that an exclusive level has of @rows rows, and one that is on
 * its way.
 */
static size_t left_below(size_t rows, size_t phases)
{
	return rows - rows / phases + 1;
}

/* In phases no fewer lines miss than otherwise, where it takes no victims. */
static int misses_alike(struct xray *x, const struct shape *w, bool *alike,
			struct failure *f)
{
	struct shape plain = *w;
	double in_phases = 0, otherwise = 0;
	int error = xray_excess(x, w, 0, &in_phases, f);

	plain.phases = 0;
	if (!error)
		error = xray_excess(x, &plain, 0, &otherwise, f);
	*alike = !error && in_phases >= XRAY_NEARLY_ALL * otherwise;
	return error;
}

int xray_takes_victims(struct xray *x, const struct xray_level *level,
		       enum verdict *takes, struct failure *f)
{
	const size_t rows[] = { level->ways + 1,
				level->ways + 1 + level->ways / 8 };
	bool alike = true;
	int error = 0;

	*takes = VERDICT_UNDECIDED;
	for (int i = 0; !error && i < 2; i++) {
		struct shape w =
			xray_copied_shape(x, level->way_bytes, rows[i]);
		enum verdict verdict;

		w.phases = phases_of(x, &w);
		if (left_below(rows[i], w.phases) > level->ways)
			break;
		error = prober_compact(x->prober, &w, &x->reference, &verdict,
				       NULL, f);
		if (!error && verdict == VERDICT_NON_COMPACT)
			error = misses_alike(x, &w, &alike, f);
		if (error || !alike || (i && verdict != *takes))
			verdict = VERDICT_UNDECIDED;
		*takes = verdict;
	}
	return error;
}

/* The same lines in several sets of the hashed level, until those above it are
 * cleared, too. Return: false: there are too few of these sets.
 */
static bool clear_above(const struct xray *x, const struct xray *inner,
			struct shape_folds *folds)
{
	struct gf2_space same;
	unsigned int bit = 0;

	xray_null_space(inner, &same);
	while ((CONTROL_BYTES >> bit) > 1)
		bit++;
	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];

		for (; xray_copies_in_set(folds, u) < 2 * xray_clearing(u);
		     bit++) {
			if (UINT64_C(1) << bit >= x->prober->arena_bytes ||
			    folds->count == SHAPE_MOST_FOLDS)
				return false;
			if (gf2_add(&same, UINT64_C(1) << bit))
				folds->vectors[folds->count++] = UINT64_C(1)
								 << bit;
		}
	}
	return true;
}

int xray_find_copies_clearing(struct xray *x, struct xray_level *level,
			      enum outcome *outcome, struct failure *f)
{
	struct xray_level upper[RESULT_MAX_LEVELS + 1];
	struct xray inner = *x;

	/* The copies are of the level itself. */
	for (size_t j = 0; j < x->upper_count; j++)
		upper[j] = x->upper[j];
	upper[x->upper_count] = *level;
	inner.upper = upper;
	inner.upper_count++;
	*outcome = OUTCOME_OPEN;
	for (size_t lines = level->ways + 1;
	     lines <= XOR_COPIES_TIMES * (level->ways + 1); lines *= 2) {
		struct shape w = { .inner = 1, .outer = 1 }, more = w;
		double excess = 0, most = 0;
		int error;

		find_copies(&inner, CONTROL_BYTES, lines, &w.folds);
		find_copies(&inner, CONTROL_BYTES, 4 * lines, &more.folds);
		if ((size_t)1 << more.folds.count < 4 * lines)
			return 0;
		level->clearing = (size_t)1 << w.folds.count;
		if (!clear_above(x, &inner, &w.folds) ||
		    !clear_above(x, &inner, &more.folds))
			return 0;
		error = xray_excess(x, &w, 0, &excess, f);
		if (!error)
			error = xray_excess(x, &more, 0, &most, f);
		if (error)
			return error;
		*outcome = outcome_if(excess >= XRAY_NEARLY_ALL * most,
				      OUTCOME_OPEN);
		if (*outcome == OUTCOME_DECIDED)
			return 0;
	}
	return 0;
}
