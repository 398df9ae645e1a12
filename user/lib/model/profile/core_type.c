// SPDX-License-Identifier: GPL-2.0
/* core_type.c - the types of cores of a profile, and what only one of them has. */
#include <string.h>

#include "model/profile/parse.h"

#define NO_LEVEL 0

static int read_cpus(const struct value *v, struct profile *p,
		     struct profile_core_type *type)
{
	uint64_t known = 0;
	size_t count;
	int error = value_required(v);

	for (size_t i = 0; i < p->core_type_count; i++)
		known |= p->core_types[i].cpus;
	if (!error)
		error = value_array(v, 1, PROFILE_MAX_CPUS, &count);
	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(v, i);
		unsigned int cpu = 0;

		error = value_count(&one, 0, PROFILE_MAX_CPUS - 1, &cpu);
		if (!error && (known | type->cpus) >> cpu & 1)
			error = value_refuse(
				&one,
				"CPU %u has a type already (name it once)",
				cpu);
		type->cpus |= UINT64_C(1) << cpu;
		if (cpu >= p->cpus)
			p->cpus = cpu + 1;
	}
	return error;
}

static int read_type(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "name", "cpus", "expect", NULL };
	struct profile_core_type *type = &p->core_types[p->core_type_count];
	struct value name = value_member(v, "name");
	struct value cpus = value_member(v, "cpus");
	struct value expect = value_member(v, "expect");

	if (!json_is_object(v->json))
		return value_refuse(v, "is no object");
	if (value_object(v, keys) || value_required(&name) ||
	    value_text(&name, type->name, sizeof(type->name)) ||
	    read_cpus(&cpus, p, type))
		return -EINVAL;
	if (expect.json && !json_is_object(expect.json))
		return value_refuse(&expect, "is no object");
	for (size_t i = 0; i < p->core_type_count; i++)
		if (!strcmp(p->core_types[i].name, type->name))
			return value_refuse(&name, "is there already");
	p->core_type_count++;
	return 0;
}

int profile_read_core_types(const struct value *v, struct profile *p)
{
	struct value all = value_member(v, "core_types");
	uint64_t typed = 0;
	size_t count;
	int error = value_array(&all, 2, PROFILE_MAX_CORE_TYPES, &count);

	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(&all, i);

		error = read_type(&one, p);
		typed |= p->core_types[i].cpus;
	}
	if (!error && count && typed != profile_all_cpus(p))
		error = value_refuse(&all, "CPU %d has no type (name it there)",
				     __builtin_ctzll(~typed));
	return error;
}

bool profile_on_one_cpu(const struct profile *p, uint64_t absent_on,
			uint64_t others)
{
	return (absent_on | others) != profile_all_cpus(p);
}

int profile_read_core_type(const struct value *v, const struct profile *p,
			   uint64_t *absent_on)
{
	const char *names[PROFILE_MAX_CORE_TYPES + 1] = { NULL };
	struct value which = value_member(v, "core_type");
	unsigned int word = 0;

	*absent_on = 0;
	if (!which.json)
		return 0;
	if (!p->core_type_count)
		return value_refuse(&which,
				    "the machine has no core_types (add them)");
	for (size_t i = 0; i < p->core_type_count; i++)
		names[i] = p->core_types[i].name;
	if (value_choice(&which, names, &word))
		return -EINVAL;
	*absent_on = profile_all_cpus(p) & ~p->core_types[word].cpus;
	return 0;
}

/* The levels of data of a CPU are those of its loads, without a gap. */
int profile_check_core_types(const struct value *caches,
			     const struct profile *p)
{
	for (size_t k = 0; k < p->core_type_count; k++) {
		const uint64_t cpus = p->core_types[k].cpus;
		int last = NO_LEVEL;

		for (size_t i = 0; i < p->cache_count; i++) {
			const struct profile_cache *c = &p->caches[i];
			struct value one = value_element(caches, i);
			struct value level = value_member(&one, "level");

			if (c->type == PROFILE_INSTRUCTION ||
			    c->absent_on & cpus)
				continue;
			if (c->level > last + 1)
				return value_refuse(
					&level,
					"%d of '%s', which has no level %d of data (add it)",
					c->level, p->core_types[k].name,
					last + 1);
			last = c->level;
		}
	}
	return 0;
}
