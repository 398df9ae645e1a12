// SPDX-License-Identifier: GPL-2.0
/*
 * module.c - the machine that probe_phys.ko makes: one physically contiguous
 * run of known address, walked inside the kernel or through a view of it.
 *
 * The region is one extent and a power of two long: then every sequence in it
 * fits the power-of-two window that a walk in the kernel must stay in.
 *
 * All samples are in ticks of the machine's timer. Walks in the kernel count
 * the CPU's own counter; where the timer chosen by measurement is that one
 * ("rdtscp", "cntvct") they are taken as they are, otherwise the nanoseconds
 * of the kernel's clock are converted.
 */
#include "machine/module/module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/host/hypervisor.h"
#include "machine/module/memory.h"
#include "machine/module/prefetch.h"
#include "machine/module/region.h"
#include "machine/module/session.h"
#include "machine/module/view.h"
#include "machine/module/walk.h"
#include "machine/native/chase.h"
#include "machine/native/native.h"

/**
 * struct module_machine - a machine on a buffer of the module
 * @native: CPU, timer, base
 * @info: what the module offers
 * @session: descriptor, -1: none
 * @region: its memory
 * @prefetch_off: prefetchers that were switched off
 * @walker: runs walks in the kernel
 */
struct module_machine {
	struct native native;
	struct probe_phys_info info;
	int session;
	struct module_region region;
	unsigned int prefetch_off;
	struct module_walker walker;
};

static struct module_machine *self(struct machine *m)
{
	return (struct module_machine *)m;
}

/**
 * struct counting - counters around one walk in user space
 * @meter: how to read them
 * @made: their group is new
 */
struct counting {
	struct chase_meter meter;
	bool made;
};

/* Return: c->meter; NULL: nothing is counted. */
static const struct chase_meter *begin_counting(struct counting *c,
						struct module_machine *h,
						const struct walk_plan *plan)
{
	struct module_counters *counters = &h->walker.counters;

	*c = (struct counting){
		.meter = { .read = module_counters_now,
			   .context = counters,
			   .counted = plan->counters & counters->available },
	};
	return c->meter.counted && !module_counters_select(counters,
							   c->meter.counted,
							   &c->made) ?
		       &c->meter :
		       NULL;
}

/* Walks in the kernel cannot use a new group: its overhead is not known. */
static void end_counting(const struct counting *c, struct module_machine *h)
{
	if (c->made)
		module_counters_close(&h->walker.counters);
}

/* In user space: the kernel would store to the lines when it lays them out. */
static int walk_steps(struct module_machine *h, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	struct counting c;
	const struct chase_meter *meter = begin_counting(&c, h, plan);
	int error = chase_walk(&h->native.machine, h->native.base,
			       &h->native.timer, meter, s, plan, samples, f);

	end_counting(&c, h);
	return error;
}

/*
 * After each walk. Suspend and CPU hotplug switch prefetchers on, and only this
 * session can switch them off again: off now means off all the time.
 */
static int prove_prefetchers(struct machine *m, const struct walk_plan *plan,
			     struct sample *samples, struct failure *f)
{
	struct module_machine *h = self(m);
	int back = h->prefetch_off ?
			   module_prefetch_keep_off(h->session, m->cpu,
						    h->prefetch_off) :
			   0;

	if (back < 0)
		return fail(
			f, STATUS_FAILED, -back,
			"prefetchers: switched off, but not sure to be so still: %s (measure again)",
			strerror(-back));
	if (!back)
		return 0;
	machine_note(
		m,
		"prefetchers came on meanwhile (suspend, or the CPU was offline): off again, samples repeated");
	machine_void_samples(m, plan, samples);
	return 0;
}

static int walk_here(struct machine *m, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	struct module_machine *h = self(m);
	int error;

	if (plan->step_count || plan->flags & WALK_STORES)
		return walk_steps(h, s, plan, samples, f);
	/* Walks in the kernel flush before a round only, and time it as a
	 * whole.
	 */
	if (plan->flags & WALK_PLAIN_LOADS || plan->flush_count || plan->each)
		return chase_walk(m, h->native.base, &h->native.timer, NULL, s,
				  plan, samples, f);
	/* The kernel checks offsets against the buffer, not the region. */
	error = walk_check_offsets(m, s, f);
	if (error)
		return error;
	error = module_walker_walk(&h->walker, s, plan, samples, f);
	if (error)
		return error;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (plan->counters >> i & 1)
			m->counter_overhead[i] = h->walker.counters.overhead[i];
	machine_count_walk(m, s->length, plan, samples);
	return 0;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = walk_here(m, s, plan, samples, f);

	return error ? error : prove_prefetchers(m, plan, samples, f);
}

