// SPDX-License-Identifier: GPL-2.0
/* page_oracle.c - do blocks of memory fit, all of their lines together? */
#include "method/evset/oracle/page_oracle.h"

#include <errno.h>
#include <math.h>

/* Fewer lines of a block are no better than single ones. */
#define LEAST_LINES 8
/* A class overflows in all of its sets at once, and misses in each of them. */
#define LEAST_SHARE 0.6
/* How many misses that are where it has been seen: half of them are enough. */
#define LEAST_USUAL 0.5
#define CLEARLY 0.5
#define LOOKS 6
#define AGREEING 2
/* Half of a list has to clear the levels above, whatever their policy. */
#define CLEARING 2
/* A moment's disturbance is over at once, others come for tenths of a second;
 * who stays for longer is not waited for.
 */
#define BAD_LOOKS 3
#define PAUSE_MS 10
#define MOST_PAUSES_EACH 60
/* Ten seconds in all. */
#define MOST_PAUSES 1000
/* Sorting asks some three hundred questions for each class. */
#define MOST_TESTS 24000
#define MOST_ACCESSES 3000000
/* Walks of them, on a machine that is slow. */
#define MOST_NS 12e9

/**
 * struct votes - undisturbed looks at a list
 * @fits: by so many it fits
 * @overflows: or overflows
 * @settled: the list had time to settle, once
 * @settles: it has to, in the next one
 */
struct votes {
	int fits;
	int overflows;
	bool settled;
	bool settles;
};

double evset_blocks_least(const struct evset_blocks *b)
{
	return fmax(LEAST_SHARE, LEAST_USUAL * b->usual_misses) *
	       (double)b->per_block;
}

/*
 * *clear: more looks will hardly tell anything else.
 *
 * A tree of 16 ways misses half as often in the first rounds of 17 lines as
 * later on: what misses and is too little votes once it had time to settle.
 */
static void vote(struct evset_blocks *b, const struct block_look *l,
		 bool settled, struct votes *v, bool *clear)
{
	const double least = evset_blocks_least(b) + l->doubt;
	const bool early = !settled && l->misses < least &&
			   l->misses >= CLEARLY * least;

	if (l->misses >= least) {
		v->overflows++;
		v->settled |= settled;
		b->misses = l->misses;
		*clear = v->settled && v->overflows >= v->fits + AGREEING;
	} else if (!early) {
		v->fits++;
		*clear = v->fits >= v->overflows + AGREEING ||
			 (!v->overflows && l->misses < CLEARLY * least);
	}
	v->settles = early || v->overflows > v->fits;
}

/* *again: it is worth another look. Return: 0 or -EAGAIN, where it is no more. */
static int wait_for_others(struct evset_blocks *b, int *pauses, bool *again)
{
	struct machine *m = b->e->x->prober->m;

	if (++b->pauses > MOST_PAUSES)
		return -EAGAIN;
	m->ops->pause(m, PAUSE_MS);
	*again = ++*pauses < MOST_PAUSES_EACH;
	return 0;
}

static bool is_spent(const struct evset_blocks *b)
{
	const struct machine *m = b->e->x->prober->m;

	return b->e->walked_ticks > MOST_NS * m->timer.ticks_per_ns ||
	       b->o.tests > b->most_tests || b->o.accesses > b->most_accesses;
}

static int blocks_compact(void *context, const uint64_t *blocks, size_t count,
			  bool surely, enum verdict *verdict, struct failure *f)
{
	struct evset_blocks *b = context;
	struct votes v = { .fits = 0 };
	bool clear = false, again = true;
	int error = 0, pauses = 0, bad = 0;

	(void)surely;
	b->e->x->prober->tests++;
	*verdict = VERDICT_UNDECIDED;
	if (is_spent(b) || count > EVSET_MOST_BLOCKS)
		return -EAGAIN;
	while (!error && again && !clear && v.fits + v.overflows < LOOKS) {
		bool settle = v.settles;
		struct block_look l;

		if (prober_stopped(b->e->x->prober))
			return -EINTR;
		error = evset_blocks_look(b, blocks, count, settle, &l, f);
		if (error)
			break;
		bad = l.undisturbed ? 0 : bad + 1;
		if (l.undisturbed)
			vote(b, &l, settle, &v, &clear);
		else if (bad >= BAD_LOOKS)
			error = wait_for_others(b, &pauses, &again);
	}
	if (v.fits || v.overflows)
		*verdict = v.overflows > v.fits ? VERDICT_NON_COMPACT :
						  VERDICT_COMPACT;
	return error;
}

void evset_blocks_allow(struct evset_blocks *b)
{
	b->most_tests = b->o.tests + MOST_TESTS;
	b->most_accesses = b->o.accesses + MOST_ACCESSES;
}

static void blocks_pause(void *context)
{
	const struct evset_blocks *b = context;

	evset_machine_pause(b->e);
}

bool evset_blocks_begin(struct evset_blocks *b, struct evset_machine *e,
			uint64_t line_bytes)
{
	size_t clearing = e->o.clearing ? e->o.clearing : 1;

	*b = (struct evset_blocks){
		.o = { .compact = blocks_compact,
		       .pause = blocks_pause,
		       .context = b,
		       .clearing = CLEARING * clearing },
		.e = e,
		.line_bytes = line_bytes,
		.per_block = e->low_bytes / line_bytes,
		.lines_each = 2 * clearing,
	};
	evset_blocks_allow(b);
	for (size_t i = 0; i < b->per_block && i < EVSET_BLOCK_LINES; i++)
		b->places[i] = i * line_bytes;
	return b->per_block >= LEAST_LINES &&
	       b->per_block <= EVSET_BLOCK_LINES &&
	       2 * b->o.clearing <= EVSET_MOST_PADDING;
}
