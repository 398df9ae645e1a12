// SPDX-License-Identifier: GPL-2.0
#include "timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "sampler.h"

/* A clock that strays further than this from CLOCK_MONOTONIC_RAW between
 * intervals is not a clock: NTP never slews RAW, and counters that stop or
 * change rate with the core stray by percents.
 */
#define MAX_DISAGREEMENT 1e-3
#define INTERVALS 5
#define INTERVAL_NS 3000000
#define PAIRS 2000
#define READINGS 20

#define NS_PER_S 1000000000L

static uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
static uint64_t tsc_start(void)
{
	uint64_t ticks;

	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
}

static uint64_t tsc_stop(void)
{
	unsigned int aux;
	uint64_t ticks = __rdtscp(&aux);

	_mm_lfence();
	return ticks;
}

static bool tsc_exists(char *reason, size_t size)
{
	unsigned int a, b, c, d;

	if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d & (1U << 27))) {
		snprintf(reason, size, "the CPU has no RDTSCP");
		return false;
	}
	return true;
}
#elif defined(__aarch64__)
static uint64_t cntvct_now(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb"
			 : "=r"(ticks)
			 :
			 : "memory");
	return ticks;
}

static bool cntvct_exists(char *reason, size_t size)
{
	(void)reason;
	(void)size;
	return true;
}
#endif

static bool clock_exists(char *reason, size_t size)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC_RAW, &now) == 0)
		return true;
	snprintf(reason, size, "the kernel has no such clock");
	return false;
}

struct candidate {
	const char *name;
	uint64_t (*start)(void);
	uint64_t (*stop)(void);
	bool (*exists)(char *reason, size_t size);
};

static const struct candidate candidates[] = {
#if defined(__x86_64__)
	{ "rdtscp", tsc_start, tsc_stop, tsc_exists },
#elif defined(__aarch64__)
	{ "cntvct", cntvct_now, cntvct_now, cntvct_exists },
#endif
	{ "CLOCK_MONOTONIC_RAW", clock_now_ns, clock_now_ns, clock_exists },
};

#define CANDIDATES (sizeof(candidates) / sizeof(candidates[0]))
_Static_assert(CANDIDATES <= TIMER_MAX_CANDIDATES, "room in trials");

static void measure_overhead(struct timer *t)
{
	double pairs[PAIRS], step = INFINITY;
	uint64_t last = t->stop();

	for (int i = 0; i < PAIRS; i++) {
		uint64_t a = t->start();
		uint64_t b = t->stop();

		pairs[i] = (double)(b - a);
		if (a > last && (double)(a - last) < step)
			step = (double)(a - last);
		if (b > a && (double)(b - a) < step)
			step = (double)(b - a);
		last = b;
	}
	t->info.overhead_ticks = sampler_quantile(pairs, PAIRS, 0.5);
	t->info.spread_ticks = sampler_quantile(pairs, PAIRS, 0.95) -
			       sampler_quantile(pairs, PAIRS, 0.05);
	t->info.resolution_ticks = isfinite(step) ? step : 0;
}

/* Both clocks at one moment: a reading between two of the reference, the
 * closest of several, since the thread may be away between any two of them.
 */
static void read_both(const struct timer *t, uint64_t *ticks, double *ns)
{
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = clock_now_ns(), now = t->stop();
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
	trial->timer.start = c->start;
	trial->timer.stop = c->stop;
	if (!c->exists(trial->reason, sizeof(trial->reason)))
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

int timer_choose(struct timer *timer, struct failure *f)
{
	struct timer_trial trials[TIMER_MAX_CANDIDATES];
	const struct timer *best = NULL;
	size_t count = timer_try_all(trials);

	for (size_t i = 0; i < count; i++) {
		if (!trials[i].usable)
			continue;
		if (!best ||
		    blur_ns(&trials[i].timer.info) < blur_ns(&best->info))
			best = &trials[i].timer;
	}
	if (!best)
		return fail(f, STATUS_UNAVAILABLE, ENODEV,
			    "timer: %s: %s (a steady clock is needed)",
			    trials[0].timer.info.name, trials[0].reason);
	*timer = *best;
	return 0;
}

#define ADD(x)                          \
	__asm__ volatile("" : "+r"(x)); \
	x += one;
#define ADD4(x) ADD(x) ADD(x) ADD(x) ADD(x)
#define ADD16(x) ADD4(x) ADD4(x) ADD4(x) ADD4(x)
#define ADD64(x) ADD16(x) ADD16(x) ADD16(x) ADD16(x)

double timer_add_chain(const struct timer *timer, unsigned int adds)
{
	unsigned int blocks = (adds + 63) / 64;
	uint64_t x = blocks, one = 1, start, stop;
	double ticks;

	/* Opaque, or the compiler would fold the chain. Processors that fold
	 * additions of constants at rename are defeated by the register.
	 */
	__asm__ volatile("" : "+r"(one));
	start = timer->start();
	for (unsigned int i = 0; i < blocks; i++) {
		ADD64(x)
	}
	__asm__ volatile("" : : "r"(x));
	stop = timer->stop();
	ticks = (double)(stop - start) - timer->info.overhead_ticks;
	return ticks > 0 ? ticks : 0;
}
