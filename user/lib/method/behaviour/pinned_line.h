/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pinned_line.h - lines that one level keeps while others push them out of a
 * level below, in steps: a line is used as often as one likes, and nothing
 * comes round again. (The sequence is ours, as that of inclusion.h.)
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_LINE_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_LINE_H

#include "method/probe/prober.h"
#include "result/result.h"

/** KEPT_LINES - kept at a time, in sets of their own, at most */
#define KEPT_LINES 8
/** KEPT_STEPS - before a sample, at most */
#define KEPT_STEPS 10
/** KEPT_SAMPLES - of one observation */
#define KEPT_SAMPLES 6

/**
 * struct kept - who keeps lines, and who loses them
 * @p: asks the machine
 * @h: what is known
 * @keeper: index of the level that keeps them, above
 * @level: index of the one that loses them
 * @alone: nothing pushes them out of that one: only KEPT_EVICT is needed
 * @count: (out) kept lines
 * @apart: (out) XORed into all lines of the first kept one: those of the others
 * @wanted: (out) lines of x's set of @level that are used to push x out
 * @avoids: (out) these are not of its sets further down, where those are known
 * @spares_below: (out) and all are known: they leave its place alone
 */
struct kept {
	struct prober *p;
	const struct hierarchy *h;
	size_t keeper;
	size_t level;
	bool alone;
	size_t count;
	uint64_t apart[KEPT_LINES];
	size_t wanted;
	bool avoids;
	bool spares_below;
};

/** enum kept_list - lines that have to do with x */
enum kept_list {
	KEPT_X,	    /* x */
	KEPT_WORD,  /* another word of x, to be stored to */
	KEPT_PUSH,  /* lines of its set of the level that loses it */
	KEPT_FILL,  /* others of that set, to fill it beforehand */
	KEPT_EVICT, /* of its set right above that level, but not of that one:
		     * they push it out of all levels above
		     */
	KEPT_SHED,  /* of its set right above the keeper, but not of that one:
		     * they push it out of the levels above the keeper
		     */
	KEPT_REUSE, /* of its sets above that level but one, and of no other:
		     * between two uses of a line of KEPT_EVICT, which the level
		     * right above so sees used again. Part of that list; only
		     * where that level is hashed and nothing is to push x out
		     */
	KEPT_LISTS,
};

/**
 * struct kept_place - one placement: lines of the first kept one
 * @offsets: by list
 * @counts: by list
 */
struct kept_place {
	uint64_t *offsets[KEPT_LISTS];
	size_t counts[KEPT_LISTS];
};

/**
 * struct kept_steps - what is done before the kept lines are walked
 * @steps: @count of them
 * @lines: of each
 * @failed: memory ran out
 */
struct kept_steps {
	struct walk_step steps[KEPT_STEPS];
	struct sequence lines[KEPT_STEPS];
	size_t count;
	bool failed;
};

/** kept_prepare() - Return: why it cannot be asked, or NULL and @k is ready */
const char *kept_prepare(struct kept *k);

/** kept_place() - anywhere
 * Return: 0; -ERANGE: too few lines; -ENOMEM with @f set. kept_release() in any
 * case.
 */
int kept_place(struct kept *k, struct kept_place *at, struct failure *f);
void kept_release(struct kept_place *at);

/** kept_make_room() - in the sets further down that lines of any placement may
 * be in, unless @k spares_below
 * @at: the first placement
 * Return: 0, -EINTR, other -errno with @f set.
 */
int kept_make_room(const struct kept *k, const struct kept_place *at,
		   struct failure *f);

/** kept_leave_room() - where a placement was, likewise. Return: as above */
int kept_leave_room(const struct kept *k, const struct kept_place *at,
		    struct failure *f);

/** kept_step() - for each kept line: @n lines of @list from number @from on */
void kept_step(const struct kept *k, const struct kept_place *at,
	       enum step_kind kind, enum kept_list list, size_t from, size_t n,
	       struct kept_steps *s);

/** kept_rounds() - for each kept line: the line is loaded, then @n lines of
 * @list, with a use of it that only the keeper sees between any two. Where there
 * are fewer lines they come again.
 */
void kept_rounds(const struct kept *k, const struct kept_place *at,
		 enum kept_list list, size_t n, struct kept_steps *s);

/** kept_observe() - per kept line, after the steps, which are released
 * @counter: a bit of prober.counters, 0: ticks
 * @values: (out) at most KEPT_SAMPLES
 * Return: 0, -EINTR, other -errno with @f set.
 */
int kept_observe(const struct kept *k, const struct kept_place *at,
		 struct kept_steps *s, unsigned int counter, double *values,
		 size_t *count, struct failure *f);

/** kept_present() - of lines that nothing has pushed out: after those of @list
 * have passed
 * @value: (out) per line, as kept_observe(); NAN: nothing was undisturbed
 */
int kept_present(const struct kept *k, const struct kept_place *at,
		 enum kept_list list, unsigned int counter, double *value,
		 struct failure *f);

/** kept_stray() - how far such lines are from hitting at @k->level
 *
 * By counters of that level and the one above, else by time.
 * @miss_ticks: what a miss costs at least
 * @stray: (in, out) the most, as a share of the lines
 */
int kept_stray(const struct kept *k, const struct kept_place *at,
	       double miss_ticks, double *stray, struct failure *f);

/** kept_counter() - of misses of level @index, a bit; 0: there is none */
unsigned int kept_counter(const struct kept *k, size_t index);

/**
 * struct kept_scale - what misses look like
 * @base: of a line that is there
 * @unit: what one adds at least
 */
struct kept_scale {
	double base;
	double unit;
};

/** enum kept_end - what became of kept lines */
enum kept_end {
	KEPT_UNCLEAR,
	KEPT_THERE,
	KEPT_LOST,
};

/** kept_end() - as far as samples tell */
enum kept_end kept_end(const double *values, size_t count,
		       const struct kept_scale *scale);

/**
 * struct kept_votes - placements, each of which says something by chance in one
 * case of two at most
 * @for_it: said so
 * @against: said the opposite
 * @nothing: said neither
 */
struct kept_votes {
	unsigned int for_it;
	unsigned int against;
	unsigned int nothing;
};

/** kept_draw() - from the prober's budget, what kept_surely() may err
 *
 * Before the first vote. Return: false: less is left.
 */
bool kept_draw(const struct kept *k);

/** kept_surely() - all of it is chance in one case of 1 / rules.alpha at most */
bool kept_surely(const struct kept *k, const struct kept_votes *votes);

/** kept_goes_on() - is another placement worth it? */
bool kept_goes_on(const struct kept *k, const struct kept_votes *votes);

#endif
