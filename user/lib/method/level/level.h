/* SPDX-License-Identifier: GPL-2.0 */
/*
 * level.h - X-Ray (Yotov, Pingali, Stodghill: Automatic Measurement of Memory
 * Hierarchy Parameters) on a compactness criterion that survives today's
 * replacement policies.
 *
 * Section numbers in these files are those of the paper.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_LEVEL_H
#define PROBE_PHYS_METHOD_LEVEL_LEVEL_H

#include "base/gf2.h"
#include "method/level/xor_copies.h"
#include "method/probe/prober.h"
#include "result/result.h"

struct pushed;

/** XRAY_LEVEL_SHARE - of the progress; most machines have three levels */
#define XRAY_LEVEL_SHARE 0.3
/** XRAY_NEARLY_ALL - a set is cleared when so large a share of its lines miss
 * as of several times as many
 */
#define XRAY_NEARLY_ALL 0.93
/** XRAY_LEAST_STRIDE - no way of any cache is shorter */
#define XRAY_LEAST_STRIDE 16

/**
 * struct xray_level - a level whose geometry is known
 * @ways: A: lines of one set that are compact, with what levels above add
 * @way_bytes: T = C / A, the stride of the level
 * @line_bytes: B, 0: not known
 * @own: the level's own ways; 0: cannot be told from what levels above add
 * @clearing: lines in one set that leave none of them there; 0: @ways + 1,
 *            which is true of LRU
 * @masks: of a hashed level: its index, which is known; @way_bytes then is
 *         capacity / @ways and no stride. NULL: linear
 * @bytes: capacity, where @way_bytes is the period of a hash of few low bits:
 *         as far apart lines share a set, but sets are fewer; 0: @ways of
 *         @way_bytes
 */
struct xray_level {
	size_t ways;
	uint64_t way_bytes;
	uint64_t line_bytes;
	size_t own;
	size_t clearing;
	const struct index_function *masks;
	uint64_t bytes;
};

/** xray_level_bytes() - capacity of a level */
uint64_t xray_level_bytes(const struct xray_level *level);

/** xray_clearing() - lines in one set that leave none of them there */
size_t xray_clearing(const struct xray_level *level);

/**
 * struct xray - the measurement of one level
 * @prober: asks the machine
 * @upper: the levels above, nearest first
 * @upper_count: their number, 0 for the first level
 * @reference: hit and miss of this level
 * @hit_ticks: ticks per load of the control
 * @begin: stride with which the search for a geometry begins at least
 * @near: stride with which it begins while translations are missed at the
 *        usual one; 0: at that one
 * @pushed: below a hashed level that no folds get past: how lines are pushed out
 *          of it one by one (method/evict/evict.h); NULL: sequences are walked
 * @by_strides: (out) walked sequences told its geometry
 * @denied: the level's own counter counts misses where it is to hit
 * @drawn_before: alpha_drawn of the prober's budget when no test of this level had
 *                begun
 */
struct xray {
	struct prober *prober;
	const struct xray_level *upper;
	size_t upper_count;
	struct reference reference;
	double hit_ticks;
	uint64_t begin;
	uint64_t near;
	struct pushed *pushed;
	bool by_strides;
	bool denied;
	double drawn_before;
};

/** xray_bound() - sum of the errors of all tests of this level so far */
static inline double xray_bound(const struct xray *x)
{
	return budget_bound(&x->prober->budget, x->drawn_before);
}

/**
 * xray_prepare() - the measurement of the level below @count others, but for
 * its hit_ticks and counter
 * @known: those, nearest first
 */
void xray_prepare(struct xray *x, struct prober *p,
		  const struct xray_level *known, size_t count);

/**
 * xray_shape() - <m0, S, N> made to miss in all upper levels
 *
 * Section 5.1: <<m0, s, n>, S, N> with s = min T_j and
 * n = max ceil((A_j + 1) / N) * T_j / s over the upper levels j; n = 1 for
 * the first level. Where the policy of level j is not LRU, xray_clearing()
 * stands for A_j + 1; where S < T_j, only the rows that share a set count.
 * s is a larger T_j where that takes fewer copies.
 */
struct shape xray_shape(const struct xray *x, uint64_t stride, size_t count);

/**
 * xray_shape_holds() - the conditions of the transformation, as far as known
 *
 * Theorem 2: (n - 1) * s < min(T, S) and B <= s, for what is known of @level
 * (0 otherwise); Lemma 6 (b): not compact in any level above, counted set by
 * set rather than through (N - 1) * S > 2 * C_i, which serves a search from
 * below. @why: (out) in words, when it returns false
 */
