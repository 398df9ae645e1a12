// SPDX-License-Identifier: GPL-2.0
/* check_noise.c - AMP on a machine that is normally loaded. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/amp/ampkit.h"
#include "suites.h"

#define BYTES (UINT64_C(8) << 20)
/* As many as a minute allows; 200 with make check-full. */
#define RUNS 60
#define ROWS 6

/* Every level that AMP looks at, as small as can be, and interrupts that take
 * lines.
 */
#define PROFILE(noise)                                                        \
	"{\"counters\":[\"l1d_miss\",\"l2_miss\",\"l1i_miss\",\"dtlb_miss\"," \
	"\"stlb_miss\",\"itlb_miss\"],\"caches\":["                           \
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":4096,\"ways\":4,"  \
	"\"line_bytes\":64,\"latency_cycles\":3},"                            \
	"{\"level\":1,\"type\":\"instruction\",\"capacity_bytes\":4096,"      \
	"\"ways\":2,\"line_bytes\":64,\"latency_cycles\":3},"                 \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":32768,"         \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":12}],\"tlbs\":["     \
	"{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"               \
	"\"entries\":16,\"ways\":4,\"latency_cycles\":0},"                    \
	"{\"level\":1,\"type\":\"instruction\",\"page_bytes\":[4096],"        \
	"\"entries\":8,\"ways\":2,\"latency_cycles\":0},"                     \
	"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[4096],"            \
	"\"entries\":128,\"ways\":4,\"latency_cycles\":7}],"                  \
	"\"walk\":{\"latency_cycles\":30}," noise                             \
	"\"memory\":{\"latency_cycles\":200}}"

#define QUIET ""
#define NOISY                                                        \
	"\"noise\":{\"seed\":1,\"interrupts_per_million_loads\":20," \
	"\"lines_evicted_per_interrupt\":16,\"jitter_cycles\":20},"

static void measure(const char *text, uint64_t seed, struct amp_result *r)
{
	const struct amp_wanted wanted = { .caches = 2, .tlbs = true };

	ampkit_measure(profilekit_open(text, BYTES, seed), seed, &wanted, r);
}

static struct amp_row *row_of(struct amp_result *r, size_t i)
{
	return i < r->cache_count ? &r->caches[i] :
				    &r->tlbs[i - r->cache_count];
}

/* A value that is another one is wrong, not only different. */
static bool is_same(struct amp_row *row, struct amp_row *right, uint64_t seed)
{
	struct amp_parameter *all[AMP_PARAMETERS], *truth[AMP_PARAMETERS];
	bool same = true;

	amp_parameters(row, all);
	amp_parameters(right, truth);
	for (int i = 0; i < AMP_PARAMETERS; i++) {
		const struct parameter *p = &all[i]->p, *t = &truth[i]->p;

		if (p->status == PARAMETER_MEASURED) {
			ck_assert_msg(parameter_is_measured(t) &&
					      p->value == t->value,
				      "L%d %s, %d: %g (PROBE_PHYS_SEED=%llu)",
				      row->level, row->type, i, p->value,
				      (unsigned long long)seed);
			continue;
		}
		if (!parameter_is_measured(t))
			continue;
		printf("  L%d %s, %d, seed %llu: %s\n", row->level, row->type,
		       i, (unsigned long long)seed, p->reason);
		same = false;
	}
	return same;
}

/* What a quiet run gives is the truth of the profile, all of it. */
static void check_quiet(struct amp_result *r)
{
	static const double truth[ROWS][3] = {
		{ 64, 4096, 4 }, { 64, 32768, 4 }, { 64, 4096, 2 },
		{ 4096, 16, 4 }, { 4096, 128, 4 }, { 4096, 8, 2 },
	};

	ck_assert_uint_eq(r->cache_count + r->tlb_count, ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		const struct amp_row *row = row_of(r, i);

		ck_assert_msg(ampkit_is_cell(&row->block_bytes, truth[i][0]) &&
				      ampkit_is_cell(&row->size, truth[i][1]) &&
				      ampkit_is_cell(&row->ways, truth[i][2]),
			      "row %zu: %g, %g, %g ways: %s", i,
			      row->block_bytes.p.value, row->size.p.value,
			      row->ways.p.value, row->ways.p.reason);
		if (!row->mapped_bytes && amp_is_code(row))
			continue;
		ck_assert(row->mapped_bytes ||
			  ampkit_is_flag(&row->write_allocate, true));
		ck_assert(ampkit_is_flag(&row->replacement, false));
		ck_assert(ampkit_is_flag(&row->unified,
					 !strcmp(row->type, "unified")));
	}
}

/*
 * More than 99 % of runs give what a quiet one gives, as AMP was run on loaded
 * machines (more than 90 % there).
 */
START_SLOW_TEST(noisy_runs_agree)
{
	uint64_t first = from_environment("PROBE_PHYS_SEED", 1);
	/* One run at least, in small parts too. */
	uint64_t runs =
		from_environment("PROBE_PHYS_AMP_RUNS", RUNS / part_step(RUNS));
	struct amp_result quiet;
	uint64_t same = 0;

	measure(PROFILE(QUIET), first, &quiet);
	check_quiet(&quiet);
	for (uint64_t seed = first; seed < first + runs; seed++) {
		struct amp_result r;
		bool alike = true;

		measure(PROFILE(NOISY), seed, &r);
		ck_assert_uint_eq(r.cache_count + r.tlb_count, ROWS);
		for (size_t i = 0; i < ROWS; i++)
			alike &=
				is_same(row_of(&r, i), row_of(&quiet, i), seed);
		same += alike;
	}
	printf("AMP under noise: %llu of %llu runs are the same, from PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)same, (unsigned long long)runs,
	       (unsigned long long)first);
	ck_assert(100 * (runs - same) < runs);
}
END_TEST

TCase *make_amp_noise_case(void)
{
	TCase *noise = tcase_create("noise");

	tcase_set_timeout(noise, 3600);
	tcase_add_test(noise, noisy_runs_agree);
	return noise;
}
