// SPDX-License-Identifier: GPL-2.0
/* touches.c - the program's own accesses, on the machine of exact.json. */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "guest.h"

#define TRIALS 5

static void touch(const char *base, unsigned int n, uint64_t stride)
{
	for (unsigned int i = 0; i < n; i++)
		(void)*(const volatile char *)(base + i * stride);
}

/* The least of some trials: the kernel has misses of its own. */
static uint64_t least(const struct touching *t, enum event event)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIALS; i++) {
		uint64_t before;

		touch(t->base, t->n, t->stride);
		if (t->between)
			t->between(t);
		before = count(event);
		touch(t->base, t->n, t->stride);
		before = count(event) - before;
		if (before < least)
			least = before;
	}
	return least;
}

void check_touching(const char *what, const struct touching *t,
		    enum event event, uint64_t expected, uint64_t slack)
{
	uint64_t got = least(t, event);

	check(got >= expected && got <= expected + slack,
	      "%s, then %u places: %llu %s, expected %llu and at most %llu more",
	      what, t->n, (unsigned long long)got, event_names[event],
	      (unsigned long long)expected, (unsigned long long)slack);
}

/* --- caches --------------------------------------------------------------- */

static void flush_lines(const struct touching *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		_mm_clflush(t->base + i * t->stride);
	_mm_mfence();
}

__attribute__((target("clflushopt"))) static void
flush_lines_opt(const struct touching *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		_mm_clflushopt(t->base + i * t->stride);
	_mm_mfence();
}

static void flush_all(const struct touching *t)
{
	struct probe_phys_flush_all flush = { .size = sizeof(flush),
					      .cpu = (__u32)guest.cpu };

	(void)t;
	need(!ioctl(guest.session, PROBE_PHYS_IOC_FLUSH_ALL, &flush), "WBINVD");
}

#define LINES 2048
#define LINE_BYTES 64

void check_caches(void)
{
	struct guest_view v = map_view(guest.buffer, BUFFER_BYTES, 2 * MIB, 0);
	struct touching t = { .base = v.base,
			      .n = LINES,
			      .stride = LINE_BYTES };

	check_touching("nothing", &t, L2, 0, LINES / 4);
	t.between = flush_lines;
	check_touching("CLFLUSH", &t, L2, LINES, LINES / 4);
	t.between = flush_lines_opt;
	check_touching("CLFLUSHOPT", &t, L2, LINES, LINES / 4);
	t.between = flush_all;
	check_touching("WBINVD", &t, L2, LINES, LINES / 4);
	unmap_view(&v);
}

/* --- prefetchers ---------------------------------------------------------- */

void switch_prefetchers(bool on)
{
	struct probe_phys_prefetch arg = {
		.size = sizeof(arg),
		.op = PROBE_PHYS_PREFETCH_QUERY,
		.cpu = (__u32)guest.cpu,
	};

	need(!ioctl(guest.session, PROBE_PHYS_IOC_PREFETCH, &arg) &&
		     arg.available,
	     "prefetchers");
	arg.op = PROBE_PHYS_PREFETCH_SET;
	arg.mask = arg.available;
	arg.enable = on ? arg.available : 0;
	need(!ioctl(guest.session, PROBE_PHYS_IOC_PREFETCH, &arg),
	     "prefetcher switch");
	check(!(arg.state & PROBE_PHYS_PREFETCH_INEFFECTIVE) &&
		      arg.enabled == arg.enable,
	      "prefetchers %s: enabled %#x, state %#x", on ? "on" : "off",
	      arg.enabled, arg.state);
}

/* exact.json has one that brings the other line of a pair. */
void check_prefetchers(void)
{
	struct guest_view v = map_view(guest.buffer, BUFFER_BYTES, 2 * MIB, 0);
	struct touching t = { .base = v.base,
			      .n = LINES,
			      .stride = LINE_BYTES,
			      .between = flush_lines };

	switch_prefetchers(true);
	check_touching("prefetchers on, CLFLUSH", &t, L2, LINES / 2, LINES / 8);
	switch_prefetchers(false);
	check_touching("prefetchers off, CLFLUSH", &t, L2, LINES, LINES / 8);
	unmap_view(&v);
}