bool xray_shape_holds(const struct xray *x, const struct shape *w,
		      const struct xray_level *level, char *why, size_t size);

/**
 * xray_control() - lines that miss in all upper levels and hit in this one
 * @multiple: how many times the ways of the level above
 *
 * That many lines in each of as few sets of the level above as make for as
 * many in one set of all levels above that one too, spread over this one.
 */
struct shape xray_control(const struct xray *x, size_t multiple);

/**
 * struct xray_geometry - what the search for a level's geometry found
 * @level: valid when @found
 * @found: the number of lines settled, and Theorem 1 holds around it
 * @hashed: no stride thrashes it, or verdicts depend on the base
 * @modulo: the sets are no power of two
 * @nested: a level above has the same sets: level.own is not known
 * @cramped: too little contiguous memory for the strides
 * @translation: translations that miss left it open
 * @unclear: lines conflict, but no verdict was come to on some of them
 * @takes: below a hashed level: as of xray_takes_victims()
 * @seen_bytes: the most that any repetition found, though others disagreed
 * @reason: in words, when not @found
 */
struct xray_geometry {
	struct xray_level level;
	bool found;
	bool hashed;
	bool modulo;
	bool nested;
	bool cramped;
	bool translation;
	bool unclear;
	enum verdict takes;
	uint64_t seen_bytes;
	char reason[256];
};

/**
 * xray_find_geometry() - associativity and way size (section 4.1.2)
 *
 * The length of the shortest non-compact sequence falls to A + 1 as the
 * stride grows to T and stays there. Looked for from above: first where it
 * stays, then the smallest stride where it still is. Needs the control of
 * x->reference and x->hit_ticks; sets its penalty. Where lines so far apart
 * miss translations, the search for the first level begins at smaller strides,
 * at which several lines share a page: below T, the length halves with each
 * doubling until it settles at T.
 * Return: 0, or -errno with @f set (-EINTR when stopped).
 */
int xray_find_geometry(struct xray *x, struct xray_geometry *g,
		       struct failure *f);

/**
 * xray_go_below() - get past a level that eviction sets told of
 *
 * What lies below a hashed level can be reached when lines that share a set of it
 * are known by their addresses: of a window, from now on.
 * @level: (out) when *@more
 * @more: (out) sequences get past it; left alone where too little is known
 * Return: 0 or -errno with @f set.
 */
int xray_go_below(struct xray *x, const struct cache_result *c,
		  struct xray_level *level, bool *more, struct failure *f);

/** xray_report_geometry() - what was found, once c->line_bytes is decided or not */
void xray_report_geometry(const struct xray *x, struct cache_result *c,
			  const struct xray_geometry *g);

/** xray_report_open() - that nothing was, and g->reason why */
void xray_report_open(const struct xray *x, struct cache_result *c,
		      const struct xray_geometry *g);

/** xray_report_rest_open() - nothing undisturbed to go on: what is finished stays */
void xray_report_rest_open(struct cache_result *c, const char *reason);

/**
 * xray_agree_on_geometry() - xray_find_geometry() until it is reproduced
 *
 * Several searches, tens of milliseconds apart: the answer counts when it
 * comes out three times and no other one does.
 * Return: as xray_find_geometry().
 */
int xray_agree_on_geometry(struct xray *x, struct xray_geometry *g,
			   struct failure *f);

/** xray_counter() - the counter that decides this level, as a bit; 0: time */
unsigned int xray_counter(const struct xray *x);

/** xray_counter_below() - the counter of the next level, as a bit; 0: there is none.
 * Nothing has shown yet that it counts what it is to count.
 */
unsigned int xray_counter_below(const struct xray *x);

/** xray_is_last_counted() - no counter is known for any level below this one */
bool xray_is_last_counted(const struct xray *x);

/**
 * xray_choose_counter() - the counter of this level, if it counts nothing for
 * the control, which hits here
 * Return: as xray_find_geometry().
 */
int xray_choose_counter(struct xray *x, struct failure *f);

/**
 * xray_try_missing() - whether a shape clearly misses, by the counter
 *
 * Where it does not, but time decides that it does, both are compared at the
 * same places. A counter that counts nothing where lines are slow is struck off:
 * then xray_counter() is 0 and the answer means nothing.
 * Return: as xray_find_geometry().
 */
int xray_try_missing(struct xray *x, const struct shape *w, bool *missing,
		     struct failure *f);

/**
 * xray_excess() - misses per load of a shape, by the counter or by time
 * @flags: as of prober_time()
 * @misses: (out) by time: what a load takes above a hit, in units of the
 *          penalty that x->reference has
 * Return: as prober_time().
 */
