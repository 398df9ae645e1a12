// SPDX-License-Identifier: GPL-2.0
/* Which lines show whether a level holds code, and what they cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/sharing/sharing.h"
#include "method/sharing/unified.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)
#define ROOM (64 * MIB)
#define LINE 64
#define PAGE (2 * MIB)
#define MEMORY_CYCLES 200

static const unsigned int ways[] = { 8, 8, 16 };
static const unsigned int sets[] = { 64, 1024, 8192 };
static const unsigned int latencies[] = { 4, 14, 40 };

/* Of the second level: ten bits, each with one ten bits above. */
static uint64_t mask(int i)
{
	return UINT64_C(0x10040) << i;
}

static void know(struct hierarchy *h)
{
	hierarchy_init(h);
	for (int i = 0; i < LEVELS; i++) {
		struct cache_result *r = hierarchy_add(h);

		parameter_measured(&r->capacity_bytes,
				   (double)ways[i] * sets[i] * LINE, 1e-6,
				   "known");
		parameter_measured(&r->line_bytes, LINE, 1e-6, "known");
		parameter_measured(&r->ways, ways[i], 1e-6, "known");
		parameter_measured(&r->index_decision, 0, 1e-6, "known");
		parameter_measured(&r->latency_ns, latencies[i] * 0.5, 0,
				   "known");
		r->index = i == 1 ? INDEX_HASHED : INDEX_LINEAR;
	}
	h->caches[1].function = (struct index_function){
		.kind = INDEX_HASHED,
		.low_bit = 6,
		.high_bit = 25,
		.rank = 10,
	};
	for (int i = 0; i < 10; i++)
		h->caches[1].function.masks[i] = mask(i);
	parameter_measured(&h->memory_latency_ns, MEMORY_CYCLES * 0.5, 0,
			   "known");
}

static size_t set_of(size_t level, uint64_t offset)
{
	size_t set = 0;

	if (level != 1)
		return offset / LINE % sets[level];
	for (int i = 0; i < 10; i++)
		set |= (size_t)gf2_parity(offset, mask(i)) << i;
	return set;
}

/* Lines of a level that lines which are used have room in. */
static double room_of(const struct unified *q, size_t level)
{
	bool *reached = calloc(sets[level], sizeof(*reached));
	double room = 0;

	ck_assert_ptr_nonnull(reached);
	for (uint64_t at = 0; at < ROOM; at += LINE)
		if (unified_sets_use(q, at))
			reached[set_of(level, at)] = true;
	for (size_t i = 0; i < sets[level]; i++)
		room += reached[i] * ways[level];
	free(reached);
	return room;
}

/* All lines of a set are used, or none. */
static void expect_sets(const struct unified *q, size_t level)
{
	size_t *used = calloc(sets[level], sizeof(*used));
	double loaded = ways[level] * (double)sets[level] / UNIFIED_PART_LOADED;
	double kept = 0;

	ck_assert_ptr_nonnull(used);
	for (uint64_t at = 0; at < ROOM; at += LINE)
		used[set_of(level, at)] += unified_sets_use(q, at);
	for (size_t i = 0; i < sets[level]; i++)
		ck_assert(!used[i] || used[i] == ROOM / LINE / sets[level]);
	free(used);
	for (size_t i = 0; i < level; i++)
		kept += room_of(q, i);
	kept /= ldexp(loaded, -(int)q->even.rank);
	ck_assert_msg(fabs(kept - q->kept) < 1e-9, "kept %g, said %g", kept,
		      q->kept);
	ck_assert(kept <= 0.25);
}

/* A question about a level of a machine that is not used. */
static struct unified question(struct prober *p, struct view *code,
			       struct hierarchy *h, size_t level)
{
	return (struct unified){ .p = p, .c = &h->caches[level], .code = code };
}

