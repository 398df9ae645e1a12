/* SPDX-License-Identifier: GPL-2.0 */
/*
 * result.h - the parameters that were measured, their error bounds, and why
 * others are undecided.
 *
 * The structures mirror the tool's JSON document.
 */
#ifndef PROBE_PHYS_RESULT_RESULT_H
#define PROBE_PHYS_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/index_function.h"
#include "result/policy_finding.h"

/** enum parameter_status - how a parameter ended */
enum parameter_status {
	PARAMETER_UNAVAILABLE, /* this machine cannot measure it, or the user
			        * left it out
			        */
	PARAMETER_UNDECIDED,   /* measured, but the samples do not decide */
	PARAMETER_MEASURED,
};

/**
 * struct parameter - one number of the report
 * @status: whether @value holds
 * @value: the number, in the unit that the field's name gives
 * @error_bound: bound on the probability that a decided value is wrong, under
 *               the assumptions of its tests: the sum of the errors that were
 *               drawn for them (observe/budget.h), at most 1; 0: not decided by
 *               a test of known error (latencies, votes)
 * @method: "x-ray", ...
 * @by: what distinguished hits from misses: "counters", "time" or
 *      "accessed-bits"; NULL: no test needed to
 * @reason: why it is undecided, or which assumptions it depends on
 */
struct parameter {
	enum parameter_status status;
	double value;
	double error_bound;
	const char *method;
	const char *by;
	char reason[256];
};

/** parameter_is_measured() - whether it has a decided value */
static inline bool parameter_is_measured(const struct parameter *p)
{
	return p->status == PARAMETER_MEASURED;
}

/** parameter_measured() - set a value */
void parameter_measured(struct parameter *p, double value, double error_bound,
			const char *method);