int xray_excess(struct xray *x, const struct shape *w, unsigned int flags,
		double *misses, struct failure *f);

/** xray_say_by() - note in the decided parameters what they were decided by */
void xray_say_by(const struct xray *x, struct cache_result *c);

/**
 * xray_find_slow() - a number of lines that is clearly slow at a stride
 * @stride: S
 * @slow_count: (out) that number, a power of two; 0: none is
 * @most_tried: (out) the most lines that were tried
 * Return: as xray_find_geometry().
 */
int xray_find_slow(struct xray *x, uint64_t stride, size_t *slow_count,
		   size_t *most_tried, struct failure *f);

/**
 * xray_find_penalty() - what a miss costs at least: x->reference's penalty_ticks
 * @stride: S, and shorter ones are looked at
 * @slow_count: as xray_find_slow() found it
 * Return: as xray_find_geometry(); a penalty of 0: slow only now and then.
 */
int xray_find_penalty(struct xray *x, uint64_t stride, size_t slow_count,
		      struct failure *f);

/**
 * xray_find_line() - line size (section 4.1.3)
 * @g: found before; found no more where more lines fit into a set of the first
 *     level than it says, once they were visited in other orders
 * @line_bytes: (out) the decided size
 * Return: as xray_find_geometry().
 */
int xray_find_line(struct xray *x, struct xray_geometry *g,
		   struct parameter *line_bytes, struct failure *f);

/**
 * xray_fits() - do most lines of a shape hit? Others' may take some places.
 * Return: 0; -EAGAIN: not seen undisturbed; another -errno with @f set.
 */
int xray_fits(struct xray *x, const struct shape *w, bool *fits,
	      struct failure *f);

/**
 * xray_check_capacity() - whether as much really fits as A * T says
 * @line_bytes: distance of the lines, at most the line size
 * @fits: (out) it does
 *
 * An index that folds high address bits onto low ones looks linear to strides
 * beyond the folded bits, with too long a way. Then A * T adjacent bytes do
 * not fit, and at least half of the lines miss under any policy.
 * Where that takes too long to stay undisturbed, all lines of some sets have to
 * do, chosen at random.
 * Return: as xray_find_geometry(); -ERANGE when the memory is too short, -EAGAIN
 * when nothing was undisturbed.
 */
int xray_check_capacity(struct xray *x, const struct xray_level *level,
			uint64_t line_bytes, bool *fits, struct failure *f);

/**
 * xray_verify() - Theorem 1 around an answer, and the level's own ways
 * @g: found by the search; found, modulo, nested and level.own are set
 *
 * In an exclusive hierarchy A lines of one set are its own ways and those of
 * the sets above; at T / 2 twice its own ways stand against once those above.
 * Return: as xray_find_geometry().
 */
int xray_verify(struct xray *x, struct xray_geometry *g, struct failure *f);

/**
 * xray_find_own_ways() - the level's own ways when another has the same sets
 * @level: own is set where it can be told
 * @reason: (out) otherwise
 */
int xray_find_own_ways(struct xray *x, struct xray_level *level, char *reason,
		       size_t size, struct failure *f);

/**
 * xray_look_between() - a level may lie between the last one and what the control
 * shows: then it is added, and left open
 * @next_ticks: of the control, which hits in a level; INFINITY: in memory
 * @found: (out) it was
 * Return: as xray_measure().
 */
int xray_look_between(struct xray *x, struct hierarchy *h, double memory_ticks,
		      double next_ticks, bool *found, struct failure *f);

/**
 * xray_effective_bytes() - capacity with that of exclusive levels above
 * Return: 0 when what the levels above add is not all of some of them.
 */
uint64_t xray_effective_bytes(const struct xray *x,
			      const struct xray_level *level);

/**
 * xray_find_clearing() - how many lines surely clear a set
 * @level: clearing is set
 * @clears: (out) false: the policy keeps some whatever comes
 */
int xray_find_clearing(struct xray *x, struct xray_level *level, bool *clears,
		       struct failure *f);

/** xray_compact() - prober_compact() of xray_shape(); undecided where the
 * conditions of the transformation do not hold
 */
int xray_compact(struct xray *x, uint64_t stride, size_t count,
		 enum verdict *verdict, struct evidence *e, struct failure *f);

/** xray_compact_shape() - the same of a shape made by xray_shape() */
int xray_compact_shape(struct xray *x, const struct shape *w,
		       enum verdict *verdict, struct evidence *e,
		       struct failure *f);

