// SPDX-License-Identifier: GPL-2.0
/*
 * exact.c - proves the lab itself, in its guest: known sequences must give
 * known counts of the machine that exact.json describes, through the module's
 * counters and walks. Prints TAP.
 *
 *	exact CPU PMU
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/probe_phys.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#define MIB (UINT64_C(1) << 20)
#define BUFFER_BYTES (8 * MIB)

/* Of exact.json. */
#define WAYS 4
#define WAY_BYTES 4096
#define L2_WAYS 8
#define L2_WAY_BYTES 65536
#define TLB_ENTRIES 1024

#define ROUNDS 64
#define TRIALS 5

enum event {
	CYCLES,
	LOADS,
	L1D,
	L2,
	DTLB,
	EVENTS
};

static const char *const names[EVENTS] = { "cycles", "loads", "l1d_miss",
					   "l2_miss", "dtlb_miss" };

static char pmu[128] = "/sys/bus/event_source/devices/";
static int cpu, session, buffer, counters;
static unsigned int tests;

__attribute__((format(printf, 2, 3))) static void check(bool good,
							const char *format, ...)
{
	va_list list;

	printf("%sok %u - ", good ? "" : "not ", ++tests);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	fflush(stdout);
}

static void need(bool good, const char *what)
{
	if (good)
		return;
	check(false, "%s: %s", what, strerror(errno));
	exit(1);
}

static unsigned long long read_number(const char *path, const char *before)
{
	unsigned long long number = 0;
	char text[64] = "", *at;
	FILE *file = fopen(path, "r");

	need(file && fgets(text, sizeof(text), file), path);
	fclose(file);
	at = strstr(text, before);
	need(at, text);
	number = strtoull(at + strlen(before), NULL, 0);
	return number;
}

/* A file of the PMU. */
static const char *pmu_file(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", pmu, name);
	return path;
}

static void control(bool on)
{
	FILE *file = fopen(pmu_file("cpus"), "w");

	need(file, pmu_file("cpus"));
	fprintf(file, "%u", on ? 1U << cpu : 0);
	need(!fclose(file), pmu_file("cpus"));
}

static void open_all(void)
{
	struct probe_phys_buffer_create create = { .size = sizeof(create) };
	struct probe_phys_counters_create group = { .size = sizeof(group) };
	char event[64];

	session = open(PROBE_PHYS_DEVICE, O_RDWR);
	need(session >= 0, PROBE_PHYS_DEVICE);
	create.bytes = BUFFER_BYTES;
	create.min_bytes = BUFFER_BYTES;
	create.min_extent_bytes = BUFFER_BYTES;
	create.align_bytes = 2 * MIB;
	create.node = PROBE_PHYS_NODE_ANY;
	need(!ioctl(session, PROBE_PHYS_IOC_BUFFER_CREATE, &create), "buffer");
	buffer = create.fd;
	group.cpu = cpu;
	group.nr_events = EVENTS;
	for (int i = 0; i < EVENTS; i++) {
		snprintf(event, sizeof(event), "events/%s", names[i]);
		group.events[i].type = (__u32)read_number(pmu_file("type"), "");
		group.events[i].config = read_number(pmu_file(event), "event=");
	}
	need(!ioctl(session, PROBE_PHYS_IOC_COUNTERS_CREATE, &group),
	     "counters");
	counters = group.fd;
}

/* --- sequences in the kernel ---------------------------------------------- */

/* One slice of @rounds rounds over @n addresses @stride apart. */
static struct probe_phys_sample walk_once(unsigned int n, uint64_t stride,
					  unsigned int rounds)
{
	struct probe_phys_sample sample = { 0 };
	uint64_t offsets[64];
	struct probe_phys_walk walk = {
		.size = sizeof(walk),
		.offsets = (uintptr_t)offsets,
		.samples = (uintptr_t)&sample,
		.rounds = rounds,
		.nr_offsets = n,
		.max_samples = 1,
		.warmup_rounds = 4,
		.rewarm_rounds = 4,
		.rounds_per_sample = rounds,
		.slice_ns = PROBE_PHYS_MAX_SLICE_NS,
		.cpu = cpu,
		.counters_fd = counters,
	};

	for (unsigned int i = 0; i < n; i++)
		offsets[i] = i * stride;
	/* A slice that the host interrupted is cut short: again. */
	for (int i = 0; i < 100; i++) {
		need(!ioctl(buffer, PROBE_PHYS_IOC_WALK, &walk), "walk");
		if (sample.loads == (uint64_t)n * rounds)
			return sample;
	}
	need(false, "walk in one slice");
	return sample;
}

