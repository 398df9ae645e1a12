/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pinned.h - does a level lose a line that a level above keeps?
 *
 * A pinned line is used so often that a level above, its holder, keeps it.
 * Meanwhile other lines of its set evict it from a level below, which never
 * sees those uses. All is done in steps before a sample (walk.h): a line can be
 * used as often as a test needs, and no line comes round again. (The sequence
 * is ours, as that of behaviour.h.)
 *
 * Each placement ends as a vote; a sign test over placements decides. Not
 * included from outside the folder. Functions return 0 or -errno.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_H

#include "method/probe/grain.h"
#include "method/probe/prober.h"
#include "result/result.h"

/** PINNED_LINES - at a time, in sets of their own, at most */
#define PINNED_LINES 8
/** PINNED_STEPS - before a sample, at most */
#define PINNED_STEPS 11
/** PINNED_STRAY - lines that have to hit in the level may be this far from a
 * hit, in misses
 */
#define PINNED_STRAY 0.25

/** enum pinned_side - where the line is looked for */
enum pinned_side {
	PINNED_HERE,  /* in the level that may lose it */
	PINNED_ABOVE, /* in its holder */
	PINNED_SIDES,
};

/**
 * struct pinned_scale - what misses of a level look like
 * @counter: of its misses, a bit of prober.counters; 0: ticks
 * @base: what a line reads that is there
 * @unit: what a miss adds at least
 * @beyond: what adds more is not in the level below either; INFINITY: not looked for
 */
struct pinned_scale {
	unsigned int counter;
	double base;
	double unit;
	double beyond;
};

/**
 * struct pinned_own - does the holder lose the line by itself?
 * @sum, @squares: of @count readings: half of what a line that it has lost takes longer,
 *                 less what the line does after others have passed, in ticks
 */
struct pinned_own {
	double sum;
	double squares;
	size_t count;
};

/**
 * struct pinned - a holder and a level below it
 * @p: measurement
 * @h: what is known
 * @holder: index of the level that keeps the line
 * @level: index of the level that may lose it
 * @unpushed: no line evicts it from that level; only PINNED_UPPER is needed
 * @clears_below: sets of lower levels are flushed before the first placement and
 *                after each one, unless @spares_below
 * @alone: pin one line, and decide by the mean of many samples, by time
 * @count: (out) pinned lines
 * @apart: (out) XORed into all lines of the first pinned one: those of the others
 * @wanted: (out) lines of the set of @level that evict the line
 * @avoids: (out) these are not of its sets further down, where those are known
 * @spares_below: (out) and all are known: they leave its place alone
 * @scales: (out) by enum pinned_side
 * @miss_ticks: (out) what a miss of @level costs at least
 * @assumed: (out) @miss_ticks is assumed, as the latency below is not known, until
 *           pinned_find_miss()
 * @off: (out) lines that have to hit in @level, by time
 * @own: (out) @alone: of all placements
 * @stray: (out) how far lines that have to hit in @level are from a hit, the most
 *         of all placements
 */
struct pinned {
	struct prober *p;
	const struct hierarchy *h;
	size_t holder;
	size_t level;
	bool unpushed;
	bool clears_below;
	bool alone;
	size_t count;
	uint64_t apart[PINNED_LINES];
	size_t wanted;
	bool avoids;
	bool spares_below;
	struct pinned_scale scales[PINNED_SIDES];
	double miss_ticks;
	bool assumed;
	struct stray off;
	struct pinned_own own;
	double stray;
};

/** enum pinned_list - the line x, and lines of its sets */
enum pinned_list {
	PINNED_X,     /* x */
	PINNED_WORD,  /* another word of x, to be stored to */
	PINNED_PUSH,  /* of its set of the level: they evict it there */
	PINNED_FILL,  /* others of that set, to fill it beforehand */
	PINNED_UPPER, /* of its set right above the level, but not of that one:
		       * they evict it from all levels above
		       */
	PINNED_OVER_HOLDER, /* of its set right above the holder, but not of that
			     * one: they evict it from the levels above the
			     * holder
			     */
	PINNED_REUSE, /* of its sets above the level but one, and of no other:
		       * they come between two uses of a line of PINNED_UPPER, so
		       * that the level right above sees the line used again.
		       * Part of that list; only where that level is hashed and
		       * nothing evicts x from the level
		       */
	PINNED_LISTS,
};

/**
 * struct pinned_place - one placement: lines of the first pinned one
 * @offsets: by list
 * @counts: by list
 * @passing: of PINNED_UPPER the first ones: they share all sets above with x, as
 *           lines that push may, and so show what the levels above do by
 *           themselves
 * @few_upper: these are few, and show that no more
 */
