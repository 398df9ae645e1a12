// SPDX-License-Identifier: GPL-2.0
/* check_selftest.c - counters that count what is known, and those that do not.
 */
#include <stdio.h>

#include "kit/liar.h"
#include "kit/profilekit.h"
#include "method/counter/selftest.h"
#include "suites.h"

#define ALL                                                                  \
	"\"counters\":[\"cycles\",\"loads\",\"l1d_miss\",\"l2_miss\","       \
	"\"l3_miss\",\"dtlb_miss\",\"stlb_miss\",\"itlb_miss\",\"l1i_miss\"" \
	",\"instructions\",\"l1d_write_miss\",\"l2_write_miss\","            \
	"\"l3_write_miss\"],"
#define L1D                                                        \
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384," \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":3},"
#define L1I                                                               \
	"{\"level\":1,\"type\":\"instruction\",\"capacity_bytes\":16384," \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":3},"
#define LOWER                                                             \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":131072,"    \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":11},{\"level\":" \
	"3,\"type\":\"unified\",\"capacity_bytes\":1048576,\"ways\":16,"  \
	"\"line_bytes\":64,\"latency_cycles\":35}"
#define ARRAY(level, type, entries)                                         \
	"{\"level\":" #level ",\"type\":\"" type "\",\"page_bytes\":[4096]" \
	",\"entries\":" #entries ",\"ways\":4}"
#define TLBS                                          \
	",\"tlbs\":[" ARRAY(1, "data", 64) "," ARRAY( \
		1, "instruction", 64) "," ARRAY(2, "unified", 512) "]"
#define MACHINE(more) "{" ALL "\"caches\":[" L1D L1I LOWER "]" TLBS more "}"
#define THREE                                                   \
	"{\"counters\":[\"l1d_miss\",\"l2_miss\",\"l3_miss\"]," \
	"\"caches\":[" L1D LOWER "]}"

#define EVERYTHING ((1U << MACHINE_COUNTERS) - 1)
#define BIT(role) (1U << COUNTER_##role)

static struct machine *open_text(const char *text, uint64_t bytes)
{
	return profilekit_open(text, bytes, 1);
}

static void try_machine(struct machine *m, struct counter_checks *checks)
{
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_msg(!counters_selftest(&p, checks, &f), "%s", f.text);
	machine_close(m);
}

static void try_text(const char *text, struct counter_checks *checks)
{
	try_machine(open_text(text, UINT64_C(16) << 20), checks);
}

static void try_fault(const char *role, const char *fault,
		      struct counter_checks *checks)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 MACHINE(",\"counter_faults\":{\"%s\":{%s}}"), role, fault);
	try_text(text, checks);
}

START_TEST(honest_ones_are_believed)
{
	static const char *const texts[] = {
		MACHINE(""),
		MACHINE(",\"noise\":{\"jitter_cycles\":40,\"tail_probability\""
			":0.02,\"tail_cycles\":5000,"
			"\"interrupts_per_million_loads\":20,"
			"\"lines_evicted_per_interrupt\":8}"),
	};
	struct counter_checks c;

	try_text(texts[_i], &c);
	for (int i = 0; i < MACHINE_COUNTERS; i++)
		ck_assert_msg(c.role[i].state == COUNTER_BELIEVED, "%s: %s",
			      machine_counter_name((enum machine_counter)i),
			      c.role[i].reason);
	ck_assert_uint_eq(counters_believed(&c), EVERYTHING);
	ck_assert_double_eq(c.role[COUNTER_L2_MISS].trials[1].counted, 24);
	ck_assert_double_eq(c.role[COUNTER_L2_MISS].trials[2].counted, 96);
	ck_assert_double_eq(c.role[COUNTER_L2_MISS].trials[3].counted, 48);
	ck_assert_double_eq(c.role[COUNTER_L3_WRITE_MISS].trials[0].counted, 0);
	ck_assert_double_eq(c.role[COUNTER_L3_WRITE_MISS].trials[2].counted,
			    96);
}
END_TEST

/* Each role by each factor: that one is found out, all others are believed, but
 * for those whose partner is gone.
 */
