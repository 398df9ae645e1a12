// SPDX-License-Identifier: GPL-2.0
/* Which simulated levels hold code, and what is undecided. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/sharing/sharing.h"
#include "method/sharing/unified.h"
#include "suites.h"

#define ROOM (UINT64_C(64) << 20)
#define KIB 1024
#define MACHINES 10
#define MEMORY_CYCLES 200

/**
 * struct machine_case - a machine and what is to be said of its data levels
 * @types: of its levels of data, nearest first: 'd' with one of code
 *         beside it, 'u' unified, 'h' the same and hashed, the second one
 * @kib: capacities
 * @inclusion: of levels below the first
 * @open: bits of levels that have to be undecided
 * @policies: of the levels; NULL: LRU
 */
struct machine_case {
	const char *types;
	unsigned int kib[LEVELS];
	const char *inclusion;
	unsigned int open;
	const char *policies[LEVELS];
};

#define LRU          \
	{            \
		NULL \
	}

static const struct machine_case cases[] = {
	{ "duu", { 8, 64, 512 }, "nine", 0, LRU },
	{ "duu", { 8, 64, 512 }, "inclusive", 0, LRU },
	{ "ddu", { 8, 64, 512 }, "nine", 0, LRU },
	{ "uuu", { 4, 64, 512 }, "nine", 0, LRU },
	{ "duu", { 4, 64, 512 }, "exclusive", 0, LRU },
	/* Half of what is loaded has room in the first level. */
	{ "duu", { 8, 32, 512 }, "exclusive", 0, LRU },
	/* Of large ones some sets are enough. */
	{ "duu", { 8, 64, 4096 }, "nine", 0, LRU },
	{ "ddd", { 8, 64, 4096 }, "nine", 0, LRU },
	{ "duu", { 8, 256, 8192 }, "inclusive", 0, LRU },
	/* The same lines are run and loaded, or there is too little memory. */
	{ "duu", { 8, 64, 16384 }, "nine", 0, LRU },
	{ "dud", { 8, 64, 16384 }, "nine", 0, LRU },
	{ "duu", { 8, 64, 32768 }, "nine", 4, LRU },
	/* Nothing stays in the last level that is used once. */
	{ "duu", { 8, 64, 1024 }, "nine", 0, { NULL, NULL, "brrip" } },
	{ "dud", { 8, 64, 1024 }, "nine", 0, { NULL, NULL, "brrip" } },
	/* The third level may take lines away from the second, which has room for
	 * all that is loaded of it.
	 */
	{ "duu", { 8, 128, 256 }, "inclusive", 2, LRU },
	/* Some lines of each page do not fill sets that they are spread over. */
	{ "dhu", { 8, 512, 4096 }, "nine", 0, LRU },
};

static const unsigned int latencies[] = { 4, 14, 40 };

/* Each bit of the offset with one ten bits above. */
static const char hash[] =
	",\"index\":{\"kind\":\"xor\",\"masks\":[65600,131200,262400,524800,1049600,2099200,4198400,8396800,16793600,33587200]}";

static void write_cache(char *text, size_t size, const struct machine_case *c,
			int i, const char *type)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used,
		 "%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
		 "\"ways\":8,\"line_bytes\":64,\"latency_cycles\":%u,"
		 "\"policy\":{\"name\":\"%s\"}%s%s%s%s}",
		 text[used - 1] == '[' ? "" : ",", i + 1, type, c->kib[i] * KIB,
		 latencies[i], c->policies[i] ? c->policies[i] : "lru",
		 i ? ",\"inclusion\":\"" : "", i ? c->inclusion : "",
		 i ? "\"" : "", c->types[i] == 'h' ? hash : "");
}

