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
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/host/hypervisor.h"
#include "machine/module/ioctl.h"
#include "machine/module/memory.h"
#include "machine/module/prefetch.h"
#include "machine/module/session.h"
#include "machine/module/view.h"
#include "machine/module/walk.h"
#include "machine/native/chase.h"
#include "machine/native/load_threads.h"
#include "machine/native/mapped_view.h"
#include "machine/native/registers/registers.h"

/**
 * struct module_machine - a machine on a buffer of the module
 * @machine: what methods see
 * @timer: clock of the walks in user space
 * @info: what the module offers
 * @session: descriptor, -1: none; so are @buffer and @view
 * @walk_page_bytes: by which pages walks in the kernel go, 0: not known
 * @prefetch_off: prefetchers that were switched off
 * @base: address of offset 0, NULL: not mapped
 * @walker: runs walks in the kernel
 */
struct module_machine {
	struct machine machine;
	struct timer timer;
	struct probe_phys_info info;
	int session;
	int buffer;
	int view;
	uint64_t walk_page_bytes;
	unsigned int prefetch_off;
	char *base;
	struct module_walker walker;
};

static struct module_machine *self(struct machine *m)
{
	return (struct module_machine *)m;
}

/* The kernel knows the buffer's end, not the region's. */
static int check(const struct region *region, const struct sequence *s,
		 struct failure *f)
{
	for (size_t i = 0; i < s->length; i++)
		if (s->offsets[i] >= region->bytes)
			return fail(
				f, STATUS_FAILED, ERANGE,
				"walk: offset %#llx: beyond the region of %#llx bytes (give more memory)",
				(unsigned long long)s->offsets[i],
				(unsigned long long)region->bytes);
	return 0;
}

/* In user space: what is laid out in the kernel is stored to just before. */
static int walk_steps(struct module_machine *h, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	struct module_counters *counters = &h->walker.counters;
	const struct chase_meter meter = {
		.read = module_counters_now,
		.context = counters,
		.counted = plan->counters & counters->available,
	};
	bool made = false;
	bool counted = meter.counted &&
		       !module_counters_select(counters, meter.counted, &made);
	int error = chase_walk(&h->machine, h->base, &h->timer,
			       counted ? &meter : NULL, s, plan, samples, f);

	/* What an empty walk in the kernel counts was not measured. */
	if (made)
		module_counters_close(counters);
	return error;
}

/*
 * After each walk. Suspend and CPU hotplug give prefetchers back; nobody but
 * this session can switch them off again, so when they are off now they were
 * all the time.
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
	for (unsigned int i = 0; i < plan->samples; i++) {
		m->conditions.disturbed += !samples[i].disturbed;
		samples[i].disturbed = true;
	}
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
	/* The kernel's walks flush before a round only, and time them whole. */
	if (plan->flags & WALK_PLAIN_LOADS || plan->flush_count || plan->each)
		return chase_walk(m, h->base, &h->timer, NULL, s, plan, samples,
				  f);
	error = check(&m->region, s, f);
	if (error)
		return error;
	error = module_walker_walk(&h->walker, s, plan, samples, f);
	if (error)
		return error;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (plan->counters >> i & 1)
			m->counter_overhead[i] = h->walker.counters.overhead[i];
	m->conditions.samples += plan->samples;
	for (unsigned int i = 0; i < plan->samples; i++)
		m->conditions.disturbed += samples[i].disturbed;
	machine_count_accesses(m, s->length, plan, samples);
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
	struct module_counters *counters = &self(view->m)->walker.counters;
	struct mapped_view *v = (struct mapped_view *)view;
	const struct chase_meter meter = {
		.read = module_counters_now,
		.context = counters,
		.counted = plan->counters & counters->available,
	};
	bool made = false;
	int error;

	if (meter.counted &&
	    !module_counters_select(counters, meter.counted, &made))
		v->meter = &meter;
	error = module_view_walk(view, s, plan, samples, f);
	v->meter = NULL;
	if (made)
		module_counters_close(counters);
	return error ? error : prove_prefetchers(view->m, plan, samples, f);
}

