// SPDX-License-Identifier: GPL-2.0
/* check_tlb.c - views of a simulated machine, and TLBs through them. */
#include <stdio.h>

#include "kit/disturber.h"
#include "kit/profilekit.h"
#include "method/tlb/measure.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define L1                                                               \
	"\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":" \
	"32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"      \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":262144,"   \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12}],"          \
	"\"walk\":{\"latency_cycles\":30},\"counters\":[],"              \
	"\"huge_page_bytes\":[2097152]"
#define NOISE                                                         \
	",\"noise\":{\"jitter_cycles\":20,\"tail_probability\":0.02," \
	"\"tail_cycles\":2000,\"interrupts_per_million_loads\":50,"   \
	"\"lines_evicted_per_interrupt\":64,\"frequency_drift\":0.02}"

#define ARRAY(level, type, pages, entries, ways, more)                       \
	"{\"level\":" #level ",\"type\":\"" type "\",\"page_bytes\":[" pages \
	"],\"entries\":" #entries ",\"ways\":" #ways more "}"
#define SECOND(more) ",\"latency_cycles\":7" more
#define XOR7 ",\"index\":{\"kind\":\"xor\",\"fold\":7}"
#define MODULO ",\"index\":{\"kind\":\"modulo\"}"
/* Seeds of a clock that changes. */
#define CLOCKS 6
#define POLICY(name) ",\"policy\":{\"name\":\"" name "\"}"

/**
 * struct wanted - an array that must come out so, or undecided where it may
 * @entries: 0: any number is wrong
 */
struct wanted {
	int level;
	const char *type;
	uint64_t page_bytes;
	double entries, ways;
	enum index_kind index;
};

static const struct {
	const char *name;
	const char *tlbs;
	struct wanted wanted[4];
} machines[] = {
	{ "Pentium III",
	  ARRAY(1, "data", "4096", 64, 4, POLICY("tree-plru")),
	  { { 1, "data", 4096, 64, 4, INDEX_LINEAR } } },
	{ "Pentium 4",
	  ARRAY(1, "data", "4096", 64, 64, POLICY("tree-plru")),
	  { { 1, "data", 4096, 64, 64, INDEX_LINEAR } } },
	{ "unified below split",
	  ARRAY(1, "data", "4096", 64, 4, "") "," ARRAY(
		  1, "instruction", "4096", 128, 8,
		  "") "," ARRAY(2, "unified", "4096", 1024, 8, SECOND("")),
	  { { 1, "data", 4096, 64, 4, INDEX_LINEAR },
	    { 2, "unified", 4096, 1024, 8, INDEX_LINEAR },
	    { 1, "instruction", 4096, 128, 8, INDEX_LINEAR } } },
	{ "folded",
	  ARRAY(1, "data", "4096,2097152", 64, 64,
		"") "," ARRAY(2, "unified", "4096,2097152", 1536, 12,
			      SECOND(XOR7 POLICY("mru3plru4"))),
	  { { 1, "data", 4096, 64, 64, INDEX_LINEAR },
	    { 2, "unified", 4096, 1536, 12, INDEX_HASHED },
	    { 2, "unified", 2097152, 1536, 12, INDEX_HASHED } } },
	{ "sets no power of two",
	  ARRAY(1, "data", "4096", 72, 72, POLICY("lru")) "," ARRAY(
		  2, "data", "4096", 3072, 8, SECOND(MODULO)),
	  { { 1, "data", 4096, 72, 72, INDEX_LINEAR },
	    { 2, "data", 4096, 3072, 8, INDEX_MODULO } } },
	{ "direct-mapped and random",
	  ARRAY(1, "data", "4096", 32, 1, "") "," ARRAY(
		  2, "data", "4096", 512, 4, SECOND(POLICY("random"))),
	  { { 1, "data", 4096, 32, 1, INDEX_LINEAR },
	    { 2, "data", 4096, 512, 4, INDEX_LINEAR } } },
	/* Rows of either side begin in the same sets of the second level. */
	{ "first levels apart above a direct-mapped one",
	  ARRAY(1, "data", "4096", 40, 40, "") "," ARRAY(
		  1, "instruction", "4096", 40, 40,
		  "") "," ARRAY(2, "unified", "4096", 512, 1, SECOND("")),
	  { { 1, "data", 4096, 40, 40, INDEX_LINEAR },
	    { 1, "instruction", 4096, 40, 40, INDEX_LINEAR },
	    { 2, "unified", 4096, 512, 1, INDEX_LINEAR } } },
	{ "sets as few as the entries above",
	  ARRAY(1, "data", "4096", 16, 16, "") "," ARRAY(2, "data", "4096", 64,
							 4, SECOND("")),
	  { { 1, "data", 4096, 16, 16, INDEX_LINEAR },
	    { 2, "data", 4096, 64, 4, INDEX_LINEAR } } },
	{ "coalescing",
	  ARRAY(1, "data", "4096", 64, 64, ",\"coalesce_pages\":4") "," ARRAY(
		  2, "data", "4096", 1024, 8, SECOND(",\"coalesce_pages\":8")),
	  { { 1, "data", 4096, 64, 64, INDEX_LINEAR },
	    { 2, "data", 4096, 1024, 8, INDEX_LINEAR } } },
};

