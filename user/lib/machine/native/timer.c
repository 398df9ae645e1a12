// SPDX-License-Identifier: GPL-2.0
#include "machine/native/timer.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "base/statistics.h"

/* A clock that strays further than this from CLOCK_MONOTONIC_RAW between
 * intervals is not a clock: NTP never slews RAW, and counters that stop or
 * change rate with the core stray by percents.
 */
#define MAX_DISAGREEMENT 1e-3
#define INTERVALS 5
#define INTERVAL_NS 3000000
#define PAIRS 2000
#define READINGS 20
/* Blurs that are measured differ by as much from run to run. */
#define CLEARLY_FINER 0.8

#define NS_PER_S 1000000000L

static uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
static uint64_t tsc_start(const struct timer *t)
{
	uint64_t ticks;

	(void)t;
	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
}

static uint64_t tsc_stop(const struct timer *t)
{
	unsigned int aux;
	uint64_t ticks = __rdtscp(&aux);

	(void)t;
	_mm_lfence();
	return ticks;
}

/* LFENCE waits for the loads before it (Intel SDM volume 2; on AMD as Linux
 * sets it up), as RDTSCP does.
 */
static uint64_t tsc_fenced_stop(const struct timer *t)
{
	return tsc_start(t);
}

static bool has_rdtscp(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && d & 1U << 27;
}

static bool tsc_open(struct timer *t, char *reason, size_t size)
{
	(void)t;
	if (has_rdtscp())
		return true;
	snprintf(reason, size, "the CPU has no RDTSCP");
	return false;
}

/* Some hypervisors hide RDTSCP. */
static bool tsc_fenced_open(struct timer *t, char *reason, size_t size)
{
	unsigned int a, b, c, d;

	(void)t;
	if (has_rdtscp())
		snprintf(reason, size, "the CPU has RDTSCP");
	else if (!__get_cpuid(1, &a, &b, &c, &d) || !(d & 1U << 4))
		snprintf(reason, size, "the CPU has no TSC");
	else
		return true;
	return false;
}
#elif defined(__aarch64__)
static uint64_t cntvct_now(const struct timer *t)
{
	uint64_t ticks;

	(void)t;
	__asm__ volatile("isb; mrs %0, cntvct_el0; isb"
			 : "=r"(ticks)
			 :
			 : "memory");
	return ticks;
}

static bool cntvct_open(struct timer *t, char *reason, size_t size)
{
	(void)t;
	(void)reason;
	(void)size;
	return true;
}
#endif

static uint64_t clock_read(const struct timer *t)
{
	(void)t;
	return clock_now_ns();
}

static bool clock_open(struct timer *t, char *reason, size_t size)
{
	struct timespec now;

	(void)t;
	if (clock_gettime(CLOCK_MONOTONIC_RAW, &now) == 0)
		return true;
	snprintf(reason, size, "the kernel has no such clock");
	return false;
}

/* Cycles of this thread in user space, wherever it runs. */
static bool cycles_open(struct timer *t, char *reason, size_t size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	t->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (t->fd >= 0)
		return true;
	snprintf(reason, size, "perf: %s", strerror(errno));
	return false;
}

/* A counter that lost its place reads as end of file: it stands still then. */
static uint64_t cycles_read(const struct timer *t)
{
	uint64_t cycles = 0;

	if (read(t->fd, &cycles, sizeof(cycles)) != sizeof(cycles))
		return 0;
	return cycles;
}

struct candidate {
	const char *name;
	uint64_t (*start)(const struct timer *t);
	uint64_t (*stop)(const struct timer *t);
	bool (*open)(struct timer *t, char *reason, size_t size);
	bool second_hand;
};

static const struct candidate candidates[] = {
#if defined(__x86_64__)
	{ "rdtscp", tsc_start, tsc_stop, tsc_open, false },
	{ "rdtsc", tsc_start, tsc_fenced_stop, tsc_fenced_open, false },
#elif defined(__aarch64__)
	{ "cntvct", cntvct_now, cntvct_now, cntvct_open, false },
#endif
	{ "CLOCK_MONOTONIC_RAW", clock_read, clock_read, clock_open, true },
	{ "cycle counter", cycles_read, cycles_read, cycles_open, false },
};

#define CANDIDATES (sizeof(candidates) / sizeof(candidates[0]))
_Static_assert(CANDIDATES <= TIMER_MAX_CANDIDATES, "room in trials");

static void measure_overhead(struct timer *t)
{
	double pairs[PAIRS], step = INFINITY;
	uint64_t last = t->stop(t);

	for (int i = 0; i < PAIRS; i++) {
		uint64_t a = t->start(t);
		uint64_t b = t->stop(t);

		pairs[i] = (double)(b - a);
		if (a > last && (double)(a - last) < step)
			step = (double)(a - last);
		if (b > a && (double)(b - a) < step)
			step = (double)(b - a);
		last = b;
	}
	t->info.resolution_ticks = isfinite(step) ? step : 0;
	t->info.overhead_ticks =
		statistics_overhead(pairs, PAIRS, t->info.resolution_ticks);
	t->info.spread_ticks = statistics_quantile(pairs, PAIRS, 0.95) -
			       statistics_quantile(pairs, PAIRS, 0.05);
}

/* Both clocks at one moment: a reading between two of the reference, the
 * closest of several, since the thread may be away between any two of them.
 */
