// SPDX-License-Identifier: GPL-2.0
/* T(n,k) on the machines of Table II (section VI). */
#include "method/tlb/tlbkit.h"

#include <stdio.h>

#include "suites.h"

#define MOST_LEVELS 2

/**
 * struct line - of Table II, KiB; 0: not known, or not found
 * @file: that simulates it
 */
struct line {
	const char *file;
	const char *processor;
	double actual[MOST_LEVELS];
	double measured[MOST_LEVELS];
};

static const struct line table[] = {
	{ "barcelona", "AMD Opteron 2360 SE", { 192, 2048 }, { 192, 2048 } },
	{ "opteron275", "AMD Opteron 275", { 128, 2048 }, { 128, 2048 } },
	{ "magny-cours", "AMD Opteron 6168", { 192, 2048 }, { 192, 2048 } },
	{ "agena", "AMD Phenom 9750", { 192, 2048 }, { 192, 2048 } },
	{ "arm926ej-s", "ARM926EJ-S", { 256, 0 }, { 32, 224 } },
	{ "cell", "IBM Cell (PS3)", { 0, 0 }, { 256, 4096 } },
	{ "power7", "IBM POWER7", { 4096, 0 }, { 4096, 32768 } },
	{ "merom", "Intel Core 2 T5600", { 64, 1024 }, { 64, 1024 } },
	{ "mckinley", "Intel Itanium 2 900", { 2048, 8192 }, { 7680, 0 } },
	{ "montecito", "Intel Itanium 2 9040", { 512, 2048 }, { 1920, 0 } },
	{ "pentium4", "Intel Pentium 4", { 256, 0 }, { 256, 0 } },
	{ "e5420", "Intel Xeon E5420", { 64, 1024 }, { 64, 1024 } },
	{ "e5440", "Intel Xeon E5440", { 64, 1024 }, { 64, 1024 } },
	{ "e5530", "Intel Xeon E5530", { 256, 2048 }, { 256, 2048 } },
	{ "e7330", "Intel Xeon E7330", { 64, 1024 }, { 64, 1024 } },
	{ "x3220", "Intel Xeon X3220", { 64, 1024 }, { 64, 1024 } },
	{ "x5660", "Intel Xeon X5660", { 256, 2048 }, { 256, 2048 } },
	{ "g4", "PowerPC 7455 G4", { 512, 0 }, { 512, 1280 } },
	{ "g3", "PowerPC 750 G3", { 512, 0 }, { 512, 1280 } },
	{ "ultrasparc-t1", "Sun UltraSPARC T1", { 512, 0 }, { 3840, 0 } },
};

#define LINES ((int)(sizeof(table) / sizeof(table[0])))

/* What is simulated, in KiB: the actual column where there is one, else what the
 * paper measured. The 256 KiB of the ARM926EJ-S are both parts of its TLB at once,
 * which no program gets; they are simulated, and measured, as two levels.
 */
static double simulated(const struct line *line, size_t level)
{
	const double *actual = line->actual, *measured = line->measured;

	if (!strcmp(line->file, "arm926ej-s") || !strcmp(line->file, "cell") ||
	    !strcmp(line->file, "power7"))
		return measured[level];
	return actual[level];
}

static double ways_of(const char *file, size_t level)
{
	static const struct {
		const char *file;
		double ways[MOST_LEVELS];
	} known[] = {
		{ "barcelona", { 48, 4 } },
		{ "opteron275", { 32, 4 } },
		{ "magny-cours", { 48, 4 } },
		{ "agena", { 48, 4 } },
		{ "arm926ej-s", { 8, 2 } },
		{ "cell", { 2, 4 } },
		{ "power7", { 64, 4 } },
		{ "mckinley", { 32, 128 } },
		{ "montecito", { 32, 128 } },
		{ "pentium4", { 64, 0 } },
		{ "g4", { 2, 0 } },
		{ "g3", { 2, 0 } },
		{ "ultrasparc-t1", { 64, 0 } },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].file, file))
			return known[i].ways[level];
	return 4;
}

static void print_line(const struct line *line, const struct side_result *r)
{
	for (size_t i = 0; i < MOST_LEVELS; i++) {
		const struct side_tlb *t = &r->tlbs[i];

		if (i < r->tlb_count)
			printf("%-20s %zu %5g %5g | %5g KiB %3g ways %2g cycles\n",
			       i ? "" : line->processor, i + 1, line->actual[i],
			       line->measured[i], t->reach_bytes.value / 1024,
			       t->ways.value, t->latency_cycles.value);
		else if (line->actual[i] > 0 || line->measured[i] > 0)
			printf("%-20s %zu %5g %5g |     -\n", "", i + 1,
			       line->actual[i], line->measured[i]);
	}
	fflush(stdout);
}

/* Table II beside ours, and how many sets of translations share. */
START_TEST(test_table)
{
	if (!is_in_part_of(_i, LINES))
		return;

	const struct line *line = &table[_i];
	struct tlbkit kit;
	char path[64];

	if (!_i)
		printf("Table II, KiB: actual, measured | ours (PROBE_PHYS_SEED=%llu)\n",
		       (unsigned long long)tlbkit_seed());
	snprintf(path, sizeof(path), "tests/machines/cs-%s.json", line->file);
	tlbkit_measure_profile(&kit, path);
	print_line(line, &kit.r);
	for (size_t i = 0; i < MOST_LEVELS; i++) {
		const struct side_tlb *t = &kit.r.tlbs[i];
		double kib = simulated(line, i);

		ck_assert_uint_eq(i<kit.r.tlb_count, kib> 0);
		if (kib <= 0)
			continue;
		ck_assert(parameter_is_measured(&t->reach_bytes));
		ck_assert_double_eq(t->reach_bytes.value, kib * 1024);
		ck_assert(parameter_is_measured(&t->ways));
		ck_assert_double_eq(t->ways.value, ways_of(line->file, i));
		ck_assert(parameter_is_measured(&t->latency_cycles));
		ck_assert_double_eq(t->latency_cycles.value -
					    kit.r.tlbs[0].latency_cycles.value,
				    i ? 7 : 0);
	}
	side_result_free(&kit.r);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *c = tcase_create("table");

	tcase_add_loop_test(c, test_table, 0, LINES);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	suite_add_tcase(s, make_cooper_tlb_made_case());
	return s;
}