/** parameter_undecided() - set it to undecided, with a printf-like reason */
void parameter_undecided(struct parameter *p, const char *method,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * parameter_unavailable() - set it to not measured, with a printf-like reason
 */
void parameter_unavailable(struct parameter *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** RESULT_MAX_CPUS - most CPUs that are listed as sharing a level */
#define RESULT_MAX_CPUS 65

/**
 * enum inclusion - how a level's contents relate to those of the levels above
 */
enum inclusion {
	INCLUSION_UNKNOWN,
	INCLUSION_INCLUSIVE, /* it holds all their lines; a line evicted here is
			      * evicted there
			      */
	INCLUSION_EXCLUSIVE, /* it holds none of their lines; it receives those
			      * they evict
			      */
	INCLUSION_NINE,	     /* neither of the two */
};

/** inclusion_name() - as the report prints it: "inclusive", ... */
const char *inclusion_name(enum inclusion inclusion);

/**
 * enum unreached - why no sequence is sure to miss the level above
 * @UNREACHED_NOT: one is, or a level is open for other reasons
 * @UNREACHED_BY_STRIDES: strides do not find the sets of the level above, or lines stay
 *                        there
 * @UNREACHED_BUSY: they would, but the CPU is too busy
 */
enum unreached {
	UNREACHED_NOT,
	UNREACHED_BY_STRIDES,
	UNREACHED_BUSY,
};

/**
 * RESULT_SET_LINES - most lines of one set that are recorded of a hashed level
 */
#define RESULT_SET_LINES 64

/**
 * struct cache_result - one level
 * @level: 1 is nearest to the core
 * @type: "data" (serves data accesses) or "instruction"
 * @ways: ways of the level itself
 * @capacity_bytes: capacity of the level itself
 * @line_bytes: line size
 * @sets: capacity / (ways * line)
 * @latency_cycles: load-to-use, core cycles
 * @latency_ns: the same in nanoseconds
 * @miss_cycles: what a line takes longer that is missed and is in the next level, core
 *               cycles; instruction caches only
 * @effective_ways: ways that a program can use; below L1 only
 * @effective_capacity_bytes: capacity that a program can use; below L1 only
 * @unreached: whether it is open as no sequence is sure to miss the level above
 * @index: kind of the index function
 * @index_decision: error bound of @index, or why it is undecided
 * @inclusion: of the lines of the levels above; below L1 only
 * @inclusion_decision: error bound of @inclusion, or why it is undecided
 * @write_allocate: 1: a store brings the line into this level, 0: it does not
 * @write_back: 1: stored data reach the next level when the line is evicted, 0:
 *              with each store
 * @unified: 1: it holds code and data, 0: data alone; data levels only
 * @sharing: number of tested CPUs that use this array
 * @shared_cpus: these CPUs, the measuring one first; @shared_count of them
 * @function: the index function; high_bit 0: not measured
 * @set_lines: of a level that eviction sets found: offsets of lines that share one
 *             set of it and of each level above
 * @set_line_count: their number
 * @clearing_lines: number of lines of one set that evict all others from it; 0:
 *                  not known
 */
struct cache_result {
	int level;
	const char *type;
	struct parameter ways;
	struct parameter capacity_bytes;
	struct parameter line_bytes;
	struct parameter sets;
	struct parameter latency_cycles;
	struct parameter latency_ns;
	struct parameter miss_cycles;
	struct parameter effective_ways;
	struct parameter effective_capacity_bytes;
	enum unreached unreached;
	enum index_kind index;
	struct parameter index_decision;
	enum inclusion inclusion;
	struct parameter inclusion_decision;
	struct parameter write_allocate;
	struct parameter write_back;
	struct parameter unified;
	struct parameter sharing;
	int shared_cpus[RESULT_MAX_CPUS];
	size_t shared_count;
	struct index_function function;
	uint64_t set_lines[RESULT_SET_LINES];
	size_t set_line_count;
	size_t clearing_lines;
};

/** CACHE_PARAMETERS - parameters of one level */
#define CACHE_PARAMETERS 15

/** cache_parameters() - all parameters of a level */
void cache_parameters(struct cache_result *c,
		      struct parameter *all[CACHE_PARAMETERS]);

/** cache_result_init() - a level with nothing measured; @level from 1 */
void cache_result_init(struct cache_result *c, int level);

/**
 * cache_result_leave_open() - set all parameters to undecided for one reason
 */
void cache_result_leave_open(struct cache_result *c, const char *method,
			     const char *reason);

/** cache_result_leave_rest_open() - the same for parameters not yet measured */
void cache_result_leave_rest_open(struct cache_result *c, const char *method,
				  const char *reason);

/** cache_result_say_by() - record what distinguished hits from misses in all
 * decisions
 * @by: a literal, as of struct parameter
 */
void cache_result_say_by(struct cache_result *c, const char *by);

/**
 * struct tlb_result - one translation array, for one page size
 * @level: 1 is nearest to the core
 * @type: "data", "instruction", or "unified": loads and fetches share the array
 * @page_bytes: size of the page-table entries
 * @entries: translations that it holds
 * @ways: entries of one set; equal to @entries: fully associative
 * @sets: entries / ways
 * @latency_cycles: added cost of an access that finds its translation here and
 *                  not in the level above
 * @miss_cycles: further cost of an access that does not find it here
 * @coalesced_pages: pages that one entry maps if their frames are contiguous
 * @effective_entries: entries that a program can use, where @entries cannot be
 *                     measured (page splintering by a hypervisor, unknown
 *                     frames)
 * @index: kind of the index function
 * @index_decision: how sure that is, and why it is not
 * @policies: names of its replacement policy, as of struct policy_finding;
 *            @policy_count of them
 * @policy_decision: how sure that is, and why it is not
 * @shared_page_bytes: other page sizes that use the same array;
 *                     @shared_count of them
 */
struct tlb_result {
	int level;
	const char *type;
	uint64_t page_bytes;
	struct parameter entries;
	struct parameter ways;
	struct parameter sets;
	struct parameter latency_cycles;
	struct parameter miss_cycles;
	struct parameter coalesced_pages;
	struct parameter effective_entries;
	enum index_kind index;
	struct parameter index_decision;
	char policies[POLICY_NAMES][POLICY_NAME];
	size_t policy_count;
	struct parameter policy_decision;
	uint64_t shared_page_bytes[4];
	size_t shared_count;
};

/** TLB_PARAMETERS - parameters of one array */
#define TLB_PARAMETERS 9

/** tlb_parameters() - all parameters of an array */
void tlb_parameters(struct tlb_result *t,
		    struct parameter *all[TLB_PARAMETERS]);

/**
 * struct walk_cache_result - the cache of page walks of one level of page tables
 * @level: entries that it holds, by their names on x86-64: "pde", "pdpte", "pml4e"
 * @span_bytes: memory that one of them serves
 * @entries: that it holds; 0: there is no such cache
 */
struct walk_cache_result {
	const char *level;
	uint64_t span_bytes;
	struct parameter entries;
};

/**
 * struct register_result - registers that compiled code can use (X-Ray 7)
 * @type: "int", "double", "mmx", "sse", "avx", "avx512"
 * @available: their number
 */
struct register_result {
	const char *type;
	struct parameter available;
};

/**
 * struct group_cost - what one group of parameters cost
 * @group: "caches", "tlbs", ...: what was measured
 * @seconds: by the machine's clock; a simulated machine has its own, and 0 is a
 *           machine without one
 * @accesses: loads, stores and jumps of all its walks, timed or not
 * @tests: decisions
 */
struct group_cost {
	const char *group;
	double seconds;
	uint64_t accesses;
	uint64_t tests;
};

#define RESULT_MAX_COSTS 20
#define RESULT_MAX_LEVELS 6
#define RESULT_MAX_TLBS 16
#define RESULT_MAX_WALK_CACHES 3
#define RESULT_MAX_REGISTERS 6

/**
 * struct hierarchy - everything that was found
 * @caches: levels, nearest first
 * @cache_count: their number
 * @instruction: the first-level instruction cache; level 0: not measured
 * @memory_latency_cycles: of a load that misses every cache
 * @memory_latency_ns: the same in nanoseconds
 * @cycle_ns: core cycle during the measurement, from a chain of integer
 *            additions
 * @frequency_hz: 1 / cycle_ns; the reason gives its spread
 * @tlbs: translation arrays, data side first, then by level and page size
 * @tlb_count: their number
 * @walk_caches: caches of page walks, those of the lowest level first
 * @walk_cache_count: their number
 * @registers: by type
 * @register_count: their number
 * @costs: what each group of parameters cost
 * @cost_count: number of groups
 * @tests: number of compactness tests
 * @complete: false when the measurement was interrupted
 */
struct hierarchy {
	struct cache_result caches[RESULT_MAX_LEVELS];
	size_t cache_count;
	struct cache_result instruction;
	struct parameter memory_latency_cycles;
	struct parameter memory_latency_ns;
	struct parameter cycle_ns;
	struct parameter frequency_hz;
	struct tlb_result tlbs[RESULT_MAX_TLBS];
	size_t tlb_count;
	struct walk_cache_result walk_caches[RESULT_MAX_WALK_CACHES];
	size_t walk_cache_count;
	struct register_result registers[RESULT_MAX_REGISTERS];
	size_t register_count;
	struct group_cost costs[RESULT_MAX_COSTS];
	size_t cost_count;
	uint64_t tests;
	bool complete;
};

/** RESULT_NOT_MEASURED - initial reason of all parameters */
#define RESULT_NOT_MEASURED "not measured"

/** hierarchy_init() - set every parameter to RESULT_NOT_MEASURED */
void hierarchy_init(struct hierarchy *h);

/** hierarchy_add() - add a level; NULL when there are too many */
struct cache_result *hierarchy_add(struct hierarchy *h);

/** hierarchy_add_instruction() - add the first-level instruction cache */
struct cache_result *hierarchy_add_instruction(struct hierarchy *h);

/** hierarchy_add_tlb() - add an array; NULL when there are too many */
struct tlb_result *hierarchy_add_tlb(struct hierarchy *h, int level,
				     const char *type, uint64_t page_bytes);

/** hierarchy_add_walk_cache() - add a level; NULL when there are too many
 * @level: a literal
 */
struct walk_cache_result *hierarchy_add_walk_cache(struct hierarchy *h,
						   const char *level,
						   uint64_t span_bytes);

/** hierarchy_add_cost() - add to what a group cost, a new one or one that is
 * there; dropped when there are too many groups
 */
void hierarchy_add_cost(struct hierarchy *h, const struct group_cost *cost);

/** hierarchy_add_registers() - add a type; NULL when there are too many */
struct register_result *hierarchy_add_registers(struct hierarchy *h,
						const char *type);

#endif
