// SPDX-License-Identifier: GPL-2.0
/* reduce.c - from candidates to a minimal set, by bisection. */
#include "method/evset/minimal/minimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Before any member is found: this many in this part of the candidates. */
#define EXPECTED_MEMBERS 2
#define EXPECTED_SHARE 8
/* Wrong answers that a search may take back. */
#define MOST_RETURNS 20
/* Members, at most: several sets may overflow at once; all but one are left out
 * again.
 */
#define MOST_FOUND 256

/**
 * struct bisection - members among candidates, beside the members so far
 * @o: the oracle
 * @list: room for a question: members, then candidates, then evictors
 * @found: members, @found_count of them
 * @candidates: @upper of them suffice to be non-compact; @count in all
 * @evictors: @evictor_count lines beside
 * @returns: answers taken back
 * @begin: end of the part that is searched
 * @seen: members that lay behind @upper, or are expected to
 * @among: candidates behind @begin that the expected members lie among
 */
struct bisection {
	struct evset_oracle *o;
	uint64_t *list;
	uint64_t *found;
	size_t found_count;
	uint64_t *candidates;
	size_t count;
	size_t upper;
	const uint64_t *evictors;
	size_t evictor_count;
	int returns;
	size_t begin;
	size_t seen;
	size_t among;
};

/* Are the members and the first @prefix candidates, beside the evictors, not
 * compact?
 */
static int bisection_ask(struct bisection *s, size_t prefix,
			 enum verdict *verdict, struct failure *f)
{
	size_t n = s->found_count;

	memcpy(s->list, s->found, n * sizeof(*s->list));
	memcpy(s->list + n, s->candidates, prefix * sizeof(*s->list));
	n += prefix;
	if (s->evictor_count)
		memcpy(s->list + n, s->evictors,
		       s->evictor_count * sizeof(*s->list));
	n += s->evictor_count;
	return evset_ask(s->o, s->list, n, false, verdict, f);
}

/* @upper candidates are not compact beside the members; the distance between
 * members is not known.
 */
static void bisection_begin(struct bisection *s, size_t upper)
{
	s->upper = upper;
	s->begin = upper;
	s->seen = EXPECTED_MEMBERS;
	s->among = upper / EXPECTED_SHARE + 1;
}

/*
 * A prefix that is as likely too short as not, if the answer is longer than
 * @low (-1: it may be none) and no longer than @high.
 *
 * Members lie anywhere, @seen of them among the candidates behind; all numbers
 * of further members are equally likely. Then no member lies behind x with a
 * probability that goes as (end - x)^-seen.
 */
static ptrdiff_t split(const struct bisection *s, ptrdiff_t low, ptrdiff_t high)
{
	double end = (double)(s->begin + s->among);
	double behind = end - (double)high, seen = (double)s->seen, share = 0;
	ptrdiff_t at;

	if (low >= 0)
		share = pow(behind / (end - (double)low), seen);
	at = (ptrdiff_t)(end - behind * pow((1 + share) / 2, -1 / seen) + 0.5);
	return at <= low ? low + 1 : at >= high ? high - 1 : at;
}

/* Smallest prefix that is not compact; 0: the members are not. */
static int bisect(struct bisection *s, size_t *prefix, struct failure *f)
{
	ptrdiff_t high = (ptrdiff_t)s->upper, low = -1;
	enum verdict verdict = VERDICT_UNDECIDED;
	bool confirmed = false;
	int error = 0;

	while (!error && high - low > 1) {
		ptrdiff_t at = split(s, low, high);

		error = bisection_ask(s, (size_t)at, &verdict, f);
		if (verdict == VERDICT_NON_COMPACT) {
			high = at;
			confirmed = true;
		} else {
			low = at;
		}
	}
	*prefix = (size_t)high;
	/* Only an answer of an earlier search supports it. */
	if (!error && !confirmed) {
		error = bisection_ask(s, s->upper, &verdict, f);
		if (verdict != VERDICT_NON_COMPACT)
			*prefix = SIZE_MAX;
	}
	return error;
}

/* Back to a longer prefix, which has to be non-compact; else the search is open. */
static int go_back(struct bisection *s, enum outcome *outcome,
		   struct failure *f)
{
	size_t step = s->count / EXPECTED_SHARE + 1, upper = s->upper;
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	for (; !error && verdict != VERDICT_NON_COMPACT && upper < s->count;
	     step *= 2) {
		upper = s->count - upper > step ? upper + step : s->count;
		error = bisection_ask(s, upper, &verdict, f);
	}
	/* The members found since are not those that were missed. */
	bisection_begin(s, upper);
	s->among = step;
	if (verdict != VERDICT_NON_COMPACT || s->returns++ >= MOST_RETURNS)
		*outcome = OUTCOME_OPEN;
	return error;
}

/* The last candidate of a prefix whose shorter prefix is compact is a member.
 */
static void take(struct bisection *s, size_t prefix)
{
	s->found[s->found_count++] = s->candidates[prefix - 1];
	/* No line comes twice in a list. */
	memmove(s->candidates + prefix - 1, s->candidates + prefix,
		(s->count - prefix) * sizeof(*s->candidates));
	s->count--;
	s->seen++;
	s->upper = prefix - 1;
}

/* Members until they are not compact by themselves, beside the evictors: DECIDED.
 * OPEN: answers contradict each other too often.
 */
static int bisection_find_members(struct bisection *s, enum outcome *outcome,
				  struct failure *f)
{
	bool first = true;

