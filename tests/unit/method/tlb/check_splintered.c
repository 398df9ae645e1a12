// SPDX-License-Identifier: GPL-2.0
/* check_splintered.c - large pages that are entered in pieces, and such that are not. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "machine/machine.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define SMALL 4096
#define LARGE 2097152
#define BYTES 16384
#define WAYS 4
#define LINE 64

#define CACHES(index, policy, data_more)                                        \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384," \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":4" index               \
	"},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":262144,"        \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12" policy             \
	"}],\"walk\":{\"latency_cycles\":30},\"counters\":[],"                  \
	"\"huge_page_bytes\":[2097152]" data_more
/* Bits 6 and 7 of an address are folded with 12 and 13, as bits of its page. */
#define HASHED                                                           \
	",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x1040\",\"0x2080\"," \
	"\"0x100\",\"0x200\",\"0x400\",\"0x800\"]}"
#define KEEPING ",\"policy\":{\"name\":\"lip\"}"
#define IN_PIECES ",\"virtual_machine\":true,\"host_page_bytes\":4096"

#define ARRAY(level, type, pages, entries, ways, more)                       \
	"{\"level\":" #level ",\"type\":\"" type "\",\"page_bytes\":[" pages \
	"],\"entries\":" #entries ",\"ways\":" #ways more "}"
#define ARRAYS                                                                 \
	",\"tlbs\":[" ARRAY(1, "data", "4096", 64, 4, "") "," ARRAY(           \
		1, "data", "2097152", 32, 4,                                   \
		"") "," ARRAY(1, "instruction", "4096", 64, 8,                 \
			      "") "," ARRAY(1, "instruction", "2097152", 8, 8, \
					    "") "," ARRAY(2, "unified",        \
							  "4096,2097152", 512, \
							  8,                   \
							  ",\"latency_cycles\":7") "]}"

static const struct {
	const char *name, *text;
	bool in_pieces;
} machines[] = {
	{ "linear", CACHES("", "", "") ARRAYS, false },
	{ "lines of one offset share few sets", CACHES(HASHED, "", "") ARRAYS,
	  false },
	{ "new lines are lost", CACHES("", KEEPING, "") ARRAYS, false },
	{ "linear, in pieces", CACHES("", "", IN_PIECES) ARRAYS, true },
	{ "lines of one offset share few sets, in pieces",
	  CACHES(HASHED, "", IN_PIECES) ARRAYS, true },
	{ "new lines are lost, in pieces",
	  CACHES("", KEEPING, IN_PIECES) ARRAYS, true },
};

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

static void check_large(const struct hierarchy *h, const char *name,
			const char *type, double entries, bool in_pieces)
{
	const struct tlb_result *t = find(h, 1, type, LARGE);

	ck_assert_msg(t != NULL, "%s: no array of %s", name, type);
	if (!in_pieces) {
		ck_assert_msg(t->entries.status == PARAMETER_MEASURED,
			      "%s: %s: %s", name, type, t->entries.reason);
		ck_assert_double_eq(t->entries.value, entries);
		return;
	}
	ck_assert_int_eq(t->entries.status, PARAMETER_UNDECIDED);
	ck_assert_msg(strstr(t->entries.reason, "splintered"), "%s: %s: %s",
		      name, type, t->entries.reason);
	/* Below the first level of pages in pieces lie the arrays of small ones. */
	for (size_t i = 0; i < h->tlb_count; i++)
		ck_assert(h->tlbs[i].level == 1 ||
			  h->tlbs[i].page_bytes == SMALL);
}

/* Lines that miss are no translations that miss. */
START_TEST(pieces_are_not_lines)
{
	const uint64_t seed = tlbkit_seed();
	struct machine *m =
		profilekit_open(machines[_i].text, UINT64_C(64) << 20, seed);
	const char *name = machines[_i].name;
	const struct tlb_result *t;
	struct hierarchy h;

	tlbkit_xray(m, BYTES, WAYS, LINE, seed, &h);
	check_large(&h, name, "data", 32, machines[_i].in_pieces);
	check_large(&h, name, "instruction", 8, machines[_i].in_pieces);
	t = find(&h, 1, "data", SMALL);
	ck_assert_double_eq(t->entries.value, 64);
	machine_close(m);
}
END_TEST