static struct machine *open_case(const struct machine_case *c, const char *more,
				 uint64_t seed)
{
	char text[2000] = "{\"caches\":[";

	for (int i = 0; i < LEVELS; i++) {
		bool split = c->types[i] == 'd';

		if (split)
			write_cache(text, sizeof(text), c, i, "instruction");
		write_cache(text, sizeof(text), c, i,
			    split ? "data" : "unified");
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"memory\":{\"latency_cycles\":%d}%s}",
		 MEMORY_CYCLES, more);
	return profilekit_open(text, ROOM, seed);
}

static void know(struct hierarchy *h, const struct machine_case *c)
{
	hierarchy_init(h);
	for (int i = 0; i < LEVELS; i++) {
		struct cache_result *r = hierarchy_add(h);

		parameter_measured(&r->capacity_bytes, c->kib[i] * KIB, 1e-6,
				   "known");
		parameter_measured(&r->line_bytes, 64, 1e-6, "known");
		parameter_measured(&r->ways, 8, 1e-6, "known");
		parameter_measured(&r->index_decision, 0, 1e-6, "known");
		r->index = c->types[i] == 'h' ? INDEX_HASHED : INDEX_LINEAR;
		parameter_measured(&r->latency_ns, latencies[i] * 0.5, 0,
				   "known");
	}
	parameter_measured(&h->memory_latency_ns, MEMORY_CYCLES * 0.5, 0,
			   "known");
}

static void measure(struct machine *m, unsigned int counters, uint64_t seed,
		    struct hierarchy *h)
{
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = counters;
	ck_assert_msg(!unified_measure(&p, h, &f), "%s", f.text);
}

static void expect(const struct hierarchy *h, const struct machine_case *c,
		   unsigned int may_be_open, uint64_t seed)
{
	for (int i = 0; i < LEVELS; i++) {
		const struct parameter *got = &h->caches[i].unified;

		if (c->open >> i & 1) {
			ck_assert_int_eq(got->status, PARAMETER_UNDECIDED);
			ck_assert(got->reason[0]);
			continue;
		}
		if (may_be_open && got->status == PARAMETER_UNDECIDED)
			continue;
		ck_assert_msg(parameter_is_measured(got), "seed %llu, L%d: %s",
			      (unsigned long long)seed, i + 1, got->reason);
		ck_assert_msg(got->value == (c->types[i] != 'd'),
			      "seed %llu, L%d: unified %g",
			      (unsigned long long)seed, i + 1, got->value);
	}
}

START_TEST(levels_that_hold_code)
{
	if (!is_in_part(_i))
		return;

	const struct machine_case *c = &cases[_i / 2];
	unsigned int counters = _i % 2 ? ALL_COUNTERS : 0;
	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_case(c, _i % 2 ? COUNTED : TIMED, seed);
	struct hierarchy h;

	know(&h, c);
	measure(m, counters, seed, &h);
	expect(&h, c, 0, seed);
	ck_assert_str_eq(h.caches[0].unified.by,
			 counters ? "counters" : "time");
	machine_close(m);
}
END_TEST

/* What code pushes out of the last level the first one loses as well, through one
 * that takes nothing away.
 */
