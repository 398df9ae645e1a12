// SPDX-License-Identifier: GPL-2.0
#include "method/core/registers.h"

#include <math.h>

#include "method/core/tuning.h"
#include "observe/sampler.h"

#define METHOD "x-ray"

/* No machine has more registers of a type. */
#define MOST 512
/* Numbers of variables on each side of the step that are looked at. */
#define NEIGHBOURS 3

/* Where code lies costs a share of an operation, and rounds of many operations
 * add it up; but a variable in memory costs a round a cycle at least.
 */
#define WANDER_SHARE 0.01
#define LEAST_RISE 1.0
#define MOST_RISE 3.0

/**
 * struct search - of one type's step
 * @m: the machine
 * @type: type
 * @cycle_ticks: one core cycle
 * @one: ticks of an operation with one variable
 */
struct search {
	struct machine *m;
	enum register_type type;
	double cycle_ticks;
	double one;
};

/*
 * Cycles that a round over @n variables takes more than @n operations of the
 * sequence of length 1, which is timed right beside, so that a change of the
 * clock cancels. NAN: there is no code for @n.
 */
static double excess(const struct search *s, unsigned int n)
{
	double cycles[PAIRS];

	for (int i = 0; i < PAIRS; i++) {
		double one = s->m->ops->register_chain(s->m, s->type, 1);
		double t = s->m->ops->register_chain(s->m, s->type, n);

		if (one <= 0 || t <= 0)
			return NAN;
		cycles[i] = (t / one - 1) * s->one / s->cycle_ticks * n;
	}
	return statistics_quantile(cycles, PAIRS, 0.5);
}

/* Cycles of a round above which it must have gone to memory. */
static double rise(const struct search *s, unsigned int n)
{
	double wander = WANDER_SHARE * n * s->one / s->cycle_ticks;

	return fmin(fmax(wander, LEAST_RISE), MOST_RISE);
}

/* Where there is no code for @n variables, the step lies lower or is not seen. */
static bool fits(const struct search *s, unsigned int n)
{
	return excess(s, n) < rise(s, n);
}

/* Return: the largest n that fits. */
static unsigned int find(const struct search *s)
{
	unsigned int low = 1, high = 2;

	while (high < MOST && fits(s, high)) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		unsigned int middle = low + (high - low) / 2;

		if (fits(s, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A step stands out from what lies below it and lasts above it. */
static bool step_is_clear(const struct search *s, unsigned int n,
			  struct parameter *p)
{
	unsigned int first = n > NEIGHBOURS ? n - NEIGHBOURS : 1;
	double low = INFINITY, high = -INFINITY, above = INFINITY;

	for (unsigned int i = first; i <= n; i++) {
		double e = excess(s, i);

		low = fmin(low, e);
		high = fmax(high, e);
	}
	for (unsigned int i = n + 1; i <= n + NEIGHBOURS; i++) {
		double e = excess(s, i);

		if (isnan(e)) {
			parameter_undecided(
				p, METHOD,
				"%u variables and more do not slow it down, and there is no code for %u",
				n, i);
			return false;
		}
		above = fmin(above, e);
	}
	if (above - high >= fmax(rise(s, n), 2 * (high - low)))
		return true;
	parameter_undecided(
		p, METHOD,
		"no clear step: a round takes %.1f to %.1f cycles more with up to %u variables, %.1f and more with %u",
		low, high, n, above, n + 1);
	return false;
}

static int search(struct prober *p, struct search *s, struct parameter *result)
{
	unsigned int found[SEARCHES];

	for (int i = 0; i < SEARCHES; i++) {
		if (prober_stopped(p))
			return -EINTR;
		found[i] = find(s);
		if (!step_is_clear(s, found[i], result))
			return 0;
		if (found[i] != found[0]) {
			parameter_undecided(result, METHOD,
					    "searches found %u and %u",
					    found[0], found[i]);
			return 0;
		}
	}
	parameter_measured(result, found[0], 0, METHOD);
	return 0;
}

static const char *type_name(const struct machine *m, enum register_type type)
{
	static const char *const names[REGISTER_TYPES] = {
		[REGISTER_INT] = "int", [REGISTER_DOUBLE] = "double",
		[REGISTER_MMX] = "mmx", [REGISTER_SSE] = "sse",
		[REGISTER_AVX] = "avx", [REGISTER_AVX512] = "avx512",
	};

	return type == REGISTER_SSE && m->neon ? "neon" : names[type];
}

/* The core's clock may change while one type is searched, and stand for the next try. */
static int measure_type(struct prober *p, struct search *s,
			struct parameter *result)
{
	struct machine *m = p->m;
	int error = 0;

	for (int i = 0;
	     !error && i < REGISTER_ATTEMPTS && !parameter_is_measured(result);
	     i++) {
		s->cycle_ticks = sampler_cycle_ticks(m);
		s->one = m->ops->register_chain(m, s->type, 1);
		if (s->one <= 0) {
			parameter_unavailable(
				result, "this machine has no such registers");
			return 0;
		}
		if (s->cycle_ticks > 0)
			error = search(p, s, result);
		else
			parameter_undecided(
				result, METHOD,
				"one core cycle could not be timed");
	}
	return error;
}

int registers_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct machine *m = p->m;

	(void)f;
	if (!m->ops->register_chain)
		return 0;
	for (int i = 0; i < REGISTER_TYPES; i++) {
		struct search s = { .m = m, .type = (enum register_type)i };
		struct register_result *r;
		int error;

		r = hierarchy_add_registers(h, type_name(m, s.type));
		prober_progress(p, "%s registers", r->type);
		error = measure_type(p, &s, &r->available);
		if (error)
			return error;
	}
	return 0;
}
