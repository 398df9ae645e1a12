/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inclusion_ask.h - the question of inclusion.h: does the first level keep a
 * line while others push it out of a level below?
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_INCLUSION_ASK_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_INCLUSION_ASK_H

#include "method/probe/prober.h"
#include "result/result.h"

/** QUESTION_LESS - x can add misses, not take away any: then something else is
 * different
 */
#define QUESTION_LESS (-0.25)

/**
 * struct question - the question, for one level
 * @p: asks the machine
 * @first: first level
 * @level: the level in question
 * @conflict: bytes between lines that share a set with x; 0: @lines do, and
 *            those are of one set
 * @lines: of them x is one and the others are the rest; @line_count
 * @between: of them between two reads of x
 * @reads: of x in a round
 * @unit: ticks that a lost x costs at least
 * @least: (out) share of the others that missed the level, the least seen:
 *         only when nearly all do x is surely pushed out of it
 * @most: (out) the most seen: above 1 they miss the level below, too
 * @beyond: (out) misses of a round, by the counter, beyond those of the others:
 *          x is not kept by the first level itself
 * @spread: (out) of misses of a round between samples: it loses lines at random
 * @drawn_before: alpha_drawn of the budget when no test of the level had begun
 */
struct question {
	struct prober *p;
	const struct cache_result *first;
	const struct cache_result *level;
	uint64_t conflict;
	uint64_t lines[RESULT_SET_LINES];
	size_t line_count;
	size_t between;
	size_t reads;
	double unit;
	double least;
	double most;
	double beyond;
	double spread;
	double drawn_before;
};

/** question_by_counter() - is it the first level's counter that answers? */
static inline bool question_by_counter(const struct question *x)
{
	return x->p->counters >> COUNTER_L1D_MISS & 1;
}

/** question_ticks_per_ns() - of the machine */
static inline double question_ticks_per_ns(const struct question *x)
{
	return x->p->m->timer.ticks_per_ns;
}

/** question_way_bytes() - capacity / ways */
static inline uint64_t question_way_bytes(const struct cache_result *c)
{
	return (uint64_t)(c->capacity_bytes.value / c->ways.value);
}

/** question_others() - lines that push x out, in a round */
static inline size_t question_others(const struct question *x)
{
	return x->between * x->reads;
}

/** question_span() - bytes from x to the last of the others, where these are a
 * stride apart
 */
static inline uint64_t question_span(const struct question *x)
{
	return (question_others(x) + 1) * x->conflict;
}

/** question_has_others() - are there as many lines? */
static inline bool question_has_others(const struct question *x)
{
	return x->conflict ? question_span(x) <= x->p->arena_bytes :
			     question_others(x) < x->line_count;
}

/** question_is_kept() - ask
 * @verdict: (out) VERDICT_COMPACT: x is never lost
 * Return: 0, -EINTR, other -errno with @f set.
 */
int question_is_kept(struct question *x, enum verdict *verdict,
		     struct failure *f);

#endif