START_TEST(lost_two_levels_below)
{
	static const char text[] =
		"{\"caches\":[{\"level\":1,\"type\":\"instruction\","
		"\"capacity_bytes\":16384,\"ways\":4,\"line_bytes\":64,"
		"\"latency_cycles\":4},{\"level\":1,\"type\":\"data\","
		"\"capacity_bytes\":16384,\"ways\":4,\"line_bytes\":64,"
		"\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		"\"capacity_bytes\":262144,\"ways\":16,\"line_bytes\":64,"
		"\"latency_cycles\":14,\"inclusion\":\"exclusive\"},"
		"{\"level\":3,\"type\":\"unified\","
		"\"capacity_bytes\":524288,\"ways\":16,\"line_bytes\":64,"
		"\"latency_cycles\":40,\"inclusion\":\"inclusive\","
		"\"policy\":{\"name\":\"lip\"}}],\"phys_bits\":36,"
		"\"page_bytes\":4096,\"huge_page_bytes\":[2097152],"
		"\"memory\":{\"latency_cycles\":200}" COUNTED "}";
	const struct machine_case c = { "duu", { 16, 256, 512 }, "", 0, LRU };
	const struct walk_plan once = { .loads = 1, .samples = 1 };
	uint64_t seed = levelkit_seed(), lines[2 * 512 * KIB / 64];
	const struct sequence all = { lines, sizeof(lines) / sizeof(*lines) };
	struct machine *m = profilekit_open(text, ROOM, seed);
	struct failure f = { .text = "" };
	const struct parameter *got;
	struct sample unused;
	struct hierarchy h;

	/* While ways are free they are taken, by any policy. */
	for (size_t i = 0; i < all.length; i++)
		lines[i] = ROOM / 2 + i * 64;
	ck_assert(!m->ops->walk(m, &all, &once, &unused, &f));
	know(&h, &c);
	h.caches[1].inclusion = INCLUSION_EXCLUSIVE;
	/* LIP: its ways do not show, nor does what it does to those above. */
	parameter_undecided(&h.caches[2].capacity_bytes, "known", "LIP");
	measure(m, ALL_COUNTERS, seed, &h);
	got = &h.caches[0].unified;
	ck_assert_msg(!parameter_is_measured(got) || got->value == 0,
		      "seed %llu: %g", (unsigned long long)seed, got->value);
	machine_close(m);
}
END_TEST

/* All that the last level has room for, used twice: lines that come later have
 * one place in each set to fight for.
 */
static void fill_last(struct machine *m, size_t count)
{
	const struct walk_plan plan = { .warm_rounds = 2, .samples = 1 };
	struct sequence s = { calloc(count, sizeof(uint64_t)), count };
	struct failure f = { .text = "" };
	struct sample unused;

	ck_assert_ptr_nonnull(s.offsets);
	for (size_t i = 0; i < count; i++)
		s.offsets[i] = ROOM / 2 + i * 64;
	ck_assert_msg(!m->ops->walk(m, &s, &plan, &unused, &f), "%s", f.text);
	sequence_free(&s);
}

/* What code pushes out of a last level that lets few lines stay the first one
 * loses as well, however much larger that is.
 */
START_TEST(full_below)
{
	if (!is_in_part_of(_i, 4))
		return;

	static const struct machine_case c = {
		"duu", { 8, 64, 1024 }, "inclusive", 0, { NULL, NULL, "brrip" }
	};
	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_case(&c, COUNTED, seed);
	struct hierarchy h;

	fill_last(m, (size_t)c.kib[2] * KIB / 64);
	know(&h, &c);
	h.caches[1].inclusion = h.caches[2].inclusion = INCLUSION_INCLUSIVE;
	measure(m, ALL_COUNTERS, seed, &h);
	ck_assert_msg(parameter_is_measured(&h.caches[0].unified), "%s",
		      h.caches[0].unified.reason);
	expect(&h, &c, 1, seed);
	machine_close(m);
}
END_TEST