START_TEST(few_sets_and_all_of_them)
{
	struct machine m = { .region = { .bytes = ROOM, .page_bytes = PAGE } };
	struct prober p = { .m = &m };
	struct view code = { .m = &m, .request = { .page_bytes = PAGE } };
	struct hierarchy h;

	know(&h);
	for (size_t level = 1; level < LEVELS; level++) {
		struct unified q = question(&p, &code, &h, level);

		ck_assert(unified_sets_choose(&q, &h));
		ck_assert_uint_ge(q.even.rank, 2 * level - 1);
		ck_assert(!unified_sets_linear(&q));
		expect_sets(&q, level);
	}
}
END_TEST

/* Lines that sweep share no set with those that are used, and use all above. */
START_TEST(other_sets_sweep_those_above)
{
	struct machine m = { .region = { .bytes = ROOM, .page_bytes = PAGE } };
	struct prober p = { .m = &m };
	struct view code = { .m = &m, .request = { .page_bytes = PAGE } };
	static bool used[LEVELS][8192], other[LEVELS][8192];
	struct hierarchy h;
	struct unified q;

	know(&h);
	q = question(&p, &code, &h, 2);
	ck_assert(unified_sets_choose(&q, &h));
	ck_assert(!unified_sets_sweep(&q, &h));
	q.kept = 1;
	m.region.bytes = LINE;
	ck_assert(!unified_sets_sweep(&q, &h));
	ck_assert_uint_eq(q.other, 0);
	m.region.bytes = ROOM;
	ck_assert(unified_sets_sweep(&q, &h));
	for (uint64_t at = 0; at < ROOM; at += LINE)
		for (size_t level = 0; level < LEVELS; level++) {
			used[level][set_of(level, at)] |=
				unified_sets_use(&q, at);
			other[level][set_of(level, at)] |=
				unified_sets_are_other(&q, at);
		}
	for (size_t i = 0; i < sets[2]; i++) {
		ck_assert(!used[2][i] || !other[2][i]);
		for (size_t level = 0; level < 2; level++)
			ck_assert(i >= sets[level] ||
				  used[level][i] == other[level][i]);
	}
}
END_TEST

/* What a page does not show of an address is left alone. */
START_TEST(parities_of_pages)
{
	struct extent run = { .phys = PAGE / 4, .bytes = ROOM };
	struct machine m = { .region = { .bytes = ROOM, .page_bytes = PAGE } };
	struct prober p = { .m = &m };
	struct view code = { .m = &m, .request = { .page_bytes = PAGE } };
	struct hierarchy h;
	struct unified q;

	know(&h);
	q = question(&p, &code, &h, 2);
	m.virtual_machine = true;
	ck_assert(unified_sets_choose(&q, &h));
	for (unsigned int i = 0; i < GF2_BITS; i++)
		ck_assert_uint_lt(q.even.rows[i], 4096);
	m.virtual_machine = false;
	m.region.extents = &run;
	m.region.extent_count = 1;
	ck_assert(unified_sets_choose(&q, &h));
	for (unsigned int i = 0; i < GF2_BITS; i++)
		ck_assert_uint_lt(q.even.rows[i], PAGE / 4);
	q = question(&p, &code, &h, 1);
	h.caches[1].function.nonlinear = true;
	ck_assert(!unified_sets_choose(&q, &h));
	h.caches[1].function = (struct index_function){ .rank = 0 };
	ck_assert(!unified_sets_choose(&q, &h));
}
END_TEST

/* @split: the second level holds no code. */
static struct machine *open_machine(bool split, uint64_t seed)
{
	char masks[400] = "", text[2000];
	size_t used = 0;

	for (int i = 0; i < 10; i++)
		used += (size_t)snprintf(masks + used, sizeof(masks) - used,
					 "%s%llu", i ? "," : "",
					 (unsigned long long)mask(i));
	used = (size_t)snprintf(text, sizeof(text), "{\"caches\":[");
	for (int i = 0; i < LEVELS; i++)
		for (int code = !i || (split && i == 1); code >= 0; code--)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used,
				"%s{\"level\":%d,\"type\":\"%s\","
				"\"capacity_bytes\":%u,\"ways\":%u,"
				"\"line_bytes\":64,\"latency_cycles\":%u%s%s%s}",
				text[used - 1] == '[' ? "" : ",", i + 1,
				code			? "instruction" :
				!i || (split && i == 1) ? "data" :
							  "unified",
				ways[i] * sets[i] * LINE, ways[i], latencies[i],
				i == 1 ?
					",\"index\":{\"kind\":\"xor\",\"masks\":[" :
					"",
				i == 1 ? masks : "", i == 1 ? "]}" : "");
	snprintf(text + used, sizeof(text) - used,
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"memory\":{\"latency_cycles\":%d}" COUNTED "}",
		 MEMORY_CYCLES);
	return profilekit_open(text, ROOM, seed);
}

