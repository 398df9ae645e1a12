// SPDX-License-Identifier: GPL-2.0
/* check_policy.c - replacement policies of last arrays by accessed bits. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kit/part.h"
#include "kit/profilekit.h"
#include "method/accessed/policy.h"
#include "suites.h"

#define SEED 7
#define BYTES (UINT64_C(16) << 20)
/* No index takes bits of page numbers from here on. */
#define FAR_APART (UINT64_C(1) << 19)
#define BOUND 1e-6
#define L1(type, entries, ways, policy)                             \
	"{\"level\":1,\"type\":\"" type "\",\"page_bytes\":[4096]," \
	"\"entries\":" #entries ",\"ways\":" #ways                  \
	",\"policy\":{\"name\":\"" policy "\"}}"
#define L2(type, entries, ways, policy, more)                       \
	"{\"level\":2,\"type\":\"" type "\",\"page_bytes\":[4096]," \
	"\"entries\":" #entries ",\"ways\":" #ways                  \
	",\"latency_cycles\":7,\"policy\":{\"name\":\"" policy "\"}" more "}"
#define XOR(fold) ",\"index\":{\"kind\":\"xor\",\"fold\":" #fold "}"

/**
 * struct question - how the policy is searched for
 * @ways, @sets: of the array; 0 ways: it has to be searched for
 */
struct question {
	bool executable;
	double ways, sets;
	size_t above;
};

/** struct case - a machine, and the policy of its last array */
static const struct {
	const char *name;
	const char *tlbs;
	struct question question;
	const char *policy;
} machines[] = {
	{ "LRU",
	  L1("data", 16, 16, "lru") "," L2("data", 1536, 12, "lru", ""),
	  { false, 12, 128, 16 },
	  "LRU" },
	{ "tree",
	  L1("data", 16, 4, "tree-plru") "," L2("data", 2048, 8, "tree-plru",
						XOR(8)),
	  { false, 8, 256, 16 },
	  "tree-PLRU" },
	{ "FIFO, of code",
	  L1("instruction", 16, 16, "tree-plru") "," L2("instruction", 512, 4,
							"fifo", ""),
	  { true, 4, 128, 16 },
	  "FIFO" },
	{ "NRU",
	  L1("data", 16, 4, "nru") "," L2("unified", 512, 4, "nru", ""),
	  { false, 4, 128, 16 },
	  "NRU" },
	{ "NRU of eight ways",
	  L1("data", 16, 4, "fifo") "," L2("unified", 1024, 8, "nru", ""),
	  { false, 8, 128, 16 },
	  "NRU" },
	{ "random",
	  L1("data", 16, 4, "lru") "," L2("data", 256, 4, "random", ""),
	  { false, 4, 64, 16 },
	  "random" },
	{ "random of six ways",
	  L1("data", 16, 16, "lru") "," L2("data", 768, 6, "random", ""),
	  { false, 6, 128, 16 },
	  "random" },
	{ "MRU bits",
	  L1("data", 16, 4, "lru") "," L2("data", 640, 5, "bit-plru", ""),
	  { false, 5, 128, 16 },
	  "bit-PLRU (MRU)" },
	{ "nothing above, and searched for",
	  L1("data", 64, 4, "tree-plru"),
	  { false, 0, 0, 0 },
	  "tree-PLRU" },
	{ "below one of unknown size, and searched for",
	  L1("data", 32, 4, "lru") "," L2("data", 512, 4, "fifo", XOR(7)),
	  { false, 0, 0, 64 },
	  "FIFO" },
};

static struct machine *open_with(const char *tlbs)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4},{\"level\":1,\"type\":\"instruction\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4}],\"counters\":[],\"tlbs\":[%s],"
		 "\"accessed_bits\":true}",
		 tlbs);
	return profilekit_open(text, BYTES, SEED);
}

static void identify(struct machine *m, const struct question *q,
		     struct policy_finding *found)
{
	struct failure f = { .text = "" };
	struct accessed_array a = {
		.found = true,
		.ways_found = true,
		.entries = q->ways * q->sets,
		.ways = q->ways,
		.sets = q->sets,
		.stride = FAR_APART,
		.columns = (uint64_t)(q->sets / 2),
		.bound = BOUND,
	};
	struct kept_view v;
	struct prober p;

