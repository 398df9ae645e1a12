// SPDX-License-Identifier: GPL-2.0
#include "method/evset/guestkit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gf2.h"
#include "base/rng.h"
#include "kit/profilekit.h"
#include "machine/sim/walk.h"
#include "method/evset/count/count.h"
#include "method/evset/oracle/miss_penalty.h"

#define PLACE (UINT64_C(5) * 64)
#define CANDIDATES 65536
/* Lines of memory that sets are made of. */
#define PLACES 2048

uint64_t guest_mask(const struct guest_level *l, unsigned int bit)
{
	uint64_t fold = bit >= l->folded ? UINT64_C(1) << (14 + bit) : 0;

	if (l->paired && !bit)
		return 1 << 6 | 1 << 11 | fold;
	if (l->paired && bit == 5)
		return 1 << 17 | fold;
	return UINT64_C(1) << (6 + bit) | fold;
}

struct machine *guest_open(const struct guest_level *l, uint64_t seed)
{
	char masks[400] = "", text[1600];

	for (unsigned int b = 0; b < l->bits; b++)
		snprintf(masks + strlen(masks), sizeof(masks) - strlen(masks),
			 "%s\"%#llx\"", b ? "," : "",
			 (unsigned long long)guest_mask(l, b));
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":14,\"policy\":{\"name\":\"%s},\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],\"phys_bits\":40,\"cycle_ns\":0.25,\"phys_placement\":\"random-2m\",\"virtual_machine\":true,\"host_page_bytes\":%d,\"timer\":{\"resolution_ns\":%u,\"overhead_cycles\":60},\"noise\":{\"jitter_cycles\":%u,\"interrupts_per_million_loads\":%u,\"lines_evicted_per_interrupt\":64},\"memory\":{\"latency_cycles\":60}}",
		l->ways * 64 << l->bits, l->ways, l->policy, masks,
		GUEST_PAGE_BYTES, l->resolution_ns, l->jitter, l->interrupts);
	return profilekit_open(text, GUEST_BYTES, seed);
}

size_t guest_set(const struct guest_level *l, struct machine *m,
		 uint64_t offset)
{
	uint64_t phys = sim_memory_phys(&sim_of(m)->memory, offset);
	size_t set = 0;

	for (unsigned int b = 0; b < l->bits; b++)
		set |= (size_t)gf2_parity(guest_mask(l, b), phys) << b;
	return set;
}

void guest_places(uint64_t *lines, size_t count, struct rng *rng)
{
	size_t pages = GUEST_BYTES / GUEST_PAGE_BYTES;

	for (size_t i = 0; i < count; i++)
		lines[i] = i * pages / count * GUEST_PAGE_BYTES + PLACE;
	for (size_t i = count - 1; i; i--) {
		size_t j = rng_below(rng, i + 1);
		uint64_t kept = lines[i];

		lines[i] = lines[j];
		lines[j] = kept;
	}
}

static void find_penalty(struct evset_machine *e)
{
	struct failure f = { .text = "" };
	uint64_t *lines = NULL;
	size_t count = 0;
	enum outcome outcome;

	ck_assert_int_eq(evset_candidates(e, CANDIDATES, &lines, &count, &f),
			 0);
	ck_assert_int_eq(evset_miss_penalty(e, lines, count, &outcome, &f), 0);
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	free(lines);
}

void guest_know(struct guest_known *g, const struct guest_level *l,
		uint64_t seed)
{
	struct failure f = { .text = "" };
	bool possible = false;

	g->m = guest_open(l, seed);
	prober_begin(&g->p, g->m, seed);
	g->p.by = PROBER_BY_TIME;
	g->p.pieces = VERDICT_NON_COMPACT;
	g->upper = (struct xray_level){
		.ways = 8, .way_bytes = 4096, .line_bytes = 64, .own = 8
	};
	xray_prepare(&g->x, &g->p, &g->upper, 1);
	ck_assert_int_eq(prober_time(&g->p, &g->x.reference.control, 0,
				     &g->x.hit_ticks, &f),
			 0);
	evset_machine_begin(&g->e, &g->x, &possible);
	ck_assert(possible && g->e.window.splintered);
	find_penalty(&g->e);
}

void guest_hold_set(const struct guest_sets *g, size_t at,
		    const struct sequence *s, const struct walk_plan *plan)
{
	const struct evset_set *set = &g->sets[at];

	for (size_t i = 0; plan->each && i < s->length; i++)
		if (evset_holds(set->lines, set->count, s->offsets[i]))
			plan->each->ticks[i] += g->known.e.scale.penalty;
}

void guest_expect_set(const struct guest_known *g, const struct guest_level *l,
		      const struct evset_set *set)
{
	ck_assert_uint_eq(set->count, l->ways + 1);
	for (size_t i = 1; i < set->count; i++)
		ck_assert_uint_eq(guest_set(l, g->m, set->lines[i]),
				  guest_set(l, g->m, set->lines[0]));
}

/* As evset_find() would have found it: lines of one set, and lines of others.
 */
static void plant(struct guest_sets *g, const struct guest_level *l,
		  struct evset_set *set, struct rng *rng)
{
	const size_t most = evset_evictors_wanted(&g->known.e.o);
	const uint64_t place = rng_below(rng, 64) * GUEST_LINE_BYTES;
	uint64_t places[PLACES];
	size_t of;

	guest_places(places, PLACES, rng);
	for (size_t i = 0; i < PLACES; i++)
		places[i] =
			places[i] / GUEST_PAGE_BYTES * GUEST_PAGE_BYTES + place;
	of = guest_set(l, g->known.m, places[0]);
	*set = (struct evset_set){ .count = 0 };
	for (size_t i = 0; i < PLACES; i++) {
		bool alike = guest_set(l, g->known.m, places[i]) == of;

		if (alike && set->count <= l->ways)
			set->lines[set->count++] = places[i];
		else if (!alike && set->evictor_count < most)
			set->evictors[set->evictor_count++] = places[i];
	}
	ck_assert_uint_eq(set->count, l->ways + 1);
	ck_assert_uint_eq(set->evictor_count, most);
}

void guest_plant(struct guest_sets *g, const struct guest_level *l,
		 uint64_t seed)
{
	struct evset_machine *e = &g->known.e;
	struct rng rng = { seed };

	guest_know(&g->known, l, seed);
	for (int i = 0; i < GUEST_SETS; i++)
		plant(g, l, &g->sets[i], &rng);
	g->count = (struct evset_count){ .agreed = g->sets,
					 .agreed_count = GUEST_SETS };
	evset_allow(e);
}