/* The least of some trials: reading the counters may miss or not. */
static void walk(unsigned int n, uint64_t stride, unsigned int rounds,
		 uint64_t *counts)
{
	for (int i = 0; i < TRIALS; i++) {
		struct probe_phys_sample sample = walk_once(n, stride, rounds);

		for (int e = 0; e < EVENTS; e++)
			if (!i || sample.counters[e] < counts[e])
				counts[e] = sample.counters[e];
	}
}

/*
 * Reading the counters is counted as well. The difference of two lengths is
 * what the added rounds did, but for the line or two that the code around the
 * walk has lost to it.
 */
#define STRAY 3

static void check_walk(unsigned int n, uint64_t stride, enum event event,
		       uint64_t expected)
{
	uint64_t few[EVENTS], many[EVENTS], got;

	walk(n, stride, ROUNDS, few);
	walk(n, stride, 2 * ROUNDS, many);
	got = many[event] > few[event] ? many[event] - few[event] : 0;
	check(got + STRAY >= expected && got <= expected + STRAY,
	      "%u addresses %llu apart: %llu %s in %u rounds, expected %llu", n,
	      (unsigned long long)stride, (unsigned long long)got, names[event],
	      ROUNDS, (unsigned long long)expected);
}

static void check_sets(void)
{
	for (unsigned int n = 1; n <= WAYS; n++)
		check_walk(n, WAY_BYTES, L1D, 0);
	for (unsigned int n = WAYS + 1; n <= L2_WAYS; n++)
		check_walk(n, WAY_BYTES, L1D, (uint64_t)n * ROUNDS);
	check_walk(L2_WAYS, L2_WAY_BYTES, L2, 0);
	check_walk(L2_WAYS + 1, L2_WAY_BYTES, L2,
		   (uint64_t)(L2_WAYS + 1) * ROUNDS);
	/* Two lines of one set twice as far apart, two sets. */
	check_walk(2 * WAYS, WAY_BYTES / 2, L1D, 0);
}

/*
 * A step is a load and an AND, which takes a cycle. Now and then the walk
 * looks at the clock and counts on, but not for long.
 */
static void check_latency(const char *what, unsigned int n, uint64_t stride,
			  unsigned int cycles)
{
	uint64_t few[EVENTS], many[EVENTS], got, expected;

	walk(n, stride, ROUNDS, few);
	walk(n, stride, 2 * ROUNDS, many);
	got = many[CYCLES] - few[CYCLES];
	expected = (uint64_t)n * ROUNDS * (cycles + 1);
	check(got >= expected && got <= expected + expected / 20,
	      "%s: %llu cycles, expected %llu and at most 5 %% more", what,
	      (unsigned long long)got, (unsigned long long)expected);
	got = many[LOADS] - few[LOADS];
	expected = (uint64_t)n * ROUNDS;
	check(got == expected, "%s: %llu loads, expected %llu", what,
	      (unsigned long long)got, (unsigned long long)expected);
}

static void check_cycles(void)
{
	check_latency("hits in L1", WAYS, WAY_BYTES, 4);
	check_latency("hits in L2", WAYS + 1, WAY_BYTES, 14);
	check_latency("misses", L2_WAYS + 1, L2_WAY_BYTES, 200);
}

/* --- views in user space -------------------------------------------------- */

static uint64_t count(enum event event)
{
	struct probe_phys_counters_read read = { .size = sizeof(read) };

	need(!ioctl(counters, PROBE_PHYS_IOC_COUNTERS_READ, &read), "read");
	return read.values[event].value;
}

static char *map_view(uint64_t page_bytes, int *view)
{
	struct probe_phys_view_create create = {
		.size = sizeof(create),
		.bytes = BUFFER_BYTES,
		.page_bytes = page_bytes,
	};
	char *base;

	need(!ioctl(buffer, PROBE_PHYS_IOC_VIEW_CREATE, &create), "view");
	*view = create.fd;
	base = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		    *view, 0);
	need(base != MAP_FAILED, "mmap of a view");
	return base;
}