static double add_chain(struct machine *m, unsigned int adds)
{
	return timer_add_chain(&self(m)->timer, adds);
}

static int view_open(struct machine *m, const struct view_request *request,
		     struct view **view, struct failure *f)
{
	struct module_machine *h = self(m);
	const struct module_memory memory = {
		.buffer = h->buffer,
		.base = h->base,
	};

	return module_view_open(m, &h->timer, &memory, request, view, f);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void close_machine(struct machine *m)
{
	struct module_machine *h = self(m);

	if (h->base)
		munmap(h->base, m->region.bytes);
	module_counters_close(&h->walker.counters);
	close_fd(h->view);
	close_fd(h->buffer);
	close_fd(h->session);
	timer_release(&h->timer);
	free(m->region.extents);
	free(h);
}

static double register_chain(struct machine *m, enum register_type type,
			     unsigned int variables)
{
	return registers_chain(&self(m)->timer, type, variables);
}

static const struct machine_ops ops = {
	.kind = "module",
	.walk = walk,
	.add_chain = add_chain,
	.register_chain = register_chain,
	.pause = chase_pause,
	.clock_ns = chase_clock_ns,
	.close = close_machine,
	.view_open = view_open,
	.view_walk = view_walk,
	.view_close = mapped_view_close,
	.load_start = load_threads_start,
	.load_loads = load_threads_loads,
	.load_stop = load_threads_stop,
};

static int describe(struct module_machine *h, struct failure *f)
{
	struct region *region = &h->machine.region;
	struct probe_phys_extent extent = { 0 };
	struct probe_phys_buffer_extents list = {
		.extents = (uintptr_t)&extent,
		.count = 1,
	};
	int error = module_buffer_extents(h->buffer, &list);

	if (error)
		return fail(f, STATUS_FAILED, -error,
			    "memory: asking for its addresses: %s (see dmesg)",
			    strerror(-error));
	if (!list.count || extent.bytes < region->bytes)
		return fail(f, STATUS_FAILED, EPROTO,
			    "memory: it is not one run (report this as a bug)");
	region->extents = calloc(1, sizeof(*region->extents));
	if (!region->extents)
		return fail(f, STATUS_FAILED, ENOMEM,
			    "memory: out of memory (free some)");
	region->extents[0].phys = extent.phys;
	region->extents[0].bytes = region->bytes;
	region->extent_count = 1;
	region->phys_known = true;
	return 0;
}

static int prove_view(const struct module_machine *h, uint64_t page_bytes)
{
	const struct region *region = &h->machine.region;
	const struct module_mapping mapping = {
		.view = h->view,
		.base = h->base,
		.phys = region->extents[0].phys,
		.shape = {
			.page_bytes = page_bytes,
			.pages = region->bytes / page_bytes,
			.frames = region->bytes / page_bytes,
		},
	};

	return module_mapping_prove(&mapping);
}

static int make_view(struct module_machine *h, uint64_t page_bytes)
{
	uint64_t bytes = h->machine.region.bytes;
	struct probe_phys_view_create create = {
		.bytes = bytes,
		.page_bytes = page_bytes,
	};
	int error = module_view_create(h->buffer, &create);
	char *base;

	if (error)
		return error;
	h->view = create.fd;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, h->view,
		    0);
	if (base == MAP_FAILED)
		return -errno;
	h->base = base;
	error = prove_view(h, page_bytes);
	if (!error)
		h->machine.region.page_bytes = page_bytes;
	return error;
}

static void drop_view(struct module_machine *h)
{
	if (h->base)
		munmap(h->base, h->machine.region.bytes);
	close_fd(h->view);
	h->base = NULL;
	h->view = -1;
}

