// SPDX-License-Identifier: GPL-2.0
/* memory.c - what memory takes. */
#include <errno.h>
#include <math.h>

#include "method/level/latency.h"
#include "method/level/tuning.h"
#include "observe/proof.h"
#include "observe/sampler.h"

/* From the first level to memory it is a factor of ten and more everywhere. */
#define CLEARLY_COLD 4
/* Share of a cold load that translations may take. */
#define ASIDE 0.03

/* In pages of their own, which no prefetcher crosses; few in a few pages, for
 * which any cache and any TLB has room; and lines that hit in any cache.
 */
static const struct shape far_lines = { .inner = 1,
					.stride = PROOF_COLD_STRIDE,
					.outer = PROOF_COLD_LINES };
static const struct shape close_lines = {
	.inner_stride = 960, .inner = 4, .stride = PROOF_COLD_STRIDE, .outer = 4
};
static const struct shape few_lines = { .inner = 1, .stride = 320, .outer = 4 };

static int find_shape(struct prober *p, const struct shape *w,
		      unsigned int flags, struct latency *l, struct failure *f)
{
	const struct list list = { .w = *w };

	return latency_find(p, &list, flags, l, f);
}

/* @aside: (out) share of @cold that other lines of the same pages take, warm */
static int time_cold(struct prober *p, const struct shape *w,
		     struct latency *cold, struct latency *warm, double *aside,
		     struct failure *f)
{
	struct latency few = { .ticks = 0 };
	int error = find_shape(p, w, WALK_COLD | WALK_PLAIN_LOADS, cold, f);

	if (!error)
		error = find_shape(p, w, WALK_PLAIN_LOADS, warm, f);
	if (!error)
		error = find_shape(p, &few_lines, WALK_PLAIN_LOADS, &few, f);
	if (error)
		return error;
	*aside = (warm->ticks - few.ticks) / cold->ticks;
	return 0;
}

/* Where memory begins all levels below the first depend on. */
static int time_patiently(struct prober *p, const struct shape *lines,
			  struct latency *cold, struct latency *warm,
			  double *aside, struct failure *f)
{
	int error = time_cold(p, lines, cold, warm, aside, f);

	for (int i = 1; error == -EAGAIN && i < COLD_ATTEMPTS; i++) {
		p->m->ops->pause(p->m, COLD_PAUSE_MS);
		error = time_cold(p, lines, cold, warm, aside, f);
	}
	return error;
}

static void conclude(const struct prober *p, const struct latency *cold,
		     const struct latency *warm, double aside,
		     struct memory_finding *found)
{
	struct latency_finding *l = &found->latency;

	if (cold->ticks <= CLEARLY_COLD * warm->ticks) {
		latency_leave_open(
			l, LATENCY_METHOD,
			"%.1f ns after a flush, %.1f ns without: the flush seems to be ignored here",
			cold->ns, warm->ns);
		return;
	}
	found->ticks = cold->ticks;
	if (p->m->region.remote) {
		latency_leave_open(
			l, LATENCY_METHOD,
			"%.1f ns of memory of another NUMA node (choose a CPU of a node with contiguous memory by --cpu)",
			cold->ns);
	} else if (aside > ASIDE) {
		latency_leave_open(
			l, LATENCY_METHOD,
			"%.1f ns after a flush, but lines that are there take %.1f ns: translations miss as well",
			cold->ns, warm->ns);
	} else {
		l->method = LATENCY_METHOD;
		l->decided = true;
		l->latency = *cold;
		latency_take_off(&l->latency, p->page_ticks);
	}
}

int xray_measure_memory(struct prober *p, struct memory_finding *found,
			struct failure *f)
{
	double cycle = sampler_cycle_ticks(p->m), aside = 0;
	struct latency cold, warm;
	int error;

	*found = (struct memory_finding){ .ticks = INFINITY };
	prober_progress(p, "memory latency");
	error = time_patiently(p, &far_lines, &cold, &warm, &aside, f);
	if (!error && aside > ASIDE)
		error = time_patiently(p, &close_lines, &cold, &warm, &aside,
				       f);
	if (error == -ERANGE)
		return fail(
			f, STATUS_UNAVAILABLE, ENOMEM,
			"memory: only %llu KiB are contiguous (free some memory, or compact it)",
			(unsigned long long)(p->arena_bytes >> 10));
	if (error && error != -EAGAIN)
		return error;
	if (cycle > 0)
		found->cycle_ns = cycle / p->m->timer.ticks_per_ns;
	if (error)
		latency_leave_open(&found->latency, LATENCY_METHOD, "%s",
				   f->text);
	else
		conclude(p, &cold, &warm, aside, found);
	return 0;
}

int xray_control_is_memory(struct xray *x, double memory_ticks, bool *memory,
			   struct failure *f)
{
	const struct list list = { .w = x->reference.control };
	double aside = 0;
	int error = 0;

	*memory = x->hit_ticks > LEVEL_END_SHARE * memory_ticks;
	if (*memory)
		error = latency_aside(x, &list, &aside, f);
	if (error == -ERANGE)
		return 0;
	if (!error && aside > 0)
		*memory = x->hit_ticks - aside > LEVEL_END_SHARE * memory_ticks;
	return error;
}
