// SPDX-License-Identifier: GPL-2.0
/* cache.c - the caches of a profile. */
#include <string.h>

#include "model/profile/parse.h"

const char *const *profile_types(void)
{
	static const char *const words[] = { "data", "instruction", "unified",
					     NULL };

	return words;
}

const char *const *profile_inclusions(void)
{
	static const char *const words[] = { "nine", "inclusive", "exclusive",
					     NULL };

	return words;
}

static int read_size(const struct value *v, struct profile_cache *c)
{
	struct value capacity = value_member(v, "capacity_bytes");
	struct value ways = value_member(v, "ways");
	struct value line = value_member(v, "line_bytes");
	uint64_t way_lines;

	if (value_required(&capacity) || value_required(&ways) ||
	    value_required(&line) ||
	    value_integer(&capacity, 1, PROFILE_MAX_BYTES,
			  &c->capacity_bytes) ||
	    value_count(&ways, 1, PROFILE_MAX_WAYS, &c->ways) ||
	    value_count(&line, 8, PROFILE_MAX_LINE, &c->line_bytes))
		return -EINVAL;
	if (!profile_power_of_two(c->line_bytes))
		return value_refuse(&line, "%u is no power of two",
				    c->line_bytes);
	way_lines = (uint64_t)c->ways * c->line_bytes;
	if (c->capacity_bytes % way_lines)
		return value_refuse(
			&capacity,
			"%llu is not %u ways of %u byte lines times a number of sets",
			(unsigned long long)c->capacity_bytes, c->ways,
			c->line_bytes);
	c->sets = c->capacity_bytes / way_lines;
	return 0;
}

static int read_behaviour(const struct value *v, struct profile_cache *c)
{
	static const char *const spaces[] = { "virtual", "physical", NULL };
	struct value addressing = value_member(v, "addressing");
	struct value inclusion = value_member(v, "inclusion");
	struct value allocate = value_member(v, "write_allocate");
	struct value back = value_member(v, "write_back");
	struct value latency = value_member(v, "latency_cycles");
	struct value same_set = value_member(v, "same_set_miss_cycles");
	struct value reserved = value_member(v, "reserved_lines_per_set");
	unsigned int space = c->level > 1, word = PROFILE_NINE;

	c->write_allocate = true;
	c->write_back = true;
	if (value_required(&latency) ||
	    value_number(&latency, 0, PROFILE_MAX_CYCLES, &c->latency_cycles) ||
	    value_number(&same_set, 0, PROFILE_MAX_CYCLES,
			 &c->same_set_miss_cycles) ||
	    value_choice(&addressing, spaces, &space) ||
	    value_choice(&inclusion, profile_inclusions(), &word) ||
	    value_bool(&allocate, &c->write_allocate) ||
	    value_bool(&back, &c->write_back) ||
	    value_count(&reserved, 0, c->ways - 1, &c->reserved_lines_per_set))
		return -EINVAL;
	c->physical = space;
	c->inclusion = word;
	if (c->level == 1 && c->inclusion != PROFILE_NINE)
		return value_refuse(
			&inclusion,
			"nothing is above the first level (leave it out)");
	return 0;
}

/* All accesses of all CPUs to memory pass it, and nothing else knows of it. */
static int read_memory_side(const struct value *v, struct profile_cache *c)
{
	struct value flag = value_member(v, "memory_side");
	struct value groups = value_member(v, "shared_by");

	if (value_bool(&flag, &c->memory_side))
		return -EINVAL;
	if (!c->memory_side)
		return 0;
	if (c->level == 1 || c->type != PROFILE_UNIFIED)
		return value_refuse(
			&flag,
			"of level %d, %s (make it unified, below level 1)",
			c->level, profile_types()[c->type]);
	if (c->inclusion != PROFILE_NINE || !c->physical || c->absent_on)
		return value_refuse(
			&flag,
			"memory knows no levels, virtual addresses or cores (make it nine, physical, of all core types)");
	if (groups.json)
		return value_refuse(
			&groups,
			"all CPUs share a memory-side cache (leave it out)");
	return 0;
}

/* New lines take some of the ways only; the others have lines that are not a
 * program's.
 */
static int read_mask(const struct value *v, struct profile_cache *c)
{
	struct value all = value_member(v, "allocation_mask");
	uint64_t *mask = &c->policy.allocation_mask;
	const uint64_t ways = c->ways < 64 ? (UINT64_C(1) << c->ways) - 1 :
					     UINT64_MAX;

	if (!all.json)
		return 0;
	if (value_mask(&all, mask))
		return -EINVAL;
	if (c->ways > 64)
		return value_refuse(&all,
				    "masks have 64 ways, not %u (leave it out)",
				    c->ways);
	if (!*mask || *mask & ~ways)
		return value_refuse(
			&all,
			"0x%llx is no choice of %u ways (set some of bits 0 to %u)",
			(unsigned long long)*mask, c->ways, c->ways - 1);
	if (c->reserved_lines_per_set)
		return value_refuse(
			&all,
			"beside reserved_lines_per_set (leave one of them out)");
	if (c->policy.name >= PROFILE_LRU3PLRU4)
		return value_refuse(
			&all,
			"trees of four ways have no masks (choose another policy)");
	return 0;
}

