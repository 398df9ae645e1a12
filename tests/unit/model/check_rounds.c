// SPDX-License-Identifier: GPL-2.0
/* check_rounds.c - rounds that are not done cost, and leave, what done ones do
 */
#include <stdio.h>

#include "base/rng.h"
#include "model/model.h"
#include "model/profile/generate.h"
#include "suites.h"

#define MACHINES 300
#define WALKS 12
#define LONGEST 300
#define PAGE UINT64_C(4096)
#define DUEL_WAYS 4
#define DUEL_SETS 16

/** struct pair - the same machine twice: @done does each access */
struct pair {
	struct profile *profile;
	struct model *done;
	struct model *rounds;
};

static struct profile *generated(uint64_t seed)
{
	json_t *made = profile_generate(seed);
	char *text = json_dumps(made, JSON_COMPACT);
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(text, strlen(text), "made", &f);

	free(text);
	json_decref(made);
	ck_assert_msg(p != NULL, "%s", f.text);
	return p;
}

/* What the generator does not make: long sets, misses that cost more after each
 * other in a set, translations side by side, groups of pages, entries that
 * move, prefetchers.
 */
static void make_rare(struct profile *p, struct rng *rng)
{
	if (!rng_below(rng, 3))
		p->caches[0].ways = 17 + (unsigned int)rng_below(rng, 16);
	if (!rng_below(rng, 3))
		p->caches[rng_below(rng, p->cache_count)].same_set_miss_cycles =
			3;
	if (!rng_below(rng, 3) && p->tlb_count < PROFILE_MAX_TLBS)
		p->tlbs[p->tlb_count++] = p->tlbs[0];
	if (!rng_below(rng, 2))
		p->prefetchers[p->prefetcher_count++] =
			(struct profile_prefetcher){
				.kind = (enum profile_prefetcher_kind)rng_below(
					rng, 4),
				.level = 1 + (int)rng_below(rng, 2),
				.switchable = true,
			};
	for (size_t i = 0; i < p->tlb_count; i++) {
		struct profile_tlb *t = &p->tlbs[i];

		if (!rng_below(rng, 3))
			t->ways = t->entries /= 2;
		if (!rng_below(rng, 3))
			t->coalesce_pages = 4;
		if (t->level > 1)
			t->inclusion =
				(enum profile_inclusion)rng_below(rng, 3);
	}
}

/* A few lines of few sets, or lines anywhere; loads, and sometimes others. */
static size_t random_round(struct model_access *round, struct rng *rng)
{
	size_t length = 1 + rng_below(rng, rng_below(rng, 4) ? 40 : LONGEST);
	uint64_t stride = UINT64_C(64) << rng_below(rng, 14);
	uint64_t reach = 1 + length + rng_below(rng, length);
	uint64_t phys = rng_below(rng, 64) << 22;
	bool fetch = !rng_below(rng, 6), stores = !rng_below(rng, 4);

	for (size_t i = 0; i < length; i++) {
		uint64_t at = rng_below(rng, reach) * stride;

		round[i] = (struct model_access){
			.virt = (UINT64_C(1) << 40) + at,
			.phys = phys + at,
			.page_bytes = PAGE,
			.kind = fetch			    ? MODEL_FETCH :
				stores && rng_below(rng, 2) ? MODEL_STORE :
							      MODEL_LOAD,
		};
	}
	return length;
}

static uint64_t do_each(struct model *m, const struct model_access *round,
			size_t length, size_t *at, uint64_t accesses)
{
	uint64_t ticks = 0;

	for (; accesses; accesses--) {
		ticks += model_access(m, &round[*at]);
		*at = (*at + 1) % length;
	}
	return ticks;
}

static void disturb(const struct pair *p, const struct model_access *round,
		    size_t length, struct rng *rng)
{
	uint64_t phys = round[rng_below(rng, length)].phys;

	if (rng_below(rng, 2)) {
		model_evict_random(p->done, 0, 3);
		model_evict_random(p->rounds, 0, 3);
	} else {
		model_flush_line(p->done, phys);
		model_flush_line(p->rounds, phys);
	}
}

static void same_counts(const struct pair *p, uint64_t number)
{
	for (int i = 0; i < PROFILE_COUNTERS; i++)
		ck_assert_msg(model_counter(p->done, 0,
					    (enum profile_counter)i) ==
				      model_counter(p->rounds, 0,
						    (enum profile_counter)i),
			      "machine %llu: counter %d",
			      (unsigned long long)number, i);
}

