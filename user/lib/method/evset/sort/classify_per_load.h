/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classify_per_load.h - lines sorted by the set that they share, by what each
 * load takes.
 *
 * Where each load of a round is timed by itself, one walk tells of every line
 * whether its set overflows. Of random choices of lines in which about half of the
 * sets do, lines of one set are late in the same ones: each look at a thousand
 * lines says as much as a thousand questions about whole lists. It is the idea of
 * Prime+Probe, whose probes tell sets apart (Liu et al., S&P 2015), turned from
 * one set that is known to all sets of none.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_CLASSIFY_PER_LOAD_H
#define PROBE_PHYS_METHOD_EVSET_SORT_CLASSIFY_PER_LOAD_H

#include "method/evset/oracle/list_oracle.h"
#include "method/evset/sort/classes.h"

/** EVSET_NO_CLASS - of a line that is in none */
#define EVSET_NO_CLASS SIZE_MAX

/**
 * struct evset_looks - how late lines were, each time that they were looked at
 * @lines: lines
 * @room: looks, at most
 * @seen: by line: looks that it took part in
 * @when: by line, @room each: which ones these were
 * @late: by line, @room each: ticks by which it was later than the lines of that
 *        look were on the average
 */
struct evset_looks {
	size_t lines;
	size_t room;
	size_t *seen;
	size_t *when;
	double *late;
};

/** evset_looks_begin() - none yet. Return: 0 or -ENOMEM with @f set;
 * evset_looks_free() either way.
 */
int evset_looks_begin(struct evset_looks *l, size_t lines, size_t room,
		      struct failure *f);
void evset_looks_free(struct evset_looks *l);

/** evset_looks_add() - what one line was in look @look
 * @line: has taken part in fewer than l->room of them
 */
void evset_looks_add(struct evset_looks *l, size_t line, size_t look,
		     double late);

/** struct evset_mean - @late: the sum of some lines, by look; @count: of how many;
 * @mean: theirs
 */
struct evset_mean {
	double *late;
	double *count;
	double *mean;
};

/**
 * struct evset_growth - room for one class after the other
 * @l: what was seen
 * @mean: of the lines that are of the class so far
 * @like: by line, how much it is like these; room for as many
 * @is: by line: it is of the last class
 * @count: classes that have been grown
 * @next: the line that begins the next one, if it has no class
 * @vain: lines that were like no others: after many the looks were of no use
 */
struct evset_growth {
	const struct evset_looks *l;
	struct evset_mean mean;
	double *like;
	bool *is;
	size_t count;
	size_t next;
	size_t vain;
};

/** evset_growth_begin() - @l stays where it is meanwhile
 * Return: 0 or -ENOMEM with @f set; evset_growth_end() either way.
 */
int evset_growth_begin(struct evset_growth *g, const struct evset_looks *l,
		       struct failure *f);
void evset_growth_end(struct evset_growth *g);

/**
 * evset_grow_next() - one class more of lines that were late in the same looks
 * @least: fewer alike are no class
 * @class_of: (in, out) by line: its class, numbered from 0 on, or EVSET_NO_CLASS
 *
 * From a line and the few that are most like it: those that are like their mean
 * are the next ones that make it, until they stay the same.
 * Return: whether there is one.
 */
bool evset_grow_next(struct evset_growth *g, size_t least, size_t *class_of);

/**
 * evset_alike() - lines that were late in the same looks
 * @least: fewer alike are no class
 * @class_of: (out) by line: its class, or EVSET_NO_CLASS
 * @count: (out) classes
 *
 * Those that grow from each line that has none yet, then each line to the one that it
 * is most like.
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_alike(const struct evset_looks *l, size_t least, size_t *class_of,
		size_t *count, struct failure *f);

/**
 * evset_look_each() - what each of some lines takes in a round of them
 * @lines: @count of them, visited in random order
 * @rounds: that are timed
 * @late: (out) of each, ticks above the mean of all
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_look_each(struct evset_machine *e, const uint64_t *lines,
		    size_t count, unsigned int rounds, double *late,
		    struct failure *f);

/**
 * evset_look_first() - what each of the first @timed lines of a list takes
 * @timed: 1 to @count; the others are only loaded
 * @ticks: (out) of each that is timed, with what reading the timer takes
 * Return: as evset_look_each().
 */
int evset_look_first(struct evset_machine *e, const uint64_t *lines,
		     size_t timed, size_t count, unsigned int rounds,
		     double *ticks, struct failure *f);

/** EVSET_OVERFULL - lines that make their set overflow clearly: of many more, some
 * policies keep some for long
 */
#define EVSET_OVERFULL(ways) (3 * (ways) / 2 + 1)
/** EVSET_OVERFULL_ROUNDS - for evset_look_each(), when they do */
#define EVSET_OVERFULL_ROUNDS 40

/**
 * evset_middle() - ticks between lines of a set that overflows and others
 * @late: of @own lines of the set, then of others, @count in all
 * @sorted: room for as many
 * Return: INFINITY where the medians hardly differ: it does not overflow.
 */
double evset_middle(const struct evset_machine *e, const double *late,
		    size_t own, size_t count, double *sorted);

/**
 * struct evset_dealt - lines that are dealt out to classes
 * @lines: @count of them
 * @class_of: of each, or EVSET_NO_CLASS
 * @classes: their number
 * @ways: A of the level; 0: not known
 */
struct evset_dealt {
	const uint64_t *lines;
	size_t count;
	size_t *class_of;
	size_t classes;
	size_t ways;
};

/**
 * evset_overfill() - is each class one set, and none of the others?
 * @d: (in, out) lines that turn out to be of another class, or of none, are put
 *     there; a class that does not overflow alone is none
 * @good: (out) after that nothing was left to be put elsewhere
 *
 * All lines of one class together, with some of each other that fit: its own are
 * all late then, and no others.
 * Return: as evset_look_each().
 */
int evset_overfill(struct evset_machine *e, struct evset_dealt *d, bool *good,
		   struct failure *f);

/** evset_each_possible() - can the machine time single loads finely enough, and is
 * time what tells?
 */
bool evset_each_possible(const struct evset_machine *e);

/**
 * evset_each_gather() - lines to be dealt out, however large the level is
 * @align_bytes: they are at a random multiple of that in their blocks
 * @u: (out) prefix: too few for half of the sets to overflow; the caller frees lines
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_each_gather(struct evset_machine *e, uint64_t align_bytes,
		      struct evset_unsorted *u, struct failure *f);

/**
 * evset_classify_each() - evset_classify() by looks at each line
 * @c: (out) without minimal sets; c->apart: evset_overfill() has found it good.
 *     evset_classes_free() it, whatever is returned
 * Return: as evset_look_each().
 */
int evset_classify_each(struct evset_machine *e, const struct evset_unsorted *u,
			size_t ways, struct evset_classes *c,
			struct failure *f);

#endif
