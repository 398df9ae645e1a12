/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model.h - a memory hierarchy, simulated: what each access costs.
 *
 * Knows profiles, but neither machines nor methods. Called by machine/sim and
 * the virtual lab, which serialise their calls. Returns costs in 1/16 of a
 * cycle (MODEL_TICKS): an access does no floating-point arithmetic. Only
 * creation can fail.
 */
#ifndef PROBE_PHYS_MODEL_MODEL_H
#define PROBE_PHYS_MODEL_MODEL_H

#include "model/access.h"
#include "model/profile/profile.h"

struct model;

/** model_create() - an empty hierarchy; NULL when out of memory. @p must
 * outlive it.
 */
struct model *model_create(const struct profile *p);
void model_destroy(struct model *m);

/**
 * model_access() - do it
 *
 * Translation (stale entries hit until they are flushed), caches, fills,
 * write-backs, prefetches, counters. An access must not cross a line.
 * Return: its cost in 1/MODEL_TICKS cycles, noise not included.
 */
uint32_t model_access(struct model *m, const struct model_access *a);

/** model_run() - model_access() for each of @all in turn, faster. Return: their
 * costs together.
 */
uint64_t model_run(struct model *m, const struct model_access *all,
		   size_t count);

/**
 * struct model_walked - accesses for which page tables were walked
 * @pages: all of them
 * @tables: those for which an entry of each level above that of the page was read
 */
struct model_walked {
	uint64_t pages;
	uint64_t tables[PROFILE_TABLES];
};

/** model_walks() - model_run() that also counts walks */
uint64_t model_walks(struct model *m, const struct model_access *all,
		     size_t count, struct model_walked *walked);

/**
 * model_rounds() - model_run() for @accesses accesses that go round
 *
 * Rounds that repeat themselves are counted instead of done where
 * model_rounds_begin() has announced them, with the same costs and the same
 * final state. Each access is of the CPU that was announced.
 * @round: @length accesses
 * @at: the next one; moved on
 * Return: their costs together.
 */
uint64_t model_rounds(struct model *m, const struct model_access *round,
		      size_t length, size_t *at, uint64_t accesses);

/** model_rounds_begin() - the same round of @cpu comes many times, until
 * model_rounds_end(). Nothing but model_rounds(), model_counter(), flushes and
 * model_evict_random() may be called meanwhile.
 */
void model_rounds_begin(struct model *m, unsigned int cpu);
void model_rounds_end(struct model *m);

/** model_translation() - the frame that a TLB of @cpu would use for @virt, for
 * tests of staleness. Return: false when no array holds it.
 */
bool model_translation(const struct model *m, unsigned int cpu, uint64_t virt,
		       enum model_kind kind, uint64_t *phys);

/** model_flush_line() - the line of @phys leaves all caches of all CPUs */
void model_flush_line(struct model *m, uint64_t phys);
/** model_flush_caches() - one CPU's caches, shared ones included */
void model_flush_caches(struct model *m, unsigned int cpu);
/** model_flush_page() - translations of @virt on one CPU (INVLPG) */
void model_flush_page(struct model *m, unsigned int cpu, uint64_t virt);
/** model_flush_tlbs() - all translations of one CPU (CR3 load) */
void model_flush_tlbs(struct model *m, unsigned int cpu);

/** model_set_prefetchers() - switch all switchable ones of one CPU */
void model_set_prefetchers(struct model *m, unsigned int cpu, bool on);

/** model_counter() - a counter of one CPU since creation; cycles in whole
 * cycles. What the profile says of its faults is in it, but for the overhead
 * and others that have it: those are the reader's.
 */
uint64_t model_counter(const struct model *m, unsigned int cpu,
		       enum profile_counter counter);

/** model_evict_random() - noise: foreign lines replace @lines random ones of
 * each cache that @cpu uses
 */
void model_evict_random(struct model *m, unsigned int cpu, unsigned int lines);

#endif
