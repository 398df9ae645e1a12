// SPDX-License-Identifier: GPL-2.0
/* capacity.c - do all entries of an array fit, laid out in one row of pages? */
#include "method/tlb/finding.h"

/* The largest known array has half as many entries (Zen 5: 4096). */
#define MOST_ENTRIES 8192
/*
 * An odd stride visits all sets; no known array has a multiple of it in sets.
 */
#define ROW_STRIDE 17

/*
 * Whether @count groups @stride apart fit; if not, at least one in @unit pages
 * misses.
 */
static int fits(struct tlb_finding *s, uint64_t stride, size_t count,
		double unit, enum verdict *verdict, struct failure *f)
{
	const struct shape w = { .inner = 1, .stride = stride, .outer = count };
	int error = tlb_decide(s->x, &w, true, unit, verdict, f);

	if (error == -ERANGE) {
		*verdict = VERDICT_UNDECIDED;
		error = 0;
	}
	if (!error && *verdict == VERDICT_UNDECIDED)
		tlb_leave_open(s, stride, count, "no clear verdict");
	return error;
}

static uint64_t longest_row(const struct tlb_finding *s)
{
	uint64_t room = tlb_view_room(s->x->view);

	return room < MOST_ENTRIES ? room : MOST_ENTRIES;
}

static void answer(struct tlb_finding *s)
{
	s->g->sets = s->sets;
	s->g->ways = s->ways;
	s->g->entries = s->ways * s->sets;
	s->g->group = s->group;
	s->g->found = true;
}

/*
 * A hash spreads any row that begins where the view does evenly over the sets.
 * So a row of A * 2^k pages fits if there are at least 2^k sets, and with one
 * page more per set it does not.
 */
static int find_hashed(struct tlb_finding *s, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	uint64_t longest = longest_row(s), sets = 1;
	int error = 0;

	/*
	 * With more words than the first cache holds, a slow load may be a
	 * cache miss.
	 */
	if (longest > s->x->view->cached)
		longest = s->x->view->cached;

	if (s->group > 1) {
		tlb_leave_open(
			s, 1, s->ways * s->sets,
			"no room in a row, but adjacent pages go together");
		return 0;
	}
	while (2 * sets * s->ways <= longest) {
		error = fits(s, 1, 2 * sets * s->ways, 4, &verdict, f);
		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_NON_COMPACT)
			break;
		sets *= 2;
	}
	s->sets = sets;
	s->g->index = INDEX_HASHED;
	verdict = VERDICT_COMPACT;
	if (sets * (s->ways + 1) <= longest)
		error = fits(s, 1, sets * (s->ways + 1), (double)s->ways + 1,
			     &verdict, f);
	if (!error && verdict == VERDICT_NON_COMPACT)
		answer(s);
	else if (!error && verdict == VERDICT_COMPACT)
		tlb_leave_open(
			s, 1, sets * (s->ways + 1),
			"they fit, or are more than the first cache holds");
	return error;
}

/*
 * Another thread of the core that has come to take entries makes a row of a linear array
 * too long as well. Then it fits again later, or as many pages as ways no longer do.
 */
static int confirm_hashed(struct tlb_finding *s, uint64_t stride, size_t count,
			  struct failure *f)
{
	enum verdict row, set = VERDICT_UNDECIDED;
	int error = fits(s, stride, count, 4, &row, f);

	if (!error && row == VERDICT_NON_COMPACT)
		error = tlb_compact(s, s->g->conflict, s->ways, &set, f);
	s->g->found = !error && set == VERDICT_COMPACT;
	if (!error && !s->g->found)
		tlb_leave_open(
			s, stride, count,
			"no room at first, and room later, or none for as many as ways");
	return error;
}

/*
 * Hardware enters neighbouring pages as one only where their frames are
 * neighbours. That happens only in views that show no frame twice, and such
 * views are short.
 */
static uint64_t row_stride(const struct tlb_finding *s, uint64_t sets)
{
	const struct tlb_view *v = s->x->view;
	uint64_t stride = ROW_STRIDE;

	while (!v->narrow && stride > 1 &&
	       stride * (s->ways + 1) * sets > v->pages)
		stride -= 2;
	return stride;
}

int tlb_check_capacity(struct tlb_finding *s, struct failure *f)
{
	uint64_t sets = s->sets / s->group;
	uint64_t stride = s->group > 1 ? s->group : row_stride(s, sets);
	const bool seen = (s->ways + 1) * sets <= longest_row(s);
	enum verdict verdict = VERDICT_NON_COMPACT;
	int error = 0;

	if (seen)
		error = fits(s, stride, s->ways * sets, 4, &verdict, f);
	if (error || verdict == VERDICT_UNDECIDED)
		return error;
	if (verdict == VERDICT_NON_COMPACT) {
		error = find_hashed(s, f);
		return !error && seen && s->g->found ?
			       confirm_hashed(s, stride, s->ways * sets, f) :
			       error;
	}
	error = fits(s, stride, (s->ways + 1) * sets, (double)s->ways + 1,
		     &verdict, f);
	if (error || verdict == VERDICT_UNDECIDED)
		return error;
	s->sets = sets;
	if (verdict == VERDICT_NON_COMPACT)
		answer(s);
	else
		tlb_leave_open(s, stride, (s->ways + 1) * sets,
			       "they fit, against Theorem 1");
	return 0;
}
