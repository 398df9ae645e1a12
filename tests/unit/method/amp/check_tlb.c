// SPDX-License-Identifier: GPL-2.0
/* check_tlb.c - which entry of a TLB goes, and do code and data share it? */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/amp/ampkit.h"
#include "suites.h"

#define BYTES (UINT64_C(16) << 20)

/** struct array - one TLB of a machine */
struct array {
	unsigned int entries, ways;
	const char *policy;
};

static void write_array(char *to, size_t size, int level, const char *type,
			const struct array *a)
{
	snprintf(to, size,
		 "{\"level\":%d,\"type\":\"%s\",\"page_bytes\":[4096],"
		 "\"entries\":%u,\"ways\":%u,\"latency_cycles\":%d,"
		 "\"policy\":{\"name\":\"%s\"%s}}",
		 level, type, a->entries, a->ways, level == 1 ? 0 : 7,
		 a->policy,
		 strcmp(a->policy, "random") == 0 ? ",\"seed\":7" : "");
}

/**
 * struct machine_of - the TLBs of a machine
 * @data: first level of loads
 * @below: second level; no entries: none
 * @one: the first level is one of both
 * @split: the second one is of data alone
 */
struct machine_of {
	struct array data;
	struct array below;
	bool one;
	bool split;
};

static void measure(const struct machine_of *of, uint64_t seed,
		    struct amp_result *r)
{
	static const struct array code = { 16, 4, "lru" };
	const struct amp_wanted wanted = { .caches = 1, .tlbs = true };
	char data[256], fetches[256], below[256] = "", text[2048];

	write_array(data, sizeof(data), 1, of->one ? "unified" : "data",
		    &of->data);
	write_array(fetches, sizeof(fetches), 1, "instruction", &code);
	if (of->below.entries)
		write_array(below, sizeof(below), 2,
			    of->split ? "data" : "unified", &of->below);
	snprintf(text, sizeof(text),
		 "{\"counters\":[\"l1d_miss\",\"dtlb_miss\",%s"
		 "\"itlb_miss\"],\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":4096,\"ways\":2,\"line_bytes\":64,"
		 "\"latency_cycles\":3},{\"level\":1,\"type\":\"instruction\","
		 "\"capacity_bytes\":4096,\"ways\":2,\"line_bytes\":64,"
		 "\"latency_cycles\":3},{\"level\":2,\"type\":\"unified\","
		 "\"capacity_bytes\":65536,\"ways\":4,\"line_bytes\":64,"
		 "\"latency_cycles\":12}],\"tlbs\":[%s%s%s%s%s],"
		 "\"walk\":{\"latency_cycles\":30},"
		 "\"memory\":{\"latency_cycles\":200}}",
		 below[0] ? "\"stlb_miss\"," : "", data, of->one ? "" : ",",
		 of->one ? "" : fetches, below[0] ? "," : "", below);
	ampkit_measure(profilekit_open(text, BYTES, seed), seed, &wanted, r);
}

/* --- replacement --------------------------------------------------------- */

/** struct shown - what its levels do: 1: random, 0: the same each time */
struct shown {
	struct machine_of machine;
	int first;
	int second;
};

#define NONE                \
	{                   \
		0, 0, "lru" \
	}

static const struct shown policies[] = {
	{ { { 64, 4, "lru" }, NONE, false, false }, 0, 0 },
	{ { { 64, 4, "fifo" }, NONE, false, false }, 0, 0 },
	{ { { 64, 4, "tree-plru" }, NONE, false, false }, 0, 0 },
	{ { { 64, 4, "bit-plru" }, NONE, false, false }, 0, 0 },
	{ { { 64, 4, "nru" }, NONE, false, false }, 0, 0 },
	{ { { 64, 4, "random" }, NONE, false, false }, 1, 0 },
	{ { { 48, 48, "lru" }, NONE, false, false }, 0, 0 },
	{ { { 64, 64, "tree-plru" }, NONE, false, false }, 0, 0 },
	{ { { 64, 64, "random" }, NONE, false, false }, 1, 0 },
	{ { { 32, 2, "random" }, NONE, false, false }, 1, 0 },
	{ { { 16, 4, "lru" }, { 256, 4, "lru" }, false, false }, 0, 0 },
	{ { { 16, 4, "lru" }, { 256, 4, "random" }, false, false }, 0, 1 },
	{ { { 16, 4, "lru" }, { 512, 8, "tree-plru" }, false, false }, 0, 0 },
	{ { { 16, 16, "random" }, { 512, 8, "random" }, false, true }, 1, 1 },
};

#define POLICIES (int)(sizeof(policies) / sizeof(policies[0]))

static void check_shown(const struct amp_parameter *p, int shown, int i)
{
	ck_assert_msg(ampkit_is_flag(p, shown == 1), "machine %d: %g (%s)", i,
		      p->p.value, p->p.reason);
}

START_TEST(replacement_of_tlbs)
{
	const struct shown *s = &policies[_i];
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	struct amp_result r;

	if (!is_in_part(_i))
		return;
	measure(&s->machine, seed, &r);
	check_shown(&r.tlbs[0].replacement, s->first, _i);
	if (s->machine.below.entries)
		check_shown(&r.tlbs[1].replacement, s->second, _i);
}
END_TEST

