// SPDX-License-Identifier: GPL-2.0
/* walk_cache.c - the caches of page walks of a profile. */
#include "model/profile/parse.h"

#define MOST_ENTRIES 4096

static const char *const tables[] = { "pde", "pdpte", "pml4e", NULL };

const char *profile_table_name(enum profile_table table)
{
	return tables[table];
}

unsigned int profile_table_shift(const struct profile *p,
				 enum profile_table table)
{
	const unsigned int page = profile_log2(p->page_bytes);
	const unsigned int entries = page - PROFILE_TABLE_ENTRY_SHIFT;
	const unsigned int shift = page + ((unsigned int)table + 1) * entries;

	return shift < 63 ? shift : 63;
}

static int read_table(const struct value *v, const struct profile *p,
		      struct profile_walk_cache *c)
{
	unsigned int word = 0;
	int error = value_choice(v, tables, &word);
	bool known = c->tables >> word & 1;

	for (size_t i = 0; i < p->walk_cache_count; i++)
		known |= p->walk_caches[i].tables >> word & 1;
	if (!error && known)
		error = value_refuse(v, "%s is there already", tables[word]);
	c->tables |= 1U << word;
	return error;
}

/* One level, or several that share the cache. */
static int read_tables(const struct value *v, const struct profile *p,
		       struct profile_walk_cache *c)
{
	struct value level = value_member(v, "level");
	size_t count;
	int error = value_required(&level);

	c->tables = 0;
	if (!error && !json_is_array(level.json))
		return read_table(&level, p, c);
	if (!error)
		error = value_array(&level, 1, PROFILE_TABLES, &count);
	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(&level, i);

		error = read_table(&one, p, c);
	}
	return error;
}

static int read_one(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "level", "entries", "ways",
					    "index", "policy",	NULL };
	struct profile_walk_cache *c = &p->walk_caches[p->walk_cache_count];
	struct value entries = value_member(v, "entries");
	struct value ways = value_member(v, "ways");
	struct value index = value_member(v, "index");
	struct value policy = value_member(v, "policy");

	if (value_object(v, keys) || read_tables(v, p, c) ||
	    value_required(&entries) || value_required(&ways) ||
	    value_count(&entries, 1, MOST_ENTRIES, &c->entries) ||
	    value_count(&ways, 1, MOST_ENTRIES, &c->ways))
		return -EINVAL;
	if (c->ways > c->entries || c->entries % c->ways)
		return value_refuse(&entries, "%u is no multiple of %u ways",
				    c->entries, c->ways);
	/* What is read so far is to be freed. */
	p->walk_cache_count++;
	return profile_read_index(&index, c->entries / c->ways, 0, &c->index) ||
			       profile_read_policy(&policy, c->ways,
						   c->entries / c->ways,
						   &c->policy) ?
		       -EINVAL :
		       0;
}

int profile_read_walk_caches(const struct value *v, struct profile *p)
{
	struct value all = value_member(v, "walk_caches");
	size_t count;
	int error = value_array(&all, 0, PROFILE_TABLES, &count);

	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(&all, i);

		error = read_one(&one, p);
	}
	return error;
}
