/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prober.h - the one question of X-Ray: is this sequence
 * compact?  Sampler, controls and decision put together.
 */
#ifndef PROBE_PHYS_METHOD_PROBE_PROBER_H
#define PROBE_PHYS_METHOD_PROBE_PROBER_H

#include <signal.h>

#include "base/rng.h"
#include "machine/machine.h"
#include "observe/trial.h"

/** enum prober_by - what may distinguish a hit from a miss */
enum prober_by {
	PROBER_BY_AUTO,	    /* counters where they are believed, else time */
	PROBER_BY_COUNTERS, /* the same, but there have to be some */
	PROBER_BY_TIME,
};

/**
 * struct prober - a measurement under way
 * @m: the machine
 * @rng: order and placement of everything
 * @rules: how sure a test has to be
 * @budget: what is left of the error; each trial draws from it
 * @arena_offset: start of the physically contiguous run that is used
 * @arena_bytes: its length
 * @word_bytes: room that one element of a sequence takes, in which no other one
 *              lies: 8 where elements are loaded, VIEW_SLOT_BYTES for jumps
 * @most_levels: levels of cache that are wanted
 * @mask_pairs: new pairs of lines that masks of an index have to predict
 * @stop: set by a signal handler; every test then ends with -EINTR. May be
 *        NULL.
 * @limit_s: how long each level of cache may be searched for, by the machine's
 *           clock; 0: as long as it takes
 * @until_ns: when that clock says so, what is under way ends as by @stop
 *            (time_limit.h); 0: never
 * @most_accesses: how many accesses the search of each level of cache may take; 0: as
 *                 many as it takes
 * @until_accesses: at that count of the machine, what is under way ends as by
 *                  @stop; 0: never
 * @done: share of the measurement that is behind, 0 to 1, as far as is
 *        known while the number of levels is not known
 * @progress: called now and then with what is being measured and @done; may be
 *            NULL
 * @progress_context: its argument
 * @tests: tests made
 * @by: what the user wants
 * @counters: those that have proved themselves, bits 1 << enum
 *            machine_counter; none before prober_trust_counters()
 * @pieces: whether the host splits a guest's contiguous memory into small pages:
 *          non-compact: each needs a translation of its own (method/level/host_pages.h); undecided: not known
 * @page_ticks: what each load of the machine's memory takes on top of its latency, since
 *              no first-level TLB holds pages of that size
 *              (method/level/page_share.h)
 * @sample_loads: loads of a sample where little disturbs; 0: PROBE_LOADS_PER_SAMPLE
 * @cycle_ticks: samples are taken at one frequency of the core's clock, where a cycle
 *               takes this many ticks (walk_plan.cycle_ticks); 0: at any
 * @sampled_loads: loads of all samples so far
 * @disturbed_samples: samples that were seen to be disturbed
 */
struct prober {
	struct machine *m;
	struct rng rng;
	struct decision_rules rules;
	struct budget budget;
	uint64_t arena_offset;
	uint64_t arena_bytes;
	uint64_t word_bytes;
	size_t most_levels;
	size_t mask_pairs;
	const volatile sig_atomic_t *stop;
	double limit_s;
	double until_ns;
	uint64_t most_accesses;
	uint64_t until_accesses;
	double done;
	void (*progress)(void *context, const char *what, double done);
	void *progress_context;
	uint64_t tests;
	enum prober_by by;
	unsigned int counters;
	enum verdict pieces;
	double page_ticks;
	unsigned int sample_loads;
	double cycle_ticks;
	double sampled_loads;
	uint64_t disturbed_samples;
};

/** prober_words() - sixty-four words in a row: what surely hits */
struct shape prober_words(const struct prober *p);

/** prober_begin() - on the longest extent of a machine */
void prober_begin(struct prober *p, struct machine *m, uint64_t seed);

/** prober_stopped() - whether what is under way is to end with -EINTR */
bool prober_stopped(const struct prober *p);

/** prober_count_samples() - remember how often samples are disturbed
 * @before: the machine's conditions before the walk that has just ended
 * @loads: of each of its samples
 */
void prober_count_samples(struct prober *p,
			  const struct machine_conditions *before,
			  uint64_t loads);

/**
 * prober_observe() - sampler_observe(), unless what is under way is to end
 * Return: 0; -EINTR; another -errno with @f set.
 */
int prober_observe(const struct prober *p, const struct sequence *s,
		   const struct walk_plan *plan, unsigned int counter,
		   struct readings *r, struct failure *f);

/** prober_trial() - one whose values are misses of a round and whose tests are
 * counted; what differs is set in it
 */
