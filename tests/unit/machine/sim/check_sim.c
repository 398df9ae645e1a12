// SPDX-License-Identifier: GPL-2.0
/* check_sim.c - the simulated machine, as methods see it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "machine/sim/sim.h"
#include "suites.h"

#define CACHES                                                                 \
	"\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384," \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":3},"                  \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":131072,"         \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":11},"                 \
	"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":1048576,"        \
	"\"ways\":16,\"line_bytes\":64,\"latency_cycles\":35}]"
#define QUIET "{" CACHES "}"
#define NOISY                                                         \
	"{" CACHES                                                    \
	",\"noise\":{\"jitter_cycles\":40,\"tail_probability\":0.02," \
	"\"tail_cycles\":5000,\"interrupts_per_million_loads\":20,"   \
	"\"lines_evicted_per_interrupt\":8,\"frequency_drift\":0.02}}"

static struct machine *open_text(const char *text, uint64_t seed)
{
	return profilekit_open(text, UINT64_C(512) << 20, seed);
}

static void check(const struct parameter *p, double wanted, bool decided)
{
	ck_assert_msg(p->status != PARAMETER_MEASURED || p->value == wanted,
		      "%g instead of %g", p->value, wanted);
	ck_assert(!decided || p->status == PARAMETER_MEASURED);
}

static void measure(const char *text, uint64_t seed, bool decided)
{
	static const unsigned int wanted[3][2] = { { 4, 16 },
						   { 8, 128 },
						   { 16, 1024 } };
	struct machine *m = open_text(text, seed);
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, seed);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert(!decided || found.cache_count == 3);
	for (size_t i = 0; i < found.cache_count && i < 3; i++) {
		check(&found.caches[i].ways, wanted[i][0], decided);
		check(&found.caches[i].capacity_bytes, wanted[i][1] * 1024.0,
		      decided);
		check(&found.caches[i].line_bytes, 64, decided);
	}
	machine_close(m);
}

START_TEST(quiet_is_measured)
{
	measure(QUIET, 1, true);
}
END_TEST

START_TEST(noise_never_misleads)
{
	for (uint64_t seed = 1; seed <= 3; seed++)
		measure(NOISY, seed, false);
}
END_TEST

static void walk(struct machine *m, unsigned int flags, uint64_t stride,
		 size_t count, struct sample *samples, unsigned int wanted)
{
	const struct shape w = { .inner = 1, .stride = stride, .outer = count };
	const struct walk_plan plan = { .flags = flags,
					.warm_rounds = 4,
					.loads = 100,
					.samples = wanted };
	struct failure f = { .text = "" };
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_msg(m->ops->walk(m, &s, &plan, samples, &f) == 0, "%s",
		      f.text);
	sequence_free(&s);
}

START_TEST(equal_seeds_equal_samples)
{
	struct sample a[16], b[16], c[16];
	struct sample *const all[] = { a, b, c };
	int differ = 0;

	for (int i = 0; i < 3; i++) {
		struct machine *m = open_text(NOISY, i == 2 ? 8 : 7);

		walk(m, 0, 4096, 32, all[i], 16);
		machine_close(m);
	}
	for (int i = 0; i < 16; i++) {
		ck_assert(a[i].ticks == b[i].ticks);
		ck_assert(a[i].disturbed == b[i].disturbed);
		differ += a[i].ticks != c[i].ticks;
	}
	ck_assert_int_gt(differ, 8);
}
END_TEST

/* What a method costs: all of a walk, and what comes before its samples. */
START_TEST(accesses_are_counted)
{
	uint64_t lines[] = { 0, 64, 128 }, flushed[] = { 0, 64 };
	const struct sequence loaded = { lines, 3 }, gone = { flushed, 2 };
	const struct walk_step steps[] = {
		{ .kind = STEP_LOAD, .lines = &loaded },
		{ .kind = STEP_FLUSH, .lines = &gone }
	};
	const struct walk_plan plan = {
		.warm_rounds = 9, .samples = 5, .steps = steps, .step_count = 2
	};
	struct machine *m = open_text(QUIET, 1);
	struct failure f = { .text = "" };
	struct sample samples[16];

	walk(m, 0, 4096, 32, samples, 16);
	ck_assert_uint_eq(m->conditions.accesses, 4 * 32 + 16 * 100);
	walk(m, WALK_COLD, 4096, 32, samples, 16);
	ck_assert_uint_eq(m->conditions.accesses,
			  4 * 32 + 16 * 100 + 4 * 32 + 16 * 32);
	m->conditions.accesses = 0;
	ck_assert_int_eq(m->ops->walk(m, &gone, &plan, samples, &f), 0);
	ck_assert_uint_eq(m->conditions.accesses, 5 * (3 + 2));
	machine_close(m);
}
END_TEST

