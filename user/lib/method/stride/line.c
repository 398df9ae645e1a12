// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/level/xor_copies.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"

#define METHOD "x-ray"
/* Half of the loads would be hits of a level above. */
#define SURELY_LESS 0.9

/*
 * Copies, all in one set of each level above, of which at least one must miss
 * when each has @over lines too many: the levels above hold no more. 0: they do
 * not fit.
 */
static size_t copies_beyond(const struct xray *x,
			    const struct xray_level *level, size_t lines,
			    size_t over)
{
	uint64_t apart;
	size_t held = 0, copies;

	if (!x->upper_count)
		return 1;
	/* Copies clear the levels above row by row. */
	if (xray_is_below_hashed(x))
		return 0;
	apart = x->upper[x->upper_count - 1].way_bytes;
	for (size_t j = 0; j < x->upper_count; j++) {
		held += x->upper[j].ways;
		if (apart % x->upper[j].way_bytes)
			return 0;
	}
	copies = held / over + 1;
	for (size_t j = 0; j < x->upper_count; j++)
		while (copies * lines < xray_clearing(&x->upper[j]))
			copies++;
	/* More lines than the twin can follow cannot be distinguished from translation. */
	if (x->reference.twin_lines &&
	    2 * copies * lines > x->reference.twin_lines)
		return 0;
	return (copies - 1) * apart < level->way_bytes ? copies : 0;
}

/* So far apart that copies of one half, which end @end bytes into a line, do
 * not share lines with the other one where a line ends before that. Whole ways of
 * the levels above are, most of the time.
 */
static uint64_t spread(const struct xray_level *level, size_t copies,
		       uint64_t apart, uint64_t end)
{
	while (apart && apart < 2 * end &&
	       (copies - 1) * 2 * apart < level->way_bytes)
		apart *= 2;
	return apart;
}

/*
 * Copies of both halves together, in sets of their own of a level that adds its ways to
 * this one: those that share a set there would take that room from each other, and half
 * of the lines would not fit, either, parted or not. Only levels further up, which add
 * nothing, need them.
 */
static struct shape copies_below_victims(const struct xray *x,
					 const struct xray_level *level,
					 size_t adding, size_t lines)
{
	struct xray rest = *x;

	rest.upper_count -= adding;
	return xray_shape(&rest, level->way_bytes, lines);
}

/*
 * <<m0, T, a>, a * T + d, 2> with 2 * a > A: as long as d stays inside the line
 * both halves share a set, which is overfull; at d = B they part (section
 * 4.1.3, where a = A). Fewer than A lines leave room in each set for what an
 * adjacent-line prefetcher brings when the other half misses; it brings nothing
 * any more once all of them hit. Other orders find that state, but they find
 * those, too, in which a level above keeps some of the lines for good: @shaken
 * says whether the copies outweigh that.
 *
 * Lines of code that are fetched behind each one, hit or miss, do not end so: in a
 * set that has room for some of them the other half misses now and then (a Zen 4: 5
 * and 5 lines of 8 ways miss in anything from none to 5 of 10). So code has A - 1
 * lines, but where a set may have room for a few more than A (@few).
 */
static struct shape shifted_halves(const struct xray *x,
				   const struct xray_level *level,
				   uint64_t lead, uint64_t d, bool few,
				   bool *shaken)
{
	const size_t adding = xray_adding_levels(x, level);
	size_t least = level->ways / 2 + 1, a = least, copies = 0;
	struct shape upper;

	if (xray_is_timed_code(x) && !few && level->ways > least)
		least = level->ways - 1;
	/* The fewer lines, the more room; the more, the fewer copies. */
	for (a = least; !adding && !copies && a <= least + level->ways / 4; a++)
		copies = copies_beyond(x, level, a, 2 * a - level->ways);
	a = copies ? a - 1 : least;
	upper = adding ? copies_below_victims(x, level, adding, 2 * a) :
			 xray_shape(x, level->way_bytes, a);
	*shaken = copies;
	if (copies) {
		upper.inner = copies;
		upper.inner_stride =
			x->upper_count ?
				x->upper[x->upper_count - 1].way_bytes :
				0;
	}
	return (struct shape){ .inner_stride = a * level->way_bytes + d,
			       .inner = 2,
			       .stride = level->way_bytes,
			       .outer = a,
			       .copy_stride = spread(level, upper.inner,
						     upper.inner_stride,
						     lead + d),
			       .copies = upper.inner,
			       .lead = lead,
			       .folds = upper.folds };
}