/* Where the first level keeps any, and few sets show little: right or open. */
START_TEST(replacement_not_guessed)
{
	static const struct shown all[] = {
		{ { { 4, 4, "random" }, NONE, false, false }, 1, 0 },
		{ { { 8, 2, "random" }, NONE, false, false }, 1, 0 },
		{ { { 8, 4, "fifo" }, NONE, false, false }, 0, 0 },
		{ { { 16, 16, "random" }, { 256, 4, "lru" }, false, false },
		  1,
		  0 },
		{ { { 32, 32, "random" }, { 128, 4, "lru" }, false, false },
		  1,
		  0 },
		{ { { 32, 4, "random" },
		    { 1024, 8, "tree-plru" },
		    false,
		    false },
		  1,
		  0 },
	};
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);

	for (uint64_t i = 0; i < 6 * 4; i++) {
		const struct shown *s = &all[i % 6];
		struct amp_result r;

		if (!is_in_part((int)i))
			continue;
		measure(&s->machine, seed + i / 6, &r);
		for (size_t k = 0; k < 2 && r.tlbs[k].mapped_bytes; k++) {
			const struct parameter *p = &r.tlbs[k].replacement.p;

			if (!parameter_is_measured(p) ||
			    amp_is_code(&r.tlbs[k]))
				continue;
			ck_assert_msg(p->value == (k ? s->second : s->first),
				      "machine %d, L%zu: %g", (int)(i % 6),
				      k + 1, p->value);
		}
	}
}
END_TEST

/* --- unified ------------------------------------------------------------- */

START_TEST(unified_tlbs)
{
	static const char *const names[] = { "lru", "fifo", "tree-plru",
					     "random" };

	for (unsigned int i = 0; i < 16; i++) {
		const struct machine_of of = {
			.data = { 16, 4, "lru" },
			.below = { i & 1 ? 256 : 0, 4, names[i >> 2] },
			.one = i & 2,
			.split = i & 1 && i & 2,
		};
		struct amp_result r;

		if (!is_in_part((int)i))
			continue;
		measure(&of, i, &r);
		ck_assert_msg(ampkit_is_flag(&r.tlbs[0].unified, of.one),
			      "machine %u: %s", i, r.tlbs[0].unified.p.reason);
		ck_assert_str_eq(r.tlbs[0].type, of.one ? "unified" : "data");
		if (!of.below.entries)
			continue;
		ck_assert_msg(ampkit_is_flag(&r.tlbs[1].unified, !of.split),
			      "machine %u L2: %s", i,
			      r.tlbs[1].unified.p.reason);
		ck_assert_str_eq(r.tlbs[1].type, of.split ? "data" : "unified");
	}
}
END_TEST

/* A machine that brings pages back when it lays a sequence out, as real ones do
 * for loads: no page is lost then, and yet "split" would be wrong.
 */
static int (*honest_walk)(struct view *view, const struct sequence *s,
			  const struct walk_plan *plan, struct sample *samples,
			  struct failure *f);

static int walk_laid_out(struct view *view, const struct sequence *s,
			 const struct walk_plan *plan, struct sample *samples,
			 struct failure *f)
{
	struct walk_plan laid_out = *plan;

	if (!view->request.executable)
		laid_out.warm_rounds++;
	return honest_walk(view, s, &laid_out, samples, f);
}

START_TEST(laying_out_brings_back)
{
	const struct amp_wanted wanted = { .caches = 1, .tlbs = true };
	struct machine *m = ampkit_open_file("modern-haswell-i7-4770", 1);
	struct machine_ops ops = *m->ops;
	struct amp_result r;

	honest_walk = ops.view_walk;
	ops.view_walk = walk_laid_out;
	m->ops = &ops;
	ampkit_measure(m, 1, &wanted, &r);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(ampkit_is_flag(&r.tlbs[i].replacement, false));
		ck_assert_int_eq(r.tlbs[i].unified.p.status,
				 PARAMETER_UNDECIDED);
		ck_assert(strstr(r.tlbs[i].unified.p.reason, "neither code"));
	}
}
END_TEST

/* Columns of pages beside each other alone fill sets of eight ways there. */
START_TEST(neighbours_share_a_set)
{
	const struct amp_wanted wanted = { .caches = 1, .tlbs = true };
	struct amp_result r;

	ampkit_measure_file("adv-coalescing-tlb", 1, &wanted, &r);
	ck_assert(ampkit_is_cell(&r.tlbs[0].ways, 64));
	ck_assert_msg(r.tlbs[1].ways.p.status == PARAMETER_UNDECIDED ||
			      ampkit_is_cell(&r.tlbs[1].ways, 8),
		      "%g ways", r.tlbs[1].ways.p.value);
}
END_TEST

TCase *make_amp_tlb_case(void)
{
	TCase *tlb = tcase_create("tlbs");

	tcase_set_timeout(tlb, 600);
	tcase_add_loop_test(tlb, replacement_of_tlbs, 0, POLICIES);
	tcase_add_test(tlb, replacement_not_guessed);
	tcase_add_test(tlb, unified_tlbs);
	tcase_add_test(tlb, laying_out_brings_back);
	tcase_add_test(tlb, neighbours_share_a_set);
	return tlb;
}
