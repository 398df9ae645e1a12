// SPDX-License-Identifier: GPL-2.0
/*
 * mutate.c - changes that keep a profile JSON: a value becomes another one, a
 * key goes, an element comes twice. Bytes are changed half of the time, as
 * broken JSON has to be refused, too.
 */
#include <jansson.h>
#include <string.h>

#include "base/rng.h"
#include "fuzz.h"

#define PLACES 512

/** struct place - an object's key, or an array's element */
struct place {
	json_t *up;
	const char *key;
	size_t index;
};

struct places {
	struct place at[PLACES];
	size_t count;
};

static void collect(json_t *json, struct places *all)
{
	const char *key;
	json_t *part;
	size_t i;

	json_object_foreach(json, key, part)
	{
		if (all->count < PLACES)
			all->at[all->count++] = (struct place){ json, key, 0 };
		collect(part, all);
	}
	json_array_foreach(json, i, part)
	{
		if (all->count < PLACES)
			all->at[all->count++] = (struct place){ json, NULL, i };
		collect(part, all);
	}
}

static json_t *value_of(const struct place *p)
{
	return p->key ? json_object_get(p->up, p->key) :
			json_array_get(p->up, p->index);
}

static void put(const struct place *p, json_t *value)
{
	if (p->key)
		json_object_set_new(p->up, p->key, value);
	else
		json_array_set_new(p->up, p->index, value);
}

static json_t *number_near(json_int_t n, struct rng *rng)
{
	const uint64_t twice = 2 * (uint64_t)n;
	static const json_int_t others[] = {
		0,    1,    2,	   3,	  4,	   7,  8,	  9,
		12,   16,   24,	   32,	  48,	   63, 64,	  65,
		1024, 4096, 12288, 65536, 1 << 20, -1, INT32_MAX, INT64_MAX
	};

	switch (rng_below(rng, 4)) {
	case 0:
		return json_integer((json_int_t)twice);
	case 1:
		return json_integer(n / 2);
	case 2:
		return json_integer(n ^ 1);
	default:
		return json_integer(others[rng_below(
			rng, sizeof(others) / sizeof(others[0]))]);
	}
}

static const char *word(struct rng *rng)
{
	static const char *const words[] = {
		"lru",	     "fifo",	  "tree-plru",	  "bit-plru",
		"nru",	     "random",	  "lip",	  "srrip",
		"bip",	     "brrip",	  "drrip",	  "lru3plru4",
		"mru3plru4", "qlru",	  "H11_M1_R0_U0", "H00_M0_R1_U2",
		"linear",    "modulo",	  "xor",	  "sliced",
		"data",	     "unified",	  "instruction",  "nine",
		"inclusive", "exclusive", "virtual",	  "physical",
		"stride",    "stream",	  "next-line",	  "adjacent-line",
		"0x1",	     "0x40",	  "0x80",	  "0x1fc0"
	};

	return words[rng_below(rng, sizeof(words) / sizeof(words[0]))];
}

static json_t *another(json_t *old, const struct places *all, struct rng *rng)
{
	switch (rng_below(rng, 6)) {
	case 0:
		return json_string(word(rng));
	case 1:
		return json_boolean(rng_next(rng) & 1);
	case 2:
		return json_real(rng_uniform(rng) * 100);
	case 3:
		/* A piece of the same profile. */
		return json_deep_copy(
			value_of(&all->at[rng_below(rng, all->count)]));
	default:
		return number_near(json_integer_value(old), rng);
	}
}

static void change(struct places *all, struct rng *rng)
{
	const struct place *p = &all->at[rng_below(rng, all->count)];
	json_t *old = value_of(p), *copy;

	switch (rng_below(rng, 8)) {
	case 0:
		if (p->key)
			json_object_del(p->up, p->key);
		else
			json_array_remove(p->up, p->index);
		break;
	case 1:
		if (!p->key) {
			copy = json_deep_copy(old);
			json_array_insert_new(p->up, p->index, copy);
		}
		break;
	default:
		if (json_is_integer(old) && rng_below(rng, 4))
			put(p, number_near(json_integer_value(old), rng));
		else if (json_is_string(old) && rng_below(rng, 4))
			put(p, json_string(word(rng)));
		else
			put(p, another(old, all, rng));
		break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned int seed)
{
	static struct places all;
	struct rng rng = { seed };
	json_t *root;
	size_t made;

	if (rng_below(&rng, 2))
		return LLVMFuzzerMutate(data, size, most);
	root = json_loadb((const char *)data, size, 0, NULL);
	if (!root)
		return LLVMFuzzerMutate(data, size, most);
	for (uint64_t n = 1 + rng_below(&rng, 3); n; n--) {
		all.count = 0;
		collect(root, &all);
		if (all.count)
			change(&all, &rng);
	}
	made = json_dumpb(root, (char *)data, most, JSON_COMPACT);
	json_decref(root);
	return made && made <= most ? made : LLVMFuzzerMutate(data, size, most);
}
