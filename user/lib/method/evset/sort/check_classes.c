// SPDX-License-Identifier: GPL-2.0
/* check_classes.c - controls that classes of lines have to pass. */
#include "method/evset/sort/sorting.h"

/* One line each of this many other classes is tried at once: among many more,
 * one miss is little.
 */
#define OTHERS 16
/* Sizes of sets that are tried, and attempts, until contention may have ended.
 */
#define SIZES 4
#define ATTEMPTS 12
#define TIMES 3

/* One line of each other class. */
static size_t choose_others(const struct evset_classes *c, size_t i,
			    const struct evset_set *set, size_t attempt,
			    uint64_t *others)
{
	size_t n = 0;

	for (size_t j = 0; j < c->count; j++) {
		size_t lines = evset_class_lines(c, j);
		uint64_t line;

		if (j == i || !lines)
			continue;
		line = c->lines[c->begin[j] + (i + attempt) % lines];
		if (!evset_holds(set->evictors, set->evictor_count, line))
			others[n++] = line;
	}
	return n;
}

/* One line alone is no set. */
static size_t fewer(size_t count, size_t by)
{
	return count > by + 2 ? count - by : 2;
}

/* Has each other class @lines lines? A class that was purified may have few
 * left.
 */
static bool others_have(const struct evset_classes *c, size_t i, size_t lines)
{
	for (size_t k = 0; k < c->count; k++)
		if (k != i && evset_class_lines(c, k) < lines)
			return false;
	return true;
}

/* Members of a class from @from on, beside lines of other classes. */
static struct evset_set choose_set(const struct evset_classes *c, size_t i,
				   size_t from)
{
	struct evset_set set = c->sets[i];
	size_t lines = evset_class_lines(c, i), others = c->count - 1;

	set.count = c->ways + 1;
	for (size_t j = 0; j < set.count; j++)
		set.lines[j] = c->lines[c->begin[i] + (from + j) % lines];
	if (!others || set.evictor_count > others * (c->ways / 2) ||
	    !others_have(c, i, (set.evictor_count + others - 1) / others))
		return set;
	for (size_t j = 0; j < set.evictor_count; j++) {
		size_t class = (i + 1 + j % others) % c->count;

		set.evictors[j] = c->lines[c->begin[class] + j / others];
	}
	return set;
}

/* Is none of some lines of the set? Among many lines, others may miss; then
 * halves are tried. A line that escapes notice once hardly does again.
 */
static int none_congruent(struct evset_oracle *o, const struct evset_set *set,
			  const uint64_t *lines, size_t n,
			  enum outcome *outcome, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	int error = 0;

	for (int i = 0; !error && verdict == VERDICT_COMPACT && i < TIMES; i++)
		error = evset_any_congruent(o, set, lines, n, false, &verdict,
					    f);
	*outcome =
		outcome_if(!error && verdict == VERDICT_COMPACT, OUTCOME_OPEN);
	if (error || *outcome == OUTCOME_DECIDED || n == 1)
		return error;
	error = none_congruent(o, set, lines, n / 2, outcome, f);
	if (error || *outcome != OUTCOME_DECIDED)
		return error;
	return none_congruent(o, set, lines + n / 2, n - n / 2, outcome, f);
}

/* Some lines of a class, at most half of a set, beside other lines of it that
 * are always the same: all are of one set, or the list fits.
 */
static struct evset_set choose_partly(const struct evset_classes *c, size_t i,
				      size_t from, size_t n)
{
	struct evset_set set = choose_set(c, i, 0);
	const uint64_t *lines = c->lines + c->begin[i];
	size_t filled = 0;

	for (size_t j = 0; j < n; j++)
		set.lines[filled++] = lines[from + j];
	for (size_t j = 0; filled <= c->ways; j++)
		if (j < from || j >= from + n)
			set.lines[filled++] = lines[j];
	return set;
}

/* The first lines of a class, which lists are made of, and its last lines,
 * which were sorted in another step. Whether each of the rest evicts the set
 * was tested when the classes were purified.
 */
static size_t next_members(const struct evset_classes *c, size_t from,
			   size_t lines, size_t half)
{
	bool rest = from >= EVSET_CHECKED_TIMES * c->ways &&
		    from + half < lines;

	return rest ? lines - half : from;
}

