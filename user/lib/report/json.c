// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/json_value.h"
#include "report/report.h"

static json_t *inclusion_of(const struct cache_result *c)
{
	json_t *o = json_parameter(&c->inclusion_decision);

	if (c->inclusion_decision.status == PARAMETER_MEASURED)
		json_set(o, "value", json_string(inclusion_name(c->inclusion)));
	return o;
}

static json_t *yes_or_no(const struct parameter *p)
{
	json_t *o = json_parameter(p);

	if (p->status == PARAMETER_MEASURED)
		json_set(o, "value", json_boolean(p->value > 0));
	return o;
}

/* In ascending order of the levels. */
static json_t *shared_cpus(const struct cache_result *c)
{
	json_t *o = json_parameter(&c->sharing), *list;

	if (c->sharing.status != PARAMETER_MEASURED)
		return o;
	list = json_array();
	for (size_t i = 0; i < c->shared_count; i++) {
		size_t at = 0;

		for (size_t j = 0; j < i; j++)
			at += c->shared_cpus[j] < c->shared_cpus[i];
		json_array_insert_new(list, at,
				      json_integer(c->shared_cpus[i]));
	}
	json_set(o, "value", list);
	return o;
}

static json_t *cache(const struct cache_result *c)
{
	json_t *o = json_object();

	json_set(o, "level", json_integer(c->level));
	json_set(o, "type", json_string(c->type));
	json_set(o, "ways", json_parameter(&c->ways));
	json_set(o, "capacity_bytes", json_parameter(&c->capacity_bytes));
	json_set(o, "line_bytes", json_parameter(&c->line_bytes));
	json_set(o, "sets", json_parameter(&c->sets));
	json_set(o, "latency_cycles", json_parameter(&c->latency_cycles));
	json_set(o, "latency_ns", json_parameter(&c->latency_ns));
	if (c->level > 1) {
		json_set(o, "effective_ways",
			 json_parameter(&c->effective_ways));
		json_set(o, "effective_capacity_bytes",
			 json_parameter(&c->effective_capacity_bytes));
		json_set(o, "inclusion", inclusion_of(c));
	}
	/* Programs do not store to code, so stores have no parameters there. */
	if (!strcmp(c->type, "instruction")) {
		json_set(o, "miss_cycles", json_parameter(&c->miss_cycles));
		json_set(o, "index", json_index(&c->index_decision, c->index));
		return o;
	}
	json_set(o, "write_allocate", yes_or_no(&c->write_allocate));
	json_set(o, "write_back", yes_or_no(&c->write_back));
	json_set(o, "unified", yes_or_no(&c->unified));
	json_set(o, "shared_cpus", shared_cpus(c));
	json_set(o, "index", json_index(&c->index_decision, c->index));
	json_index_function(json_object_get(o, "index"), &c->function);
	return o;
}

static json_t *caches(const struct hierarchy *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->cache_count; i++)
		json_array_append_new(array, cache(&h->caches[i]));
	if (h->instruction.level)
		json_array_append_new(array, cache(&h->instruction));
	return array;
}

/* All names of the class that was found, the usual one is the value. */
static json_t *policy_of(const struct tlb_result *t)
{
	json_t *o = json_parameter(&t->policy_decision), *names;

	if (t->policy_decision.status != PARAMETER_MEASURED)
		return o;
	names = json_array();
	for (size_t i = 0; i < t->policy_count; i++)
		json_array_append_new(names, json_string(t->policies[i]));
	json_set(o, "value", json_string(t->policies[0]));
	json_set(o, "names", names);
	return o;
}

static json_t *tlb(const struct tlb_result *t)
{
	json_t *o = json_object(), *shared = json_array();

	json_set(o, "level", json_integer(t->level));
	json_set(o, "type", json_string(t->type));
	json_set(o, "page_bytes", json_integer((json_int_t)t->page_bytes));
	json_set(o, "entries", json_parameter(&t->entries));
	json_set(o, "ways", json_parameter(&t->ways));
	json_set(o, "sets", json_parameter(&t->sets));
	json_set(o, "index", json_index(&t->index_decision, t->index));
	json_set(o, "policy", policy_of(t));
	json_set(o, "latency_cycles", json_parameter(&t->latency_cycles));
	json_set(o, "miss_cycles", json_parameter(&t->miss_cycles));
	json_set(o, "coalesced_pages", json_parameter(&t->coalesced_pages));
	json_set(o, "effective_entries", json_parameter(&t->effective_entries));
	for (size_t i = 0; i < t->shared_count; i++)
		json_array_append_new(
			shared,
			json_integer((json_int_t)t->shared_page_bytes[i]));
	json_set(o, "shared_page_bytes", shared);
	return o;
}

