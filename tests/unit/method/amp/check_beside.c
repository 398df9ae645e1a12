// SPDX-License-Identifier: GPL-2.0
/* check_beside.c - AMP beside X-Ray: where they differ it is said. */
#include <stdio.h>
#include <string.h>

#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "method/amp/ampkit.h"
#include "report/report.h"
#include "suites.h"

#define BYTES (UINT64_C(16) << 20)

/* --- what is said -------------------------------------------------------- */

static struct report both(struct hierarchy *h, struct amp_result *r)
{
	static const struct machine_ops ops = { .kind = "sim" };
	static struct machine m = { .ops = &ops };
	struct cache_result *c;
	struct amp_row *row;

	m.timer.ticks_per_ns = 1;
	hierarchy_init(h);
	c = hierarchy_add(h);
	parameter_measured(&c->ways, 8, 1e-6, "x-ray");
	parameter_measured(&c->capacity_bytes, 32768, 1e-6, "x-ray");
	parameter_undecided(&c->line_bytes, "x-ray", "not decided");
	*r = (struct amp_result){ .selected = true };
	row = amp_add_row(r, 1, "data", 0);
	parameter_measured(&row->ways.p, 4, 1e-6, "amp");
	parameter_measured(&row->size.p, 32768, 1e-6, "amp");
	parameter_measured(&row->block_bytes.p, 64, 1e-6, "amp");
	return (struct report){ .machine = machine_describe(&m),
				.found = h,
				.amp = r };
}

static char *table_of(const struct report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_table(report, out);
	fclose(out);
	return text;
}

START_TEST(disagreements_are_said)
{
	struct amp_result r;
	struct hierarchy h;
	const struct report report = both(&h, &r);
	json_t *root = report_json(&report), *one;
	const json_t *all =
		json_object_get(json_object_get(root, "amp"), "disagreements");
	char *text = table_of(&report);

	ck_assert_uint_eq(json_array_size(all), 1);
	one = json_array_get(all, 0);
	ck_assert_str_eq(json_string_value(json_object_get(one, "parameter")),
			 "ways");
	ck_assert_int_eq(json_integer_value(json_object_get(one, "x-ray")), 8);
	ck_assert_int_eq(json_integer_value(json_object_get(one, "amp")), 4);
	json_decref(root);
	ck_assert_msg(strstr(text, "L1 data ways: the methods disagree: "
				   "x-ray 8, amp 4") != NULL,
		      "%s", text);
	ck_assert_ptr_null(strstr(text, "capacity_bytes: the methods"));
	free(text);
}
END_TEST

/* Code that pushes data out for one, and not for the other. */
START_TEST(shared_or_not)
{
	struct amp_result r;
	struct hierarchy h;
	const struct report report = both(&h, &r);
	struct amp_row *row = amp_add_row(&r, 1, "data", 4096);
	char *text;

	hierarchy_add_tlb(&h, 1, "unified", 4096);
	parameter_measured(&row->unified.p, 0, 1e-6, "amp");
	parameter_measured(&r.caches[0].unified.p, 1, 1e-6, "amp");
	parameter_measured(&h.caches[0].unified, 0, 1e-6, "x-ray");
	text = table_of(&report);
	ck_assert_ptr_nonnull(strstr(text, "L1 data unified: the methods "
					   "disagree: x-ray 0, amp 1"));
	ck_assert_ptr_nonnull(strstr(text, "L1 data TLB unified: the methods "
					   "disagree: x-ray 1, amp 0"));
	free(text);
}
END_TEST

/* --- a counter of another cache ------------------------------------------ */

/* Times are those of 8 ways of 64 bytes, counts those of 4 of the same size: a
 * counter that no self-test finds out.
 */
#define PROFILE(ways)                                                   \
	"{\"counters\":[\"l1d_miss\"],\"caches\":[{\"level\":1,"        \
	"\"type\":\"data\",\"capacity_bytes\":8192,\"ways\":" #ways "," \
	"\"line_bytes\":64,\"latency_cycles\":3}],"                     \
	"\"memory\":{\"latency_cycles\":200}}"

static struct {
	struct machine_ops ops;
	const struct machine_ops *timed;
	struct machine *counted;
} two;

static int walk_both(struct machine *m, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	struct sample counts[64] = { { .loads = 0 } };
	int error = two.timed->walk(m, s, plan, samples, f);

	ck_assert_uint_le(plan->samples, 64);
	if (!error && plan->counters)
		error = two.counted->ops->walk(two.counted, s, plan, counts, f);
	for (unsigned int i = 0; !error && plan->counters && i < plan->samples;
	     i++)
		memcpy(samples[i].counts, counts[i].counts,
		       sizeof(counts[i].counts));
	return error;
}

static struct machine *open_two(uint64_t seed)
{
	struct machine *m = profilekit_open(PROFILE(8), BYTES, seed);

	two.counted = profilekit_open(PROFILE(4), BYTES, seed);
	two.timed = m->ops;
	two.ops = *m->ops;
	two.ops.walk = walk_both;
	two.ops.view_open = NULL;
	m->ops = &two.ops;
	return m;
}

START_TEST(counter_of_another_cache)
{
	const struct amp_wanted wanted = { .caches = 1 };
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	struct machine *m = open_two(seed);
	struct failure f = { .text = "" };
	struct report report = { .machine = machine_describe(m) };
	struct amp_result r;
	struct hierarchy h;
	struct prober p;
	const json_t *all;
	json_t *root;
	char *text;

	prober_begin(&p, m, seed);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(!amp_measure(&p, &wanted, &r, &f), "%s", f.text);
	ck_assert_double_eq(h.caches[0].ways.value, 8);
	ck_assert_msg(ampkit_is_cell(&r.caches[0].ways, 4), "%s",
		      r.caches[0].ways.p.reason);
	report.found = &h;
	report.amp = &r;
	root = report_json(&report);
	all = json_object_get(json_object_get(root, "amp"), "disagreements");
	ck_assert_uint_eq(json_array_size(all), 1);
	text = table_of(&report);
	ck_assert_ptr_nonnull(strstr(text, "L1 data ways: the methods disagree:"
					   " x-ray 8, amp 4"));
	free(text);
	json_decref(root);
	machine_close(two.counted);
	machine_close(m);
}
END_TEST

TCase *make_amp_beside_case(void)
{
	TCase *beside = tcase_create("beside");

	tcase_set_timeout(beside, 120);
	tcase_add_test(beside, disagreements_are_said);
	tcase_add_test(beside, shared_or_not);
	tcase_add_test(beside, counter_of_another_cache);
	return beside;
}
