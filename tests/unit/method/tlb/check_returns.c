// SPDX-License-Identifier: GPL-2.0
/* check_returns.c - TLBs of code where jumps hide most of what a miss takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define PAGE 4096
#define LINE 64
/* Pages: returns that go further may cost more. */
#define FAR_AWAY 256

/**
 * struct code_tlb - the first TLB of code of a machine
 * @hidden_cycles: what is left of a miss in a jump
 * @shown_cycles: what a miss adds to a return
 * @far_cycles: what going far away adds to a return
 * @pair_cycles: what each of two jumps takes longer than one of more
 * @guest: there is a hypervisor below, and one page too many misses now and then
 */
struct code_tlb {
	unsigned int entries, ways;
	const char *policy;
	unsigned int hidden_cycles, shown_cycles;
	double far_cycles;
	double pair_cycles;
	bool guest;
};

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	struct machine *jumping;
	const struct code_tlb *tlb;
} hiding;

static struct machine *open_code(const struct code_tlb *c, unsigned int cycles)
{
	char text[1024];

	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,"
		"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":262144,"
		"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12}],"
		"\"walk\":{\"latency_cycles\":%u},\"counters\":[],"
		"\"misprediction_cycles\":36,"
		"\"tlbs\":[{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"
		"\"entries\":64,\"ways\":4},{\"level\":1,\"type\":\"instruction\","
		"\"page_bytes\":[4096],\"entries\":%u,\"ways\":%u,"
		"\"policy\":{\"name\":\"%s\"}}]}",
		cycles, c->entries, c->ways, c->policy);
	return profilekit_open(text, TLBKIT_BYTES, tlbkit_seed());
}

static int view_open(struct machine *m, const struct view_request *r,
		     struct view **view, struct failure *f)
{
	if (r->executable && r->code == VIEW_JUMPS)
		m = hiding.jumping;
	return hiding.honest->view_open(m, r, view, f);
}

static double share_of_far(const struct sequence *s)
{
	size_t far = 0;

	for (size_t i = 0; i < s->length; i++) {
		int64_t from = (int64_t)(s->offsets[i] / PAGE);
		size_t next = i + 1 < s->length ? i + 1 : 0;

		far += llabs((int64_t)(s->offsets[next] / PAGE) - from) >=
		       FAR_AWAY;
	}
	return (double)far / (double)s->length;
}

/* What nine of ten misses take that are none. */
static double rare_cycles(const struct sequence *s)
{
	const struct code_tlb *c = hiding.tlb;

	if (!c->guest || s->length != c->entries + 1 ||
	    s->offsets[0] / PAGE == s->offsets[1] / PAGE)
		return 0;
	return 0.9 * c->shown_cycles;
}

/* A fetch that goes on behind the last line of a page enters the next page. */
static double past_cycles(const struct sequence *s)
{
	const struct code_tlb *c = hiding.tlb;
	size_t past = 0, pages = 0;

	if (s->length != c->entries)
		return 0;
	for (size_t i = 0; i < s->length; i++) {
		size_t j = 0;

		while (s->offsets[j] / PAGE != s->offsets[i] / PAGE)
			j++;
		pages += j == i;
		past += s->offsets[i] % PAGE >= PAGE - LINE;
	}
	return pages < c->entries ?
		       0 :
		       (double)past * c->shown_cycles / (double)s->length;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	const double cycle = view->m->ops->add_chain(view->m, 1000) / 1000;
	int error = hiding.honest->view_walk(view, s, plan, samples, f);

	double more = 0;

	if (view->request.executable && view->request.code == VIEW_RETURNS)
		more = hiding.tlb->far_cycles * share_of_far(s) -
		       rare_cycles(s) + past_cycles(s);
	else if (view->request.executable && s->length == 2)
		more = hiding.tlb->pair_cycles;
	for (unsigned int i = 0; !error && i < plan->samples; i++)
		samples[i].ticks += more * cycle * (double)samples[i].loads;
	return error;
}

static const struct tlb_result *measure(const struct code_tlb *c,
					struct hierarchy *h)
{
	struct machine *m = open_code(c, c->shown_cycles);
	const struct tlb_result *found = NULL;

	hiding.tlb = c;
	hiding.jumping = open_code(c, c->hidden_cycles);
	hiding.honest = m->ops;
	hiding.ops = *m->ops;
	hiding.ops.view_open = view_open;
	hiding.ops.view_walk = view_walk;
	m->ops = &hiding.ops;
	m->virtual_machine = c->guest;
	tlbkit_xray(m, 32768, 8, 64, tlbkit_seed(), h);
	for (size_t i = 0; i < h->tlb_count; i++)
		if (h->tlbs[i].level == 1 && h->tlbs[i].page_bytes == PAGE &&
		    !strcmp(h->tlbs[i].type, "instruction"))
			found = &h->tlbs[i];
	machine_close(m);
	machine_close(hiding.jumping);
	ck_assert_ptr_nonnull(found);
	return found;
}

static const struct code_tlb hidden[] = {
	{ 256, 8, "tree-plru", 2, 24, 0, 0, false },
	{ 64, 64, "lru", 2, 9, 0, 0, false },
	{ 128, 4, "lru", 2, 9, 0, 0, false },
	{ 32, 1, "lru", 2, 9, 0, 0, false },
	{ 64, 64, "lru", 2, 9, 0, 2, false },
	{ 64, 64, "lru", 2, 9, 0.5, 0, false },
	{ 64, 64, "lru", 2, 9, 0, 0, true },
};

START_TEST(returns_show_what_jumps_hide)
{
	const struct code_tlb *c = &hidden[_i];
	struct hierarchy h;
	const struct tlb_result *t = measure(c, &h);

	if (c->ways > 1) {
		ck_assert_msg(t->entries.status == PARAMETER_MEASURED, "%s",
			      t->entries.reason);
		ck_assert_double_eq(t->ways.value, c->ways);
		ck_assert_double_eq(t->entries.value, c->entries);
	}
	if (t->entries.status == PARAMETER_MEASURED)
		ck_assert_double_eq(t->entries.value, c->entries);
	/* More than the miss is in a return. */
	ck_assert_int_ne(t->miss_cycles.status, PARAMETER_MEASURED);
}
END_TEST

/* What returns to other places cost is no miss, at whatever number of pages. */
START_TEST(far_returns_never_mislead)
{
	static const struct code_tlb far[] = {
		{ 64, 64, "lru", 2, 9, 2.8, 0, false },
		{ 64, 64, "lru", 2, 9, 5, 0, false },
		{ 64, 64, "lru", 2, 9, 12, 0, false },
		{ 256, 8, "tree-plru", 2, 24, 8, 0, false },
		{ 256, 8, "lru", 2, 24, 24, 0, false },
	};
	const struct code_tlb *c = &far[_i];
	struct hierarchy h;
	const struct tlb_result *t = measure(c, &h);

	if (t->entries.status != PARAMETER_MEASURED)
		return;
	ck_assert_double_eq(t->entries.value, c->entries);
	ck_assert_double_eq(t->ways.value, c->ways);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("returns");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, returns_show_what_jumps_hide, 0,
			    (int)(sizeof(hidden) / sizeof(hidden[0])));
	tcase_add_loop_test(t, far_returns_never_mislead, 0, 5);
	suite_add_tcase(suite, t);
	return suite;
}