static const enum machine_counter scaled[] = {
	COUNTER_LOADS,	       COUNTER_L1D_MISS,  COUNTER_L2_MISS,
	COUNTER_L3_MISS,       COUNTER_DTLB_MISS, COUNTER_STLB_MISS,
	COUNTER_ITLB_MISS,     COUNTER_L1I_MISS,  COUNTER_CYCLES,
	COUNTER_L2_WRITE_MISS,
};
static const char *const factors[] = { "0", "0.5", "0.7", "1.3" };

#define FACTORS (sizeof(factors) / sizeof(factors[0]))

START_TEST(wrong_by_a_factor_is_found_out)
{
	if (!is_in_part(_i))
		return;

	enum machine_counter role = scaled[(size_t)_i / FACTORS];
	const char *name = machine_counter_name(role);
	const struct counter_check *check;
	struct counter_checks c;
	char fault[32];

	snprintf(fault, sizeof(fault), "\"factor\":%s",
		 factors[(size_t)_i % FACTORS]);
	try_fault(name, fault, &c);
	check = &c.role[role];
	ck_assert_msg(check->state == COUNTER_REJECTED, "%s %s: %s", name,
		      fault, counter_state_name(check->state));
	ck_assert_ptr_nonnull(strstr(check->reason, "counted"));
	ck_assert_uint_eq(counters_believed(&c), EVERYTHING & ~(1U << role));
}
END_TEST

START_TEST(nearly_right_is_believed)
{
	static const char *const near[] = { "\"factor\":0.95",
					    "\"factor\":1.05",
					    "\"per_load\":0.001" };
	struct counter_checks c;

	try_fault("l1d_miss", near[_i], &c);
	ck_assert_uint_eq(counters_believed(&c), EVERYTHING);
}
END_TEST

/* The UltraSPARC's erratum, and AMP's way around it. */
START_TEST(stores_stand_in_for_loads)
{
	const struct counter_check *check;
	struct counter_checks c;

	try_fault("l1d_miss", "\"per_load\":1.2", &c);
	check = &c.role[COUNTER_L1D_MISS];
	ck_assert_int_eq(check->state, COUNTER_REJECTED);
	ck_assert_ptr_nonnull(strstr(check->reason, "counted 2458.0"));
	ck_assert_int_eq(check->substitute, COUNTER_L1D_WRITE_MISS);
	ck_assert_int_eq(c.role[COUNTER_L2_MISS].substitute, MACHINE_COUNTERS);

	try_text(MACHINE(",\"counter_faults\":{\"l1d_miss\":{\"factor\":0},"
			 "\"l1d_write_miss\":{\"factor\":0.5}}"),
		 &c);
	ck_assert_int_eq(c.role[COUNTER_L1D_MISS].substitute, MACHINE_COUNTERS);
}
END_TEST

START_TEST(overhead_is_subtracted)
{
	static const char *const faults[] = { "\"overhead\":7",
					      "\"overhead\":5000" };
	static const double overheads[] = { 7, 5000 };
	const struct counter_check *check;
	struct counter_checks c;

	try_fault("l2_miss", faults[_i], &c);
	check = &c.role[COUNTER_L2_MISS];
	ck_assert_int_eq(check->state, COUNTER_BELIEVED);
	ck_assert_double_eq(check->overhead, overheads[_i]);
	ck_assert_double_eq(check->trials[0].counted, 0);
	ck_assert_double_eq(check->trials[1].counted, 24);
	ck_assert_double_eq(c.role[COUNTER_L3_MISS].overhead, 0);
}
END_TEST

START_TEST(multiplexed_ones_are_refused)
{
	static const char *const faults[] = { "\"busy\":1", "\"busy\":0.3" };
	static const char *const reasons[] = { "it ran in none",
					       "multiplexed" };
	const struct counter_check *check;
	struct counter_checks c;

	try_fault("l3_miss", faults[_i], &c);
	check = &c.role[COUNTER_L3_MISS];
	ck_assert_int_eq(check->state, COUNTER_REJECTED);
	ck_assert_msg(strstr(check->reason, reasons[_i]) != NULL, "%s",
		      check->reason);
	ck_assert_uint_gt(check->unread, 0);
	ck_assert_uint_eq(counters_believed(&c), EVERYTHING & ~BIT(L3_MISS));
}
END_TEST