struct pinned_place {
	uint64_t *offsets[PINNED_LISTS];
	size_t counts[PINNED_LISTS];
	size_t passing;
	bool few_upper;
};

/**
 * struct pinned_steps - what is done before the pinned lines are walked
 * @steps: @count of them
 * @lines: of each
 * @failed: memory ran out
 */
struct pinned_steps {
	struct walk_step steps[PINNED_STEPS];
	struct sequence lines[PINNED_STEPS];
	size_t count;
	bool failed;
};

/** enum pinned_fate - what became of pinned lines */
enum pinned_fate {
	PINNED_UNCLEAR,
	PINNED_THERE,
	PINNED_LOST,
};

/**
 * struct pinned_votes - placements, each of which says something by chance in
 * one case of two at most
 * @for_it: said so
 * @against: said the opposite
 * @nothing: said neither
 */
struct pinned_votes {
	unsigned int for_it;
	unsigned int against;
	unsigned int nothing;
};

/** struct pinned_act - one way to treat the lines before they are looked for */
struct pinned_act {
	/* Steps of the placement. */
	void (*lay)(const struct pinned *k, const struct pinned_place *at,
		    const struct pinned_act *act, struct pinned_steps *s);
	enum pinned_side side; /* where the line is looked for */
	int how;	       /* what @lay makes of it */
	size_t before; /* lines that push before something happens ... */
	size_t after;  /* ... and after it */
};

/* --- pinned_prepare.c ------------------------------------------------------- */

/** pinned_prepare() - Return: why it cannot be measured, or NULL: @k is ready */
const char *pinned_prepare(struct pinned *k);

/* --- pinned_lines.c ------------------------------------------------------- */

/** PINNED_FILL_WAYS, PINNED_MOST_WAYS - lines of a set that fill it, and that
 * evict others whatever the order, times the ways
 */
#define PINNED_FILL_WAYS 2
#define PINNED_MOST_WAYS 3

/** enum pinned_shared - do two lines share a set? */
enum pinned_shared {
	PINNED_SHARED_NO,
	PINNED_SHARED_YES,
	PINNED_SHARED_UNKNOWN,
};

static inline const struct cache_result *pinned_cache(const struct pinned *k,
						      size_t index)
{
	return &k->h->caches[index];
}

static inline size_t pinned_ways(const struct pinned *k, size_t index)
{
	return (size_t)pinned_cache(k, index)->ways.value;
}

/** pinned_fillers() - lines that fill the set of the level */
static inline size_t pinned_fillers(const struct pinned *k)
{
	return PINNED_FILL_WAYS * pinned_ways(k, k->level);
}

/** pinned_share() - two lines, at these offsets, in a level */
enum pinned_shared pinned_share(const struct prober *p,
				const struct cache_result *c, uint64_t a,
				uint64_t b);

/** pinned_knows_sets() - does it, by a stride or by masks? */
bool pinned_knows_sets(const struct pinned *k, size_t index);

/** pinned_place() - choose lines anywhere
 * Return: -ERANGE: too few lines; -ENOMEM with @f set. pinned_release() in any
 * case.
 */
int pinned_place(struct pinned *k, struct pinned_place *at, struct failure *f);
void pinned_release(struct pinned_place *at);

/* --- pinned_steps.c ------------------------------------------------------- */

/** pinned_step() - for each pinned line: @n lines of @list from number @from on */
void pinned_step(const struct pinned *k, const struct pinned_place *at,
		 enum step_kind kind, enum pinned_list list, size_t from,
		 size_t n, struct pinned_steps *s);

/** pinned_step_all() - the same with all lines of a list */
void pinned_step_all(const struct pinned *k, const struct pinned_place *at,
		     enum step_kind kind, enum pinned_list list,
		     struct pinned_steps *s);

/** pinned_begin() - flush x and all lines that push, and fill the set
 *
 * Whatever comes is new to all levels, and so is what fills the set: lines that
 * hit there each time would keep their places.
 */
void pinned_begin(const struct pinned *k, const struct pinned_place *at,
		  struct pinned_steps *s);

/**
 * pinned_rounds() - each pinned line is loaded, then @n lines of @list (PINNED_PUSH,
 * or those of PINNED_UPPER that pass), with a use of it that only the holder sees
 * between any two
 *
 * The pinned lines take turns, so that none is left alone until the others are
 * done: what this computer itself loads meanwhile would push it out of its holder.
 * Where there are fewer lines of @list they come again.
 */
