/* SPDX-License-Identifier: GPL-2.0 */
/* trial.h - what the files of the counters' self-test share. */
#ifndef PROBE_PHYS_METHOD_COUNTER_TRIAL_H
#define PROBE_PHYS_METHOD_COUNTER_TRIAL_H

#include "method/counter/selftest.h"

/** COUNTER_SAMPLES - of each trial; the median counts */
#define COUNTER_SAMPLES 9

/**
 * struct counter_bench - a counter under test
 * @p: measurement
 * @role: which
 * @check: what is known of it
 */
struct counter_bench {
	struct prober *p;
	enum machine_counter role;
	struct counter_check *check;
};

/**
 * struct counter_walk - events of known number
 * @view: where @s lies; NULL: in the machine's region
 * @s: what is walked
 * @plan: how; samples and counters are filled in
 */
struct counter_walk {
	struct view *view;
	const struct sequence *s;
	struct walk_plan plan;
};

/**
 * counter_sample() - undisturbed samples of a walk
 * @samples: (out) room for COUNTER_SAMPLES
 * @count: (out) those in which the counter ran
 * Return: 0, -EINTR, or another -errno with @f set.
 */
int counter_sample(struct counter_bench *b, const struct counter_walk *w,
		   struct sample *samples, size_t *count, struct failure *f);

/** counter_median() - of what @count samples have counted; 0 of none */
double counter_median(const struct sample *samples, size_t count,
		      enum machine_counter role);

/**
 * counter_try() - a trial
 * @least, @most: of the events of one sample
 * @what: printf-like
 * Return: as counter_sample(); a counter that is wrong is rejected in b->check.
 */
int counter_try(struct counter_bench *b, const struct counter_walk *w,
		double least, double most, struct failure *f, const char *what,
		...) __attribute__((format(printf, 6, 7)));

/** counter_reject() - printf-like reason; the first one stays */
void counter_reject(struct counter_check *check, enum counter_state state,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** counter_conclude() - believed, unless something speaks against it */
void counter_conclude(struct counter_check *check);

/* Trials of one kind of counter each. Return: as counter_sample(). */
int counter_try_cache(struct counter_bench *b, struct failure *f);
int counter_try_stores(struct counter_bench *b, struct failure *f);
int counter_try_cycles(struct counter_bench *b, struct failure *f);
int counter_try_loads(struct counter_bench *b, struct failure *f);
int counter_try_instructions(struct counter_bench *b, struct failure *f);
int counter_try_translations(struct counter_bench *b, struct failure *f);
int counter_try_code(struct counter_bench *b, struct failure *f);

/**
 * counters_tell_apart() - counters of two levels must differ somewhere
 * @upper: role of the level above
 * @lower: of the one below
 *
 * Where both are believed, sequences of growing length have to miss above and
 * to hit below at some length, and never to miss more below. Otherwise one of
 * the two counts another level, and neither is believed.
 */
int counters_tell_apart(struct prober *p, struct counter_checks *checks,
			enum machine_counter upper, enum machine_counter lower,
			struct failure *f);

/**
 * counter_pages() - a view of pages for walks that miss translations or code
 * @r: what is wanted; as many pages as were to be had afterwards
 * Return: 0 with *@view NULL when there are none; -errno with @f set.
 */
int counter_pages(struct prober *p, struct view_request *r, struct view **view,
		  struct failure *f);

/** counter_page_sequence() - a word in each of the first @count pages of a
 * view, in random order; 0 or -ENOMEM with @f set
 */
int counter_page_sequence(struct prober *p, const struct view *view,
			  size_t count, struct sequence *s, struct failure *f);

#endif
