// SPDX-License-Identifier: GPL-2.0
#include "method/set/query.h"

#include <errno.h>
#include <stdlib.h>

#include "method/set/asker.h"

/* Number of answers by which one must lead. */
#define LEAD 3
#define TOLERANCE 0.2
/* A flushed line must cost at least this share of a miss. */
#define LEAST_FLUSHED 0.5
/* Lines that make a set forget, per way. */
#define FORGET_PER_WAY 2

static bool flushes(const struct query *q)
{
	for (size_t i = 0; i < q->length; i++)
		if (q->accesses[i].flush)
			return true;
	return false;
}

static int check(const struct set_oracle *o, const struct query *q,
		 unsigned int others, struct failure *f)
{
	if (flushes(q) && !o->flushes_lines)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"query: this machine cannot flush single lines on the way (leave out !)");
	if (q->lines + others > o->blocks)
		return fail(
			f, STATUS_FAILED, ENOSPC,
			"query: %u lines and %u more to forget: only %u can be had (use fewer names)",
			q->lines, others, o->blocks);
	if (q->length + others > o->most_accesses)
		return fail(
			f, STATUS_FAILED, ENOSPC,
			"query: %zu accesses: at most %zu can be walked here (make it shorter)",
			q->length, o->most_accesses - others);
	return 0;
}

static int ask(struct set_asker *a, const struct cycle *c,
	       struct set_answer *answer, struct failure *f)
{
	int error = set_ask(a, c, answer, f);

	if (error == -EAGAIN)
		fail(f, STATUS_FAILED, EAGAIN,
		     "query: no undisturbed answer (the CPU is too busy: choose another with --cpu)");
	return error;
}

/**
 * struct steps - a cycle under construction, with room for all of it
 * @c: the cycle so far
 * @blocks: of @c
 * @flushes: of @c
 */
struct steps {
	struct cycle c;
	unsigned int *blocks;
	struct cycle_flush *flushes;
};

static int steps_begin(struct steps *s, size_t accesses, size_t most_flushes,
		       struct failure *f)
{
	*s = (struct steps){
		.blocks = calloc(accesses, sizeof(*s->blocks)),
		.flushes = calloc(most_flushes, sizeof(*s->flushes)),
	};
	s->c.blocks = s->blocks;
	s->c.flushes = s->flushes;
	if (s->blocks && s->flushes)
		return 0;
	return fail(f, STATUS_FAILED, ENOMEM,
		    "query: out of memory (free some)");
}

static void steps_free(struct steps *s)
{
	free(s->blocks);
	free(s->flushes);
}

static void step_access(struct steps *s, unsigned int block)
{
	s->blocks[s->c.length++] = block;
}

static void step_flush(struct steps *s, unsigned int block)
{
	s->flushes[s->c.flush_count++] =
		(struct cycle_flush){ .at = s->c.length, .block = block };
}

static void step_forget(struct steps *s, unsigned int first,
			unsigned int others)
{
	for (unsigned int i = 0; i < others; i++)
		step_access(s, first + i);
}

/*
 * The next visit to a flushed line loads it from memory. So all flushed lines
 * are flushed again at the end of a round: otherwise the next round pays for it
 * in one cycle, and the measured access in the other.
 */
static int ask_closed(struct set_asker *a, struct steps *s,
		      struct set_answer *answer, struct failure *f)
{
	size_t flushes = s->c.flush_count;
	int error;

	for (size_t i = 0; i < flushes; i++)
		step_flush(s, s->flushes[i].block);
	error = ask(a, &s->c, answer, f);
	s->c.flush_count = flushes;
	return error;
}

/* Misses that one more access adds. */
static int ask_access(struct set_asker *a, struct steps *s, unsigned int block,
		      struct set_query_answer *answer, struct failure *f)
{
	struct set_answer before = { .agreed = false }, after = before;
	int error = ask_closed(a, s, &before, f);

	step_access(s, block);
	if (!error)
		error = ask_closed(a, s, &after, f);
	*answer = (struct set_query_answer){
		.misses = after.misses - before.misses,
		.least = after.low - before.high,
		.agreed = before.agreed && after.agreed,
	};
	return error;
}

/*
 * Some emulators and hypervisors ignore flushes. A line that was just loaded
 * has to miss after one.
 */
static int prove_flush(struct set_asker *a, unsigned int others,
		       struct failure *f)
{
	struct set_query_answer answer = { .misses = 0 };
	struct steps s;
	int error = steps_begin(&s, others + 2, 2, f);

	if (!error) {
		step_forget(&s, 1, others);
		step_access(&s, 0);
		step_flush(&s, 0);
		error = ask_access(a, &s, 0, &answer, f);
	}
	steps_free(&s);
	if (!error && answer.least < LEAST_FLUSHED)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"query: a line that was flushed costs %.2f misses: flushing does nothing here, or too much disturbs (leave out !)",
			answer.misses);
	return error;
}

int set_query_run(const struct set_oracle *oracle, const struct query *q,
		  struct set_query_answer *answers, struct failure *f)
{
	unsigned int others = FORGET_PER_WAY * oracle->ways;
	struct set_asker asker = { .oracle = oracle,
				   .tolerance = TOLERANCE,
				   .lead = LEAD };
	struct steps s = { .blocks = NULL };
	int error = check(oracle, q, others, f);

	if (!error && flushes(q))
		error = prove_flush(&asker, others, f);
	if (!error)
		error = steps_begin(&s, q->length + others, 2 * q->length, f);
	if (!error)
		step_forget(&s, q->lines, others);
	for (size_t i = 0; !error && i < q->length; i++) {
		const struct query_access *access = &q->accesses[i];

		if (access->flush)
			step_flush(&s, access->line);
		else if (access->measured)
			error = ask_access(&asker, &s, access->line, answers++,
					   f);
		else
			step_access(&s, access->line);
	}
	steps_free(&s);
	return error;
}
