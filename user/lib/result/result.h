/* SPDX-License-Identifier: GPL-2.0 */
/*
 * result.h - what was found, how sure it is, and what is not known.
 *
 * The shape is that of the tool's JSON document.
 */
#ifndef PROBE_PHYS_RESULT_RESULT_H
#define PROBE_PHYS_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/index_function.h"

/** enum parameter_status - how a parameter ended */
enum parameter_status {
	PARAMETER_UNAVAILABLE, /* this machine cannot measure it, or it was
				* not to be measured
				*/
	PARAMETER_UNDECIDED,   /* measured, but the evidence does not carry */
	PARAMETER_MEASURED,
};

/**
 * struct parameter - one number of the report
 * @status: whether @value holds
 * @value: the number, in the unit that the field's name gives
 * @error_bound: bound on the probability that a decided value is wrong, under
 *               the decision's assumptions: the sum of the errors of all tests
 *               that were drawn for it (observe/budget.h), 1 at most; 0: not a
 *               test of known error (latencies, votes)
 * @method: "x-ray", ...
 * @by: what distinguished hits from misses: "counters" or "time"; NULL: nothing had to
 * @reason: in words: why it is not decided, or what it rests on
 */
struct parameter {
	enum parameter_status status;
	double value;
	double error_bound;
	const char *method;
	const char *by;
	char reason[256];
};

/** parameter_is_measured() - whether it has a value that was decided */
static inline bool parameter_is_measured(const struct parameter *p)
{
	return p->status == PARAMETER_MEASURED;
}

/** parameter_measured() - set a value */
void parameter_measured(struct parameter *p, double value, double error_bound,
			const char *method);

