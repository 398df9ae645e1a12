// SPDX-License-Identifier: GPL-2.0
/* check_table.c - AMP on the systems of its paper. */
#include <stdio.h>
#include <string.h>

#include "method/amp/ampkit.h"
#include "suites.h"

#define ROWS 5

/* A row of Table 1; 0: N/C. */
struct printed {
	int level;
	bool tlb;
	double block, size, ways;
	bool code;
};

static const struct {
	const char *name;
	struct printed rows[ROWS];
	bool l1_allocates;
} systems[] = {
	{ "amp-p5-133",
	  { { 1, false, 32, 8192, 2, false },
	    { 2, false, 0, 0, 0, false },
	    { 1, true, 4096, 64, 4, false },
	    { 1, false, 32, 8192, 2, true },
	    { 1, true, 4096, 32, 2, true } },
	  false },
	{ "amp-ppro-200",
	  { { 1, false, 32, 8192, 2, false },
	    { 2, false, 32, 262144, 4, false },
	    { 1, true, 0, 0, 0, false },
	    { 1, false, 32, 8192, 2, true },
	    { 1, true, 4096, 32, 4, true } },
	  true },
	{ "amp-pii-233",
	  { { 1, false, 32, 16384, 4, false },
	    { 2, false, 32, 524288, 4, false },
	    { 1, true, 0, 0, 0, false },
	    { 1, false, 32, 16384, 4, true },
	    { 1, true, 4096, 32, 4, true } },
	  true },
	{ "amp-ultrasparc-i",
	  { { 1, false, 32, 16384, 1, false },
	    { 2, false, 64, 524288, 1, false },
	    { 1, true, 0, 0, 0, false },
	    { 1, false, 32, 16384, 2, true },
	    { 1, true, 0, 0, 0, true } },
	  false },
	{ "amp-r10k-225",
	  { { 1, false, 32, 32768, 2, false },
	    { 2, false, 128, 1048576, 2, false },
	    { 1, true, 32768, 64, 64, false },
	    { 1, false, 64, 32768, 2, true },
	    { 1, true, 32768, 64, 64, true } },
	  true },
};

#define SYSTEMS (int)(sizeof(systems) / sizeof(systems[0]))

static const struct amp_row *find(const struct amp_result *r, int level,
				  bool tlb, bool code)
{
	const struct amp_row *rows = tlb ? r->tlbs : r->caches;
	size_t count = tlb ? r->tlb_count : r->cache_count;

	for (size_t i = 0; i < count; i++)
		if (rows[i].level == level && amp_is_code(&rows[i]) == code)
			return &rows[i];
	ck_abort_msg("no row of level %d", level);
	return NULL;
}

static void print_cells(const struct printed *paper, const struct amp_row *row)
{
	const struct amp_parameter *ours[] = { &row->block_bytes, &row->size,
					       &row->ways };
	const double theirs[] = { paper->block, paper->size, paper->ways };

	printf("  L%d %-4s %-4s", paper->level, paper->code ? "code" : "data",
	       paper->tlb ? "TLB" : "");
	for (int i = 0; i < 3; i++)
		if (theirs[i] > 0)
			printf(" %8.0f | %-8.0f", theirs[i], ours[i]->p.value);
		else
			printf(" %8s | %-8s", "N/C",
			       ampkit_is_cell(ours[i], 0) ? "N/C" : "?");
	printf("\n");
}

/* Section 4, in words: P5 and UltraSPARC do not allocate on writes in L1, all
 * L1 are split, all L2 unified, and nothing is random.
 */
static void check_words(const struct amp_result *r, const char *name, bool l1)
{
	for (size_t i = 0; i < r->cache_count; i++) {
		const struct amp_row *row = &r->caches[i];
		bool lower = row->level > 1;

		if (!parameter_is_measured(&row->ways.p) || amp_is_code(row))
			continue;
		ck_assert_msg(ampkit_is_flag(&row->write_allocate, lower || l1),
			      "%s L%d write-allocate: %s", name, row->level,
			      row->write_allocate.p.reason);
		ck_assert_msg(ampkit_is_flag(&row->unified, lower),
			      "%s L%d unified: %s", name, row->level,
			      row->unified.p.reason);
		ck_assert_str_eq(row->type, lower ? "unified" : "data");
		ck_assert_msg(row->ways.p.value == 1 ?
				      row->replacement.p.status ==
					      PARAMETER_UNAVAILABLE :
				      ampkit_is_flag(&row->replacement, false),
			      "%s L%d replacement: %s", name, row->level,
			      row->replacement.p.reason);
	}
}

/* The R10000's TLB is one for both. */
static void check_translations(const struct amp_result *r, const char *name)
{
	bool one = !strncmp(name, "amp-r10k", 8);

	for (size_t i = 0; i < r->tlb_count; i++) {
		const struct amp_row *row = &r->tlbs[i];

		if (!parameter_is_measured(&row->ways.p))
			continue;
		ck_assert_msg(ampkit_is_flag(&row->unified, one),
			      "%s %s TLB: %s", name, row->type,
			      row->unified.p.reason);
		ck_assert_msg(ampkit_is_flag(&row->replacement, false),
			      "%s %s TLB: %s", name, row->type,
			      row->replacement.p.reason);
	}
}

START_TEST(table_1_of_the_paper)
{
	const struct amp_wanted wanted = AMPKIT_EVERYTHING;
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	struct amp_result r;

	if (!is_in_part(_i))
		return;
	ampkit_measure_file(systems[_i].name, seed, &wanted, &r);
	printf("%s (line or page, size, ways; paper | ours)\n",
	       systems[_i].name);
	for (int i = 0; i < ROWS; i++) {
		const struct printed *paper = &systems[_i].rows[i];
		const struct amp_row *row =
			find(&r, paper->level, paper->tlb, paper->code);

		print_cells(paper, row);
		ck_assert_msg(ampkit_is_cell(&row->block_bytes, paper->block) &&
				      ampkit_is_cell(&row->size, paper->size) &&
				      ampkit_is_cell(&row->ways, paper->ways),
			      "%s L%d: %g/%g/%g (%s)", systems[_i].name,
			      row->level, row->block_bytes.p.value,
			      row->size.p.value, row->ways.p.value,
			      row->size.p.reason);
	}
	check_translations(&r, systems[_i].name);
	ck_assert(r.answered);
	check_words(&r, systems[_i].name, systems[_i].l1_allocates);
}
END_TEST

TCase *make_amp_table_case(void)
{
	TCase *t = tcase_create("table 1");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, table_1_of_the_paper, 0, SYSTEMS);
	return t;
}