void pinned_rounds(const struct pinned *k, const struct pinned_place *at,
		   enum pinned_list list, size_t n, struct pinned_steps *s);

/** pinned_observe() - per pinned line, after the steps, which are released, and
 * after its page was translated once more
 * @counter: a bit of prober.counters, 0: ticks
 * @r: (out) at most PINNED_SAMPLES
 * Return: 0, -EINTR, other -errno with @f set.
 */
int pinned_observe(const struct pinned *k, const struct pinned_place *at,
		   struct pinned_steps *s, unsigned int counter,
		   struct readings *r, struct failure *f);

/** pinned_present() - of lines that nothing has evicted from the level: after
 * those of @list have passed
 * @value: (out) per line, as pinned_observe(); NAN: nothing was undisturbed
 */
int pinned_present(const struct pinned *k, const struct pinned_place *at,
		   enum pinned_list list, unsigned int counter, double *value,
		   struct failure *f);

/** pinned_time() - what the lines read after an act, by time: the mean of one line
 * @value: (out) NAN: nothing was undisturbed
 */
int pinned_time(const struct pinned *k, const struct pinned_place *at,
		const struct pinned_act *act, double *value, struct failure *f);

/** pinned_fate() - what became of the lines after an act */
int pinned_fate(const struct pinned *k, const struct pinned_place *at,
		const struct pinned_act *act, enum pinned_fate *fate,
		struct failure *f);

/** pinned_fates() - of two acts at one placement, in either order
 * @acts, @fates: two
 */
int pinned_fates(const struct pinned *k, const struct pinned_place *at,
		 const struct pinned_act *acts, enum pinned_fate *fates,
		 struct failure *f);

/* --- pinned_miss.c -------------------------------------------------------- */

/**
 * pinned_find_miss() - what a miss of the level costs, where that was assumed
 *
 * The least that pinned lines cost more, at several places, after lines have pushed
 * them out of the level and others out of the levels above. It stays assumed where
 * that is no more than the assumption: the level did not lose them, or lets them in
 * again.
 *
 * @k: prepared; may push
 * Return: 0; -EINTR; other -errno with @f set.
 */
int pinned_find_miss(struct pinned *k, struct failure *f);

/* --- pinned_stray.c ------------------------------------------------------- */

/** pinned_calibrate() - what lines read that are in the level, and how far they
 * are from hitting there: scales[PINNED_HERE].base and stray
 *
 * By counters of that level and the one above, else by time.
 */
int pinned_calibrate(struct pinned *k, const struct pinned_place *at,
		     struct failure *f);

/* --- pinned_leak.c -------------------------------------------------------- */

/**
 * pinned_leak() - does the holder lack the line right before a use now and then?
 *
 * A level that replaces lines in the order in which they came (FIFO) drops a line
 * that is used again and again, and the next use brings the line back into the
 * levels below. Whatever is found there then says nothing of what the holder does
 * with it.
 *
 * After lines that push, with uses between them, the line is looked for in the
 * holder, and compared with one that was just loaded; after one more pushing line
 * again, and so on for twice the holder's ways. A holder that drops the line
 * after a fixed number of fills, or at random, lacks it at one of as many moments
 * as it has ways. By the holder's counter of misses where there is one, else by
 * time. A wrong answer is a matter of one placement.
 *
 * @k: prepared; the latencies of the holder and of the level below it are known
 * @leaks: (out) the line is missing more often than at half of the moments at
 *         which a holder that drops lines would lack it
 * Return: 0; -EINTR; other -errno with @f set.
 */
int pinned_leak(const struct pinned *k, const struct pinned_place *at,
		bool *leaks, struct failure *f);

/* --- pinned_votes.c ------------------------------------------------------- */

/** pinned_count() - a placement votes: for it where the first line is there and
 * the second one is lost, against it the other way round
 */
void pinned_count(const enum pinned_fate *fates, struct pinned_votes *votes);

/** pinned_vote - a question to one placement, whose base is calibrated */
typedef int (*pinned_vote)(void *context, const struct pinned_place *at,
			   struct pinned_votes *votes, struct failure *f);

/** pinned_decide() - placements, until their votes are sure or say nothing
 *
 * The error is drawn from the prober's budget first; where less is left there
 * are no votes.
 * Return: -ERANGE: too few lines.
 */
int pinned_decide(struct pinned *k, pinned_vote vote, void *context,
		  struct pinned_votes *votes, struct failure *f);

/** pinned_surely() - are votes chance in one case of 1 / rules.alpha at most? */
bool pinned_surely(const struct pinned *k, const struct pinned_votes *votes);

#endif