static void touch(const char *base, unsigned int n, uint64_t stride)
{
	for (unsigned int i = 0; i < n; i++)
		(void)*(const volatile char *)(base + i * stride);
}

/**
 * struct touching - what happens between two touches of the same memory
 * @base: memory
 * @n: places
 * @stride: apart
 * @between: what happens; NULL: nothing
 */
struct touching {
	char *base;
	unsigned int n;
	uint64_t stride;
	void (*between)(const struct touching *t);
};

static int flushed_view;

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

static void check_touching(const char *what, struct touching t,
			   enum event event, uint64_t expected)
{
	uint64_t slack = t.n / 4, got = least(&t, event);

	check(got >= expected && got <= expected + slack,
	      "%s, then %u places: %llu %s, expected %llu and at most %llu more",
	      what, t.n, (unsigned long long)got, names[event],
	      (unsigned long long)expected, (unsigned long long)slack);
}

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
					      .cpu = (__u32)cpu };

	(void)t;
	need(!ioctl(session, PROBE_PHYS_IOC_FLUSH_ALL, &flush), "WBINVD");
}

static void flush_view(const struct touching *t)
{
	struct probe_phys_view_flush flush = { .size = sizeof(flush) };

	(void)t;
	need(!ioctl(flushed_view, PROBE_PHYS_IOC_VIEW_FLUSH, &flush),
	     "view flush");
}

/* A few pages: the kernel takes them out of the TLB one by one (INVLPG). */
static void protect(const struct touching *t)
{
	need(!mprotect(t->base, t->n * t->stride, PROT_READ), "mprotect");
	need(!mprotect(t->base, t->n * t->stride, PROT_READ | PROT_WRITE),
	     "mprotect");
	for (unsigned int i = 0; i < t->n; i++)
		t->base[i * t->stride] = 1;
	need(!mprotect(t->base, t->n * t->stride, PROT_READ), "mprotect");
}

static void check_caches(void)
{
	int view;
	struct touching t = { .n = 2048, .stride = 64 };

	t.base = map_view(2 * MIB, &view);
	check_touching("nothing", t, L2, 0);
	t.between = flush_lines;
	check_touching("CLFLUSH", t, L2, t.n);
	t.between = flush_lines_opt;
	check_touching("CLFLUSHOPT", t, L2, t.n);
	t.between = flush_all;
	check_touching("WBINVD", t, L2, t.n);
	munmap(t.base, BUFFER_BYTES);
	close(view);
}

static void check_tlbs(void)
{
	struct touching small = { .n = 512, .stride = 4096 };
	struct touching large = { .n = 2 * TLB_ENTRIES, .stride = 4096 };
	int view;

	small.base = map_view(4096, &view);
	large.base = small.base;
	check_touching("4 KiB view, nothing", small, DTLB, 0);
	flushed_view = view;
	small.between = flush_view;
	check_touching("4 KiB view, flush of the view", small, DTLB, small.n);
	check_touching("4 KiB view beyond the TLB, nothing", large, DTLB,
		       large.n);
	munmap(small.base, BUFFER_BYTES);
	close(view);
	large.base = map_view(2 * MIB, &view);
	check_touching("2 MiB view, nothing", large, DTLB, 0);
	munmap(large.base, BUFFER_BYTES);
	close(view);
}

static void check_invlpg(void)
{
	struct touching t = { .n = 24, .stride = 4096 };

	t.base = mmap(NULL, t.n * t.stride, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	need(t.base != MAP_FAILED, "mmap");
	check_touching("pages, nothing", t, DTLB, 0);
	t.between = protect;
	check_touching("INVLPG", t, DTLB, t.n);
}

int main(int argc, char **argv)
{
	cpu_set_t set;

	if (argc != 3)
		return 2;
	cpu = atoi(argv[1]);
	strncat(pmu, argv[2], 32);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	need(!sched_setaffinity(0, sizeof(set), &set), "pinning");
	open_all();
	control(true);
	check_sets();
	check_cycles();
	check_caches();
	check_tlbs();
	check_invlpg();
	control(false);
	printf("1..%u\n", tests);
	return 0;
}
