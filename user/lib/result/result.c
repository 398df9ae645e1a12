// SPDX-License-Identifier: GPL-2.0
#include "result/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *index_kind_name(enum index_kind kind)
{
	switch (kind) {
	case INDEX_LINEAR:
		return "linear";
	case INDEX_HASHED:
		return "hashed";
	case INDEX_MODULO:
		return "modulo";
	default:
		return "unknown";
	}
}

const char *inclusion_name(enum inclusion inclusion)
{
	switch (inclusion) {
	case INCLUSION_INCLUSIVE:
		return "inclusive";
	case INCLUSION_EXCLUSIVE:
		return "exclusive";
	case INCLUSION_NINE:
		return "nine";
	default:
		return "unknown";
	}
}

void parameter_measured(struct parameter *p, double value, double error_bound,
			const char *method)
{
	p->status = PARAMETER_MEASURED;
	p->value = value;
	p->error_bound = error_bound;
	p->method = method;
	p->by = NULL;
	p->reason[0] = '\0';
}

static void open_parameter(struct parameter *p, enum parameter_status status,
			   const char *method, const char *format, va_list args)
{
	p->status = status;
	p->value = 0;
	p->error_bound = 0;
	p->method = method;
	p->by = NULL;
	vsnprintf(p->reason, sizeof(p->reason), format, args);
}

void parameter_undecided(struct parameter *p, const char *method,
			 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	open_parameter(p, PARAMETER_UNDECIDED, method, format, args);
	va_end(args);
}

void parameter_unavailable(struct parameter *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	open_parameter(p, PARAMETER_UNAVAILABLE, NULL, format, args);
	va_end(args);
}

void cache_parameters(struct cache_result *c,
		      struct parameter *all[CACHE_PARAMETERS])
{
	struct parameter *const every[CACHE_PARAMETERS] = {
		&c->ways,
		&c->capacity_bytes,
		&c->line_bytes,
		&c->sets,
		&c->latency_cycles,
		&c->latency_ns,
		&c->miss_cycles,
		&c->effective_ways,
		&c->effective_capacity_bytes,
		&c->index_decision,
		&c->inclusion_decision,
		&c->write_allocate,
		&c->write_back,
		&c->unified,
		&c->sharing
	};

	memcpy(all, every, sizeof(every));
}

void cache_result_init(struct cache_result *c, int level)
{
	struct parameter *all[CACHE_PARAMETERS];

	memset(c, 0, sizeof(*c));
	c->level = level;
	c->type = "data";
	cache_parameters(c, all);
	for (size_t i = 0; i < CACHE_PARAMETERS; i++)
		parameter_unavailable(all[i], RESULT_NOT_MEASURED);
}

void cache_result_leave_open(struct cache_result *c, const char *method,
			     const char *reason)
{
	struct parameter *all[CACHE_PARAMETERS];

	cache_parameters(c, all);
	for (size_t i = 0; i < CACHE_PARAMETERS; i++)
		parameter_undecided(all[i], method, "%s", reason);
}

void cache_result_leave_rest_open(struct cache_result *c, const char *method,
				  const char *reason)
{
	struct parameter *all[CACHE_PARAMETERS];

	cache_parameters(c, all);
	for (size_t i = 0; i < CACHE_PARAMETERS; i++)
		if (!strcmp(all[i]->reason, RESULT_NOT_MEASURED))
			parameter_undecided(all[i], method, "%s", reason);
	if (c->index == INDEX_UNKNOWN)
		parameter_undecided(&c->index_decision, method, "%s", reason);
}

void cache_result_say_by(struct cache_result *c, const char *by)
{
	struct parameter *all[CACHE_PARAMETERS];

	cache_parameters(c, all);
	for (size_t i = 0; i < CACHE_PARAMETERS; i++)
		/* Latencies are measured, not decided by a test. */
		if (all[i]->method && all[i] != &c->latency_cycles &&
		    all[i] != &c->latency_ns)
			all[i]->by = by;
}

void hierarchy_init(struct hierarchy *h)
{
	memset(h, 0, sizeof(*h));
	parameter_unavailable(&h->memory_latency_cycles, RESULT_NOT_MEASURED);
	parameter_unavailable(&h->memory_latency_ns, RESULT_NOT_MEASURED);
	parameter_unavailable(&h->cycle_ns, RESULT_NOT_MEASURED);
	parameter_unavailable(&h->frequency_hz, RESULT_NOT_MEASURED);
}

struct cache_result *hierarchy_add(struct hierarchy *h)
{
	struct cache_result *c;

	if (h->cache_count == RESULT_MAX_LEVELS)
		return NULL;
	c = &h->caches[h->cache_count++];
	cache_result_init(c, (int)h->cache_count);
	return c;
}

struct cache_result *hierarchy_add_instruction(struct hierarchy *h)
{
	cache_result_init(&h->instruction, 1);
	h->instruction.type = "instruction";
	return &h->instruction;
}

void tlb_parameters(struct tlb_result *t, struct parameter *all[TLB_PARAMETERS])
{
	struct parameter *const every[TLB_PARAMETERS] = {
		&t->entries,	       &t->ways,	   &t->sets,
		&t->latency_cycles,    &t->miss_cycles,	   &t->coalesced_pages,
		&t->effective_entries, &t->index_decision, &t->policy_decision
	};

	memcpy(all, every, sizeof(every));
}

struct tlb_result *hierarchy_add_tlb(struct hierarchy *h, int level,
				     const char *type, uint64_t page_bytes)
{
	struct parameter *all[TLB_PARAMETERS];
	struct tlb_result *t;

	if (h->tlb_count == RESULT_MAX_TLBS)
		return NULL;
	t = &h->tlbs[h->tlb_count++];
	memset(t, 0, sizeof(*t));
	t->level = level;
	t->type = type;
	t->page_bytes = page_bytes;
	tlb_parameters(t, all);
	for (size_t i = 0; i < TLB_PARAMETERS; i++)
		parameter_unavailable(all[i], RESULT_NOT_MEASURED);
	return t;
}

struct walk_cache_result *hierarchy_add_walk_cache(struct hierarchy *h,
						   const char *level,
						   uint64_t span_bytes)
{
	struct walk_cache_result *w;

	if (h->walk_cache_count == RESULT_MAX_WALK_CACHES)
		return NULL;
	w = &h->walk_caches[h->walk_cache_count++];
	w->level = level;
	w->span_bytes = span_bytes;
	parameter_unavailable(&w->entries, RESULT_NOT_MEASURED);
	return w;
}

void hierarchy_add_cost(struct hierarchy *h, const struct group_cost *cost)
{
	size_t i = 0;

	while (i < h->cost_count && strcmp(h->costs[i].group, cost->group))
		i++;
	if (i == RESULT_MAX_COSTS)
		return;
	if (i == h->cost_count)
		h->costs[h->cost_count++] =
			(struct group_cost){ .group = cost->group };
	h->costs[i].seconds += cost->seconds;
	h->costs[i].accesses += cost->accesses;
	h->costs[i].tests += cost->tests;
}

struct register_result *hierarchy_add_registers(struct hierarchy *h,
						const char *type)
{
	struct register_result *r;

	if (h->register_count == RESULT_MAX_REGISTERS)
		return NULL;
	r = &h->registers[h->register_count++];
	r->type = type;
	parameter_unavailable(&r->available, RESULT_NOT_MEASURED);
	return r;
}
