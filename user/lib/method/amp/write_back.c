// SPDX-License-Identifier: GPL-2.0
/*
 * write_back.c - does the first level keep a stored line until it is evicted?
 * The paper does not measure it; method/behaviour/write_back.h does, by time as well.
 *
 * Lines x are used so often that the first level keeps them while other lines
 * evict them from the second. Then they are stored to, or only loaded; evicted
 * from the second level again, in case stores are written through to it; and
 * then evicted from the first. Now the second level has x only if it was
 * written back.
 */
#include <math.h>
#include <stdlib.h>

#include "method/amp/share.h"
#include "method/amp/tuning.h"
#include "method/level/resident_lines.h"
#include "observe/sampler.h"

/* Number of lines x, and lines from one to the next. */
#define LINES_APART 4
/*
 * Multiple of the ways: more lines than any policy but random ones keeps out.
 */
#define TIMES_WAYS 3
/* Shares of the lines x. */
#define LOST 0.75
#define THERE 0.25

/**
 * struct lines - one placement, of lines whose sets hold nothing else
 * @x: lines to keep
 * @words: their words to store to
 * @push: lines of their sets in the second level, each between two uses of x
 * @evict: lines of their sets in the first level alone
 */
struct lines {
	struct sequence x;
	struct sequence words;
	struct sequence push;
	struct sequence evict;
};

/** enum fate - the accesses before x is loaded */
enum fate {
	FATE_PUSHED, /* evicted from the first level only */
	FATE_ONCE,   /*
 * evicted from the second once, then from the first: otherwise a policy that
 * keeps used lines would keep a line that was written through
 */
	FATE_CLEAN,  /* evicted from both, with a load between */
	FATE_STORED, /* the same, after a store */
	FATES,
};

/**
 * struct question - geometry of both levels
 * @space: of the second level
 * @way1, @way2: bytes of a way
 * @ways1, @ways2: number of ways
 * @apart: bytes from one line x to the next
 * @kept: number of lines x
 */
struct question {
	struct amp_space *space;
	uint64_t way1;
	uint64_t way2;
	size_t ways1;
	size_t ways2;
	uint64_t apart;
	size_t kept;
};

static struct shape room_of(const struct question *q)
{
	return (struct shape){ .inner = 1,
			       .stride = q->way2,
			       .outer = TIMES_WAYS * q->ways2 + 2 };
}

static void free_lines(struct lines *l)
{
	sequence_free(&l->x);
	sequence_free(&l->words);
	sequence_free(&l->push);
	sequence_free(&l->evict);
}

static void add(struct sequence *s, uint64_t offset)
{
	s->offsets[s->length++] = offset;
}

static int place(const struct question *q, struct lines *l, struct failure *f)
{
	const size_t pushers = TIMES_WAYS * q->ways2;
	const size_t evictors = TIMES_WAYS * q->ways1;
	const struct shape room = room_of(q);
	uint64_t base;

	if (!prober_choose_base(q->space->p, &room, &base))
		return fail(f, STATUS_FAILED, EAGAIN, "too little memory");
	l->x.offsets = calloc(q->kept, sizeof(uint64_t));
	l->words.offsets = calloc(q->kept, sizeof(uint64_t));
	l->push.offsets = calloc(q->kept * (2 * pushers + 1), sizeof(uint64_t));
	l->evict.offsets = calloc(q->kept * evictors, sizeof(uint64_t));
	if (!l->x.offsets || !l->words.offsets || !l->push.offsets ||
	    !l->evict.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < q->kept; i++) {
		const uint64_t x = base + i * q->apart;

		add(&l->x, x);
		add(&l->words, x + sizeof(uint64_t));
		add(&l->push, x);
		for (size_t j = 1; j <= pushers; j++) {
			add(&l->push, x + j * q->way2);
			add(&l->push, x);
		}
		for (size_t j = 0; j < evictors; j++)
			add(&l->evict,
			    x + resident_lines_evictor(q->way1, q->way2, j));
	}
	return 0;
}

/* Share of x that misses in the level of @counter. */
static int observe(const struct question *q, const struct lines *l,
		   enum fate fate, enum machine_counter counter, double *share,
		   struct failure *f)
{
	const struct walk_step pushed[] = {
		{ .kind = STEP_FLUSH, .lines = &l->x },
		{ .kind = STEP_LOAD, .lines = &l->x },
		{ .kind = STEP_LOAD, .lines = &l->evict },
	};
	const struct walk_step once[] = {
		{ .kind = STEP_FLUSH, .lines = &l->x },
		{ .kind = STEP_LOAD, .lines = &l->push },
		{ .kind = STEP_LOAD, .lines = &l->evict },
	};
	const struct walk_step lost[] = {
		{ .kind = STEP_FLUSH, .lines = &l->x },
		{ .kind = STEP_LOAD, .lines = &l->push },
		{ .kind = fate == FATE_STORED ? STEP_STORE : STEP_LOAD,
		  .lines = &l->words },
		{ .kind = STEP_LOAD, .lines = &l->push },
		{ .kind = STEP_LOAD, .lines = &l->evict },
	};
	const struct walk_plan plan = {
		.samples = PROBER_BLOCK_SAMPLES,
		.steps = fate == FATE_PUSHED ? pushed :
			 fate == FATE_ONCE   ? once :
					       lost,
		.step_count = fate == FATE_PUSHED || fate == FATE_ONCE ? 3 : 5,
	};
	const enum machine_counter usual = q->space->counter;
	struct readings r = { .count = 0 };
	int error;

