// SPDX-License-Identifier: GPL-2.0
/* check_each.c - lines sorted by set by what each of their loads takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sim_walk.h"
#include "gf2.h"
#include "method/evset_offsets.h"
#include "profilekit.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)
#define PAGE 4096
#define NOISE_TICKS 3.0

static struct failure f;

static double noise(struct rng *rng)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += rng_uniform(rng);
	return (sum - 6) * NOISE_TICKS;
}

/* Looks at half of some lines of which each class is late in half of them. */
static void look(struct evset_looks *l, size_t classes, struct rng *rng)
{
	for (size_t k = 0; k < l->room; k++) {
		uint64_t late = rng_next(rng);

		for (size_t i = 0; i < l->lines; i++)
			if (rng_next(rng) & 1)
				evset_looks_add(l, i, k,
						(double)(late >> i % classes &
							 1) * 8 +
							noise(rng));
	}
}

/* Classes are those that there are, whatever their numbers. */
START_TEST(test_alike)
{
	static const size_t classes[] = { 1, 2, 16, 60 };
	size_t n = classes[_i % 4], count = 0, lines = 40 * n;
	size_t *class_of = calloc(lines, sizeof(*class_of));
	struct rng rng = { (uint64_t)_i + 1 };
	struct evset_looks l;

	ck_assert_int_eq(evset_looks_begin(&l, lines, 150, &f), 0);
	look(&l, n, &rng);
	ck_assert_int_eq(evset_alike(&l, 12, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, n);
	for (size_t i = 0; i < lines; i++) {
		ck_assert_uint_lt(class_of[i], n);
		ck_assert_uint_eq(class_of[i], class_of[i % n]);
	}
	evset_looks_free(&l);
	free(class_of);
}
END_TEST

/* Lines that are late at random are of no class; nor are too few. */
START_TEST(test_not_alike)
{
	size_t class_of[200], count = 1;
	struct rng rng = { (uint64_t)_i + 1 };
	struct evset_looks l;

	ck_assert_int_eq(evset_looks_begin(&l, 200, 150, &f), 0);
	for (size_t k = 0; k < l.room; k++)
		for (size_t i = 0; i < l.lines; i++)
			if (rng_next(&rng) & 1)
				evset_looks_add(&l, i, k, noise(&rng));
	ck_assert_int_eq(evset_alike(&l, 12, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, 0);
	for (size_t i = 0; i < 200; i++)
		ck_assert_uint_eq(class_of[i], EVSET_NO_CLASS);
	evset_looks_free(&l);
	ck_assert_int_eq(evset_looks_begin(&l, 110, 150, &f), 0);
	look(&l, 10, &rng);
	ck_assert_int_eq(evset_alike(&l, 12, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, 0);
	evset_looks_free(&l);
}
END_TEST

/* A guest, of whose second level the index is folded from bit @folded on. */
static const struct level {
	unsigned int ways, bits, folded;
	const char *policy;
	unsigned int resolution_ns, jitter, interrupts;
	bool open;   /* lines may not keep apart */
	bool paired; /* bits 6 and 11 are only seen together */
} levels[] = {
	{ 16, 10, 4, "lru\"", 0, 0, 0, false, false },
	{ 16, 10, 4, "random\"", 0, 10, 0, false, false },
	{ 16, 10, 4, "tree-plru\"", 10, 10, 20, false, false },
	{ 8, 9, 3, "bit-plru\"", 10, 20, 20, false, false },
	{ 8, 10, 5, "random\"", 0, 10, 0, false, false },
	{ 12, 8, 3, "srrip\"", 10, 10, 0, true, false },
	{ 6, 9, 4, "nru\"", 0, 10, 20, false, false },
	{ 16, 10, 4, "random\"", 0, 10, 0, false, true },
	{ 8, 10, 4, "tree-plru\"", 10, 10, 0, false, true },
	{ 16, 9, 3, "qlru\",\"variant\":\"H11_M1_R0_U0\"", 0, 10, 0, false,
	  false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))

static uint64_t mask_of(const struct level *l, unsigned int bit)
{
	uint64_t fold = bit >= l->folded ? UINT64_C(1) << (14 + bit) : 0;

	if (l->paired && !bit)
		return 1 << 6 | 1 << 11 | fold;
	if (l->paired && bit == 5)
		return 1 << 17 | fold;
	return UINT64_C(1) << (6 + bit) | fold;
}

static struct machine *open_level(const struct level *l, uint64_t seed)
{
	char masks[400] = "", text[1600];

	for (unsigned int b = 0; b < l->bits; b++)
		snprintf(masks + strlen(masks), sizeof(masks) - strlen(masks),
			 "%s\"%#llx\"", b ? "," : "",
			 (unsigned long long)mask_of(l, b));
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":14,\"policy\":{\"name\":\"%s},\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],\"phys_bits\":40,\"cycle_ns\":0.25,\"phys_placement\":\"random-2m\",\"virtual_machine\":true,\"host_page_bytes\":4096,\"timer\":{\"resolution_ns\":%u,\"overhead_cycles\":60},\"noise\":{\"jitter_cycles\":%u,\"interrupts_per_million_loads\":%u,\"lines_evicted_per_interrupt\":64},\"memory\":{\"latency_cycles\":60}}",
		l->ways * 64 << l->bits, l->ways, l->policy, masks,
		l->resolution_ns, l->jitter, l->interrupts);
	return profilekit_open(text, 256 * MIB, seed);
}

/* The truth, which no method sees. Bits of a line's place in its page that are
 * not folded are the same for all.
 */
static size_t set_of(const struct level *l, struct machine *m, uint64_t offset)
{
	uint64_t phys = sim_memory_phys(&sim_of(m)->memory, offset);
	size_t set = 0;

	for (unsigned int b = 0; b < l->bits; b++)
		set |= (size_t)gf2_parity(mask_of(l, b), phys) << b;
	return set;
}

/* Lines at one place of random pages. */
static void draw_lines(struct evset_unsorted *u, struct rng *rng)
{
	size_t pages = 256 * MIB / PAGE;

	u->lines = calloc(u->count, sizeof(*u->lines));
	for (size_t i = 0; i < u->count; i++)
		u->lines[i] = (i * pages / u->count) * PAGE + 5 * 64;
	for (size_t i = u->count - 1; i; i--) {
		size_t j = rng_below(rng, i + 1);
		uint64_t kept = u->lines[i];

		u->lines[i] = u->lines[j];
		u->lines[j] = kept;
	}
}

static void check_classes(const struct level *l, struct machine *m,
			  const struct evset_classes *c, size_t sets)
{
	ck_assert(c->apart || l->open);
	ck_assert(!c->apart || c->count == sets);
	for (size_t k = 0; c->apart && k < c->count; k++)
		for (size_t i = c->begin[k]; i < c->begin[k + 1]; i++)
			ck_assert_uint_eq(set_of(l, m, c->lines[i]),
					  set_of(l, m, c->lines[c->begin[k]]));
}

/* Masks over the bits of a page span what those of the level do there. */
static void check_inside(struct evset_machine *e, const struct level *l,
			 const struct evset_classes *c)
{
	const struct evset_inside in = {
		.e = e, .c = c, .line_bytes = 64, .page_bytes = PAGE
	};
	struct gf2_space truth = { .rank = 0 };
	struct index_function found;

	ck_assert_msg(!evset_inside_masks(&in, 300, &found, &f), "%s", f.text);
	for (unsigned int b = 0; b < l->bits; b++)
		gf2_add(&truth, mask_of(l, b) & (PAGE - 1));
	ck_assert_msg(found.rank || l->open, "%s", found.reason);
	if (!found.rank)
		return;
	ck_assert_int_eq(found.kind, INDEX_UNKNOWN);
	ck_assert_uint_eq(found.low_bit, 6);
	ck_assert_uint_eq(found.high_bit, 11);
	ck_assert_uint_eq(found.rank, truth.rank);
	for (size_t i = 0; i < found.rank; i++)
		ck_assert_uint_eq(gf2_reduce(&truth, found.masks[i]), 0);
	ck_assert_uint_ge(found.check.apart, 100);
	ck_assert(!l->paired == !found.check.congruent);
	ck_assert_uint_eq(found.check.false_apart, 0);
	ck_assert_uint_eq(found.check.false_congruent, 0);
	ck_assert_double_le(found.check.apart_high, 0.05);
}

/* Bits that are folded lead to the same sets again, the others to their own. */
static void check_offsets(struct evset_machine *e, const struct level *l,
			  const struct evset_classes *c)
{
	const struct evset_inside in = {
		.e = e, .c = c, .line_bytes = 64, .page_bytes = PAGE
	};
	uint64_t offsets[64], low = 0;
	size_t count = 0;
	bool folded = false;

	ck_assert_msg(!evset_offsets(&in, offsets, 64, &count, &folded, &f),
		      "%s", f.text);
	ck_assert(count || l->open);
	if (!count)
		return;
	ck_assert_uint_eq(count, (size_t)1 << l->folded);
	ck_assert(folded);
	for (size_t i = 0; i < count; i++) {
		uint64_t own = offsets[i] / 64 & (count - 1);

		/* Bit 11 stands for bit 6 where these are only seen together. */
		if (l->paired)
			own ^= offsets[i] >> 11 & 1;
		ck_assert(!(low >> own & 1));
		low |= UINT64_C(1) << own;
	}
}

START_TEST(test_classify)
{
	if (!is_in_part_of(_i, LEVELS))
		return;

	const struct level *l = &levels[_i];
	size_t sets = ((size_t)1 << l->bits) >> l->folded;
	struct machine *m = open_level(l, 1);
	struct xray x = { .hit_ticks = 14 };
	struct evset_machine e = { .x = &x, .penalty = 46, .o.clearing = 12 };
	struct evset_unsorted u = { .count = 40 * sets * l->ways / 12,
				    .prefix = sets * l->ways / 2 };
	struct evset_classes c;
	struct prober p;

	prober_begin(&p, m, 1);
	x.prober = &p;
	ck_assert(evset_each_possible(&e));
	draw_lines(&u, &p.rng);
	ck_assert_msg(!evset_classify_each(&e, &u, l->ways, &c, &f), "%s",
		      f.text);
	check_classes(l, m, &c, sets);
	if (c.apart) {
		check_inside(&e, l, &c);
		check_offsets(&e, l, &c);
	}
	evset_classes_free(&c);
	free(u.lines);
	machine_close(m);
}
END_TEST

Suite *make_each_suite(void)
{
	Suite *suite = suite_create("each line timed");
	TCase *t = tcase_create("each");

	tcase_add_loop_test(t, test_alike, 0, 12);
	tcase_add_loop_test(t, test_not_alike, 0, 3);
	tcase_add_loop_test(t, test_classify, 0, LEVELS);
	suite_add_tcase(suite, t);
	return suite;
}