	prober_begin(&p, m, SEED);
	ck_assert_msg(!kept_view_open(&v, &p, 4096, q->executable, &f), "%s",
		      f.text);
	v.above = (double)q->above;
	if (!q->ways)
		ck_assert_msg(!accessed_find_array(&v, &a, &f) && a.ways_found,
			      "%s%s", f.text, a.reason);
	ck_assert_msg(!accessed_find_policy(&v, &a, q->above, found, &f), "%s",
		      f.text);
	ck_assert(found->answer_bound >= a.bound);
	kept_view_close(&v);
}

static bool has_name(const struct policy_finding *found, const char *name)
{
	for (size_t i = 0; i < found->name_count; i++)
		if (!strcmp(found->names[i], name))
			return true;
	return false;
}

static bool is_named(const struct policy_finding *found)
{
	return found->kind == POLICY_KNOWN || found->kind == POLICY_RANDOMISED;
}

START_TEST(policy_is_found)
{
	struct policy_finding found;
	struct machine *m;

	if (!is_in_part_of(_i, sizeof(machines) / sizeof(machines[0])))
		return;
	m = open_with(machines[_i].tlbs);
	identify(m, &machines[_i].question, &found);
	ck_assert_msg(is_named(&found) && has_name(&found, machines[_i].policy),
		      "%s: %s, %s: %s", machines[_i].name,
		      policy_kind_name(found.kind),
		      found.name_count ? found.names[0] : "no name",
		      found.reason);
	ck_assert(found.answer_bound > 0 && found.answer_bound < 1e-3);
	machine_close(m);
}
END_TEST

/* A hit in such an array takes the translation out of it: FIFO would look like LRU. */
START_TEST(exclusive_arrays_are_refused)
{
	struct machine *m = open_with(L1("data", 16, 4, "lru") "," L2(
		"data", 256, 4, "fifo", ",\"inclusion\":\"exclusive\""));
	const struct question q = { false, 4, 64, 16 };
	struct policy_finding found;

	identify(m, &q, &found);
	ck_assert_int_eq(found.kind, POLICY_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(found.reason, "pushes none out"));
	machine_close(m);
}
END_TEST

/* Of a random array some pages stay where they were to leave it. */
START_SLOW_TEST(what_the_array_above_keeps_names_no_other_policy)
{
	struct machine *m = open_with(
		L1("data", 16, 16, "random") "," L2("data", 256, 4, "lru", ""));
	const struct question q = { false, 4, 64, 16 };
	struct policy_finding found;

	identify(m, &q, &found);
	ck_assert_msg(!is_named(&found) || has_name(&found, "LRU"), "%s",
		      found.names[0]);
	machine_close(m);
}
END_TEST

START_TEST(clearing_must_not_disturb)
{
	struct machine *m = open_with(machines[3].tlbs);
	struct policy_finding found;

	m->clearing_disturbs = true;
	identify(m, &machines[3].question, &found);
	ck_assert_int_eq(found.kind, POLICY_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(found.reason, "takes entries"));
	machine_close(m);
}
END_TEST

static const struct machine_ops *honest;
static unsigned int calls;

/* Now and then all pages have to be walked for, and the machine may notice. */
static int flush(struct view *view, const struct touch_plan *plan,
		 struct touch_answer *answer, struct failure *f)
{
	int error = honest->view_touch(view, plan, answer, f);

	calls++;
	if (calls % 4099 == 0)
		*answer = (struct touch_answer){
			.walked = plan->test.pages->length, .disturbed = true
		};
	else if (calls % 1009 == 0)
		answer->walked = plan->test.pages->length;
	return error;
}

START_SLOW_TEST(few_disturbed_touches_do_no_harm)
{
	struct machine *m = open_with(machines[2].tlbs);
	struct machine_ops ops = *m->ops;
	struct policy_finding found;

	honest = m->ops;
	ops.view_touch = flush;
	m->ops = &ops;
	identify(m, &machines[2].question, &found);
	m->ops = honest;
	ck_assert_msg(!is_named(&found) || has_name(&found, "FIFO"), "%s",
		      found.names[0]);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("policies by accessed bits");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, policy_is_found, 0,
			    (int)(sizeof(machines) / sizeof(machines[0])));
	tcase_add_test(t, exclusive_arrays_are_refused);
	tcase_add_test(t, what_the_array_above_keeps_names_no_other_policy);
	tcase_add_test(t, clearing_must_not_disturb);
	tcase_add_test(t, few_disturbed_touches_do_no_harm);
	suite_add_tcase(suite, t);
	return suite;
}