static void walk(const struct pair *p, uint64_t number, struct rng *rng)
{
	struct model_access round[LONGEST];
	size_t length = random_round(round, rng), at = 0, also_at = 0;
	bool disturbed = !rng_below(rng, 3);

	model_rounds_begin(p->rounds, 0);
	for (int i = 0; i < 20; i++) {
		uint64_t accesses = rng_below(rng, 12 * length);
		uint64_t wanted =
			do_each(p->done, round, length, &at, accesses);
		uint64_t ticks = model_rounds(p->rounds, round, length,
					      &also_at, accesses);

		ck_assert_msg(ticks == wanted,
			      "machine %llu: %llu ticks, not %llu",
			      (unsigned long long)number,
			      (unsigned long long)ticks,
			      (unsigned long long)wanted);
		ck_assert_uint_eq(at, also_at);
		same_counts(p, number);
		if (disturbed && !rng_below(rng, 5))
			disturb(p, round, length, rng);
	}
	model_rounds_end(p->rounds);
}

/* Any policy, inclusion and index, with lines that others evict or flush.
 * What one walk has left is what the next one begins with.
 */
START_TEST(rounds_are_what_accesses_are)
{
	const char *given = getenv("PROBE_PHYS_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	printf("rounds: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < MACHINES; i++) {
		uint64_t number = seed * MACHINES + (uint64_t)i;
		struct rng rng = { number };
		struct pair p;

		if (!is_in_part(i))
			continue;
		p.profile = generated(rng_next(&rng));

		make_rare(p.profile, &rng);
		p.done = model_create(p.profile);
		p.rounds = model_create(p.profile);
		ck_assert(p.done && p.rounds);
		if (rng_below(&rng, 4)) {
			model_set_prefetchers(p.done, 0, false);
			model_set_prefetchers(p.rounds, 0, false);
		}
		for (int j = 0; j < WALKS; j++)
			walk(&p, number, &rng);
		model_destroy(p.done);
		model_destroy(p.rounds);
		profile_free(p.profile);
	}
}
END_TEST

static const char dueling[] =
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":4096,\"ways\":4,\"line_bytes\":64,\"latency_cycles\":4,\"policy\":{\"name\":\"drrip\",\"seed\":1,\"leaders\":[0,1],\"variants\":[\"H11_M1_R0_U0\",\"H11_M3_R0_U0\"]}}],\"phys_bits\":36,\"memory\":{\"latency_cycles\":100}}";

/* One line more than fits, of each of two sets. */
static size_t two_sets(struct model_access *round, uint64_t first,
		       uint64_t second)
{
	for (uint64_t i = 0; i < 2 * (DUEL_WAYS + 1); i++) {
		uint64_t set = i % 2 ? second : first;
		uint64_t at = (i / 2 * DUEL_SETS + set) * 64;

		round[i] = (struct model_access){ .virt = at,
						  .phys = at,
						  .page_bytes = PAGE,
						  .kind = MODEL_LOAD };
	}
	return 2 * (DUEL_WAYS + 1);
}

/* Sets are as they were long before leaders have missed so often that the
 * others change sides.
 */
START_TEST(duels_go_on)
{
	const struct {
		uint64_t leader, rounds;
	} walks[] = { { 1, 60 }, { 0, 300 } };
	struct model_access round[LONGEST];
	struct failure f = { .text = "" };
	struct pair p;
	uint64_t least = UINT64_MAX, most = 0;

	p.profile = profile_parse(dueling, strlen(dueling), "duel", &f);
	ck_assert_msg(p.profile != NULL, "%s", f.text);
	p.done = model_create(p.profile);
	p.rounds = model_create(p.profile);
	ck_assert(p.done && p.rounds);
	for (size_t k = 0; k < sizeof(walks) / sizeof(walks[0]); k++) {
		size_t length = two_sets(round, walks[k].leader, 2);
		size_t at = 0, also_at = 0;

		model_rounds_begin(p.rounds, 0);
		for (uint64_t i = 0; i < walks[k].rounds; i++) {
			uint64_t wanted =
				do_each(p.done, round, length, &at, length);
			uint64_t ticks = model_rounds(p.rounds, round, length,
						      &also_at, length);

			ck_assert_msg(ticks == wanted,
				      "round %llu: %llu ticks, not %llu",
				      (unsigned long long)i,
				      (unsigned long long)ticks,
				      (unsigned long long)wanted);
			least = k && wanted < least ? wanted : least;
			most = wanted > most ? wanted : most;
		}
		model_rounds_end(p.rounds);
		same_counts(&p, k);
	}
	/* They did change. */
	ck_assert_uint_lt(least, most);
	model_destroy(p.done);
	model_destroy(p.rounds);
	profile_free(p.profile);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("rounds");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, rounds_are_what_accesses_are);
	tcase_add_test(t, duels_go_on);
	suite_add_tcase(suite, t);
	return suite;
}