START_TEST(cold_walks_reach_memory)
{
	struct machine *m = open_text(QUIET, 1);
	struct sample warm, cold;

	walk(m, 0, 64, 64, &warm, 1);
	walk(m, WALK_COLD, 64, 64, &cold, 1);
	ck_assert_int_eq(cold.loads, 64);
	ck_assert(warm.ticks / (double)warm.loads < 3.5);
	ck_assert(cold.ticks / (double)cold.loads > 199);
	ck_assert(m->ops->add_chain(m, 4096) > 4090 &&
		  m->ops->add_chain(m, 4096) < 4102);
	machine_close(m);
}
END_TEST

static double after(struct machine *m, const struct walk_step *steps,
		    size_t count)
{
	const struct shape w = { .inner = 1, .stride = 64, .outer = 64 };
	const struct walk_plan plan = {
		.loads = 1000, .samples = 2, .steps = steps, .step_count = count
	};
	struct failure f = { .text = "" };
	struct sample samples[2];
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_msg(m->ops->walk(m, &s, &plan, samples, &f) == 0, "%s",
		      f.text);
	sequence_free(&s);
	ck_assert_uint_eq(samples[1].loads, 64);
	ck_assert(samples[0].ticks > 0);
	return samples[1].ticks / 64;
}

START_TEST(steps_come_before_each_sample)
{
	const struct shape w = { .inner = 1, .stride = 64, .outer = 64 };
	struct machine *m = open_text(QUIET, 1);
	struct sequence all, words;
	const struct walk_step steps[] = {
		{ STEP_FLUSH, &all, 0 }, { STEP_STORE, &words, 0 },
		{ STEP_FLUSH, &all, 0 }, { STEP_LOAD, &words, 0 },
		{ STEP_FLUSH, &all, 0 }, { STEP_LOAD_TOGETHER, &words, 0 }
	};

	ck_assert_int_eq(sequence_place(&all, &w, 0), 0);
	ck_assert_int_eq(sequence_place(&words, &w, 8), 0);
	ck_assert(after(m, steps, 1) > 199);
	ck_assert(after(m, steps, 2) < 3.5);
	ck_assert(after(m, steps, 3) > 199);
	ck_assert(after(m, steps, 4) < 3.5);
	ck_assert(after(m, steps, 5) > 199);
	ck_assert(after(m, steps, 6) < 3.5);
	sequence_free(&all);
	sequence_free(&words);
	machine_close(m);
}
END_TEST

/* Stores of a walk are counted as such, those of steps are not. */
START_TEST(stores_are_walked)
{
	static const char text[] =
		"{\"counters\":[\"loads\",\"l1d_miss\",\"l1d_write_miss\"]," CACHES
		"}";
	uint64_t lines[] = { 0, 64, 4096, 8192 };
	const struct sequence all = { lines, 4 };
	const struct sequence two = { lines, 2 };
	const struct walk_step steps[] = { { STEP_LOAD, &all, 0 },
					   { STEP_FLUSH, &two, 0 } };
	const struct walk_plan plan = {
		.flags = WALK_STORES,
		.samples = 2,
		.counters = 1U << COUNTER_LOADS | 1U << COUNTER_L1D_WRITE_MISS,
		.steps = steps,
		.step_count = 2
	};
	struct machine *m = open_text(text, 1);
	struct failure f = { .text = "" };
	struct sample samples[2];

	ck_assert_int_eq(m->ops->walk(m, &all, &plan, samples, &f), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(samples[i].loads, 4);
		ck_assert_uint_eq(samples[i].counted, plan.counters);
		ck_assert_double_eq(samples[i].counts[COUNTER_LOADS], 0);
		ck_assert_double_eq(samples[i].counts[COUNTER_L1D_WRITE_MISS],
				    2);
	}
	machine_close(m);
}
END_TEST