static json_t *tlbs(const struct hierarchy *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->tlb_count; i++)
		json_array_append_new(array, tlb(&h->tlbs[i]));
	return array;
}

static json_t *walk_caches(const struct hierarchy *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->walk_cache_count; i++) {
		const struct walk_cache_result *w = &h->walk_caches[i];
		json_t *o = json_object();

		json_set(o, "level", json_string(w->level));
		json_set(o, "span_bytes",
			 w->span_bytes ?
				 json_integer((json_int_t)w->span_bytes) :
				 json_null());
		json_set(o, "entries", json_parameter(&w->entries));
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *registers(const struct hierarchy *h)
{
	json_t *o = json_object();

	for (size_t i = 0; i < h->register_count; i++)
		json_set(o, h->registers[i].type,
			 json_parameter(&h->registers[i].available));
	return o;
}

static json_t *costs(const struct hierarchy *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->cost_count; i++) {
		const struct group_cost *c = &h->costs[i];
		json_t *o = json_object();

		json_set(o, "group", json_string(c->group));
		json_set(o, "seconds", json_real(c->seconds));
		json_set(o, "accesses", json_integer((json_int_t)c->accesses));
		json_set(o, "tests", json_integer((json_int_t)c->tests));
		json_array_append_new(array, o);
	}
	return array;
}

#define MOST_EXTENTS 16

static json_t *extents(const struct region *region)
{
	json_t *array = json_array();

	for (size_t i = 0; i < region->extent_count && i < MOST_EXTENTS; i++) {
		const struct extent *e = &region->extents[i];
		json_t *o = json_object();

		json_set(o, "offset", json_integer((json_int_t)e->offset));
		if (region->phys_known)
			json_set(o, "phys",
				 json_sprintf("%#llx",
					      (unsigned long long)e->phys));
		json_set(o, "bytes", json_integer((json_int_t)e->bytes));
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *counters(const struct machine_description *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->counter_count; i++)
		json_array_append_new(array, json_string(m->counters[i]));
	return array;
}

/* Add "off", a list of names, and "reason", why some stay on, or null. */
static json_t *prefetchers(const struct machine_prefetchers *p)
{
	json_t *o = json_object(), *off = json_array();

	for (size_t i = 0; i < p->off_count; i++)
		json_array_append_new(off, json_string(p->off[i]));
	json_set(o, "off", off);
	json_set(o, "reason", p->why[0] ? json_string(p->why) : json_null());
	return o;
}

static json_t *machine(const struct machine_description *m)
{
	const struct region *region = m->region;
	json_t *o = json_object(), *notes = json_array();

	json_set(o, "kind", json_string(m->kind));
	if (m->name[0])
		json_set(o, "name", json_string(m->name));
	json_set(o, "cpu", json_integer(m->cpu));
	json_set(o, "backing", json_string(region->backing));
	json_set(o, "bytes", json_integer((json_int_t)region->bytes));
	json_set(o, "page_bytes", json_integer((json_int_t)region->page_bytes));
	json_set(o, "extent_count",
		 json_integer((json_int_t)region->extent_count));
	json_set(o, "extents", extents(region));
	json_set(o, "physical_addresses",
		 json_string(!region->phys_known ? "unknown" :
			     m->virtual_machine	 ? "guest-physical" :
						   "physical"));
	json_set(o, "virtual_machine", json_boolean(m->virtual_machine));
	json_set(o, "counters", counters(m));
	json_set(o, "prefetchers", prefetchers(m->prefetchers));
	for (size_t i = 0; i < m->note_count; i++)
		json_array_append_new(notes, json_string(m->notes[i]));
	json_set(o, "notes", notes);
	return o;
}

static json_t *timer(const struct timer_info *t)
{
	json_t *o = json_object();

	json_set(o, "name", json_string(t->name));
	json_set(o, "ticks_per_ns", json_real(t->ticks_per_ns));
	json_set(o, "resolution_ns",
		 json_real(t->resolution_ticks / t->ticks_per_ns));
	json_set(o, "overhead_ns",
		 json_real(t->overhead_ticks / t->ticks_per_ns));
	json_set(o, "disagreement", json_real(t->disagreement));
	return o;
}

static json_t *conditions(const struct report *r)
{
	const struct machine_conditions *c = r->machine.conditions;
	json_t *o = json_object();

	json_set(o, "complete", json_boolean(r->found->complete));
	json_set(o, "seed", json_integer((json_int_t)r->seed));
	json_set(o, "seconds", json_real(r->seconds));
	json_set(o, "time_limit_seconds",
		 r->limit_s > 0 ? json_real(r->limit_s) : json_null());
	json_set(o, "tests", json_integer((json_int_t)r->found->tests));
	json_set(o, "samples", json_integer((json_int_t)c->samples));
	json_set(o, "disturbed_samples",
		 json_integer((json_int_t)c->disturbed));
	json_set(o, "page_size_changes", json_integer((json_int_t)c->resized));
	json_set(o, "core_cycle_ns", json_parameter(&r->found->cycle_ns));
	json_set(o, "timer", timer(r->machine.timer));
	if (r->documented)
		json_set(o, "kernel", json_string(r->documented->kernel));
	return o;
}

static void set_known(json_t *o, const char *name, uint64_t value)
{
	json_set(o, name,
		 value ? json_integer((json_int_t)value) : json_null());
}

static json_t *documented_caches(const struct documented *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->cache_count; i++) {
		const struct documented_cache *c = &d->caches[i];
		json_t *level = json_object();

		json_set(level, "level", json_integer(c->level));
		json_set(level, "type", json_string(c->type));
		set_known(level, "ways", c->ways);
		set_known(level, "capacity_bytes", c->capacity_bytes);
		set_known(level, "line_bytes", c->line_bytes);
		set_known(level, "sets", c->sets);
		json_set(level, "shared_cpus", json_string(c->shared_cpus));
		json_array_append_new(array, level);
	}
	return array;
}

