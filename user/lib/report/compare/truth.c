// SPDX-License-Identifier: GPL-2.0
#include "report/compare/truth.h"

#include <math.h>
#include <string.h>

/* Usable bytes of a level according to "expect" of the profile; NAN: not
 * stated.
 */
static double expected_usable(const struct profile *p, int level)
{
	json_t *cache, *value;
	size_t i;

	json_array_foreach(json_object_get(p->expect, "caches"), i, cache)
	{
		const char *type =
			json_string_value(json_object_get(cache, "type"));

		if (json_integer_value(json_object_get(cache, "level")) !=
			    level ||
		    !type || !strcmp(type, "instruction"))
			continue;
		value = json_object_get(
			json_object_get(cache, "effective_capacity_bytes"),
			"value");
		if (json_is_number(value))
			return json_number_value(value);
	}
	return NAN;
}

static void add_tlb(struct truth *t, const struct profile_tlb *tlb)
{
	for (size_t i = 0; i < tlb->page_size_count; i++)
		t->tlbs[t->tlb_count++] = (struct truth_tlb){
			.level = tlb->level,
			.page_bytes = tlb->page_bytes[i],
			.entries = tlb->entries,
			.ways = tlb->ways,
			.latency_cycles = tlb->latency_cycles,
		};
}

static struct truth_tlb *find_tlb(struct truth *t, int level,
				  uint64_t page_bytes)
{
	for (size_t i = 0; i < t->tlb_count; i++)
		if (t->tlbs[i].level == level &&
		    t->tlbs[i].page_bytes == page_bytes)
			return &t->tlbs[i];
	return NULL;
}

const struct truth_tlb *truth_find_tlb(const struct truth *t, int level,
				       uint64_t page_bytes)
{
	return find_tlb((struct truth *)t, level, page_bytes);
}

/* A profile gives each array's latency on top of an access without any. */
static void subtract_levels_above(struct truth *t)
{
	for (size_t i = t->tlb_count; i-- > 0;) {
		const struct truth_tlb *above = truth_find_tlb(
			t, t->tlbs[i].level - 1, t->tlbs[i].page_bytes);

		if (above)
			t->tlbs[i].latency_cycles -= above->latency_cycles;
	}
}

void truth_of_profile(struct truth *t, const struct profile *p)
{
	*t = (struct truth){
		.exact = true, .memory_latency_cycles = p->memory_latency_cycles
	};
	for (size_t i = 0; i < p->cache_count; i++) {
		const struct profile_cache *c = &p->caches[i];
		double usable = expected_usable(p, c->level);

		if (c->type == PROFILE_INSTRUCTION)
			continue;
		t->caches[t->cache_count++] = (struct truth_cache){
			.capacity_bytes = (double)c->capacity_bytes,
			.usable_bytes = isnan(usable) ?
						(double)c->capacity_bytes :
						usable,
			.line_bytes = c->line_bytes,
			.ways = c->ways,
			.latency_cycles = c->latency_cycles,
		};
	}
	for (size_t i = 0; i < p->tlb_count; i++)
		if (p->tlbs[i].type != PROFILE_INSTRUCTION)
			add_tlb(t, &p->tlbs[i]);
	subtract_levels_above(t);
}

static double known(uint64_t value)
{
	return value ? (double)value : NAN;
}

void truth_of_documents(struct truth *t, const struct documented *d)
{
	const struct documented_cache *c;

	*t = (struct truth){ .memory_latency_cycles = NAN };
	for (int level = 1; level <= RESULT_MAX_LEVELS; level++) {
		c = documented_find(d, level, "data");
		if (!c)
			break;
		t->caches[t->cache_count++] = (struct truth_cache){
			.capacity_bytes = known(c->capacity_bytes),
			.usable_bytes = known(c->capacity_bytes),
			.line_bytes = known(c->line_bytes),
			.ways = known(c->ways),
			.latency_cycles = NAN,
		};
	}
	for (size_t i = 0; i < d->tlb_count; i++)
		if (strcmp(d->tlbs[i].type, "instruction") != 0)
			t->tlbs[t->tlb_count++] = (struct truth_tlb){
				.level = d->tlbs[i].level,
				.page_bytes = d->tlbs[i].page_bytes,
				.entries = known(d->tlbs[i].entries),
				.ways = known(d->tlbs[i].ways),
				.latency_cycles = NAN,
			};
}