/* What programs can use is known nevertheless. */
START_TEST(pieces_leave_effective_entries)
{
	const uint64_t seed = tlbkit_seed();
	struct machine *m = profilekit_open(
		CACHES("", "", IN_PIECES) ",\"tlbs\":[" ARRAY(
			1, "data", "4096", 64, 4,
			"") "," ARRAY(1, "data", "2097152", 32, 4, "") "]}",
		UINT64_C(64) << 20, seed);
	const struct tlb_result *t;
	struct hierarchy h;

	tlbkit_xray(m, BYTES, WAYS, LINE, seed, &h);
	check_large(&h, "one level, in pieces", "data", 32, true);
	t = find(&h, 1, "data", LARGE);
	ck_assert_int_eq(t->effective_entries.status, PARAMETER_MEASURED);
	machine_close(m);
}
END_TEST

static const struct machine_ops *honest;
static struct machine_ops slow;
/* What views of large pages of code have taken so far, and each takes. */
static double opened_ns;
static double view_ns;
static uint64_t least_pages, most_pages;
static bool large_code;
static unsigned int pauses;

static double slow_clock_ns(const struct machine *m)
{
	return honest->clock_ns(m) + opened_ns;
}

/* Between two attempts at them, and one before the next view. */
static void count_pauses(struct machine *m, unsigned int ms)
{
	pauses += large_code;
	honest->pause(m, ms);
}

static int open_slowly(struct machine *m, const struct view_request *r,
		       struct view **view, struct failure *f)
{
	large_code = r->page_bytes == LARGE && r->executable;
	if (large_code) {
		opened_ns += view_ns;
		least_pages = r->pages < least_pages ? r->pages : least_pages;
		most_pages = r->pages > most_pages ? r->pages : most_pages;
	}
	return honest->view_open(m, r, view, f);
}

/* Memory for many pages of code that are known to be in pieces may take a second. */
START_TEST(slow_views_of_pieces_stay_short)
{
	const uint64_t seed = tlbkit_seed();
	struct machine *m = profilekit_open(
		CACHES("", "", IN_PIECES) ",\"tlbs\":[" ARRAY(
			1, "data", "4096", 64, 4,
			"") "," ARRAY(1, "data", "2097152", 32, 4,
				      "") "," ARRAY(1, "instruction",
						    "4096,2097152", 64, 64,
						    "") "]}",
		UINT64_C(64) << 20, seed);
	struct hierarchy h;

	honest = m->ops;
	slow = *honest;
	slow.clock_ns = slow_clock_ns;
	slow.view_open = open_slowly;
	slow.pause = count_pauses;
	large_code = false;
	pauses = 0;
	opened_ns = 0;
	view_ns = _i ? 3e8 : 0;
	least_pages = UINT64_MAX;
	most_pages = 0;
	m->ops = &slow;
	tlbkit_xray(m, BYTES, WAYS, LINE, seed, &h);
	check_large(&h, "code in pieces", "instruction", 64, true);
	m->ops = honest;
	machine_close(m);
	printf("views of %llu to %llu pages, %u pauses\n",
	       (unsigned long long)least_pages, (unsigned long long)most_pages,
	       pauses);
	/* Pieces of one page are looked at. */
	ck_assert_uint_eq(least_pages, 1);
	if (!_i) {
		ck_assert_uint_gt(most_pages, 64);
		return;
	}
	ck_assert_uint_le(most_pages, 64);
	/* No attempt would show more of an array that they are too few for. */
	ck_assert_uint_le(pauses, 1);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("pieces of large pages");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, pieces_are_not_lines, 0,
			    (int)(sizeof(machines) / sizeof(machines[0])));
	tcase_add_test(t, pieces_leave_effective_entries);
	tcase_add_loop_test(t, slow_views_of_pieces_stay_short, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
