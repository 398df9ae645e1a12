// SPDX-License-Identifier: GPL-2.0
#include "machine/native/step_helpers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "machine/host/cpu.h"

/**
 * struct helper - one thread
 * @thread: it, if @runs
 * @runs: it has been started
 * @stop: it is to end
 * @lines, @base, @kind: its next step, or the last one
 * @wanted: steps that it has to take, and the end
 * @taken: those that it has taken
 */
struct helper {
	pthread_t thread;
	bool runs;
	bool stop;
	const struct step_lines *lines;
	char *base;
	enum step_kind kind;
	atomic_uint wanted;
	atomic_uint taken;
};

/**
 * struct step_helpers - those of one walk
 * @count: of @of
 * @of: by number of the CPU, from 1: [0] is the first
 */
struct step_helpers {
	size_t count;
	struct helper of[];
};

/* Leaves the core to another thread of it meanwhile. */
static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void *help(void *context)
{
	struct helper *h = context;

	for (unsigned int taken = 0;; taken++) {
		while (atomic_load_explicit(&h->wanted, memory_order_acquire) ==
		       taken)
			relax();
		if (h->stop)
			return NULL;
		step_lines_take(h->lines, h->base, h->kind);
		atomic_store_explicit(&h->taken, taken + 1,
				      memory_order_release);
	}
}

static bool start(const struct machine *m, const struct walk_plan *plan,
		  struct step_helpers *all)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		size_t other = plan->steps[i].other;
		struct helper *h;

		if (!other)
			continue;
		h = &all->of[other - 1];
		if (!h->runs &&
		    cpu_start_thread(&h->thread, m->others[other - 1], help, h))
			return false;
		h->runs = true;
	}
	return true;
}

struct step_helpers *step_helpers_start(const struct machine *m,
					const struct walk_plan *plan)
{
	struct step_helpers *all;
	size_t count = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].other > count)
			count = plan->steps[i].other;
	if (!count)
		return NULL;
	all = calloc(1, sizeof(*all) + count * sizeof(all->of[0]));
	if (!all)
		return NULL;
	all->count = count;
	if (start(m, plan, all))
		return all;
	step_helpers_stop(all);
	return NULL;
}

static void want(struct helper *h)
{
	atomic_fetch_add_explicit(&h->wanted, 1, memory_order_release);
}

void step_helpers_take(struct step_helpers *h, size_t other,
		       const struct step_lines *lines, char *base,
		       enum step_kind kind)
{
	struct helper *one = &h->of[other - 1];
	unsigned int wanted;

	one->lines = lines;
	one->base = base;
	one->kind = kind;
	want(one);
	wanted = atomic_load_explicit(&one->wanted, memory_order_relaxed);
	while (atomic_load_explicit(&one->taken, memory_order_acquire) !=
	       wanted)
		relax();
}

void step_helpers_stop(struct step_helpers *h)
{
	for (size_t i = 0; h && i < h->count; i++) {
		struct helper *one = &h->of[i];

		if (!one->runs)
			continue;
		one->stop = true;
		want(one);
		pthread_join(one->thread, NULL);
	}
	free(h);
}