/* Cold lines miss in all levels. */
START_TEST(another_levels_counter_is_found_out)
{
	if (!is_in_part_of(_i, 3))
		return;

	static const enum lie lies[] = { TRUTH, LEVEL_ABOVE, LEVEL_BELOW };
	static const unsigned int believed[] = {
		BIT(L1D_MISS) | BIT(L2_MISS) | BIT(L3_MISS),
		BIT(L3_MISS),
		BIT(L1D_MISS),
	};
	struct counter_checks c;

	try_machine(open_liar(THREE, lies[_i], 1), &c);
	ck_assert_uint_eq(counters_believed(&c), believed[_i]);
	if (lies[_i] != TRUTH)
		ck_assert_ptr_nonnull(strstr(c.role[COUNTER_L2_MISS].reason,
					     "looks like that of"));
}
END_TEST

START_TEST(one_level_of_translations_is_not_two)
{
	struct counter_checks c;

	try_text("{" ALL "\"caches\":[" L1D L1I LOWER
		 "],\"tlbs\":[" ARRAY(1, "data", 64) "]}",
		 &c);
	ck_assert_uint_eq(
		counters_believed(&c) & (BIT(DTLB_MISS) | BIT(STLB_MISS)), 0);
}
END_TEST

START_TEST(constants_are_refused)
{
	static const enum lie lies[] = { DEAD, STUCK, EVERY_LOAD, HALF,
					 MULTIPLEXED };
	struct counter_checks c;

	try_machine(open_liar(THREE, lies[_i], 1), &c);
	ck_assert_uint_eq(counters_believed(&c), 0);
}
END_TEST

START_TEST(what_is_not_there_is_missing)
{
	struct counter_checks c;

	try_text(THREE, &c);
	ck_assert_int_eq(c.role[COUNTER_L1I_MISS].state, COUNTER_MISSING);
	ck_assert_uint_eq(c.role[COUNTER_L1I_MISS].trial_count, 0);
	try_text("{\"counters\":[],\"caches\":[" L1D LOWER "]}", &c);
	for (int i = 0; i < MACHINE_COUNTERS; i++)
		ck_assert_int_eq(c.role[i].state, COUNTER_MISSING);
}
END_TEST

/* Nothing is believed that was not tried. */
START_TEST(too_little_memory_is_said)
{
	struct counter_checks c;

	try_machine(open_text(THREE, 65536), &c);
	ck_assert_uint_eq(counters_believed(&c), 0);
	ck_assert_int_eq(c.role[COUNTER_L1D_MISS].state, COUNTER_UNTESTED);
	ck_assert_ptr_nonnull(
		strstr(c.role[COUNTER_L1D_MISS].reason, "memory"));
}
END_TEST

START_TEST(it_can_be_stopped)
{
	struct machine *m = open_text(THREE, UINT64_C(64) << 20);
	const volatile sig_atomic_t stop = 1;
	struct failure f = { .text = "" };
	struct counter_checks c;
	struct prober p;

	prober_begin(&p, m, 1);
	p.stop = &stop;
	ck_assert_int_eq(counters_selftest(&p, &c, &f), -EINTR);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("counters");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, honest_ones_are_believed, 0, 2);
	tcase_add_loop_test(t, wrong_by_a_factor_is_found_out, 0,
			    sizeof(scaled) / sizeof(scaled[0]) * FACTORS);
	tcase_add_loop_test(t, nearly_right_is_believed, 0, 3);
	tcase_add_test(t, stores_stand_in_for_loads);
	tcase_add_loop_test(t, overhead_is_subtracted, 0, 2);
	tcase_add_loop_test(t, multiplexed_ones_are_refused, 0, 2);
	tcase_add_loop_test(t, another_levels_counter_is_found_out, 0, 3);
	tcase_add_test(t, one_level_of_translations_is_not_two);
	tcase_add_loop_test(t, constants_are_refused, 0, 5);
	tcase_add_test(t, what_is_not_there_is_missing);
	tcase_add_test(t, too_little_memory_is_said);
	tcase_add_test(t, it_can_be_stopped);
	suite_add_tcase(suite, t);
	return suite;
}
