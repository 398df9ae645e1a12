// SPDX-License-Identifier: GPL-2.0
/* check_hugepage.c - the machine without a module, on this computer. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/host/populate.h"
#include "machine/host/quiet_cpu.h"
#include "machine/hugepage/hugepage.h"
#include "machine/realkit.h"
#include "suites.h"

#define PAGES 100

START_TEST(extents_tile_the_region)
{
	struct machine *m = realkit_machine();
	uint64_t sum = 0;

	if (!m)
		return;
	ck_assert_uint_ge(m->region.extent_count, 1);
	for (size_t i = 0; i < m->region.extent_count; i++) {
		const struct extent *e = &m->region.extents[i];

		sum += e->bytes;
		ck_assert_uint_eq(e->offset % m->region.page_bytes, 0);
		ck_assert_uint_eq(e->bytes % m->region.page_bytes, 0);
		if (i)
			ck_assert_uint_le(e->bytes, e[-1].bytes);
		if (m->region.phys_known)
			ck_assert_uint_eq(e->phys % m->region.page_bytes, 0);
	}
	ck_assert_uint_eq(sum, m->region.bytes);
}
END_TEST

static int walk(struct machine *m, uint64_t *offsets, size_t length,
		unsigned int flags, struct sample *samples, struct failure *f)
{
	const struct sequence s = { offsets, length };
	const struct walk_plan plan = {
		.flags = flags, .warm_rounds = 3, .loads = 100, .samples = 4
	};

	return m->ops->walk(m, &s, &plan, samples, f);
}

START_TEST(samples_are_whole)
{
	uint64_t offsets[] = { 0, 4096, 8, 65536, 1 << 20 };
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample samples[4];

	if (!m)
		return;
	ck_assert_int_eq(walk(m, offsets, 5, 0, samples, &f), 0);
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_ge(samples[i].loads, 100);
		ck_assert(samples[i].ticks >= 0);
	}
	ck_assert_uint_eq(m->conditions.samples, 4);
	ck_assert_uint_eq(m->conditions.accesses, 3 * 5 + 4 * samples[0].loads);
	ck_assert_int_eq(walk(m, offsets, 5, WALK_COLD, samples, &f), 0);
	ck_assert_uint_eq(samples[0].loads, 5);
}
END_TEST

/* Stores leave the chain alone: a walk that lost it would not come back. */
START_TEST(steps_come_before_each_sample)
{
	uint64_t offsets[] = { 0, 4096, 64, 65536 }, words[4], beyond;
	const struct sequence s = { offsets, 4 }, other = { words, 4 };
	const struct sequence bad = { &beyond, 1 };
	struct walk_step steps[] = { { STEP_FLUSH, &s, 0 },
				     { STEP_LOAD, &s, 0 },
				     { STEP_STORE, &other, 0 } };
	const struct walk_plan plan = {
		.loads = 100, .samples = 4, .steps = steps, .step_count = 3
	};
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample samples[4];

	if (!m)
		return;
	for (int i = 0; i < 4; i++)
		words[i] = offsets[i] + 8;
	beyond = m->region.bytes;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(samples[i].loads, 4);
	steps[2].lines = &bad;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -ERANGE);
}
END_TEST

/* The measuring thread is back on its CPU when the other has done its part. */
START_TEST(others_take_steps)
{
	uint64_t offsets[] = { 0, 4096, 64, 65536 };
	const struct sequence s = { offsets, 4 };
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct sample samples[4];

	if (!m)
		return;
	for (size_t i = 0; i < m->other_count; i++) {
		const struct walk_step step = { STEP_LOAD, &s, i + 1 };
		const struct walk_plan plan = { .samples = 4,
						.steps = &step,
						.step_count = 1 };

		ck_assert_int_ne(m->others[i], m->cpu);
		ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
		ck_assert_uint_eq(samples[3].loads, 4);
		ck_assert_int_eq(sched_getcpu(), m->cpu);
	}
	/* One that is not there spoils the samples, and is no answer. */
	if (m->other_count) {
		const struct walk_step step = { STEP_LOAD, &s, 1 };
		const struct walk_plan plan = { .samples = 4,
						.steps = &step,
						.step_count = 1 };

		m->others[0] = CPU_SETSIZE - 1;
		ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
		for (int i = 0; i < 4; i++)
			ck_assert(samples[i].disturbed);
	}
}
END_TEST