static struct machine *open_text(const char *text, uint64_t seed)
{
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

static void measure_tlbs(struct machine *m, uint64_t seed, struct hierarchy *h)
{
	tlbkit_xray(m, 32768, 8, 64, seed, h);
}

static const struct tlb_result *find(const struct hierarchy *h, int level,
				     const char *type, uint64_t page_bytes)
{
	for (size_t i = 0; i < h->tlb_count; i++)
		if (h->tlbs[i].level == level &&
		    h->tlbs[i].page_bytes == page_bytes &&
		    !strcmp(h->tlbs[i].type, type))
			return &h->tlbs[i];
	return NULL;
}

static void check_array(const struct hierarchy *h, const struct wanted *w,
			const char *name, bool quiet)
{
	const struct tlb_result *t = find(h, w->level, w->type, w->page_bytes);

	ck_assert_msg(t || !quiet, "%s: no L%d %s", name, w->level, w->type);
	if (!t || (!quiet && t->entries.status != PARAMETER_MEASURED))
		return;
	ck_assert_msg(t->entries.status == PARAMETER_MEASURED, "%s L%d: %s",
		      name, w->level, t->entries.reason);
	ck_assert_msg(t->entries.value == w->entries &&
			      t->ways.value == w->ways && t->index == w->index,
		      "%s: L%d %s: %g entries, %g ways, index %d", name,
		      w->level, w->type, t->entries.value, t->ways.value,
		      t->index);
	if (w->level == 1 || t->latency_cycles.status != PARAMETER_MEASURED)
		return;
	ck_assert_double_eq_tol(t->latency_cycles.value, 7, 0.8);
	if (quiet)
		ck_assert_double_eq_tol(t->miss_cycles.value, 23, 1);
}

static void measure_machine(int i, const char *noise, uint64_t seed)
{
	struct hierarchy h;
	struct machine *m;
	char text[2048];

	snprintf(text, sizeof(text), "{" L1 ",\"tlbs\":[%s]%s}",
		 machines[i].tlbs, noise);
	m = open_text(text, seed);
	measure_tlbs(m, seed, &h);
	for (size_t k = 0; k < 4 && machines[i].wanted[k].level; k++)
		check_array(&h, &machines[i].wanted[k], machines[i].name,
			    !noise[0]);
	machine_close(m);
}

START_TEST(quiet_is_measured)
{
	if (!is_in_part(_i))
		return;
	measure_machine(_i, "", 1);
}
END_TEST

START_TEST(noise_never_misleads)
{
	if (!is_in_part(_i))
		return;
	measure_machine(_i, NOISE, 1);
}
END_TEST

static const struct tlb_result *measure_text(const char *text, int level,
					     uint64_t page_bytes,
					     struct hierarchy *h)
{
	struct machine *m = open_text(text, 1);
	const struct tlb_result *t;

