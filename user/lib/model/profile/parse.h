/* SPDX-License-Identifier: GPL-2.0 */
/* parse.h - the parts of a profile, each read by its own file. */
#ifndef PROBE_PHYS_MODEL_PROFILE_PARSE_H
#define PROBE_PHYS_MODEL_PROFILE_PARSE_H

#include "model/profile/profile.h"
#include "model/profile/value.h"

/* Caps that keep a model in memory and its arithmetic in 64 bits. */
#define PROFILE_MAX_WAYS 4096
#define PROFILE_MAX_LINE 4096
#define PROFILE_MAX_BYTES (UINT64_C(1) << 30)
#define PROFILE_MAX_LINES (UINT64_C(1) << 26)
#define PROFILE_MAX_CYCLES 1e6

static inline bool profile_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

static inline unsigned int profile_log2(uint64_t n)
{
	return 63 - (unsigned int)__builtin_clzll(n);
}

/** profile_types() - words of enum profile_type */
const char *const *profile_types(void);
/** profile_inclusions() - words of enum profile_inclusion */
const char *const *profile_inclusions(void);

/** profile_policies() - words of enum profile_policy_name */
const char *const *profile_policies(void);
/** profile_index_kinds() - words of enum profile_index_kind */
const char *const *profile_index_kinds(void);

/**
 * profile_read_index() - how an array finds its sets
 * @sets: how many it has
 * @line_bytes: unit of the index; 0: a TLB, whose unit is the page
 * @index: (out) linear when missing; profile_free_index() in either case
 */
int profile_read_index(const struct value *v, uint64_t sets,
		       unsigned int line_bytes, struct profile_index *index);
void profile_free_index(struct profile_index *index);

/**
 * profile_read_policy() - replacement in an array of @ways and @sets
 * @policy: (out) LRU when missing
 */
int profile_read_policy(const struct value *v, unsigned int ways, uint64_t sets,
			struct profile_policy *policy);

/** profile_read_caches() - "caches", and how many CPUs they name */
int profile_read_caches(const struct value *v, struct profile *p);

/** profile_read_sharing() - "shared_by" of a cache, and the CPUs that it names */
int profile_read_sharing(const struct value *v, struct profile_cache *c,
			 struct profile *p);

/** profile_settle_sharing() - that of all caches, once their CPUs are known
 * @v: "caches"
 */
int profile_settle_sharing(const struct value *v, struct profile *p);

/** profile_read_core_types() - "core_types" of the document, before what they have
 */
int profile_read_core_types(const struct value *v, struct profile *p);

/** profile_read_core_type() - "core_type" of a cache or a TLB
 * @absent_on: (out) CPUs of other types
 */
int profile_read_core_type(const struct value *v, const struct profile *p,
			   uint64_t *absent_on);

/** profile_on_one_cpu() - has a CPU both of what is absent on @absent_on and
 * @others?
 */
bool profile_on_one_cpu(const struct profile *p, uint64_t absent_on,
			uint64_t others);

/** profile_check_core_types() - has each of them all levels above its last one?
 * @caches: "caches", all of them read
 */
int profile_check_core_types(const struct value *caches,
			     const struct profile *p);

/** profile_read_same_set() - "same_set_miss_cycles" of the document: that of
 * the first level that holds data; caches must be known already
 */
int profile_read_same_set(const struct value *v, struct profile *p);

/** profile_read_tlbs() - "tlbs"; page sizes must be known already */
int profile_read_tlbs(const struct value *v, struct profile *p);

/** profile_read_walk_caches() - "walk_caches" of the document; page sizes must be
 * known already
 */
int profile_read_walk_caches(const struct value *v, struct profile *p);

/** profile_read_head() - name, units, page sizes and placement */
int profile_read_head(const struct value *v, struct profile *p);

/** profile_read_rest() - memory, timer, noise, prefetchers (of the caches known
 * by then), counters, the answers
 */
int profile_read_rest(const struct value *v, struct profile *p);

/** profile_knows_page() - one of the machine's page sizes? */
bool profile_knows_page(const struct profile *p, uint64_t bytes);

#endif
