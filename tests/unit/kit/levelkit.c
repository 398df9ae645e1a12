// SPDX-License-Identifier: GPL-2.0
#include "kit/levelkit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"

#define LINE 64
#define LATENCIES 4

static const double latencies[LATENCIES] = { 4, 12, 40, 200 };

static const char *truth(bool value)
{
	return value ? "true" : "false";
}

static const char *kind_of(const struct level *l)
{
	return l->kind ? inclusion_name(l->kind) : "nine";
}

static int write_level(char *text, size_t size, const struct level *l, int i)
{
	return snprintf(text, size,
			"%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
			"\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":%g,"
			"\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\","
			"\"write_allocate\":%s,\"write_back\":%s%s%s}",
			i ? "," : "", i + 1, i ? "unified" : "data",
			l->ways * l->sets * LINE, l->ways, latencies[i],
			l->policy, kind_of(l), truth(!l->bypassed),
			truth(!l->through), l->shared ? ",\"shared_by\":" : "",
			l->shared ? l->shared : "");
}

struct machine *levelkit_open(const struct level *levels, const char *more,
			      uint64_t seed)
{
	char text[2000] = "{\"caches\":[";

	for (int i = 0; i < LEVELS; i++)
		write_level(text + strlen(text), sizeof(text) - strlen(text),
			    &levels[i], i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"memory\":{\"latency_cycles\":%g}%s}",
		 latencies[LEVELS], more);
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

static void know(struct parameter *p, double value)
{
	parameter_measured(p, value, 1e-6, "test");
}

void levelkit_know(struct hierarchy *h, const struct level *levels)
{
	hierarchy_init(h);
	for (int i = 0; i < LEVELS; i++) {
		struct cache_result *c = hierarchy_add(h);
		const struct level *l = &levels[i];

		know(&c->ways, l->ways);
		know(&c->capacity_bytes, l->ways * l->sets * LINE);
		know(&c->line_bytes, LINE);
		know(&c->latency_ns, latencies[i] * 0.5);
		know(&c->index_decision, 0);
		know(&c->effective_ways, l->kind == INCLUSION_EXCLUSIVE ?
						 l->ways + levels[i - 1].ways :
						 l->ways);
		c->index = INDEX_LINEAR;
		c->inclusion = l->kind;
	}
	know(&h->memory_latency_ns, latencies[LEVELS] * 0.5);
}

void levelkit_stores(const struct level *levels, const char *more,
		     uint64_t seed, unsigned int counters, struct hierarchy *h)
{
	struct machine *m = levelkit_open(levels, more, seed);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = counters;
	ck_assert_msg(write_allocate_measure(&p, h, &f) == 0, "%s", f.text);
	ck_assert_msg(write_back_measure(&p, h, &f) == 0, "%s", f.text);
	machine_close(m);
}

uint64_t levelkit_seed(void)
{
	const char *text = getenv("PROBE_PHYS_SEED");

	return text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL) / 86400;
}

struct level levelkit_random(struct rng *rng, int i)
{
	static const char *const policies[] = { "lru",	 "tree-plru", "fifo",
						"srrip", "random",    "nru",
						"lip",	 "brrip" };
	static const unsigned int sets[] = { 64, 512, 2048 };
	const struct level l = {
		.ways = 4U << rng_below(rng, 3),
		.sets = sets[i] >> rng_below(rng, 2),
		.policy = policies[rng_below(rng, 8)],
		.kind = i && rng_below(rng, 2) ? INCLUSIVE : NINE,
		.bypassed = rng_below(rng, 2),
		.through = rng_below(rng, 2),
	};

	return l;
}

struct levelkit_drawn levelkit_draw(struct rng *rng, int round)
{
	static const char *const more[] = { TIMED, COUNTED, NOISY };
	struct levelkit_drawn d = {
		.more = more[round % 3],
		.counters = round % 3 == 1 ? ALL_COUNTERS : 0,
	};

	for (int i = 0; i < LEVELS; i++)
		d.levels[i] = levelkit_random(rng, i);
	d.seed = rng_next(rng) >> 8;
	return d;
}

int levelkit_sweep(const char *suite, int rounds,
		   int (*right)(struct levelkit_drawn *d, struct rng *rng,
				int round))
{
	uint64_t seed = levelkit_seed();
	struct rng rng = { seed };
	int decided = 0;

	printf("%s: PROBE_PHYS_SEED=%llu\n", suite, (unsigned long long)seed);
	for (int round = 0; round < rounds; round++) {
		struct levelkit_drawn d = levelkit_draw(&rng, round);

		decided += right(&d, &rng, round);
	}
	return decided;
}

void levelkit_check(const struct levelkit_drawn *d, int level,
		    bool as_it_should, const char *found)
{
	char text[400] = "";

	for (int i = 0; !as_it_should && i < LEVELS; i++) {
		const struct level *l = &d->levels[i];
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "; %u %u %s %s%s%s%s",
			 l->ways, l->sets, l->policy, kind_of(l),
			 l->bypassed ? " bypassed" : "",
			 l->through ? " through" : "",
			 l->shared ? l->shared : "");
	}
	ck_assert_msg(as_it_should, "machine seed %llu%s: L%d: %s%s",
		      (unsigned long long)d->seed, d->more, level + 1, found,
		      text);
}