/* Do accesses of some CPU pass both? */
static bool same_kind(const struct profile_cache *a,
		      const struct profile_cache *b, const struct profile *p)
{
	return (a->type == b->type || a->type == PROFILE_UNIFIED ||
		b->type == PROFILE_UNIFIED) &&
	       profile_on_one_cpu(p, a->absent_on, b->absent_on);
}

/* Levels come in order and without a gap, none of them twice. */
static int check_level(const struct value *level, const struct profile *p,
		       const struct profile_cache *c)
{
	int last = p->cache_count ? p->caches[p->cache_count - 1].level : 0;

	for (size_t i = 0; i < p->cache_count; i++)
		if (p->caches[i].level == c->level &&
		    same_kind(&p->caches[i], c, p))
			return value_refuse(level,
					    "level %d %s is there already",
					    c->level, profile_types()[c->type]);
		else if (p->caches[i].memory_side)
			return value_refuse(
				level,
				"%d is below a memory-side cache (list that one last)",
				c->level);
	if (c->level < last || c->level > last + 1)
		return value_refuse(
			level,
			"%d is out of order after %d (list them upwards)",
			c->level, last);
	return 0;
}

/* Lines of data do not get shorter downwards: a level whose lines always come in
 * pairs is no other than one of lines twice as long. What moves from an exclusive
 * level to the one above is a line of both.
 */
static int check_lines(const struct value *v, const struct profile *p,
		       const struct profile_cache *c)
{
	struct value line = value_member(v, "line_bytes");

	for (size_t i = 0; i < p->cache_count; i++) {
		const struct profile_cache *a = &p->caches[i];

		if (a->level >= c->level || !same_kind(a, c, p))
			continue;
		if (a->line_bytes > c->line_bytes &&
		    a->type != PROFILE_INSTRUCTION)
			return value_refuse(
				&line,
				"%u below data in caches[%zu] of %u (give the lower level lines as long)",
				c->line_bytes, i, a->line_bytes);
		if (c->inclusion == PROFILE_EXCLUSIVE &&
		    a->level == c->level - 1 && a->line_bytes != c->line_bytes)
			return value_refuse(
				&line,
				"%u, exclusive of caches[%zu] of %u (make lines alike, or the level nine)",
				c->line_bytes, i, a->line_bytes);
	}
	return 0;
}

static int read_cache(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "level",
					    "type",
					    "capacity_bytes",
					    "ways",
					    "line_bytes",
					    "addressing",
					    "index",
					    "policy",
					    "inclusion",
					    "write_allocate",
					    "write_back",
					    "latency_cycles",
					    "same_set_miss_cycles",
					    "shared_by",
					    "reserved_lines_per_set",
					    "allocation_mask",
					    "memory_side",
					    "core_type",
					    NULL };
	struct profile_cache *c = &p->caches[p->cache_count];
	struct value level = value_member(v, "level");
	struct value type = value_member(v, "type");
	struct value index = value_member(v, "index");
	struct value policy = value_member(v, "policy");
	unsigned int number = 0, word = 0;

	if (value_object(v, keys) || value_required(&level) ||
	    value_count(&level, 1, PROFILE_MAX_CACHES, &number) ||
	    value_required(&type) ||
	    value_choice(&type, profile_types(), &word) ||
	    profile_read_core_type(v, p, &c->absent_on))
		return -EINVAL;
	c->level = (int)number;
	c->type = word;
	if (check_level(&level, p, c))
		return -EINVAL;
	/* From here on the index may own memory. */
	p->cache_count++;
	if (read_size(v, c) || read_behaviour(v, c) || check_lines(v, p, c) ||
	    profile_read_index(&index, c->sets, c->line_bytes, &c->index) ||
	    profile_read_policy(&policy, c->ways, c->sets, &c->policy) ||
	    read_mask(v, c) || read_memory_side(v, c) ||
	    profile_read_sharing(v, c, p))
		return -EINVAL;
	return 0;
}

int profile_read_caches(const struct value *v, struct profile *p)
{
	size_t count;
	int error = value_required(v);

	if (!error)
		error = value_array(v, 1, PROFILE_MAX_CACHES, &count);
	for (size_t i = 0; !error && i < count; i++) {
		struct value cache = value_element(v, i);

		error = read_cache(&cache, p);
	}
	if (!error)
		error = profile_check_core_types(v, p);
	return error ? error : profile_settle_sharing(v, p);
}

int profile_read_same_set(const struct value *v, struct profile *p)
{
	struct value all = value_member(v, "same_set_miss_cycles");
	double cycles = 0;
	int error = value_number(&all, 0, PROFILE_MAX_CYCLES, &cycles);

	for (size_t i = 0; !error && cycles > 0 && i < p->cache_count; i++) {
		struct profile_cache *c = &p->caches[i];

		if (c->level > 1 || c->type == PROFILE_INSTRUCTION)
			continue;
		if (c->same_set_miss_cycles > 0)
			return value_refuse(
				&all,
				"caches[%zu] has its own (leave one of them out)",
				i);
		c->same_set_miss_cycles = cycles;
	}
	return error;
}