/* By counters and by time, with and without an array of code of its own. */
START_TEST(few_loads)
{
	if (!is_in_part_of(_i, 4))
		return;

	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_machine(_i / 2, seed);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = _i % 2 ? ALL_COUNTERS : 0;
	know(&h);
	ck_assert_msg(!unified_measure(&p, &h, &f), "%s", f.text);
	for (int i = 0; i < LEVELS; i++) {
		const struct parameter *got = &h.caches[i].unified;
		bool expected = i == 2 || (i == 1 && !(_i / 2));

		ck_assert_msg(parameter_is_measured(got), "seed %llu, L%d: %s",
			      (unsigned long long)seed, i + 1, got->reason);
		ck_assert_msg(got->value == expected, "seed %llu, L%d: %g",
			      (unsigned long long)seed, i + 1, got->value);
	}
	/* All lines that are needed of the last level alone: 27.5 million. */
	ck_assert_uint_lt(m->conditions.accesses, 9000000);
	machine_close(m);
}
END_TEST

static struct view far_code;

static int open_far(struct machine *m, const struct view_request *request,
		    struct view **view, struct failure *f)
{
	(void)f;
	far_code = (struct view){ .m = m, .request = *request };
	*view = &far_code;
	return 0;
}

static void close_far(struct view *view)
{
	(void)view;
}

static int walk_far(struct view *view, const struct sequence *s,
		    const struct walk_plan *plan, struct sample *samples,
		    struct failure *f)
{
	(void)view;
	(void)f;
	*samples = (struct sample){ .loads = s->length,
				    .counted = plan->counters };
	return 0;
}

/* Frames of code whose parities in bits that were never varied are others: it
 * takes its places only where all sets are used.
 */
static int walk_beside(struct machine *m, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f)
{
	const size_t all = ways[1] * sets[1] / UNIFIED_PART_LOADED;
	bool data = plan->step_count == 3;
	bool lost = data || (plan->code && s->length == all);

	(void)m;
	(void)f;
	*samples = (struct sample){ .loads = s->length,
				    .counted = plan->counters };
	samples->counts[COUNTER_L2_MISS] = lost ? 0.99 * (double)s->length : 0;
	samples->counts[COUNTER_L1D_MISS] = (double)s->length;
	return 0;
}

static void rest(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

START_TEST(code_that_passes_by)
{
	const struct machine_ops ops = { .walk = walk_beside,
					 .pause = rest,
					 .view_open = open_far,
					 .view_walk = walk_far,
					 .view_close = close_far };
	struct machine m = {
		.ops = &ops,
		.region = { .bytes = ROOM, .page_bytes = PAGE },
		.view_executable = true,
		.view_page_bytes = { 4096, PAGE },
		.view_page_count = 2,
	};
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, &m, 1);
	p.counters = ALL_COUNTERS;
	know(&h);
	h.cache_count = 2;
	ck_assert_msg(!unified_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(parameter_is_measured(&h.caches[1].unified), "%s",
		      h.caches[1].unified.reason);
	ck_assert(h.caches[1].unified.value > 0);
}
END_TEST

TCase *make_unified_sets_case(void)
{
	TCase *t = tcase_create("some sets");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, few_sets_and_all_of_them);
	tcase_add_test(t, other_sets_sweep_those_above);
	tcase_add_test(t, parities_of_pages);
	tcase_add_loop_test(t, few_loads, 0, 4);
	tcase_add_test(t, code_that_passes_by);
	return t;
}