/*
 * A policy may keep ways from lines that are visited in one order and give them
 * to the same lines in another one (tree-PLRU). Whether the first level has room
 * for more lines than was found is decided by a number of orders: lines which fit
 * after half of all orders fit after more than one of these, but for the error of
 * a decision. A non-compact verdict allows one (decision.c).
 */
static unsigned int orders_that_show_room(const struct xray *x)
{
	unsigned int n = 1;

	while ((n + 1) * exp2(-(double)n) > x->prober->rules.alpha)
		n++;
	return n;
}

/* Is the second half, @end bytes into it, in another line than the first one,
 * @lead bytes into it?
 */
static int parted(struct xray *x, const struct xray_level *level, uint64_t lead,
		  uint64_t end, enum verdict *verdict,
		  struct parameter *line_bytes, struct failure *f)
{
	const bool asks_for_room = !x->upper_count &&
				   end <= x->prober->word_bytes;
	struct reference shaken = x->reference;
	struct shape w = shifted_halves(x, level, lead, end - lead,
					asks_for_room, &shaken.shaken);
	struct evidence e;
	int error;

	shaken.control = xray_apart(x, level, &w);
	shaken.quiet_ticks = 0;
	shaken.few.outer = 0;
	if (asks_for_room)
		shaken.orders = orders_that_show_room(x);
	error = prober_compact(x->prober, &w, &shaken, verdict, &e, f);
	/* What fits after some orders has room. */
	if (!error && asks_for_room && e.bases_differ)
		*verdict = VERDICT_COMPACT;
	if (error == -ERANGE) {
		parameter_undecided(line_bytes, METHOD,
				    "not enough contiguous memory");
		*verdict = VERDICT_UNDECIDED;
		return 0;
	}
	if (!error && *verdict == VERDICT_UNDECIDED)
		parameter_undecided(
			line_bytes, METHOD,
			"no clear verdict at a shift from %llu to %llu bytes (%zu fast, %zu slow of %zu)",
			(unsigned long long)lead, (unsigned long long)end,
			e.decision.fast, e.decision.slow,
			e.decision.observations);
	return error;
}

/*
 * A line that is fetched may bring the following one along, or two of them: of lines
 * of B bytes, 2 * B then look like one line from its begin, or 3 * B, which is not
 * seen to end before 4 * B. It ends there where nothing parts from the quarter of
 * 4 * B on, which is the second line, but from its middle, which is in the first.
 * @bytes: (out) the line; 0: neither
 */
static int divide(struct xray *x, const struct xray_level *level,
		  uint64_t seeming, uint64_t *bytes,
		  struct parameter *line_bytes, struct failure *f)
{
	const uint64_t end = seeming / 4 * 3;
	const struct {
		uint64_t lead;
		enum verdict wanted;
	} from[] = { { 0, VERDICT_COMPACT },
		     { seeming / 4, VERDICT_NON_COMPACT },
		     { seeming / 8, VERDICT_COMPACT } };

	*bytes = seeming / 2;
	if (seeming / 8 < x->prober->word_bytes)
		return 0;
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		enum verdict verdict;
		int error = parted(x, level, from[i].lead, end, &verdict,
				   line_bytes, f);

		if (!error && verdict == from[i].wanted)
			continue;
		if (verdict == VERDICT_UNDECIDED || i)
			*bytes = 0;
		return error;
	}
	*bytes = seeming / 4;
	return 0;
}

static void say_neighbours(uint64_t seeming, struct parameter *line_bytes)
{
	parameter_undecided(
		line_bytes, METHOD,
		"a prefetcher brings neighbours along: %llu bytes look like one line from its begin, but not from its middle",
		(unsigned long long)seeming);
}

/*
 * The other end of the line: from its last words on, too, only the next line
 * parts. When the upper half of what seems a line reaches into the next one
 * (the halves are not parted there), the load of one line brings the next one
 * along, and the line ends where that begins.
 */
static int find_line_end(struct xray *x, const struct xray_level *level,
			 uint64_t seeming, struct parameter *line_bytes,
			 struct failure *f)
{
	enum verdict verdict;
	uint64_t bytes = 0;
	int error =
		parted(x, level, seeming / 2, seeming, &verdict, line_bytes, f);

	if (error || verdict == VERDICT_UNDECIDED)
		return error;
	if (verdict == VERDICT_COMPACT) {
		parameter_measured(line_bytes, (double)seeming, xray_bound(x),
				   METHOD);
		return 0;
	}
	if (seeming / 4 >= x->prober->word_bytes)
		error = parted(x, level, seeming / 4, seeming, &verdict,
			       line_bytes, f);
	if (error || verdict == VERDICT_UNDECIDED)
		return error;
	if (verdict == VERDICT_COMPACT)
		error = divide(x, level, seeming, &bytes, line_bytes, f);
	if (error)
		return error;
	if (!bytes) {
		say_neighbours(seeming, line_bytes);
		return 0;
	}
	parameter_measured(line_bytes, (double)bytes, xray_bound(x), METHOD);
	snprintf(
		line_bytes->reason, sizeof(line_bytes->reason),
		"a next-line prefetcher is at work: %llu bytes look like one line from its begin, but not from its middle",
		(unsigned long long)seeming);
	return 0;
}

