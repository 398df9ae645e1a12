// SPDX-License-Identifier: GPL-2.0
/* T(n,k) on machines made to fool it, and on those that do not do it. */
#include "method/tlb/tlbkit.h"

#include <stdio.h>

#include "base/rng.h"
#include "kit/profilekit.h"
#include "sequence/page_reference_string.h"
#include "suites.h"

/*
 * Two caches of 64-byte lines, @l1 and @l2 of them, and TLBs: the sizes of caches
 * in lines are what T(1,k) sees in pages.
 */
static struct machine *open_made(unsigned int l1, unsigned int l2,
				 const char *tlbs)
{
	char text[2048];

	snprintf(
		text, sizeof(text),
		"{ \"schema\": 1, \"name\": \"made up\", \"cycle_ns\": 0.5,"
		" \"phys_bits\": 36, \"page_bytes\": 4096, \"counters\": [],"
		" \"caches\": ["
		"  { \"level\": 1, \"type\": \"data\", \"capacity_bytes\": %u,"
		"    \"ways\": 4, \"line_bytes\": 64, \"latency_cycles\": 4 },"
		"  { \"level\": 2, \"type\": \"unified\", \"capacity_bytes\": %u,"
		"    \"ways\": 8, \"line_bytes\": 64, \"latency_cycles\": 20 } ],"
		" \"tlbs\": [ %s ],"
		" \"walk\": { \"latency_cycles\": 30 },"
		" \"memory\": { \"latency_cycles\": 120 } }",
		l1 * 64, l2 * 64, tlbs);
	return profilekit_open(text, TLBKIT_BYTES, tlbkit_seed());
}

#define TLB(level, entries, ways, more, cycles)                                \
	"{ \"level\": " #level ", \"type\": \"data\", \"page_bytes\": [4096]," \
	" \"entries\": " #entries ", \"ways\": " #ways more                    \
	", \"latency_cycles\": " #cycles " }"
#define FIRST TLB(1, 64, 4, "", 0)
#define SECOND TLB(2, 256, 4, "", 7)

static const struct side_curve *curve_of(const struct tlbkit *kit,
					 const char *name)
{
	for (size_t i = 0; i < kit->r.curve_count; i++)
		if (!strcmp(kit->r.curves[i]->name, name))
			return kit->r.curves[i];
	return NULL;
}

static bool steps_at(const struct tlbkit *kit, const char *name, double pages)
{
	const struct side_curve *curve = curve_of(kit, name);

	ck_assert_msg(curve && curve->analysed && curve->found.decided, "%s",
		      name);
	for (size_t i = 0; i + 1 < curve->found.step_count; i++)
		if (curve->found.steps[i].end == pages * 4096)
			return true;
	return false;
}

/* Whether the level is measured, and reaches @pages pages. */
static bool reaches(const struct tlbkit *kit, size_t level, double pages)
{
	const struct parameter *p = &kit->r.tlbs[level].reach_bytes;

	return level < kit->r.tlb_count && parameter_is_measured(p) &&
	       p->value == pages * 4096;
}