/** xray_say_undecided() - the reason for @verdict, in words */
void xray_say_undecided(struct xray_geometry *g, const struct evidence *e,
			uint64_t stride, size_t count);

/** xray_find_shortest() - shortest sequence that is not compact, by bisection
 * @high: not compact
 * @before: what it is at half the stride, 0: not known
 * @shortest: (out) 0: undecided, g->reason says why
 */
int xray_find_shortest(struct xray *x, uint64_t stride, size_t high,
		       size_t before, size_t *shortest, struct xray_geometry *g,
		       struct failure *f);

/** XRAY_MORE_ROOM - why a level is open that others have used, and what to do */
#define XRAY_MORE_ROOM                                                             \
	"one more than its ways fits later: somebody else held room while it was " \
	"measured (choose an idle --cpu, or take the core's other threads offline)"

/** XRAY_ENDED - why a level is open that nobody looked at again */
#define XRAY_ENDED \
	"ended before it was known whether somebody else held room there"

/**
 * struct xray_asked - how the geometry of a level was found, to ask again
 * @x: the measurement
 * @level: what was found; ways 0: nothing that can be asked again
 * @arena_offset: of its prober, at that time
 * @arena_bytes: the same
 * @found_ns: when it was, by the machine's clock
 */
struct xray_asked {
	struct xray x;
	struct xray_level level;
	uint64_t arena_offset;
	uint64_t arena_bytes;
	double found_ns;
};

/** xray_remember() - @level, as just found by @x */
void xray_remember(const struct xray *x, const struct xray_level *level,
		   struct xray_asked *asked);

/**
 * xray_look_later() - does one line more than its ways fit into a level?
 *
 * Then somebody else held room in each set while it was measured. Asked twice, once
 * at least some time after all of them were found, for who holds it may be there
 * still.
 * @asked: of one prober, nearest first
 * @doubted: (out) the first level into which it does; @count: none
 * Return: 0, -EINTR, other -errno with @f set.
 */
int xray_look_later(const struct xray_asked *asked, size_t count,
		    size_t *doubted, struct failure *f);

/** XRAY_ATTEMPTS - so often a level is measured that has more room later */
#define XRAY_ATTEMPTS 2

/** xray_leave_held() - what rests on the number of its ways, as far as it is told */
void xray_leave_held(struct cache_result *c, const char *reason);

/** xray_leave_open() - all of a level */
void xray_leave_open(struct cache_result *c, const char *reason);

/**
 * xray_next_level() - the level below those that are known, if there is one
 * @x: fresh from xray_prepare()
 * @level: (out) filled in when the next one can be measured
 * @memory_ticks: what a load of memory takes
 * @more: (out) whether to go on below it
 * Return: as xray_measure().
 */
int xray_next_level(struct xray *x, struct hierarchy *h,
		    struct xray_level *level, double memory_ticks, bool *more,
		    struct failure *f);

/**
 * xray_measure() - every data cache level that can be told, and memory
 *
 * Levels that turn out to have more room later are measured once more, with
 * those below them, and left open when it happens again.
 * @h: (out) results so far, also when it ends early; then ways of a level that are
 *     not known to be all of its ways are open
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int xray_measure(struct prober *p, struct hierarchy *h, struct failure *f);

/**
 * xray_measure_latency() - load-to-use latency of a level (section 4.2)
 *
 * From lines that miss above it. Only when a longer sequence of the same kind
 * takes the same time do all of them miss there and all hit here.
 * What is published is of lines of several sets of the level above in turn
 * (spread.h), without their translations; lines of one set, or of many in any
 * order, have to take as long.
 * @c: (out) latency_cycles and latency_ns
 * @steady: (out) it is at least not far from that
 */
int xray_measure_latency(struct xray *x, struct cache_result *c, bool *steady,
			 struct failure *f);

/** xray_time_lines() - ticks per load of a list of lines, in random order
 * @ticks: (out) lower quartile; NAN: nothing was undisturbed
 */
int xray_time_lines(struct prober *p, const uint64_t *lines, size_t count,
		    double *ticks, struct failure *f);

/**
 * xray_measure_memory() - of lines that were flushed from every cache
 *
 * That rests on the flush, which an emulator or a hypervisor may ignore: warm
 * and cold have to differ clearly.
 * @h: (out) memory latency, and the core cycle
 * @ticks: (out) what a load that misses everything takes; INFINITY: not known
 * Return: 0; -ENOMEM-like failure with @f set when there is too little memory;
 * as prober_time() otherwise.
 */
int xray_measure_memory(struct prober *p, struct hierarchy *h, double *ticks,
			struct failure *f);

#endif