START_TEST(bad_sequences_are_refused)
{
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample samples[4];
	uint64_t offset;

	if (!m)
		return;
	offset = 4;
	ck_assert_int_eq(walk(m, &offset, 1, 0, samples, &f), -EINVAL);
	offset = m->region.bytes;
	ck_assert_int_eq(walk(m, &offset, 1, 0, samples, &f), -ERANGE);
	offset = UINT64_MAX - 7;
	ck_assert_int_eq(walk(m, &offset, 1, 0, samples, &f), -ERANGE);
	ck_assert_int_eq(walk(m, &offset, 0, 0, samples, &f), -EINVAL);
	offset = m->region.bytes - 8;
	ck_assert_int_eq(walk(m, &offset, 1, 0, samples, &f), 0);
}
END_TEST

/* The chain is followed to its end, whatever is flushed on the way. */
START_TEST(lines_are_flushed_on_the_way)
{
	uint64_t offsets[] = { 0, 4096, 8, 65536, 1 << 20 };
	struct walk_flush flushes[] = {
		{ 0, 4096 }, { 2, 0 }, { 2, 4096 }, { 5, 1 << 20 }
	};
	const struct sequence s = { offsets, 5 };
	struct walk_plan plan = { .warm_rounds = 3,
				  .loads = 98,
				  .samples = 4,
				  .flushes = flushes,
				  .flush_count = 4 };
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample samples[4];

	if (!m)
		return;
	if (!m->flushes_lines) {
		cannot_do("flushes", "cpu cannot: it flushes no lines");
		return;
	}
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(samples[i].loads, 100);
	flushes[3].at = 6;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -ERANGE);
	flushes[3].at = 1;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -ERANGE);
	plan.flush_count = 1;
	f.text[0] = '\0';
	flushes[0].offset = m->region.bytes;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -ERANGE);
	ck_assert_ptr_nonnull(strstr(f.text, "flush 1"));
}
END_TEST

/* Which one is first, and how many lie between them, makes no difference. */
START_TEST(some_loads_are_timed)
{
	uint64_t offsets[] = { 0, 4096, 16, 65536, 1 << 20 };
	const struct sequence s = { offsets, 5 };
	double ticks[5];
	bool timed[5];
	struct walk_each each = { .timed = timed,
				  .ticks = ticks,
				  .most_ticks = 1000 };
	const struct walk_plan plan = {
		.warm_rounds = 3, .loads = 100, .samples = 1, .each = &each
	};
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample sample;

	if (!m)
		return;
	for (unsigned int which = 1; which < 32; which++) {
		const uint64_t before = m->conditions.accesses;
		double sum = 0;

		for (int i = 0; i < 5; i++)
			timed[i] = which >> i & 1;
		ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), 0);
		ck_assert_uint_eq(sample.loads, 100);
		ck_assert_uint_eq(m->conditions.accesses - before, 115);
		for (int i = 0; i < 5; i++) {
			ck_assert(timed[i] == (ticks[i] > 0));
			sum += 20 * ticks[i];
		}
		ck_assert_double_eq_tol(sample.ticks, sum, 1e-3);
	}
	memset(timed, 0, sizeof(timed));
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -EINVAL);
	ck_assert_ptr_nonnull(strstr(f.text, "no load is timed"));
}
END_TEST

/* Each load has a time of its own; what does not go with that is refused. */
START_TEST(loads_are_timed_one_by_one)
{
	uint64_t offsets[] = { 0, 4096, 16, 65536, 1 << 20 };
	double ticks[5] = { -1, -1, -1, -1, -1 }, most = 1000;
	const struct sequence s = { offsets, 5 }, none = { offsets, 0 };
	struct walk_each each = { .ticks = ticks, .most_ticks = most };
	struct walk_plan plan = {
		.warm_rounds = 3, .loads = 98, .samples = 1, .each = &each
	};
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample samples[2];
	double sum = 0;

	if (!m)
		return;
	ck_assert(m->times_each);
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	ck_assert_uint_eq(samples[0].loads, 100);
	for (int i = 0; i < 5; i++) {
		ck_assert(ticks[i] > 0 && ticks[i] <= most);
		sum += 20 * ticks[i];
	}
	ck_assert_double_eq_tol(samples[0].ticks, sum, 1e-3);
	each.most_ticks = 0;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	ck_assert_double_eq(ticks[4], 0);
	plan.samples = 2;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EINVAL);
	plan.samples = 1;
	plan.flags = WALK_COLD;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EINVAL);
	plan.flags = 0;
	offsets[2] = 8;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EINVAL);
	offsets[2] = m->region.bytes;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -ERANGE);
	ck_assert_int_eq(m->ops->walk(m, &none, &plan, samples, &f), -EINVAL);
}
END_TEST