static json_t *documented_tlbs(const struct documented *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->tlb_count; i++) {
		const struct documented_tlb *t = &d->tlbs[i];
		json_t *o = json_object();

		json_set(o, "level", json_integer(t->level));
		json_set(o, "type", json_string(t->type));
		json_set(o, "page_bytes",
			 json_integer((json_int_t)t->page_bytes));
		set_known(o, "entries", t->entries);
		set_known(o, "ways", t->ways);
		json_array_append_new(array, o);
	}
	return array;
}

json_t *json_documented(const struct documented *d)
{
	json_t *o = json_object();

	if (!d)
		return o;
	json_set(o, "cpu_model", json_string(d->cpu_model));
	json_set(o, "caches", documented_caches(d));
	json_set(o, "tlbs", documented_tlbs(d));
	return o;
}

json_t *json_head(const struct report *r)
{
	json_t *root = json_object();

	json_set(root, "schema", json_integer(REPORT_SCHEMA));
	json_set(root, "tool",
		 json_pack("{s:s, s:s}", "name", TOOL_NAME, "version",
			   PROBE_PHYS_VERSION));
	if (r->failure)
		json_set(root, "error",
			 json_pack("{s:s, s:i}", "message", r->failure->text,
				   "exit_status", (int)r->failure->status));
	json_set(root, "machine", machine(&r->machine));
	json_set(root, "conditions", conditions(r));
	return root;
}

json_t *report_json(const struct report *r)
{
	json_t *root = json_head(r), *memory = json_object();
	json_t *cpu = json_object();

	json_set(root, "caches", caches(r->found));
	json_set(root, "tlbs", tlbs(r->found));
	json_set(root, "walk_caches", walk_caches(r->found));
	json_set(memory, "latency_cycles",
		 json_parameter(&r->found->memory_latency_cycles));
	json_set(memory, "latency_ns",
		 json_parameter(&r->found->memory_latency_ns));
	json_set(root, "memory", memory);
	json_set(root, "registers", registers(r->found));
	json_set(cpu, "frequency_hz", json_parameter(&r->found->frequency_hz));
	json_set(root, "cpu", cpu);
	json_set(root, "costs", costs(r->found));
	if (r->amp)
		json_set(root, "amp", json_amp(r));
	json_set(root, "documented", json_documented(r->documented));
	return root;
}