START_TEST(steps_stay_inside)
{
	struct machine *m = open_text(QUIET, 1);
	uint64_t inside = 0, beyond = m->region.bytes;
	const struct sequence s = { &inside, 1 }, bad = { &beyond, 1 };
	const struct walk_step step = { STEP_STORE, &bad, 0 };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = 1 };
	struct failure f = { .text = "" };
	struct sample sample;

	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -ERANGE);
	ck_assert_ptr_nonnull(strstr(f.text, "beyond the region"));
	machine_close(m);
}
END_TEST

START_TEST(walks_stay_inside)
{
	struct machine *m = open_text(QUIET, 1);
	uint64_t offsets[2] = { 0, m->region.bytes };
	const struct walk_plan plan = { .samples = 1 };
	struct sequence s = { offsets, 2 };
	struct failure f = { .text = "" };
	struct sample sample;

	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -ERANGE);
	offsets[1] = 4;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -EINVAL);
	s.length = 0;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -EINVAL);
	machine_close(m);
}
END_TEST

static const struct {
	const char *placement;
	uint64_t page_bytes;
	size_t least_extents, most_extents;
} placements[] = {
	{ "contiguous", 1 << 30, 1, 1 },
	{ "random-4k", 4096, 100000, 131072 },
	{ "random-2m", 2 << 20, 200, 256 },
};

START_TEST(extents_follow_placement)
{
	char text[1024];
	struct machine *m;
	uint64_t total = 0;

	snprintf(text, sizeof(text), "{" CACHES ",\"phys_placement\":\"%s\"}",
		 placements[_i].placement);
	m = open_text(text, 3);
	ck_assert_str_eq(m->ops->kind, "sim");
	ck_assert_str_eq(m->name, "test");
	ck_assert(m->region.phys_known && !m->virtual_machine);
	ck_assert_int_eq(m->region.page_bytes, placements[_i].page_bytes);
	ck_assert_int_ge(m->region.extent_count, placements[_i].least_extents);
	ck_assert_int_le(m->region.extent_count, placements[_i].most_extents);
	for (size_t i = 0; i < m->region.extent_count; i++) {
		const struct extent *e = &m->region.extents[i];

		total += e->bytes;
		ck_assert(!i || e->bytes <= e[-1].bytes);
		ck_assert(e->phys + e->bytes <= UINT64_C(1) << 40);
	}
	ck_assert(total == m->region.bytes);
	machine_close(m);
}
END_TEST

START_TEST(no_such_cpu)
{
	const struct machine_request request = { .cpu = 5, .bytes = 1 << 20 };
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(QUIET, strlen(QUIET), "x", &f);

	ck_assert_ptr_null(machine_open_profile(p, &request, &f));
	ck_assert_ptr_nonnull(strstr(f.text, "sim: CPU 5"));
}
END_TEST

START_TEST(no_memory_is_an_error)
{
	const struct machine_request request = { .cpu = -1, .bytes = 0 };
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(QUIET, strlen(QUIET), "test", &f);

	ck_assert_msg(p != NULL, "%s", f.text);
	ck_assert_ptr_null(machine_open_profile(p, &request, &f));
	ck_assert_msg(strstr(f.text, "no memory"), "%s", f.text);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("sim");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, quiet_is_measured);
	tcase_add_test(t, noise_never_misleads);
	tcase_add_test(t, equal_seeds_equal_samples);
	tcase_add_test(t, accesses_are_counted);
	tcase_add_test(t, cold_walks_reach_memory);
	tcase_add_test(t, steps_come_before_each_sample);
	tcase_add_test(t, stores_are_walked);
	tcase_add_test(t, steps_stay_inside);
	tcase_add_test(t, walks_stay_inside);
	tcase_add_loop_test(t, extents_follow_placement, 0,
			    sizeof(placements) / sizeof(placements[0]));
	tcase_add_test(t, no_such_cpu);
	tcase_add_test(t, no_memory_is_an_error);
	suite_add_tcase(suite, t);
	return suite;
}
