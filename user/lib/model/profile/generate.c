// SPDX-License-Identifier: GPL-2.0
#include "model/profile/generate.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/rng.h"
#include "model/profile/parse.h"

#define LINE_BYTES 64
#define LINE_BITS 6

static unsigned int pick(struct rng *rng, unsigned int least, unsigned int most)
{
	return least + (unsigned int)rng_below(rng, most - least + 1);
}

static json_t *policy(struct rng *rng, unsigned int ways)
{
	static const char *const variants[] = { "H11_M1_R0_U0", "H00_M1_R2_U1",
						"H21_M2_R0_U0_UMO" };
	unsigned int name = pick(rng, PROFILE_LRU, PROFILE_MRU3PLRU4);
	json_t *o;

	if (name >= PROFILE_LRU3PLRU4 && ways != 12)
		name = PROFILE_LRU;
	o = json_pack("{ss sI}", "name", profile_policies()[name], "seed",
		      (json_int_t)pick(rng, 1, 1000000));
	if (name == PROFILE_QLRU)
		json_object_set_new(o, "variant",
				    json_string(variants[pick(rng, 0, 2)]));
	return o;
}

/* Each mask has its own low bit, so none depends on the others. */
static json_t *masks(struct rng *rng, unsigned int first, unsigned int count)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < count; i++) {
		uint64_t high = rng_next(rng) & ((UINT64_C(1) << 34) - 1);
		uint64_t mask = UINT64_C(1) << (first + i);
		char text[24];

		mask |= high >> (first + count) << (first + count);
		snprintf(text, sizeof(text), "0x%llx",
			 (unsigned long long)mask);
		json_array_append_new(array, json_string(text));
	}
	return array;
}

static json_t *index_of(struct rng *rng, int level, unsigned int set_bits)
{
	unsigned int slice_bits = pick(rng, 1, 2);

	if (level == 3 && rng_below(rng, 2))
		return json_pack("{ss si so}", "kind", "sliced", "slices",
				 1 << slice_bits, "slice_masks",
				 masks(rng, LINE_BITS + set_bits - slice_bits,
				       slice_bits));
	if (level == 2 && rng_below(rng, 4) == 0)
		return json_pack("{ss so}", "kind", "xor", "masks",
				 masks(rng, LINE_BITS, set_bits));
	return json_pack("{ss}", "kind", "linear");
}

static json_t *cache(struct rng *rng, int level, const char *type,
		     unsigned int set_bits, unsigned int ways, double latency)
{
	static const char *const inclusions[] = { "nine", "inclusive",
						  "exclusive" };
	json_t *o = json_pack("{si ss sI si si sf so so}", "level", level,
			      "type", type, "capacity_bytes",
			      (json_int_t)(LINE_BYTES * ways) << set_bits,
			      "ways", (int)ways, "line_bytes", LINE_BYTES,
			      "latency_cycles", latency, "index",
			      index_of(rng, level, set_bits), "policy",
			      policy(rng, ways));

	if (level > 1)
		json_object_set_new(o, "inclusion",
				    json_string(inclusions[pick(rng, 0, 2)]));
	return o;
}

static json_t *caches(struct rng *rng)
{
	unsigned int levels = pick(rng, 1, 3), set_bits = pick(rng, 5, 7);
	double latency = pick(rng, 2, 5);
	json_t *array = json_array();

	json_array_append_new(array, cache(rng, 1, "data", set_bits,
					   pick(rng, 1, 16), latency));
	for (unsigned int level = 2; level <= levels; level++) {
		set_bits += pick(rng, 2, 4);
		latency = latency * pick(rng, 2, 4) + 1;
		json_array_append_new(array, cache(rng, (int)level, "unified",
						   set_bits, pick(rng, 4, 16),
						   latency));
	}
	return array;
}

static json_t *tlb(struct rng *rng, int level, const char *type,
		   unsigned int set_bits, json_int_t page_bytes)
{
	unsigned int ways = pick(rng, 2, 8);

	return json_pack("{si ss s[I] si si so sf}", "level", level, "type",
			 type, "page_bytes", page_bytes, "entries",
			 (int)(ways << set_bits), "ways", (int)ways, "policy",
			 policy(rng, ways), "latency_cycles",
			 level > 1 ? 7.0 : 0.0);
}

static json_t *tlbs(struct rng *rng)
{
	json_t *array = json_array();

	json_array_append_new(array,
			      tlb(rng, 1, "data", pick(rng, 3, 5), 4096));
	json_array_append_new(array,
			      tlb(rng, 1, "data", pick(rng, 3, 4), 1 << 21));
	if (rng_below(rng, 2))
		json_array_append_new(array, tlb(rng, 2, "unified",
						 pick(rng, 6, 8), 4096));
	return array;
}

static json_t *noise(struct rng *rng)
{
	if (rng_below(rng, 2))
		return json_pack("{si}", "seed", 1);
	return json_pack("{si sf sf sf}", "seed", (int)pick(rng, 1, 1000),
			 "jitter_cycles", (double)pick(rng, 1, 60),
			 "tail_probability", pick(rng, 0, 20) / 1000.0,
			 "tail_cycles", (double)pick(rng, 100, 20000));
}

json_t *profile_generate(uint64_t seed)
{
	struct rng rng = { seed };
	char name[40];

	snprintf(name, sizeof(name), "generated, seed %llu",
		 (unsigned long long)seed);
	return json_pack("{si ss ss sf so so s{sf} s{sf} so}", "schema", 1,
			 "name", name, "source", "made up", "cycle_ns",
			 pick(&rng, 2, 10) / 10.0, "caches", caches(&rng),
			 "tlbs", tlbs(&rng), "walk", "latency_cycles",
			 (double)pick(&rng, 10, 60), "memory", "latency_cycles",
			 (double)pick(&rng, 200, 400), "noise", noise(&rng));
}