	q->space->counter = counter;
	error = amp_misses(q->space, &l->x, &plan, &r, f);
	q->space->counter = usual;
	*share = r.count ? statistics_quantile(r.values, r.count, 0.5) : NAN;
	return error;
}

/*
 * One placement. @back: (out) 1: only stored lines are there; 0: no lines are;
 * NAN: void
 */
static int look(const struct question *q, double *back, struct failure *f)
{
	struct lines l = { .x = { .offsets = NULL } };
	double shares[FATES] = { NAN, NAN, NAN, NAN }, above = NAN;
	int error = place(q, &l, f);

	for (int i = 0; !error && i < FATES; i++)
		error = observe(q, &l, i, q->space->counter, &shares[i], f);
	/* Lines still in the first level would seem to be in the second. */
	if (!error)
		error = observe(q, &l, FATE_STORED, COUNTER_L1D_MISS, &above,
				f);
	free_lines(&l);
	*back = NAN;
	if (error || !(shares[FATE_PUSHED] <= THERE) ||
	    !(shares[FATE_ONCE] >= LOST) || !(shares[FATE_CLEAN] >= LOST) ||
	    !(above >= LOST))
		return error;
	if (shares[FATE_STORED] <= THERE)
		*back = 1;
	else if (shares[FATE_STORED] >= LOST)
		*back = 0;
	return 0;
}

static void leave(struct amp_parameter *to, const char *why)
{
	parameter_undecided(&to->p, AMP_METHOD, "%s", why);
}

/*
 * If stores were written through, stored and loaded lines would end alike, and
 * a difference would be chance: each placement halves its probability.
 */
static int decide(const struct amp_run *run, const struct question *q,
		  struct amp_parameter *to, struct failure *f)
{
	struct budget *budget = &q->space->p->budget;
	const double alpha = q->space->p->rules.alpha;
	const struct budget_scope scope = budget_open(budget);
	const bool may = budget_draw(budget, alpha);
	const double drawn = budget_close(budget, &scope);
	size_t back = 0, lost = 0, nothing = 0;
	double bound = 1;
	int error = 0;

	for (int i = 0; may && i < BACK_PLACES && bound > alpha && !lost &&
			nothing < FEW_VOID;
	     i++) {
		double seen;

		error = look(q, &seen, f);
		if (error)
			return error;
		amp_vote(to, seen);
		nothing += isnan(seen);
		lost += seen == 0;
		back += seen == 1;
		bound = pow(0.5, (double)back);
	}
	q->space->p->tests++;
	if (run->wanted->decision == AMP_BY_VOTES) {
		amp_elect(to);
	} else if (bound <= alpha && !lost) {
		amp_measured(&to->p, 1, drawn);
	} else if (lost) {
		leave(to,
		      "what was stored does not come back to L2: written through, or not taken there");
	} else {
		leave(to,
		      "lines that were not stored to are not lost for certain: L2 is inclusive, or takes them");
	}
	return 0;
}

static const char *prepare(const struct amp_run *run, struct amp_space *space,
			   const struct amp_geometry *g, struct question *q)
{
	const struct xray_level *first = &space->x.upper[0];
	uint64_t line = space->unit > first->line_bytes ? space->unit :
							  first->line_bytes;

	*q = (struct question){ .space = space,
				.way1 = first->way_bytes,
				.ways1 = first->ways,
				.way2 = g->size / g->ways,
				.ways2 = g->ways,
				.apart = LINES_APART * line };
	if (!space->p->m->flushes_lines)
		return "single lines cannot be flushed here";
	if (space->stores ||
	    run->checks->role[COUNTER_L1D_MISS].state != COUNTER_BELIEVED)
		return "loads that miss are not counted";
	if (q->way2 % q->way1 || q->way2 == q->way1)
		return "lines that share a set of L2 and lines that share one of L1 are the same";
	q->kept = q->way1 / q->apart < KEPT ? q->way1 / q->apart : KEPT;
	if (!q->kept)
		return "L1 has too few sets";
	if (resident_lines_evictor(q->way1, q->way2, TIMES_WAYS * q->ways1) +
		    q->way1 >
	    TIMES_WAYS * q->ways2 * q->way2)
		return "L1 holds too large a part of what L2 holds";
	return NULL;
}

int amp_find_write_back(const struct amp_run *run, struct amp_space *space,
			const struct amp_geometry *g, struct amp_row *first,
			struct failure *f)
{
	struct amp_parameter *to = &first->write_back;
	const uint64_t before = space->accesses;
	const unsigned int voids = space->voids;
	struct question q;
	const char *why = prepare(run, space, g, &q);
	int error;

	if (why) {
		leave(to, why);
		return 0;
	}
	amp_progress(space->p, first, "write-back");
	error = decide(run, &q, to, f);
	to->accesses = space->accesses - before;
	if (!error && space->voids > voids)
		/* The other parameters of this row were measured earlier. */
		amp_append(
			&to->p,
			" (l1d_miss or l2_miss did not run in %u observations: others use them)",
			space->voids - voids);
	return amp_cannot(to, error, f);
}