/* Who uses the caches is in many rounds, who has the CPU half of the time in
 * few.
 */
START_TEST(quiet_cpu_is_shared)
{
	double rounds[1000];

	for (size_t i = 0; i < 1000; i++)
		rounds[i] = i % 2 ? 7000 : 7100;
	ck_assert_double_eq(quiet_cpu_share(rounds, 1000), 0);
	for (size_t i = 0; i < 1000; i += 4)
		rounds[i] = 8000;
	ck_assert_double_eq(quiet_cpu_share(rounds, 1000), 0.25);
	for (size_t i = 0; i < 1000; i++)
		rounds[i] = i % 500 ? 7000 : 3.5e6;
	ck_assert_double_eq_tol(quiet_cpu_share(rounds, 1000), 0.5, 0.01);
	ck_assert_double_eq(quiet_cpu_share(rounds, 0), 1);
}
END_TEST

START_TEST(quiet_cpu_is_allowed)
{
	cpu_set_t before, one, after;
	int cpu = quiet_cpu_choose();

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	ck_assert(cpu == -1 || CPU_ISSET(cpu, &before));
	ck_assert(cpu != -1 || CPU_COUNT(&before) == 1);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	/* Nothing to choose from, and nothing changed. */
	ck_assert_int_eq(quiet_cpu_choose(), -1);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(after), &after), 0);
	ck_assert(CPU_EQUAL(&one, &after));
	ck_assert_int_eq(sched_setaffinity(0, sizeof(before), &before), 0);
}
END_TEST

START_TEST(impossible_cpu)
{
	const struct machine_request request = { .cpu = 100000,
						 .bytes = REALKIT_BYTES };
	struct failure f = { .text = "" };

	ck_assert_ptr_null(machine_open_hugepage(&request, &f));
	ck_assert_int_eq(f.status, STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(f.text, "--cpu"));
}
END_TEST

/* All of it and no more, by whatever CPUs there are; one is none. */
START_TEST(memory_is_there)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const int cpus[] = { 0, CPU_SETSIZE - 1, 1 };
	unsigned char there[PAGES + 1];
	char *memory;

	for (size_t helpers = 0; helpers <= 3; helpers++) {
		memory = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ck_assert_ptr_ne(memory, MAP_FAILED);
		madvise(memory, (PAGES + 1) * page, MADV_NOHUGEPAGE);
		populate(memory, PAGES * page, page, cpus, helpers);
		ck_assert_int_eq(mincore(memory, (PAGES + 1) * page, there), 0);
		for (size_t i = 0; i <= PAGES; i++)
			ck_assert_int_eq(there[i] & 1, i < PAGES);
		munmap(memory, (PAGES + 1) * page);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("hugepage");
	TCase *host = tcase_create("host");

	tcase_set_timeout(t, 60);
	tcase_set_timeout(host, 60);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
	tcase_add_test(t, extents_tile_the_region);
	tcase_add_test(t, samples_are_whole);
	tcase_add_test(t, steps_come_before_each_sample);
	tcase_add_test(t, others_take_steps);
	tcase_add_test(t, bad_sequences_are_refused);
	tcase_add_test(t, lines_are_flushed_on_the_way);
	tcase_add_test(t, loads_are_timed_one_by_one);
	tcase_add_test(t, some_loads_are_timed);
	tcase_add_test(host, quiet_cpu_is_shared);
	tcase_add_test(host, quiet_cpu_is_allowed);
	tcase_add_test(host, impossible_cpu);
	tcase_add_test(host, memory_is_there);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, host);
	return suite;
}