/* In user space, too: views are mapped there alone. */
static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	struct mapped_view *v = (struct mapped_view *)view;
	struct counting c;
	int error;

	v->meter = begin_counting(&c, self(view->m), plan);
	error = module_view_walk(view, s, plan, samples, f);
	v->meter = NULL;
	end_counting(&c, self(view->m));
	return error ? error : prove_prefetchers(view->m, plan, samples, f);
}

static int view_open(struct machine *m, const struct view_request *request,
		     struct view **view, struct failure *f)
{
	struct module_machine *h = self(m);
	const struct module_memory memory = {
		.buffer = h->region.buffer,
		.base = h->native.base,
	};

	return module_view_open(m, &h->native.timer, &memory, request, view, f);
}

static void close_machine(struct machine *m)
{
	struct module_machine *h = self(m);

	module_counters_close(&h->walker.counters);
	module_region_close(&h->region);
	if (h->session >= 0)
		close(h->session);
	native_close(&h->native);
}

static const struct machine_ops ops = {
	.kind = "module",
	.walk = walk,
	.close = close_machine,
	.view_open = view_open,
	.view_walk = view_walk,
	.view_touch = module_view_touch,
	.view_touch_tables = module_view_touch_tables,
	NATIVE_OPS,
};

static bool counts_like_kernel(const struct timer *timer)
{
	return !strcmp(timer->info.name, "rdtscp") ||
	       !strcmp(timer->info.name, "rdtsc") ||
	       !strcmp(timer->info.name, "cntvct");
}

static void describe_machine(struct module_machine *h)
{
	struct machine *m = &h->native.machine;
	char name[64];

	if (h->info.features & PROBE_PHYS_FEATURE_VIRTUAL ||
	    hypervisor_find(name, sizeof(name)) == HYPERVISOR_SEEN)
		machine_set_virtual(m);
	if (h->walker.clock.ticks_per_ns > 0)
		machine_note(
			m,
			"walks in the kernel are timed with its clock: %s is not the counter that they read",
			h->native.timer.info.name);
}

static int open_machine(struct module_machine *h,
			const struct machine_request *request,
			struct failure *f)
{
	struct machine *m = &h->native.machine;
	int error;

	h->session = module_session(&h->info, f);
	if (h->session < 0)
		return h->session;
	error = native_open(&h->native, request->cpu, f);
	if (!error)
		error = module_region_open(&h->region, h->session, &h->info,
					   request->bytes, m, f);
	if (error)
		return error;
	h->native.base = h->region.mapping.base;
	h->walker.buffer = h->region.buffer;
	h->walker.cpu = m->cpu;
	if (!counts_like_kernel(&h->native.timer))
		h->walker.clock.ticks_per_ns =
			h->native.timer.info.ticks_per_ns;
	describe_machine(h);
	module_views(m, &h->info);
	/* Only now: this does not change which views there are. */
	module_walked_by(m, h->region.walk_page_bytes, h->info.page_bytes);
	if (!request->prefetch)
		h->prefetch_off = module_prefetch_off(h->session, m->cpu,
						      &m->prefetchers);
	error = module_walker_calibrate(&h->walker, f);
	if (!error && h->info.features & PROBE_PHYS_FEATURE_COUNTERS) {
		h->walker.counters.session = h->session;
		h->walker.counters.cpu = m->cpu;
		error = module_counters_find(&h->walker.counters, m, request,
					     f);
	}
	return error;
}

struct machine *machine_open_module(const struct machine_request *request,
				    struct failure *f)
{
	struct module_machine *h = calloc(1, sizeof(*h));

	if (!h) {
		fail_memory(f, "memory");
		return NULL;
	}
	h->native.machine.ops = &ops;
	h->session = -1;
	h->region.buffer = -1;
	h->region.mapping.view = -1;
	h->walker.counters.group = -1;
	if (open_machine(h, request, f)) {
		close_machine(&h->native.machine);
		return NULL;
	}
	return &h->native.machine;
}