/** parameter_undecided() - leave it open, with a printf-like reason */
void parameter_undecided(struct parameter *p, const char *method,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** parameter_unavailable() - say why it was not measured at all */
void parameter_unavailable(struct parameter *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** RESULT_MAX_CPUS - most CPUs that are listed as sharing a level */
#define RESULT_MAX_CPUS 65

/** enum inclusion - what a level holds of what those above it hold */
enum inclusion {
	INCLUSION_UNKNOWN,
	INCLUSION_INCLUSIVE, /* all of it: what it loses they lose */
	INCLUSION_EXCLUSIVE, /* none: it takes what they evict */
	INCLUSION_NINE,	     /* neither */
};

/** inclusion_name() - as the report writes it: "inclusive", ... */
const char *inclusion_name(enum inclusion inclusion);

/** RESULT_SET_LINES - lines of one set that are kept of a hashed level */
#define RESULT_SET_LINES 64

/**
 * struct cache_result - one level
 * @level: 1 is nearest to the core
 * @type: "data" (what data accesses see), or "instruction"
 * @ways: the level's own
 * @capacity_bytes: the level's own
 * @line_bytes: line size
 * @sets: capacity / (ways * line)
 * @latency_cycles: load-to-use, core cycles
 * @latency_ns: the same in nanoseconds
 * @effective_ways: what a program can use, lower levels only
 * @effective_capacity_bytes: the same for the capacity
 * @index: kind of the index function
 * @index_decision: how sure that is, and why it is not
 * @inclusion: of the levels above; lower levels only
 * @inclusion_decision: how sure that is, and why it is not
 * @write_allocate: 1: a store brings the line into this level, 0: it does not
 * @write_back: 1: what is stored stays here until the line goes, 0: it is
 *              written through
 * @unified: 1: it holds code as well, 0: of loads and stores only; data levels
 * @sharing: how many CPUs use this array, of those that were tried
 * @shared_cpus: them, the measured one first; @shared_count of them
 * @function: masks and what else is known of the index; high_bit 0: nothing
 * @set_lines: of a hashed level on contiguous memory: offsets of lines that
 *             share one set of it and of each level above
 * @set_line_count: their number
 * @clearing_lines: in one set of it they evict all other lines; 0: not
 *                  known
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
	struct parameter effective_ways;
	struct parameter effective_capacity_bytes;
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
#define CACHE_PARAMETERS 14

/** cache_parameters() - all of a level's, for what concerns every one */
void cache_parameters(struct cache_result *c,
		      struct parameter *all[CACHE_PARAMETERS]);

/** cache_result_init() - a level without any result; @level from 1 */
void cache_result_init(struct cache_result *c, int level);

/** cache_result_leave_open() - every parameter is undecided for one reason */
void cache_result_leave_open(struct cache_result *c, const char *method,
			     const char *reason);

/** cache_result_leave_rest_open() - so is every parameter that has not been measured */
void cache_result_leave_rest_open(struct cache_result *c, const char *method,
				  const char *reason);

/** cache_result_say_by() - what distinguished hits from misses in every decision
 * @by: a literal, as of struct parameter
 */
void cache_result_say_by(struct cache_result *c, const char *by);

/**
 * struct tlb_result - one translation array, for one page size
 * @level: 1 is nearest to the core
 * @type: "data", "instruction", or "unified" where it was shown that loads and
 *        fetches share the array
 * @page_bytes: size of the page-table entries
 * @entries: translations that it holds
 * @ways: entries of one set; as many as @entries: fully associative
 * @sets: entries / ways
 * @latency_cycles: what an access pays for finding its translation here and
 *                  not in the level above
 * @miss_cycles: what it pays on top of that for not finding it here
 * @coalesced_pages: pages that one entry serves when their frames are
 *                   contiguous
 * @effective_entries: what a program gets where the array's own number cannot
 *                     be had (pages splintered by a hypervisor, frames of
 *                     unknown order)
 * @index: kind of the index function
 * @index_decision: how sure that is, and why it is not
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
	uint64_t shared_page_bytes[4];
	size_t shared_count;
};

/** TLB_PARAMETERS - parameters of one array */
#define TLB_PARAMETERS 8

/** tlb_parameters() - all of an array's, for what concerns every one */
void tlb_parameters(struct tlb_result *t,
		    struct parameter *all[TLB_PARAMETERS]);

/**
 * struct register_result - registers that compiled code can use (X-Ray 7)
 * @type: "int", "double", "mmx", "sse", "avx", "avx512"
 * @available: their number
 */
struct register_result {
	const char *type;
	struct parameter available;
};

#define RESULT_MAX_LEVELS 6
#define RESULT_MAX_TLBS 16
#define RESULT_MAX_REGISTERS 6

/**
 * struct hierarchy - everything that was found
 * @caches: levels, nearest first
 * @cache_count: their number
 * @instruction: the first cache that fetches pass; level 0: not measured
 * @memory_latency_cycles: of a load that misses every cache
 * @memory_latency_ns: the same in nanoseconds
 * @cycle_ns: one core cycle while measuring, by integer additions
 * @frequency_hz: core clock while measuring: 1 / cycle_ns, its spread as the
 *                reason
 * @tlbs: translation arrays, data side first, then by level and page size
 * @tlb_count: their number
 * @registers: by type
 * @register_count: their number
 * @tests: compactness tests made
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
	struct register_result registers[RESULT_MAX_REGISTERS];
	size_t register_count;
	uint64_t tests;
	bool complete;
};

/** RESULT_NOT_MEASURED - the reason that parameters begin with */
#define RESULT_NOT_MEASURED "not measured"

/** hierarchy_init() - everything unavailable: RESULT_NOT_MEASURED */
void hierarchy_init(struct hierarchy *h);

/** hierarchy_add() - begin a level; NULL when there are too many */
struct cache_result *hierarchy_add(struct hierarchy *h);

/** hierarchy_add_instruction() - begin the instruction cache, a first level */
struct cache_result *hierarchy_add_instruction(struct hierarchy *h);

/** hierarchy_add_tlb() - begin an array; NULL when there are too many */
struct tlb_result *hierarchy_add_tlb(struct hierarchy *h, int level,
				     const char *type, uint64_t page_bytes);

/** hierarchy_add_registers() - begin a type; NULL when there are too many */
struct register_result *hierarchy_add_registers(struct hierarchy *h,
						const char *type);

#endif