/* T(1,k) alone would have a TLB of 256 entries, which is the first cache. */
START_TEST(test_false_positive)
{
	struct machine *m = open_made(256, 16384, FIRST);
	struct tlbkit kit;

	tlbkit_measure(&kit, m, NULL);
	ck_assert_msg(!kit.error, "%s", kit.f.text);
	ck_assert(steps_at(&kit, "T(1,k)", 64));
	ck_assert(steps_at(&kit, "T(1,k)", 256));
	ck_assert_uint_eq(kit.r.tlb_count, 1);
	ck_assert(reaches(&kit, 0, 64));
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* Caches of 256 and 512 lines: T(1,k) and T(2,k) both rise at 256 pages. */
START_TEST(test_two_caches)
{
	struct machine *m = open_made(256, 512, FIRST);
	struct tlbkit kit;

	tlbkit_measure(&kit, m, NULL);
	ck_assert_msg(!kit.error, "%s", kit.f.text);
	ck_assert(steps_at(&kit, "T(1,k)", 256));
	ck_assert(steps_at(&kit, "T(2,k)", 256));
	ck_assert(!steps_at(&kit, "T(4,k)", 256));
	ck_assert_uint_eq(kit.r.tlb_count, 1);
	ck_assert(reaches(&kit, 0, 64));
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* The same caches, and a TLB of 256 entries as well. */
START_TEST(test_beside_caches)
{
	struct machine *m = open_made(256, 512, FIRST "," SECOND);
	struct tlbkit kit;

	tlbkit_measure(&kit, m, NULL);
	ck_assert_msg(!kit.error, "%s", kit.f.text);
	ck_assert_uint_eq(kit.r.tlb_count, 2);
	ck_assert(reaches(&kit, 0, 64));
	ck_assert(reaches(&kit, 1, 256));
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* No TLB at all: caches are none. */
START_TEST(test_no_tlb)
{
	struct machine *m = open_made(256, 4096, "");
	struct tlbkit kit;

	tlbkit_measure(&kit, m, NULL);
	ck_assert_msg(!kit.error, "%s", kit.f.text);
	ck_assert_uint_eq(kit.r.tlb_count, 1);
	ck_assert_int_eq(kit.r.tlbs[0].reach_bytes.status, PARAMETER_UNDECIDED);
	ck_assert(kit.r.tlbs[0].reach_bytes.reason[0]);
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* Sizes between two strings of the paper's grid. */
START_TEST(test_between)
{
	struct machine *m = open_made(
		512, 8192,
		TLB(1, 44, 44, ", \"policy\": { \"name\": \"lru\" }", 0));
	struct tlbkit kit;

	tlbkit_measure(&kit, m, NULL);
	ck_assert_msg(!kit.error, "%s", kit.f.text);
	ck_assert(reaches(&kit, 0, 44));
	ck_assert_double_eq(kit.r.tlbs[0].ways.value, 44);
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

static const struct {
	const char *tlb;
	double ways;
	bool decided;
} indexed[] = {
	{ TLB(1, 64, 4, ", \"index\": { \"kind\": \"xor\", \"fold\": 4 }", 0),
	  4, false },
	{ TLB(1, 128, 4, ", \"index\": { \"kind\": \"xor\", \"fold\": 5 }", 0),
	  4, false },
	{ TLB(1, 96, 4, ", \"index\": { \"kind\": \"modulo\" }", 0), 4, true },
	{ TLB(1, 64, 1, "", 0), 1, true },
	{ TLB(1, 64, 64, ", \"policy\": { \"name\": \"random\" }", 0), 64,
	  false },
	{ TLB(1, 64, 4, ", \"policy\": { \"name\": \"random\" }", 0), 4,
	  false },
};

/* What an index or chance hides is undecided, not wrong. */
START_TEST(test_ways)
{
	if (!is_in_part_of(_i, sizeof(indexed) / sizeof(indexed[0])))
		return;

	struct machine *m = open_made(1024, 8192, indexed[_i].tlb);
	const struct parameter *ways;
	struct tlbkit kit;

	tlbkit_measure(&kit, m, NULL);
	ck_assert_msg(!kit.error, "%s", kit.f.text);
	ck_assert_uint_ge(kit.r.tlb_count, 1);
	ways = &kit.r.tlbs[0].ways;
	if (indexed[_i].decided || parameter_is_measured(ways))
		ck_assert_double_eq(ways->value, indexed[_i].ways);
	else
		ck_assert(ways->status == PARAMETER_UNDECIDED &&
			  ways->reason[0]);
	if (strstr(indexed[_i].tlb, "xor"))
		ck_assert(!parameter_is_measured(ways));
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* --- machines that do not do it ------------------------------------------ */

static const struct machine_ops *inner;

static int refuse(struct machine *m, const struct view_request *request,
		  struct view **view, struct failure *f)
{
	(void)m;
	(void)request;
	(void)view;
	return (fail)(f, STATUS_UNAVAILABLE, EOPNOTSUPP, "views: none today");
}

static int refuse_long(struct machine *m, const struct view_request *request,
		       struct view **view, struct failure *f)
{
	if (request->pages > 1024)
		return (fail)(f, STATUS_FAILED, ENOSPC, "views: too long");
	return inner->view_open(m, request, view, f);
}

static const struct {
	int (*view_open)(struct machine *m, const struct view_request *request,
			 struct view **view, struct failure *f);
	enum parameter_status status;
	const char *reason;
} refusals[] = {
	{ NULL, PARAMETER_UNAVAILABLE, "maps no pages" },
	{ refuse, PARAMETER_UNAVAILABLE, "none today" },
	{ refuse_long, PARAMETER_MEASURED, "" },
};

START_TEST(test_refused)
{
	struct machine *m = open_made(512, 8192, FIRST);
	struct machine_ops ops = *m->ops;
	const struct parameter *reach;
	struct tlbkit kit;

	inner = m->ops;
	ops.view_open = refusals[_i].view_open;
	m->ops = &ops;
	tlbkit_measure(&kit, m, NULL);
	ck_assert_int_eq(kit.error, 0);
	ck_assert_uint_eq(kit.r.tlb_count, 1);
	reach = &kit.r.tlbs[0].reach_bytes;
	ck_assert_int_eq(reach->status, refusals[_i].status);
	ck_assert_msg(strstr(reach->reason, refusals[_i].reason) != NULL, "%s",
		      reach->reason);
	ck_assert_int_eq(kit.r.tlbs[0].ways.status, refusals[_i].status);
	m->ops = inner;
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* --- interrupted ---------------------------------------------------------- */

static const struct {
	const char *during;
	bool reached;
} stages[] = {
	{ "T(1,k)", false },
	{ "T(2,k)", false },
	{ "ways of a TLB", true },
};

START_TEST(test_interrupted)
{
	struct tlbkit_interruption i = { .during = stages[_i].during };
	struct machine *m = open_made(512, 8192, FIRST);
	const struct side_tlb *t;
	struct tlbkit kit;

	tlbkit_measure(&kit, m, &i);
	ck_assert_int_eq(kit.error, -EINTR);
	ck_assert_uint_eq(kit.r.tlb_count, 1);
	t = &kit.r.tlbs[0];
	ck_assert_uint_eq(reaches(&kit, 0, 64), stages[_i].reached);
	ck_assert_int_eq(t->ways.status, PARAMETER_UNDECIDED);
	ck_assert(strstr(t->ways.reason, "interrupted") != NULL);
	if (!stages[_i].reached)
		ck_assert(strstr(t->reach_bytes.reason, "interrupted") != NULL);
	side_result_free(&kit.r);
	machine_close(m);
}
END_TEST

/* --- the string ---------------------------------------------------------- */

/* Any pages in any number: each n times, always with all the others in between,
 * and their lines in all sets of a cache alike.
 */
START_TEST(test_string)
{
	struct rng rng = { tlbkit_seed() + (uint64_t)_i };
	struct page_string w = { .count = 16 + rng_below(&rng, 1000),
				 .lines = 1 + rng_below(&rng, 8),
				 .page_bytes = 4096,
				 .line_bytes = 64 };
	size_t colors = (size_t)1 << rng_below(&rng, 7);
	unsigned int lines_in[64 * 64] = { 0 }, most = 0;
	struct sequence s;

	ck_assert_int_eq(page_string_place(&s, &w, &rng), 0);
	ck_assert_uint_eq(s.length, w.count * w.lines);
	ck_assert_int_eq(sequence_check(&s), 0);
	for (size_t i = 0; i < s.length; i++) {
		uint64_t page = s.offsets[i] / 4096;
		uint64_t line = s.offsets[i] % 4096 / 64;
		unsigned int *in = &lines_in[page % colors * 64 + line];

		ck_assert_uint_lt(page, w.count);
		ck_assert_uint_eq(s.offsets[i] % 64, 0);
		ck_assert_uint_eq(page, s.offsets[i % w.count] / 4096);
		most = ++*in > most ? *in : most;
	}
	/* One more for each of the n rounds, at the most. */
	ck_assert_uint_le(most, s.length / (64 * colors) + w.lines);
	sequence_free(&s);
}
END_TEST

TCase *make_cooper_tlb_made_case(void)
{
	TCase *made = tcase_create("made");

	tcase_add_loop_test(made, test_string, 0, 50);
	tcase_add_test(made, test_false_positive);
	tcase_add_test(made, test_two_caches);
	tcase_add_test(made, test_beside_caches);
	tcase_add_test(made, test_no_tlb);
	tcase_add_test(made, test_between);
	tcase_add_loop_test(made, test_ways, 0,
			    sizeof(indexed) / sizeof(indexed[0]));
	tcase_add_loop_test(made, test_refused, 0,
			    sizeof(refusals) / sizeof(refusals[0]));
	tcase_add_loop_test(made, test_interrupted, 0,
			    sizeof(stages) / sizeof(stages[0]));
	tcase_set_timeout(made, 60);
	return made;
}