struct trial prober_trial(struct prober *p, const struct trial_ops *ops,
			  void *context);

/**
 * prober_loads() - loads of a sample such that few are disturbed
 * @usual: where little disturbs, and the most
 * @least: what prober_least_loads() says, or 0
 *
 * What is seen to disturb a sample has a share that is not seen. So where many
 * are, samples are made shorter, but not so short that how the clock is read
 * would count.
 */
unsigned int prober_loads(const struct prober *p, unsigned int usual,
			  double least);

/** prober_least_loads() - loads of a sample in which reading the clock adds
 * much less to each round of @length loads than one miss of @penalty_ticks
 */
double prober_least_loads(const struct prober *p, double length,
			  double penalty_ticks);

/** prober_load_ticks() - what a load of the machine's memory takes that hits where
 * the latency is @latency_ns
 */
static inline double prober_load_ticks(const struct prober *p,
				       double latency_ns)
{
	return latency_ns * p->m->timer.ticks_per_ns + p->page_ticks;
}

/** prober_out_of_memory() - say so. Return: -ENOMEM. */
int prober_out_of_memory(struct failure *f);

/** prober_progress() - say what is being measured */
void prober_progress(struct prober *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * prober_trust_counters() - have the machine's counters of cache misses prove
 * themselves, as far as p->by wants them
 *
 * Those that fail are struck off the machine's, with a note that says the
 * numbers. Return: 0; -ENOENT with @f set (STATUS_UNAVAILABLE) when p->by is
 * PROBER_BY_COUNTERS and none is left; other -errno with @f set.
 */
int prober_trust_counters(struct prober *p, struct failure *f);

/** prober_distrust() - strike one off, printf-like note included */
void prober_distrust(struct prober *p, unsigned int counter, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

/**
 * struct reference - what hits and misses of a level look like
 * @control: a shape that certainly hits in this level and misses in those
 *           above it
 * @penalty_ticks: what one miss costs at least
 * @page_bytes: when not 0, a non-compact verdict must not be explained by
 *              address translation: the twin of the sequence in pages of this
 *              size has to be compact
 * @line_bytes: line size of the first level, for the twin
 * @twin_lines: number of lines that fit into the first level anywhere: the twin of a
 *              sequence up to that length shows what its translations cost,
 *              and that is subtracted; 0: not known
 * @twin_ways: the same of each set, where sets repeat every @twin_way_bytes; 0: not
 *             known
 * @shaken: the lines are visited in several other orders first. A state in
 *          which all of them hit may be out of reach of one order, when misses
 *          bring lines that were not loaded (prefetchers).
 * @orders: the least number of placements of a non-compact verdict, each
 *          visited in orders of its own; 0: on as few as prober.rules allow
 * @shared: other threads of the core load into this level: what they disturb by time is
 *          looked at again
 * @code_bytes: elements are code; the most bytes that one fills. Their time
 *              depends on how many there are and where they lie: the control
 *              and what the twin is compared with follow the test in this; 0:
 *              loads
 * @quiet_ticks: code, by time: what an element of @control takes while no other thread
 *               of the core is busy, at one frequency of the clock; 0: not known
 * @few: code, by time: as @control, of fewer lines, for tests that are no longer: other
 *       work takes the more lines the more there are; .outer 0: none
 * @few_ticks: as @quiet_ticks, of @few
 * @counter: the counter of this level's misses, a bit 1 << enum
 *           machine_counter. One that is not in prober.counters, and 0, mean
 *           time. By a counter no @penalty_ticks is needed.
 */
struct reference {
	struct shape control;
	double penalty_ticks;
	uint64_t page_bytes;
	uint64_t line_bytes;
	size_t twin_lines;
	size_t twin_ways;
	uint64_t twin_way_bytes;
	bool shaken;
	unsigned int orders;
	bool shared;
	uint64_t code_bytes;
	double quiet_ticks;
	struct shape few;
	double few_ticks;
	unsigned int counter;
};

/**
 * struct evidence - what a verdict rests on
 * @decision: the state of the test when it ended
 * @bases_differ: some placements were clearly compact, others clearly
 *                non-compact: the index is not linear, or the machine changes
 * @translation: the twin was slow too: translations miss, not caches
 * @counted: decided by a counter, not by time
 * @refused: why the sequence was not walked at all; empty: it was
 */
struct evidence {
	struct decision decision;
	bool bases_differ;
	bool translation;
	bool counted;
	char refused[64];
};

/**
 * prober_twin_fits() - does the first level have room for the twin of a shape?
 *
 * XOR copies are many lines in few pages, whose twins share lines there.
 * Return: 0 or -ENOMEM with @f set.
 */
int prober_twin_fits(struct prober *p, const struct shape *w,
		     const struct reference *r, bool *fits, struct failure *f);

/** prober_sequence_twin_fits() - the same of a sequence, set by set */
int prober_sequence_twin_fits(struct prober *p, const struct sequence *s,
			      const struct reference *r, bool *fits,
			      struct failure *f);

/**
 * prober_translation() - what translations add to each load of a sequence
 * @r: of the level that it hits in
 * @ticks: (out) NAN: the first level has no room for the twin
 * Return: as prober_time().
 */
int prober_translation(struct prober *p, const struct sequence *s,
		       const struct reference *r, double *ticks,
		       struct failure *f);

/** PROBER_LONG_WARMUP - for prober_time(): rounds enough for policies that
 * seldom let a new line in (one in 32: algorithms budget 250)
 */
#define PROBER_LONG_WARMUP (1u << 31)
/** PROBER_TWICE - for prober_time(): first come rounds in other orders in which
 * each line is used twice, for policies that put a new line first in the queue
 * for eviction (LIP)
 */
#define PROBER_TWICE (1u << 30)
/** PROBER_ONCE - the same, each line once: where fewer lines miss then, it is not for
 * their being used twice (FIFO: as its queue has the reverse order)
 */
#define PROBER_ONCE (1u << 27)
/** PROBER_ONE_PLACE - for prober_time(): one placement, of sequences that take
 * seconds
 */
#define PROBER_ONE_PLACE (1u << 29)

/** PROBER_SHORT_WARMUP - rounds enough for lines that have been walked */
#define PROBER_SHORT_WARMUP (1u << 28)

/** PROBER_BLOCK_SAMPLES - of each placement */
#define PROBER_BLOCK_SAMPLES 8

/** prober_choose_base() - a random place of a shape in the arena. Return: false
 * when it does not fit there.
 */
bool prober_choose_base(struct prober *p, const struct shape *w,
			uint64_t *base);

/** prober_build() - a shape, placed and in random order. Return: 0; -ERANGE
 * when elements fall onto each other; -ENOMEM with @f set.
 */
int prober_build(struct prober *p, const struct shape *w, uint64_t base,
		 struct sequence *s, struct failure *f);

/** prober_plan() - how to walk @length elements: warm-up until policies have
 * settled, then PROBER_BLOCK_SAMPLES samples of @loads
 * @flags: enum walk_flags, PROBER_LONG_WARMUP or PROBER_SHORT_WARMUP
 */
struct walk_plan prober_plan(size_t length, unsigned int flags,
			     unsigned int loads);

/**
 * prober_time() - ticks per load of a shape, at a random place
 * @flags: enum walk_flags, PROBER_LONG_WARMUP
 * @ticks: (out) median over placements of the lower quartile of samples
 * Return: 0; -EINTR; -ERANGE when the arena is too small; other -errno with
 * @f set.
 */
int prober_time(struct prober *p, const struct shape *w, unsigned int flags,
		double *ticks, struct failure *f);

/** prober_time_sequence() - the same of a sequence where it lies, in its order
 * @ticks: (out) lower quartile of samples; NAN: none was undisturbed
 */
int prober_time_sequence(struct prober *p, const struct sequence *s,
			 unsigned int flags, double *ticks, struct failure *f);

/**
 * prober_misses() - what a counter says of a shape, at a random place
 * @flags: as of prober_time()
 * @counter: a bit of prober.counters
 * @per_round: (out) misses of one round, median and quartile as above
 * Return: as prober_time(); -EAGAIN when the counter never counted.
 */
int prober_misses(struct prober *p, const struct shape *w, unsigned int flags,
		  unsigned int counter, double *per_round, struct failure *f);

/**
 * prober_time_and_misses() - both of a shape at one random place
 *
 * The same lines in the same order are counted, timed and counted again.
 * @ticks: (out) lower quartile, per load
 * @misses: (out) of a round, by the median; the most of both times
 * Return: as prober_misses(), but without a reason for -EAGAIN.
 */
int prober_time_and_misses(struct prober *p, const struct shape *w,
			   unsigned int counter, double *ticks, double *misses,
			   struct failure *f);

/**
 * prober_compact() - decide whether a shape is compact
 * @verdict: (out)
 * @evidence: (out) may be NULL
 * Return: as prober_time().
 */
int prober_compact(struct prober *p, const struct shape *w,
		   const struct reference *reference, enum verdict *verdict,
		   struct evidence *evidence, struct failure *f);

#endif
