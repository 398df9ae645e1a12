// SPDX-License-Identifier: GPL-2.0
/* tlb.c - the translation arrays of a profile. */
#include "model/profile/parse.h"

#define MAX_ENTRIES 65536

bool profile_knows_page(const struct profile *p, uint64_t bytes)
{
	bool known = bytes == p->page_bytes;

	for (size_t i = 0; i < p->huge_page_count; i++)
		known |= bytes == p->huge_page_bytes[i];
	return known;
}

static int read_pages(const struct value *v, const struct profile *p,
		      struct profile_tlb *t)
{
	struct value all = value_member(v, "page_bytes");
	int error = value_array(&all, 1, PROFILE_MAX_PAGE_SIZES,
				&t->page_size_count);

	if (!all.json) {
		t->page_bytes[0] = p->page_bytes;
		t->page_size_count = 1;
	}
	for (size_t i = 0; !error && all.json && i < t->page_size_count; i++) {
		struct value size = value_element(&all, i);

		error = value_integer(&size, 1, INT64_MAX, &t->page_bytes[i]);
		if (!error && !profile_knows_page(p, t->page_bytes[i]))
			error = value_refuse(
				&size,
				"the machine has no pages of %llu bytes (see page_bytes, huge_page_bytes)",
				(unsigned long long)t->page_bytes[i]);
		for (size_t j = 0; !error && j < i; j++)
			if (t->page_bytes[j] == t->page_bytes[i])
				error = value_refuse(&size, "is there already");
	}
	return error;
}

static bool share_pages(const struct profile_tlb *a,
			const struct profile_tlb *b)
{
	for (size_t i = 0; i < a->page_size_count; i++)
		for (size_t j = 0; j < b->page_size_count; j++)
			if (a->page_bytes[i] == b->page_bytes[j])
				return true;
	return false;
}

static int check_level(const struct value *level, const struct profile *p,
		       const struct profile_tlb *t)
{
	int last = p->tlb_count ? p->tlbs[p->tlb_count - 1].level : 0;

	for (size_t i = 0; i < p->tlb_count; i++)
		if (p->tlbs[i].level == t->level &&
		    p->tlbs[i].type == t->type && share_pages(&p->tlbs[i], t) &&
		    profile_on_one_cpu(p, p->tlbs[i].absent_on, t->absent_on))
			return value_refuse(
				level,
				"level %d %s for these pages is there already",
				t->level, profile_types()[t->type]);
	if (t->level < last || t->level > last + 1)
		return value_refuse(
			level,
			"%d is out of order after %d (list them upwards)",
			t->level, last);
	return 0;
}

static int read_size(const struct value *v, struct profile_tlb *t)
{
	struct value entries = value_member(v, "entries");
	struct value ways = value_member(v, "ways");
	struct value coalesce = value_member(v, "coalesce_pages");
	struct value paired = value_member(v, "paired_pages");

	t->coalesce_pages = 1;
	if (value_required(&entries) || value_required(&ways) ||
	    value_count(&entries, 1, MAX_ENTRIES, &t->entries) ||
	    value_count(&ways, 1, PROFILE_MAX_WAYS, &t->ways) ||
	    value_count(&coalesce, 1, 64, &t->coalesce_pages) ||
	    value_bool(&paired, &t->paired_pages))
		return -EINVAL;
	if (t->ways > t->entries)
		return value_refuse(&ways, "%u ways for %u entries", t->ways,
				    t->entries);
	if (t->entries % t->ways)
		return value_refuse(&entries, "%u is no multiple of %u ways",
				    t->entries, t->ways);
	if (!profile_power_of_two(t->coalesce_pages))
		return value_refuse(&coalesce, "%u is no power of two",
				    t->coalesce_pages);
	if (t->paired_pages && t->coalesce_pages > 1)
		return value_refuse(
			&paired,
			"beside coalesce_pages (leave one of them out)");
	return 0;
}

static int read_tlb(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "level",
					    "type",
					    "page_bytes",
					    "entries",
					    "ways",
					    "index",
					    "policy",
					    "latency_cycles",
					    "coalesce_pages",
					    "paired_pages",
					    "inclusion",
					    "core_type",
					    NULL };
	struct profile_tlb *t = &p->tlbs[p->tlb_count];
	struct value level = value_member(v, "level");
	struct value type = value_member(v, "type");
	struct value index = value_member(v, "index");
	struct value policy = value_member(v, "policy");
	struct value latency = value_member(v, "latency_cycles");
	struct value inclusion = value_member(v, "inclusion");
	unsigned int number = 0, word = 0, towards = PROFILE_NINE;

	if (value_object(v, keys) || value_required(&level) ||
	    value_count(&level, 1, 4, &number) || value_required(&type) ||
	    value_choice(&type, profile_types(), &word) ||
	    read_pages(v, p, t) || profile_read_core_type(v, p, &t->absent_on))
		return -EINVAL;
	t->level = (int)number;
	t->type = word;
	if (check_level(&level, p, t))
		return -EINVAL;
	p->tlb_count++;
	if (read_size(v, t) ||
	    value_number(&latency, 0, PROFILE_MAX_CYCLES, &t->latency_cycles) ||
	    value_choice(&inclusion, profile_inclusions(), &towards) ||
	    profile_read_index(&index, t->entries / t->ways, 0, &t->index) ||
	    profile_read_policy(&policy, t->ways, t->entries / t->ways,
				&t->policy))
		return -EINVAL;
	t->inclusion = towards;
	return 0;
}

/* What moves or drops single pages cannot do so with half an entry. */
static int check_pairs(const struct value *v, const struct profile *p)
{
	for (size_t i = 0; i < p->tlb_count; i++) {
		struct value tlb = value_element(v, i);
		struct value paired = value_member(&tlb, "paired_pages");

		for (size_t j = 0; p->tlbs[i].paired_pages && j < p->tlb_count;
		     j++)
			if (p->tlbs[j].inclusion != PROFILE_NINE)
				return value_refuse(
					&paired,
					"tlbs[%zu] is %s (make all of them nine)",
					j,
					profile_inclusions()
						[p->tlbs[j].inclusion]);
	}
	return 0;
}

int profile_read_tlbs(const struct value *v, struct profile *p)
{
	size_t count;
	int error = value_array(v, 0, PROFILE_MAX_TLBS, &count);

	for (size_t i = 0; !error && i < count; i++) {
		struct value tlb = value_element(v, i);

		error = read_tlb(&tlb, p);
	}
	return error ? error : check_pairs(v, p);
}