	while (s->found_count < MOST_FOUND) {
		size_t prefix = 0;
		int error = bisect(s, &prefix, f);

		*outcome = OUTCOME_DECIDED;
		if (!error && prefix == SIZE_MAX)
			error = go_back(s, outcome, f);
		if (error || !prefix || *outcome != OUTCOME_DECIDED)
			return error;
		if (prefix == SIZE_MAX)
			continue;
		take(s, prefix);
		/* The distance of the first member from the end says nothing.
		 */
		if (first)
			bisection_begin(s, s->upper);
		first = false;
	}
	*outcome = OUTCOME_OPEN;
	return 0;
}

/* As bisection_ask(), once more if the answer is @doubtful: a wrong one would
 * discard all members.
 */
static int ask_twice(struct bisection *s, size_t prefix, bool doubtful,
		     enum verdict *verdict, struct failure *f)
{
	int error = bisection_ask(s, prefix, verdict, f);

	if (!error && (*verdict == VERDICT_NON_COMPACT) == doubtful)
		error = bisection_ask(s, prefix, verdict, f);
	return error;
}

/* Lines of other sets that overflow, too, or that wrong answers have added, are
 * left out.
 */
static int prune(struct bisection *s, struct failure *f)
{
	size_t all = s->found_count;
	int error = 0;

	for (size_t i = 0; !error && i < all; i++) {
		uint64_t first = s->found[0];
		enum verdict verdict = VERDICT_UNDECIDED;

		s->found_count--;
		memmove(s->found, s->found + 1,
			s->found_count * sizeof(*s->found));
		error = ask_twice(s, 0, true, &verdict, f);
		if (verdict != VERDICT_NON_COMPACT)
			s->found[s->found_count++] = first;
	}
	return error;
}

/* Are the members not compact beside @count evictors from @from on? */
static int ask_part(struct bisection *s, const struct evset_set *set,
		    size_t from, size_t count, enum verdict *verdict,
		    struct failure *f)
{
	s->evictors = set->evictors + from;
	s->evictor_count = count;
	return bisection_ask(s, 0, verdict, f);
}

/* An evictor without which the members are compact belongs to the set. */
static int clean_evictors(struct bisection *s, struct evset_set *set,
			  struct failure *f)
{
	size_t half = set->evictor_count / 2;
	enum verdict one = VERDICT_UNDECIDED, other = one;
	int error = ask_part(s, set, 0, half, &one, f);

	if (!error)
		error = ask_part(s, set, half, set->evictor_count - half,
				 &other, f);
	if (one == VERDICT_NON_COMPACT && other == VERDICT_NON_COMPACT)
		return error;
	for (size_t i = set->evictor_count; !error && i-- > 0;) {
		uint64_t line = set->evictors[i];
		enum verdict verdict = VERDICT_UNDECIDED;

		/* The last one takes its place while it is tried. */
		set->evictors[i] = set->evictors[set->evictor_count - 1];
		set->evictors[set->evictor_count - 1] = line;
		s->evictors = set->evictors;
		s->evictor_count = set->evictor_count - 1;
		error = ask_twice(s, 0, false, &verdict, f);
		if (error || verdict == VERDICT_NON_COMPACT ||
		    s->found_count == MOST_FOUND)
			continue;
		set->evictor_count--;
		s->found[s->found_count++] = line;
	}
	return error;
}

/* The candidates that are left are hardly of the same set, since each member
 * was needed: now they become the evictors, and the evictors candidates.
 */
static int exchange_evictors(struct bisection *s, struct evset_set *set,
			     enum outcome *outcome, struct failure *f)
{
	uint64_t *unknown = s->candidates + s->count;
	size_t known = s->count, unknown_count = s->evictor_count;
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	if (known > EVSET_MOST_EVICTORS)
		known = EVSET_MOST_EVICTORS;
	if (known > evset_evictors_wanted(s->o))
		known = evset_evictors_wanted(s->o);
	memcpy(set->evictors, s->candidates + s->count - known,
	       known * sizeof(*set->evictors));
	set->evictor_count = known;
	memmove(unknown, s->evictors, unknown_count * sizeof(*unknown));
	s->candidates = unknown;
	s->count = unknown_count;
	s->evictors = set->evictors;
	s->evictor_count = known;
	error = ask_twice(s, s->count, false, &verdict, f);
	*outcome = OUTCOME_OPEN;
	if (error || verdict != VERDICT_NON_COMPACT)
		return error;
	bisection_begin(s, s->count);
	return bisection_find_members(s, outcome, f);
}

int evset_reduce(struct evset_oracle *o, uint64_t *lines, size_t count,
		 struct evset_set *set, struct failure *f)
{
	struct bisection s = { .o = o };
	size_t evictors = o->upper_evictors > 1 ? evset_evictors_wanted(o) : 0;
	enum outcome outcome = OUTCOME_OPEN;
	int error;

	*set = (struct evset_set){ .count = 0 };
	if (count < 2)
		return 0;
	if (evictors > count / 2)
		evictors = count / 2;
	s.list = calloc(count + EVSET_MOST_EVICTORS + 2 * MOST_FOUND,
			sizeof(*s.list));
	if (!s.list)
		return prober_out_of_memory(f);
	/* The room for a question lies in front of the members. */
	s.found = s.list + count + EVSET_MOST_EVICTORS + MOST_FOUND;
	s.candidates = lines;
	s.count = count - evictors;
	s.evictors = lines + s.count;
	s.evictor_count = evictors;
	bisection_begin(&s, s.count);
	error = bisection_find_members(&s, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED && evictors)
		error = exchange_evictors(&s, set, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		error = prune(&s, f);
	if (!error && outcome == OUTCOME_DECIDED && evictors)
		error = clean_evictors(&s, set, f);
	if (!error && outcome == OUTCOME_DECIDED &&
	    s.found_count <= EVSET_MOST_WAYS + 1) {
		memcpy(set->lines, s.found, s.found_count * sizeof(*s.found));
		set->count = s.found_count;
	}
	free(s.list);
	return error;
}