/*
 * Lines longer than those of the level above may be two of them that a
 * prefetcher of a level above brings together, at each miss: then the second
 * one is there already.
 */
static int brought_along(struct xray *x, uint64_t apart, bool *brought,
			 struct failure *f)
{
	struct shape single = xray_control(x, 3), pairs;
	double together = 0, singly = 0;
	int error;

	/* The next pair may be no neighbour of this one. */
	while (single.inner == 1 && single.stride < 4 * apart)
		single.stride *= 2;
	error = prober_time(x->prober, &single, 0, &singly, f);
	pairs = single;
	pairs.copies = 2;
	pairs.copy_stride = apart;
	if (!error)
		error = prober_time(x->prober, &pairs, 0, &together, f);
	*brought = !error && together < SURELY_LESS * singly;
	return error;
}

static int check_neighbours(struct xray *x, struct parameter *line_bytes,
			    struct failure *f)
{
	uint64_t upper = x->upper[x->upper_count - 1].line_bytes;
	bool brought;
	int error;

	if (line_bytes->status != PARAMETER_MEASURED ||
	    line_bytes->value <= (double)upper)
		return 0;
	error = brought_along(x, (uint64_t)line_bytes->value / 2, &brought, f);
	if (error == -ERANGE) {
		parameter_undecided(
			line_bytes, METHOD,
			"%g bytes may be two lines that come together: pairs of them fall onto each other",
			line_bytes->value);
		return 0;
	}
	if (!error && brought)
		parameter_undecided(
			line_bytes, METHOD,
			"a prefetcher of a level above brings lines in pairs: %g bytes may be two lines",
			line_bytes->value);
	return error;
}

/* What no shift parts has but one set, whose ways are lines; in the first level
 * nothing but lines can be that short.
 */
static void report_unparted(const struct xray *x,
			    const struct xray_level *level, uint64_t shift,
			    struct parameter *line_bytes)
{
	if (!x->upper_count && shift == level->way_bytes &&
	    shift <= XRAY_LONGEST_LINE_FIRST)
		parameter_measured(line_bytes, (double)shift, xray_bound(x),
				   METHOD);
	else
		parameter_undecided(
			line_bytes, METHOD,
			"no shift up to a way parts the two halves");
}

/* No line is that short: a level above holds both halves, or, where there is
 * none, the set holds more lines than was found.
 */
static void report_too_short(const struct xray *x, struct xray_geometry *g,
			     struct parameter *line_bytes)
{
	parameter_undecided(line_bytes, METHOD,
			    "%zu lines do not get past the level above",
			    g->level.ways + 2);
	if (x->upper_count)
		return;
	g->found = false;
	g->seen_bytes = (g->level.ways + 1) * g->level.way_bytes;
	snprintf(
		g->reason, sizeof(g->reason),
		"%zu lines %llu bytes apart are not compact, more of them are after some other orders: a prefetcher or the policy keeps others",
		g->level.ways + 1, (unsigned long long)g->level.way_bytes);
}

int xray_find_line(struct xray *x, struct xray_geometry *g,
		   struct parameter *line_bytes, struct failure *f)
{
	const struct xray_level *level = &g->level;
	enum verdict verdict = VERDICT_NON_COMPACT;
	uint64_t least = x->prober->word_bytes, d = least / 2;
	int error = 0;

	while (!error && verdict == VERDICT_NON_COMPACT &&
	       d < level->way_bytes) {
		d *= 2;
		prober_progress(x->prober, "L%zu: line of more than %llu bytes",
				x->upper_count + 1, (unsigned long long)d / 2);
		error = parted(x, level, 0, d, &verdict, line_bytes, f);
	}
	if (error || verdict == VERDICT_UNDECIDED)
		return error;
	if (verdict == VERDICT_NON_COMPACT) {
		report_unparted(x, level, d, line_bytes);
		return 0;
	}
	if (d == least) {
		report_too_short(x, g, line_bytes);
		return 0;
	}
	error = find_line_end(x, level, d, line_bytes, f);
	if (!error && x->upper_count)
		error = check_neighbours(x, line_bytes, f);
	return error;
}