	measure_tlbs(m, 1, h);
	machine_close(m);
	t = find(h, level, "data", page_bytes);
	ck_assert_ptr_nonnull(t);
	return t;
}

START_TEST(entries_of_contiguous_pages)
{
	struct hierarchy h;
	const struct tlb_result *t = measure_text(
		"{" L1 ",\"tlbs\":[" ARRAY(1, "data", "4096", 48, 48,
					   ",\"coalesce_pages\":4") "]}",
		1, 4096, &h);

	ck_assert_double_eq(t->entries.value, 48);
	ck_assert_double_eq(t->coalesced_pages.value, 4);
	t = measure_text("{" L1 ",\"tlbs\":[" ARRAY(1, "data", "4096", 48, 48,
						    "") "]}",
			 1, 4096, &h);
	ck_assert_double_eq(t->coalesced_pages.value, 1);
}
END_TEST

/* Frames in a row in a guest may lie anywhere in the host. */
START_TEST(guests_may_hide_coalescing)
{
	static const char *const more[] = { "", ",\"coalesce_pages\":2" };

	for (size_t i = 0; i < 2; i++) {
		const struct parameter *p;
		struct hierarchy h;
		struct machine *m;
		char text[1024];

		snprintf(text, sizeof(text),
			 "{" L1 ",\"tlbs\":[" ARRAY(1, "data", "4096", 48, 48,
						    "%s") "]}",
			 more[i]);
		m = open_text(text, 1);
		m->virtual_machine = true;
		measure_tlbs(m, 1, &h);
		machine_close(m);
		p = &find(&h, 1, "data", 4096)->coalesced_pages;
		if (i) {
			ck_assert_msg(p->value == 2, "%s", p->reason);
			continue;
		}
		ck_assert_int_eq(p->status, PARAMETER_UNDECIDED);
		ck_assert_ptr_nonnull(strstr(p->reason, "in the host"));
	}
}
END_TEST

START_TEST(page_sizes_share)
{
	struct hierarchy h;
	const struct tlb_result *t = measure_text(
		"{" L1
		",\"tlbs\":[" ARRAY(1, "data", "4096,2097152", 32, 4, "") "]}",
		1, 4096, &h);

	ck_assert_uint_eq(t->shared_count, 1);
	ck_assert_uint_eq(t->shared_page_bytes[0], 2097152);
	t = measure_text("{" L1
			 ",\"tlbs\":[" ARRAY(1, "data", "4096", 32, 4,
					     "") "," ARRAY(1, "data", "2097152",
							   32, 4, "") "]}",
			 1, 4096, &h);
	ck_assert_uint_eq(t->shared_count, 0);
}
END_TEST

/* What an emulator's times make of the first cache: one line, or one of 8 KiB. */
START_TEST(no_room_for_lines)
{
	static const double lines[] = { 64, 8192 };
	struct machine *m = open_text(
		"{" L1 ",\"tlbs\":[" ARRAY(1, "data", "4096", 64, 4, "") "]}",
		1);
	struct hierarchy h;

	tlbkit_xray(m, _i ? 65536 : 64, 1, lines[_i], 1, &h);
	machine_close(m);
}
END_TEST

/* A machine that walks once before it measures anything: lost lines are back then,
 * and no two arrays may be taken for separate ones.
 */
static int (*honest_walk)(struct view *view, const struct sequence *s,
			  const struct walk_plan *plan, struct sample *samples,
			  struct failure *f);

static int walk_twice(struct view *view, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	struct walk_plan twice = *plan;

	twice.warm_rounds++;
	return honest_walk(view, s, &twice, samples, f);
}

START_TEST(blind_machines_tell_nothing_apart)
{
	struct machine *m = open_text(
		"{" L1
		",\"tlbs\":[" ARRAY(1, "data", "4096", 64, 4, "") "," ARRAY(
			1, "instruction", "4096", 64, 4,
			"") "," ARRAY(2, "unified", "4096", 512, 4,
				      SECOND("")) "]}",
		1);
	struct machine_ops ops = *m->ops;
	const struct tlb_result *t;
	struct hierarchy h;

	honest_walk = ops.view_walk;
	ops.view_walk = walk_twice;
	m->ops = &ops;
	measure_tlbs(m, 1, &h);
	ck_assert_ptr_nonnull(find(&h, 2, "data", 4096));
	t = find(&h, 2, "instruction", 4096);
	ck_assert_msg(!t || t->entries.status == PARAMETER_UNDECIDED,
		      "%g entries for code alone", t ? t->entries.value : 0);
	machine_close(m);
}
END_TEST

/* A core whose clock changes takes other times, not other numbers of cycles. */
START_TEST(changing_clocks_hide_no_latency)
{
	const uint64_t seed = tlbkit_seed() + (uint64_t)_i;
	struct machine *m = open_text(
		"{" L1 ",\"noise\":{\"frequency_drift\":0.1},\"tlbs\":[" ARRAY(
			1, "data", "4096", 64, 4,
			"") "," ARRAY(2, "data", "4096", 1024, 8,
				      SECOND("")) "]}",
		seed);
	const struct tlb_result *t;
	struct hierarchy h;

	measure_tlbs(m, seed, &h);
	machine_close(m);
	t = find(&h, 2, "data", 4096);
	ck_assert_ptr_nonnull(t);
	ck_assert_msg(t->latency_cycles.status == PARAMETER_MEASURED,
		      "seed %llu: %s", (unsigned long long)seed,
		      t->latency_cycles.reason);
	ck_assert_double_eq_tol(t->latency_cycles.value, 7, 0.8);
}
END_TEST

static bool is_one_round(const struct walk_plan *plan,
			 const struct sample *sample)
{
	(void)sample;
	return plan->samples == 1 && plan->loads == 1;
}

/* That no round was undisturbed is no sign that arrays are apart: the second
 * level of fetches may be that of loads.
 */
START_TEST(sharing_never_seen)
{
	struct machine *m = open_text(
		"{" L1
		",\"tlbs\":[" ARRAY(1, "data", "4096", 64, 4, "") "," ARRAY(
			1, "instruction", "4096", 64, 4,
			"") "," ARRAY(2, "unified", "4096", 1024, 8,
				      SECOND("")) "]}",
		1);
	const struct tlb_result *t;
	struct hierarchy h;

	disturb_samples(m, is_one_round);
	measure_tlbs(m, 1, &h);
	t = find(&h, 2, "instruction", 4096);
	ck_assert(!t || t->entries.status != PARAMETER_MEASURED);
	machine_close(m);
}
END_TEST

START_TEST(without_views_nothing_is_added)
{
	struct machine *m = open_text("{" L1 "}", 1);
	struct hierarchy h;

	m->view_page_count = 0;
	measure_tlbs(m, 1, &h);
	ck_assert_uint_eq(h.tlb_count, 0);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("xray tlb");
	int count = (int)(sizeof(machines) / sizeof(machines[0]));

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, quiet_is_measured, 0, count);
	tcase_add_loop_test(t, noise_never_misleads, 0, count);
	tcase_add_test(t, entries_of_contiguous_pages);
	tcase_add_test(t, guests_may_hide_coalescing);
	tcase_add_test(t, page_sizes_share);
	tcase_add_test(t, blind_machines_tell_nothing_apart);
	tcase_add_loop_test(t, no_room_for_lines, 0, 2);
	tcase_add_loop_test(t, changing_clocks_hide_no_latency, 0, CLOCKS);
	tcase_add_test(t, sharing_never_seen);
	tcase_add_test(t, without_views_nothing_is_added);
	suite_add_tcase(suite, make_tlb_views_case());
	suite_add_tcase(suite, t);
	return suite;
}
