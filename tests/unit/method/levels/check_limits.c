// SPDX-License-Identifier: GPL-2.0
/* check_limits.c - X-Ray where there is too little of something, or no time. */
#include "kit/simcache.h"
#include "method/level/level.h"
#include "method/levels/levels.h"
#include "suites.h"

static const struct sim_config nehalem = {
	.levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		    { 8, 512, 64, 10, SIM_LRU, false, { 0 } },
		    { 16, 8192, 64, 40, SIM_LRU, false, { 0 } } },
	.memory_latency = 200,
	.seed = 1
};
static const unsigned int ways[] = { 8, 8, 16 };

/* Translations of a row of lines, and of one that is far away. */
#define ENOUGH_PAGES 3

static void measure(const struct sim_config *config, uint64_t seed,
		    struct hierarchy *found)
{
	struct machine *m = sim_open(config);
	struct failure f = { .text = "" };
	struct prober prober;

	prober_begin(&prober, m, seed);
	ck_assert_msg(xray_measure(&prober, found, &f) == 0, "%s", f.text);
	machine_close(m);
}

/* Translations that miss must not be read as ways. Pages with room for as many lines as
 * show what translations take distinguish them; of fewer pages L1 is undecided.
 */
START_TEST(few_translations)
{
	struct sim_config config = nehalem;
	const struct parameter *p;
	struct hierarchy found;

	config.tlb_entries = (size_t)_i;
	config.tlb_penalty = 12;
	measure(&config, 1, &found);
	p = &found.caches[0].ways;
	if (parameter_is_measured(p)) {
		ck_assert(p->value == ways[0]);
		ck_assert(found.caches[0].capacity_bytes.value == 32768);
		return;
	}
	ck_assert_msg(strstr(p->reason, "translations"), "%s", p->reason);
	ck_assert_int_lt(_i, ENOUGH_PAGES);
	/* Three searches say so, and not six. */
	ck_assert_uint_le(found.tests, 2500);
}
END_TEST

START_TEST(little_memory)
{
	struct sim_config config = nehalem;
	struct hierarchy found;

	struct failure f = { .text = "" };
	struct prober prober;
	struct machine *m;
	int error;

	config.region_bytes = UINT64_C(1) << _i;
	m = sim_open(&config);
	prober_begin(&prober, m, 1);
	error = xray_measure(&prober, &found, &f);
	machine_close(m);
	ck_assert_msg(!error || f.text[0], "%d without a text", error);
	ck_assert_int_eq(error != 0, _i < 20);
	for (size_t i = 0; i < found.cache_count; i++) {
		const struct parameter *p = &found.caches[i].ways;

		ck_assert_msg(p->status != PARAMETER_MEASURED ||
				      p->value == ways[i],
			      "L%zu: %g ways", i + 1, p->value);
	}
}
END_TEST

START_TEST(interrupted)
{
	static volatile sig_atomic_t stop = 1;
	struct machine *m = sim_open(&nehalem);
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, 1);
	prober.stop = &stop;
	ck_assert_int_eq(xray_measure(&prober, &found, &f), -EINTR);
	ck_assert(!found.complete);
	ck_assert_int_eq(found.memory_latency_cycles.status,
			 PARAMETER_UNAVAILABLE);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("limits");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, few_translations, 1, 7);
	tcase_add_loop_test(t, little_memory, 12, 24);
	tcase_add_test(t, interrupted);
	suite_add_tcase(suite, t);
	return suite;
}