/* The lines that the class was found by are tested several times; of the others
 * it is enough that each is needed, once.
 */
static int check_choice(struct evset_oracle *o, const struct evset_classes *c,
			size_t i, size_t from, size_t n, size_t count,
			enum outcome *outcome, struct failure *f)
{
	struct evset_set set = choose_partly(c, i, from, n);
	int error;

	set.count = count;
	error = from ? evset_overflows(o, &set, false, outcome, f) :
		       evset_steadily_minimal(o, &set, outcome, f);
	/* Under contention, a line that is not of the set can escape the test
	 * that leaves out the last line only.
	 */
	if (!error && *outcome == OUTCOME_DECIDED)
		error = evset_needs_all(o, &set, outcome, f);
	return error;
}

/* Part by part. */
static int check_members(struct evset_oracle *o, const struct evset_classes *c,
			 size_t i, enum outcome *outcome, struct failure *f)
{
	size_t lines = evset_class_lines(c, i), half = (c->ways + 1) / 2;
	size_t tested = 0;
	int error = 0;

	*outcome = outcome_if(lines > c->ways, OUTCOME_OPEN);
	for (size_t from = 0;
	     !error && *outcome == OUTCOME_DECIDED && from < lines;
	     from += tested) {
		size_t n;

		from = next_members(c, from, lines, half);
		n = !from ? 0 : lines - from < half ? lines - from : half;
		*outcome = OUTCOME_OPEN;
		for (int k = 0;
		     !error && *outcome != OUTCOME_DECIDED && k < ATTEMPTS;
		     k++) {
			/* The size that gave the class, or one more or fewer.
			 */
			size_t count = k % SIZES ?
					       fewer(c->ways + 2, k % SIZES) :
					       c->sets[i].count;

			error = check_choice(o, c, i, from, n, count, outcome,
					     f);
			tested = n ? n : count;
			if (*outcome != OUTCOME_DECIDED &&
			    k % SIZES == SIZES - 1)
				evset_pause(o);
		}
	}
	return error;
}

/* If a neighbour has left a set, it has room for one line more: then lines of
 * other classes prove nothing.
 */
static int check_full(struct evset_oracle *o, const struct evset_classes *c,
		      const struct evset_set *set, enum outcome *outcome,
		      struct failure *f)
{
	*outcome = outcome_if(set->count > c->ways, OUTCOME_VOID);
	return *outcome == OUTCOME_DECIDED ?
		       0 :
		       evset_overflows(o, set, false, outcome, f);
}

/* No line of another class is of the set of class @i. */
static int check_others(struct evset_oracle *o, const struct evset_classes *c,
			size_t i, size_t attempt, enum outcome *outcome,
			struct failure *f)
{
	struct evset_set set = choose_set(c, i, attempt * c->ways);
	uint64_t others[EVSET_MOST_CLASSES];
	size_t n = choose_others(c, i, &set, attempt, others);
	int error;

	set.count = fewer(c->ways + 1, attempt % SIZES);
	error = check_full(o, c, &set, outcome, f);
	for (size_t k = 0; !error && *outcome == OUTCOME_DECIDED && k < n;
	     k += OTHERS) {
		error = none_congruent(o, &set, others + k,
				       n - k < OTHERS ? n - k : OTHERS, outcome,
				       f);
		if (!error && *outcome == OUTCOME_DECIDED)
			error = check_full(o, c, &set, outcome, f);
	}
	return error;
}

int evset_check_classes(struct evset_oracle *o, const struct evset_classes *c,
			size_t *bad, struct failure *f)
{
	int error = 0;

	for (*bad = 0; !error && *bad < c->count; ++*bad) {
		enum outcome outcome = OUTCOME_OPEN;

		error = check_members(o, c, *bad, &outcome, f);
		if (error || outcome != OUTCOME_DECIDED)
			break;
		outcome = OUTCOME_OPEN;
		for (size_t k = 0;
		     !error && outcome != OUTCOME_DECIDED && k < ATTEMPTS;
		     k++) {
			error = check_others(o, c, *bad, k, &outcome, f);
			if (outcome != OUTCOME_DECIDED)
				evset_pause(o);
		}
		if (outcome != OUTCOME_DECIDED)
			break;
	}
	return error;
}