static int map(struct module_machine *h, struct failure *f)
{
	uint64_t base_page = h->info.page_bytes;
	int error = -EOPNOTSUPP;

	if (h->info.features & PROBE_PHYS_FEATURE_VIEW_PMD)
		error = make_view(h, h->info.pmd_bytes);
	if (!error)
		return 0;
	drop_view(h);
	machine_note(&h->machine, "no large pages: %s; %llu KiB pages instead",
		     strerror(-error), (unsigned long long)(base_page / 1024));
	error = make_view(h, base_page);
	if (error)
		return fail(f, STATUS_FAILED, -error,
			    "memory: mapping it: %s (see dmesg)",
			    strerror(-error));
	return 0;
}

static bool counts_like_kernel(const struct timer *timer)
{
	return !strcmp(timer->info.name, "rdtscp") ||
	       !strcmp(timer->info.name, "rdtsc") ||
	       !strcmp(timer->info.name, "cntvct");
}

static void describe_machine(struct module_machine *h)
{
	struct machine *m = &h->machine;
	char name[64];

	m->timer = h->timer.info;
	m->neon = REGISTERS_NEON;
	m->times_each = true;
	m->flushes_lines = CHASE_FLUSHES;
	m->virtual_machine = h->info.features & PROBE_PHYS_FEATURE_VIRTUAL ||
			     hypervisor_find(name, sizeof(name)) ==
				     HYPERVISOR_SEEN;
	if (m->virtual_machine)
		machine_note(
			m,
			"virtual machine: physical addresses are guest-physical, what backs them is unknown");
	if (h->walker.clock.ticks_per_ns > 0)
		machine_note(
			m,
			"walks in the kernel are timed with its clock: %s is not the counter that they read",
			h->timer.info.name);
}

static int allocate(struct module_machine *h,
		    const struct machine_request *request, struct failure *f)
{
	struct probe_phys_buffer_create made = { .fd = -1 };
	int error = module_memory(h->session, &h->info, request->bytes,
				  &h->machine, &made, f);

	if (error)
		return error;
	h->buffer = made.fd;
	h->walk_page_bytes = made.walk_page_bytes;
	return describe(h, f);
}

static int open_machine(struct module_machine *h,
			const struct machine_request *request,
			struct failure *f)
{
	int error;

	h->session = module_session(&h->info, f);
	if (h->session < 0)
		return h->session;
	chase_others(&h->machine, request->cpu);
	h->machine.cpu = chase_pin(request->cpu, f);
	if (h->machine.cpu < 0)
		return h->machine.cpu;
	error = timer_choose(&h->timer, f);
	if (!error)
		error = allocate(h, request, f);
	if (!error)
		error = map(h, f);
	if (error)
		return error;
	h->walker.buffer = h->buffer;
	h->walker.cpu = h->machine.cpu;
	if (!counts_like_kernel(&h->timer))
		h->walker.clock.ticks_per_ns = h->timer.info.ticks_per_ns;
	describe_machine(h);
	module_views(&h->machine, &h->info);
	/* Only now: what views there are has nothing to do with it. */
	module_walked_by(&h->machine, h->walk_page_bytes, h->info.page_bytes);
	if (!request->prefetch)
		h->prefetch_off = module_prefetch_off(
			h->session, h->machine.cpu, &h->machine.prefetchers);
	error = module_walker_calibrate(&h->walker, f);
	if (!error && h->info.features & PROBE_PHYS_FEATURE_COUNTERS) {
		h->walker.counters.session = h->session;
		h->walker.counters.cpu = h->machine.cpu;
		error = module_counters_find(&h->walker.counters, &h->machine,
					     request, f);
	}
	return error;
}

struct machine *machine_open_module(const struct machine_request *request,
				    struct failure *f)
{
	struct module_machine *h = calloc(1, sizeof(*h));

	if (!h) {
		fail(f, STATUS_FAILED, ENOMEM,
		     "memory: out of memory (free some)");
		return NULL;
	}
	h->machine.ops = &ops;
	h->session = -1;
	h->buffer = -1;
	h->view = -1;
	h->walker.counters.group = -1;
	if (open_machine(h, request, f)) {
		close_machine(&h->machine);
		return NULL;
	}
	return &h->machine;
}
