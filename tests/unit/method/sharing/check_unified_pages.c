// SPDX-License-Identifier: GPL-2.0
/* check_unified_pages.c - levels that hold code, where translations take time. */
#include <stdio.h>

#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/sharing/sharing.h"
#include "suites.h"

#define ROOM (UINT64_C(64) << 20)
#define CYCLE_NS 0.5
static unsigned int capacities[] = { 32768, 1048576, 8388608 };
static const unsigned int latencies[] = { 4, 14, 40 };
#define MEMORY_CYCLES 200

static void write_cache(char *text, size_t size, size_t *used, int i,
			const char *type)
{
	*used += (size_t)snprintf(
		text + *used, size - *used,
		"%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
		"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":%u}",
		text[*used - 1] == '[' ? "" : ",", i + 1, type, capacities[i],
		latencies[i]);
}

static void write_caches(char *text, size_t size, size_t *used, bool split)
{
	for (int i = 0; i < LEVELS; i++) {
		const bool own = !i || (split && i == 1);

		if (own)
			write_cache(text, size, used, i, "instruction");
		write_cache(text, size, used, i, own ? "data" : "unified");
	}
}

/* A guest whose host has small pages: most of their translations come from the second
 * TLB.
 */
static struct machine *open_guest(bool split, int tlb_cycles, uint64_t seed)
{
	char text[2000];
	size_t used = (size_t)snprintf(text, sizeof(text), "{\"caches\":[");

	write_caches(text, sizeof(text), &used, split);
	snprintf(text + used, sizeof(text) - used,
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"virtual_machine\":true,\"host_page_bytes\":4096,"
		 "\"tlbs\":[{\"level\":1,\"type\":\"data\",\"entries\":8,"
		 "\"ways\":8,\"page_bytes\":[4096,2097152]},"
		 "{\"level\":2,\"type\":\"data\",\"entries\":2048,\"ways\":8,"
		 "\"page_bytes\":[4096],\"latency_cycles\":%d}],"
		 "\"memory\":{\"latency_cycles\":%d}" TIMED "}",
		 tlb_cycles, MEMORY_CYCLES);
	return profilekit_open(text, ROOM, seed);
}

/* No large pages, and one TLB for all: code takes the translations of data, which cost
 * as much as a miss of the second level.
 */
static struct machine *open_small(bool split, uint64_t seed)
{
	char text[2000];
	size_t used = (size_t)snprintf(text, sizeof(text), "{\"caches\":[");

	write_caches(text, sizeof(text), &used, split);
	snprintf(text + used, sizeof(text) - used,
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[],"
		 "\"tlbs\":[{\"level\":1,\"type\":\"unified\",\"entries\":256,"
		 "\"ways\":8,\"page_bytes\":[4096]}],"
		 "\"walk\":{\"latency_cycles\":400},"
		 "\"memory\":{\"latency_cycles\":%d}" TIMED "}",
		 MEMORY_CYCLES);
	return profilekit_open(text, ROOM, seed);
}

/* The third level may lose lines: each that is not in the second one may have cost as
 * much as one of memory.
 */
static void know(struct hierarchy *h)
{
	hierarchy_init(h);
	for (int i = 0; i < LEVELS; i++) {
		struct cache_result *r = hierarchy_add(h);

		parameter_measured(&r->line_bytes, 64, 1e-6, "known");
		parameter_measured(&r->ways, 8, 1e-6, "known");
		parameter_measured(&r->latency_ns, latencies[i] * CYCLE_NS, 0,
				   "known");
		if (i == 2)
			continue;
		parameter_measured(&r->capacity_bytes, capacities[i], 1e-6,
				   "known");
		parameter_measured(&r->index_decision, 0, 1e-6, "known");
		r->index = INDEX_LINEAR;
	}
	parameter_measured(&h->memory_latency_ns, MEMORY_CYCLES * CYCLE_NS, 0,
			   "known");
}

START_TEST(translations_are_no_misses)
{
	const uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_guest(_i, 8, seed);
	struct failure f = { .text = "" };
	const struct parameter *got;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	know(&h);
	got = &h.caches[1].unified;
	ck_assert_msg(!unified_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(parameter_is_measured(got), "seed %llu: %s",
		      (unsigned long long)seed, got->reason);
	ck_assert_msg(got->value == !_i, "seed %llu: %g",
		      (unsigned long long)seed, got->value);
	machine_close(m);
}
END_TEST

/* The first level is too small to show what translations take. Lines that are seen right
 * below the level have not come from memory, and so do not few of the others.
 */
START_TEST(lines_right_below_come_from_no_further)
{
	const uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct failure f = { .text = "" };
	const struct parameter *got;
	struct machine *m;
	struct hierarchy h;
	struct prober p;

	capacities[0] = 8192;
	m = open_guest(_i, 4, seed);
	prober_begin(&p, m, seed);
	know(&h);
	got = &h.caches[1].unified;
	ck_assert_msg(!unified_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(_i || parameter_is_measured(got), "seed %llu: %s",
		      (unsigned long long)seed, got->reason);
	ck_assert(!parameter_is_measured(got) || got->value == !_i);
	machine_close(m);
}
END_TEST

START_TEST(small_pages_of_one_tlb)
{
	const uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_small(_i, seed);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	capacities[0] = 32768;
	prober_begin(&p, m, seed);
	know(&h);
	ck_assert_msg(!unified_measure(&p, &h, &f), "%s", f.text);
	for (int i = 0; i < 2; i++) {
		const struct parameter *got = &h.caches[i].unified;

		ck_assert_msg(parameter_is_measured(got), "seed %llu, L%d: %s",
			      (unsigned long long)seed, i + 1, got->reason);
		ck_assert_msg(got->value == (i && !_i), "seed %llu, L%d: %g",
			      (unsigned long long)seed, i + 1, got->value);
	}
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("pages");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, translations_are_no_misses, 0, 2);
	tcase_add_loop_test(t, lines_right_below_come_from_no_further, 0, 2);
	tcase_add_loop_test(t, small_pages_of_one_tlb, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