static void read_both(const struct timer *t, uint64_t *ticks, double *ns)
{
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = clock_now_ns(), now = t->stop(t);
		uint64_t after = clock_now_ns();

		if (after - before >= closest)
			continue;
		closest = after - before;
		*ticks = now;
		*ns = (double)before + (double)closest / 2;
	}
}

static void wait_interval(void)
{
	uint64_t begun = clock_now_ns();

	while (clock_now_ns() - begun < INTERVAL_NS)
		;
}

static void measure_rate(struct timer *t)
{
	double rates[INTERVALS], sum = 0, worst = 0;

	for (int i = 0; i < INTERVALS; i++) {
		uint64_t t0 = 0, t1 = 0;
		double ns0 = 0, ns1 = 0;

		read_both(t, &t0, &ns0);
		wait_interval();
		read_both(t, &t1, &ns1);
		rates[i] = (double)(t1 - t0) / (ns1 - ns0);
		sum += rates[i];
	}
	t->info.ticks_per_ns = sum / INTERVALS;
	for (int i = 0; i < INTERVALS; i++) {
		double off = fabs(rates[i] / t->info.ticks_per_ns - 1);

		if (!(off <= worst))
			worst = off;
	}
	t->info.disagreement = worst;
}

static void try_candidate(struct timer_trial *trial, const struct candidate *c)
{
	memset(trial, 0, sizeof(*trial));
	trial->timer.info.name = c->name;
	trial->second_hand = c->second_hand;
	trial->timer.start = c->start;
	trial->timer.stop = c->stop;
	trial->timer.fd = -1;
	if (!c->open(&trial->timer, trial->reason, sizeof(trial->reason)))
		return;
	measure_overhead(&trial->timer);
	measure_rate(&trial->timer);
	if (!(trial->timer.info.ticks_per_ns > 0)) {
		snprintf(trial->reason, sizeof(trial->reason),
			 "it stands still");
		return;
	}
	if (trial->timer.info.disagreement > MAX_DISAGREEMENT) {
		/* One interval may have been cut short by the scheduler. */
		measure_rate(&trial->timer);
	}
	if (trial->timer.info.disagreement > MAX_DISAGREEMENT) {
		snprintf(trial->reason, sizeof(trial->reason),
			 "it strays from CLOCK_MONOTONIC_RAW by %.2g",
			 trial->timer.info.disagreement);
		return;
	}
	trial->usable = true;
}

void timer_release(struct timer *t)
{
	if (t->start && t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

size_t timer_try_all(struct timer_trial *trials)
{
	for (size_t i = 0; i < CANDIDATES; i++)
		try_candidate(&trials[i], &candidates[i]);
	return CANDIDATES;
}

static double blur_ns(const struct timer_info *info)
{
	return (info->spread_ticks + info->resolution_ticks) /
	       info->ticks_per_ns;
}

bool timer_is_finer(const struct timer_info *other,
		    const struct timer_info *info)
{
	return blur_ns(other) < CLEARLY_FINER * blur_ns(info);
}

size_t timer_best(const struct timer_trial *trials, size_t count)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		const struct timer_trial *t = &trials[i];

		if (t->usable && !t->second_hand &&
		    (best == count ||
		     timer_is_finer(&t->timer.info, &trials[best].timer.info)))
			best = i;
	}
	for (size_t i = 0; best == count && i < count; i++)
		if (trials[i].usable)
			return i;
	return best;
}

int timer_choose(struct timer *timer, struct failure *f)
{
	struct timer_trial trials[TIMER_MAX_CANDIDATES];
	const size_t count = timer_try_all(trials);
	const size_t best = timer_best(trials, count);

	for (size_t i = 0; i < count; i++)
		if (i != best)
			timer_release(&trials[i].timer);
	if (best == count)
		return fail(f, STATUS_UNAVAILABLE, ENODEV,
			    "timer: %s: %s (a steady clock is needed)",
			    trials[0].timer.info.name, trials[0].reason);
	*timer = trials[best].timer;
	return 0;
}

#define ADD(x)                          \
	__asm__ volatile("" : "+r"(x)); \
	x += one;
#define ADD4(x) ADD(x) ADD(x) ADD(x) ADD(x)
#define ADD16(x) ADD4(x) ADD4(x) ADD4(x) ADD4(x)
#define ADD64(x) ADD16(x) ADD16(x) ADD16(x) ADD16(x)

/* Within one page, and one line of decoded instructions where a CPU has such:
 * wherever the linker lays it, no fetch is to be slower than the additions.
 */
__attribute__((noinline, aligned(512))) static uint64_t
add_blocks(uint64_t x, uint64_t one, unsigned int blocks)
{
	for (unsigned int i = 0; i < blocks; i++) {
		ADD64(x)
	}
	return x;
}

double timer_add_chain(const struct timer *timer, unsigned int adds)
{
	unsigned int blocks = (adds + 63) / 64;
	uint64_t x = blocks, one = 1, start, stop;
	double ticks;

	/* Opaque, or the compiler would fold the chain. Processors that fold
	 * additions of constants at rename are defeated by the register.
	 */
	__asm__ volatile("" : "+r"(one));
	start = timer->start(timer);
	x = add_blocks(x, one, blocks);
	__asm__ volatile("" : : "r"(x));
	stop = timer->stop(timer);
	ticks = (double)(stop - start) - timer->info.overhead_ticks;
	return ticks > 0 ? ticks : 0;
}
