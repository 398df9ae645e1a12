// SPDX-License-Identifier: GPL-2.0
/* sharing.c - the CPUs that share a cache of a profile. */
#include "model/profile/parse.h"

#define NO_GROUP UINT32_MAX

static int read_group(const struct value *group, struct profile_cache *c,
		      struct profile *p)
{
	size_t count;
	int error = value_array(group, 1, PROFILE_MAX_CPUS, &count);

	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(group, i);
		unsigned int cpu = 0;

		error = value_count(&one, 0, PROFILE_MAX_CPUS - 1, &cpu);
		if (!error && c->shared_by[cpu] != NO_GROUP)
			error = value_refuse(
				&one, "CPU %u is in two groups (name it once)",
				cpu);
		if (!error && cpu >= p->cpus && p->core_type_count)
			error = value_refuse(
				&one,
				"CPU %u is in no core_types (add it there)",
				cpu);
		if (!error && !profile_has(c->absent_on, cpu))
			error = value_refuse(
				&one,
				"CPU %u is of another core_type (leave it out)",
				cpu);
		if (error)
			return error;
		c->shared_by[cpu] = c->instances;
		if (cpu >= p->cpus)
			p->cpus = cpu + 1;
	}
	return error;
}

int profile_read_sharing(const struct value *v, struct profile_cache *c,
			 struct profile *p)
{
	struct value groups = value_member(v, "shared_by");
	size_t count;
	int error = value_array(&groups, 1, PROFILE_MAX_CPUS, &count);

	for (size_t i = 0; i < PROFILE_MAX_CPUS; i++)
		c->shared_by[i] = NO_GROUP;
	for (size_t i = 0; !error && i < count; i++) {
		struct value group = value_element(&groups, i);

		if (!json_is_array(group.json))
			return value_refuse(&group, "is no array of CPUs");
		error = read_group(&group, c, p);
		c->instances++;
	}
	return error;
}

int profile_settle_sharing(const struct value *v, struct profile *p)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < p->cache_count; i++) {
		struct profile_cache *c = &p->caches[i];
		struct value element = value_element(v, i);
		struct value groups = value_member(&element, "shared_by");
		struct value size = value_member(&element, "capacity_bytes");

		for (unsigned int cpu = 0; cpu < p->cpus; cpu++) {
			if (!profile_has(c->absent_on, cpu))
				c->shared_by[cpu] = 0;
			else if (!groups.json)
				c->shared_by[cpu] = c->memory_side ? 0 : cpu;
			else if (c->shared_by[cpu] == NO_GROUP)
				return value_refuse(
					&groups,
					"CPU %u is in no group (other caches name %u CPUs)",
					cpu, p->cpus);
		}
		if (!groups.json)
			c->instances = c->memory_side ? 1 : p->cpus;
		for (unsigned int cpu = p->cpus; cpu < PROFILE_MAX_CPUS; cpu++)
			c->shared_by[cpu] = 0;
		lines += c->instances * c->sets * c->ways;
		if (lines > PROFILE_MAX_LINES)
			return value_refuse(
				&size,
				"more than %llu lines in all instances of all caches",
				(unsigned long long)PROFILE_MAX_LINES);
	}
	return 0;
}
