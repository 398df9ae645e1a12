// SPDX-License-Identifier: GPL-2.0
/*
 * kill.c - a program that does everything in a loop runs twice at a time and is
 * killed at any moment, 200 times; afterwards nothing of it is left.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/nl.h"

enum {
	RUNS = 50,
	BATCHES = 4
};

static unsigned int seed;

static uint64_t any(uint64_t below)
{
	return (uint64_t)rand_r(&seed) % below;
}

/* --- the program; failures are part of it -------------------------------- */

static void use_mapping(int view, uint64_t bytes, uint64_t page)
{
	T_ARG(view_resolve, r, .flags = 0);
	T_ARG(view_flush, f, .flags = (uint32_t)any(2));
	char *at =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, view, 0);

	if (at == MAP_FAILED)
		return;
	for (uint64_t i = 0; i < bytes && i < 64 * page; i += page)
		*(volatile char *)(at + i) = 1;
	r.address = (uintptr_t)at;
	t_do(view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	t_do(view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
	*(volatile char *)at = 1;
	if (any(2))
		munmap(at, bytes);
}

static void use_view(int buffer, uint64_t bytes)
{
	uint64_t page = any(2) && bytes >= T_PMD ? T_PMD : T_PAGE;
	T_ARG(view_create, v, .page_bytes = page, .bytes = page,
	      .alias_pages = (uint32_t)any(2) * 1000);

	if (!v.alias_pages)
		v.bytes = bytes & ~(page - 1);
	if (t_do(buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v))
		return;
	use_mapping(v.fd, v.map_bytes, page);
	if (any(2))
		close(v.fd);
}

static void use_walk(int buffer, int counters)
{
	static struct probe_phys_sample samples[256];
	static uint64_t offsets[512];
	T_ARG(walk, w, .offsets = (uintptr_t)offsets, .nr_offsets = 512,
	      .samples = (uintptr_t)samples, .max_samples = 256,
	      .rounds = 1 + any(100000), .budget_ns = 1000000 + any(20000000),
	      .cpu = (int)any(2), .counters_fd = -1);

	for (unsigned int i = 0; i < 512; i++)
		offsets[i] = i * 8;
	if (counters >= 0) {
		w.cpu = 0;
		w.counters_fd = counters;
	}
	t_do(buffer, PROBE_PHYS_IOC_WALK, &w);
}

static int use_counters(int session)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { { .type = PERF_TYPE_SOFTWARE },
			  { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_PAGE_FAULTS } });
	T_ARG(counters_read, r, .flags = 0);

	if (t_do(session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c))
		return -1;
	t_do(c.fd, PROBE_PHYS_IOC_COUNTERS_READ, &r);
	return c.fd;
}

static int make_buffer(int session, uint64_t *bytes)
{
	static const uint32_t rungs[] = { 0, PROBE_PHYS_RUNG_CONTIG,
					  PROBE_PHYS_RUNG_BUDDY,
					  PROBE_PHYS_RUNG_IMPORT };
	T_ARG(buffer_create, c, .node = PROBE_PHYS_NODE_ANY,
	      .rungs = rungs[any(4)], .bytes = (1 + any(4096)) * T_PAGE);

	if (c.rungs == PROBE_PHYS_RUNG_IMPORT) {
		void *at = mmap(NULL, T_PMD, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
				0);

		c.import_addr = (uintptr_t)at;
		c.bytes = T_PMD;
		if (at == MAP_FAILED)
			c.rungs = 0, c.import_addr = 0;
	}
	if (t_do(session, PROBE_PHYS_IOC_BUFFER_CREATE, &c))
		return -1;
	*bytes = c.bytes;
	return c.fd;
}

static int everything(void *arg)
{
	const bool *forever = arg;

	while (*forever) {
		int session = open(PROBE_PHYS_DEVICE, O_RDWR);
		int counters = any(2) ? use_counters(session) : -1;
		T_ARG(flush_all, all, .flags = PROBE_PHYS_FLUSH_ALL_CPUS);

		for (int i = 0; i < 3; i++) {
			uint64_t bytes = 0;
			int buffer = make_buffer(session, &bytes);
			T_ARG(buffer_flush, f, .bytes = T_PAGE);

			use_view(buffer, bytes);
			t_do(buffer, PROBE_PHYS_IOC_BUFFER_FLUSH, &f);
			use_walk(buffer, counters);
			if (any(2))
				close(buffer);
		}
		if (!any(16))
			t_do(session, PROBE_PHYS_IOC_FLUSH_ALL, &all);
		for (int fd = 3; fd < 40; fd++)
			close(fd);
	}
	return 0;
}

/* --- the killer ---------------------------------------------------------- */

static void nothing_left(unsigned int run)
{
	struct t_stats s = t_nl_stats();

#define SAME(a, b)                                                         \
	ck_assert_msg(s.of[PROBE_PHYS_A_STAT_##a] ==                       \
			      s.of[PROBE_PHYS_A_STAT_##b],                 \
		      "run %u, seed %u: %s %llu, %s %llu", run, seed, #a,  \
		      (unsigned long long)s.of[PROBE_PHYS_A_STAT_##a], #b, \
		      (unsigned long long)s.of[PROBE_PHYS_A_STAT_##b])
	SAME(BUFFERS_CREATED, BUFFERS_DESTROYED);
	SAME(VIEWS_CREATED, VIEWS_DESTROYED);
	SAME(COUNTERS_CREATED, COUNTERS_DESTROYED);
	SAME(WALKS_STARTED, WALKS_ENDED);
	SAME(SESSIONS_OPENED, SESSIONS_CLOSED);
#undef SAME
	ck_assert_uint_eq(t_used(), 0);
}

START_TEST(killed_at_any_moment)
{
	const char *text = getenv("PROBE_PHYS_VM_SEED");
	bool forever = true;
	unsigned int base = text ? (unsigned int)atoi(text) : 1;

	for (unsigned int run = 0; run < RUNS; run++) {
		uint64_t start;
		int one, two;

		seed = base + (unsigned int)_i * RUNS + run;
		one = t_start(everything, &forever);
		seed ^= 0x5555;
		two = t_start(everything, &forever);
		usleep((useconds_t)any(60000));
		start = t_now();
		kill(one, SIGKILL);
		kill(two, SIGKILL);
		ck_assert_int_eq(t_wait(one) & 0x7f, SIGKILL);
		ck_assert_int_eq(t_wait(two) & 0x7f, SIGKILL);
		ck_assert_msg(t_now() - start < 3000000000,
			      "run %u: took %llu ms to die", run,
			      (unsigned long long)(t_now() - start) / 1000000);
		nothing_left(run);
	}
}
END_TEST

Suite *t_suite_kill(void)
{
	Suite *suite = suite_create("kill");
	TCase *tc = t_case(suite, "kill");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, killed_at_any_moment, 0, BATCHES);
	return suite;
}