/* Right or open, whatever the machine. */
START_SLOW_TEST(random_machines)
{
	static const char *const policies[] = { "lru",	 "tree-plru", "srrip",
						"brrip", "nru",	      "random",
						"bip" };
	static const char *const types[] = { "duu", "ddu", "ddd", "uuu",
					     "dud" };
	static const char *const kinds[] = { "nine", "inclusive", "exclusive" };
	/* Lines that missed here missed below as well when data had come. */
	static const uint64_t seeds_that_failed[] = { 50000009 };
	uint64_t seed = _i ? seeds_that_failed[_i - 1] : levelkit_seed();
	struct rng rng = { seed };
	int decided = 0;

	printf("unified: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < MACHINES; i++) {
		struct machine_case c = { types[rng_below(&rng, 5)],
					  { 2, 16, 128 },
					  kinds[rng_below(&rng, 3)],
					  0,
					  { NULL } };
		struct machine *m;
		struct hierarchy h;

		for (int j = 0; j < LEVELS; j++) {
			c.kib[j] <<= rng_below(&rng, 3);
			c.policies[j] = policies[rng_below(&rng, 7)];
		}
		/* It would take code from the one above. */
		if (!strcmp(c.types, "dud") && !strcmp(c.inclusion, kinds[2]))
			c.inclusion = kinds[0];
		m = open_case(&c, i % 2 ? COUNTED : TIMED, rng_next(&rng) >> 8);
		know(&h, &c);
		measure(m, i % 2 ? ALL_COUNTERS : 0, rng_next(&rng) >> 8, &h);
		for (int j = 0; j < LEVELS; j++) {
			const struct parameter *got = &h.caches[j].unified;

			if (!parameter_is_measured(got))
				continue;
			decided++;
			ck_assert_msg(
				got->value == (c.types[j] == 'u'),
				"seed %llu, machine %d, L%d: unified %g; %s %s, %u %s, %u %s, %u %s",
				(unsigned long long)seed, i, j + 1, got->value,
				c.types, c.inclusion, c.kib[0], c.policies[0],
				c.kib[1], c.policies[1], c.kib[2],
				c.policies[2]);
		}
		machine_close(m);
	}
	ck_assert_int_ge(decided, MACHINES / 2);
}
END_TEST

/* Disturbed, a level may be undecided, but not wrong. */
START_TEST(is_never_wrong_in_noise)
{
	if (!is_in_part(_i))
		return;

	const struct machine_case *c = &cases[_i];
	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_case(c, NOISY, seed);
	struct hierarchy h;

	know(&h, c);
	measure(m, 0, seed, &h);
	expect(&h, c, 7, seed);
	machine_close(m);
}
END_TEST

/* What is not known before cannot be filled, nor what has no code run. */
START_TEST(leaves_open_what_it_knows_nothing_of)
{
	const struct machine_case *c = &cases[0];
	struct machine *m = open_case(c, TIMED, 1);
	struct hierarchy h;

	know(&h, c);
	parameter_undecided(&h.caches[1].capacity_bytes, "test", "unknown");
	measure(m, 0, 1, &h);
	ck_assert(parameter_is_measured(&h.caches[0].unified));
	ck_assert_ptr_nonnull(strstr(h.caches[1].unified.reason, "capacity"));
	/* The third level may lose lines that code pushes out there. */
	know(&h, c);
	parameter_undecided(&h.caches[2].capacity_bytes, "test", "hashed");
	measure(m, 0, 1, &h);
	ck_assert_ptr_nonnull(strstr(h.caches[1].unified.reason, "below"));
	/* It has room for all of them. */
	parameter_measured(&h.caches[2].effective_capacity_bytes,
			   c->kib[2] * KIB, 1e-6, "test");
	measure(m, 0, 1, &h);
	ck_assert(h.caches[1].unified.value == 1);
	know(&h, c);
	m->view_executable = false;
	measure(m, 0, 1, &h);
	ck_assert_ptr_nonnull(strstr(h.caches[0].unified.reason, "executable"));
	m->view_executable = true;
	m->region.page_bytes = 4096;
	know(&h, c);
	measure(m, 0, 1, &h);
	ck_assert(parameter_is_measured(&h.caches[0].unified));
	machine_close(m);
}
END_TEST

#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("levels");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, levels_that_hold_code, 0, 2 * CASES);
	tcase_add_loop_test(t, is_never_wrong_in_noise, 0, CASES);
	tcase_add_test(t, leaves_open_what_it_knows_nothing_of);
	tcase_add_test(t, lost_two_levels_below);
	tcase_add_loop_test(t, full_below, 0, 4);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, make_unified_sets_case());
	t = tcase_create("any machine");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, random_machines, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
