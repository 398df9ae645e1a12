// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "report/report.h"

static const char *status_name(enum parameter_status status)
{
	switch (status) {
	case PARAMETER_MEASURED:
		return "measured";
	case PARAMETER_UNDECIDED:
		return "undecided";
	default:
		return "unavailable";
	}
}

static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

/* Counts and bytes are integers, times are not. */
static json_t *number(double value)
{
	if (value == floor(value) && fabs(value) < 1e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

json_t *json_parameter(const struct parameter *p)
{
	bool measured = p->status == PARAMETER_MEASURED;
	json_t *o = json_object();

	set(o, "value", measured ? number(p->value) : json_null());
	set(o, "status", json_string(status_name(p->status)));
	if (measured && p->error_bound > 0)
		set(o, "error_bound", json_real(p->error_bound));
	if (p->method)
		set(o, "method", json_string(p->method));
	if (p->by)
		set(o, "by", json_string(p->by));
	if (p->reason[0])
		set(o, "reason", json_string(p->reason));
	return o;
}

static json_t *index_of(const struct parameter *decision, enum index_kind kind)
{
	json_t *o = json_parameter(decision);

	if (decision->status == PARAMETER_MEASURED)
		set(o, "value", json_string(index_kind_name(kind)));
	return o;
}

static json_t *inclusion_of(const struct cache_result *c)
{
	json_t *o = json_parameter(&c->inclusion_decision);

	if (c->inclusion_decision.status == PARAMETER_MEASURED)
		set(o, "value", json_string(inclusion_name(c->inclusion)));
	return o;
}

static json_t *yes_or_no(const struct parameter *p)
{
	json_t *o = json_parameter(p);

	if (p->status == PARAMETER_MEASURED)
		set(o, "value", json_boolean(p->value > 0));
	return o;
}

/* In ascending order. */
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
	set(o, "value", list);
	return o;
}

static json_t *cache(const struct cache_result *c)
{
	json_t *o = json_object();

	set(o, "level", json_integer(c->level));
	set(o, "type", json_string(c->type));
	set(o, "ways", json_parameter(&c->ways));
	set(o, "capacity_bytes", json_parameter(&c->capacity_bytes));
	set(o, "line_bytes", json_parameter(&c->line_bytes));
	set(o, "sets", json_parameter(&c->sets));
	set(o, "latency_cycles", json_parameter(&c->latency_cycles));
	set(o, "latency_ns", json_parameter(&c->latency_ns));
	if (c->level > 1) {
		set(o, "effective_ways", json_parameter(&c->effective_ways));
		set(o, "effective_capacity_bytes",
		    json_parameter(&c->effective_capacity_bytes));
		set(o, "inclusion", inclusion_of(c));
	}
	/* Nothing is stored to code. */
	if (!strcmp(c->type, "instruction")) {
		set(o, "index", index_of(&c->index_decision, c->index));
		return o;
	}
	set(o, "write_allocate", yes_or_no(&c->write_allocate));
	set(o, "write_back", yes_or_no(&c->write_back));
	set(o, "unified", yes_or_no(&c->unified));
	set(o, "shared_cpus", shared_cpus(c));
	set(o, "index", index_of(&c->index_decision, c->index));
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

static json_t *tlb(const struct tlb_result *t)
{
	json_t *o = json_object(), *shared = json_array();

	set(o, "level", json_integer(t->level));
	set(o, "type", json_string(t->type));
	set(o, "page_bytes", json_integer((json_int_t)t->page_bytes));
	set(o, "entries", json_parameter(&t->entries));
	set(o, "ways", json_parameter(&t->ways));
	set(o, "sets", json_parameter(&t->sets));
	set(o, "index", index_of(&t->index_decision, t->index));
	set(o, "latency_cycles", json_parameter(&t->latency_cycles));
	set(o, "miss_cycles", json_parameter(&t->miss_cycles));
	set(o, "coalesced_pages", json_parameter(&t->coalesced_pages));
	set(o, "effective_entries", json_parameter(&t->effective_entries));
	for (size_t i = 0; i < t->shared_count; i++)
		json_array_append_new(
			shared,
			json_integer((json_int_t)t->shared_page_bytes[i]));
	set(o, "shared_page_bytes", shared);
	return o;
}

static json_t *tlbs(const struct hierarchy *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->tlb_count; i++)
		json_array_append_new(array, tlb(&h->tlbs[i]));
	return array;
}

static json_t *registers(const struct hierarchy *h)
{
	json_t *o = json_object();

	for (size_t i = 0; i < h->register_count; i++)
		set(o, h->registers[i].type,
		    json_parameter(&h->registers[i].available));
	return o;
}

#define MOST_EXTENTS 16

static json_t *extents(const struct region *region)
{
	json_t *array = json_array();

	for (size_t i = 0; i < region->extent_count && i < MOST_EXTENTS; i++) {
		const struct extent *e = &region->extents[i];
		json_t *o = json_object();

		set(o, "offset", json_integer((json_int_t)e->offset));
		if (region->phys_known)
			set(o, "phys",
			    json_sprintf("%#llx", (unsigned long long)e->phys));
		set(o, "bytes", json_integer((json_int_t)e->bytes));
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *counters(const struct machine *m)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (m->counters >> i & 1)
			json_array_append_new(array,
					      json_string(machine_counter_name((
						      enum machine_counter)i)));
	return array;
}

/* Shape: off: names; reason: why not all, or null. */
static json_t *prefetchers(const struct machine_prefetchers *p)
{
	json_t *o = json_object(), *off = json_array();

	for (size_t i = 0; i < p->off_count; i++)
		json_array_append_new(off, json_string(p->off[i]));
	set(o, "off", off);
	set(o, "reason", p->why[0] ? json_string(p->why) : json_null());
	return o;
}

static json_t *machine(const struct machine *m)
{
	const struct region *region = &m->region;
	json_t *o = json_object(), *notes = json_array();

	set(o, "kind", json_string(m->ops->kind));
	if (m->name[0])
		set(o, "name", json_string(m->name));
	set(o, "cpu", json_integer(m->cpu));
	set(o, "backing", json_string(region->backing));
	set(o, "bytes", json_integer((json_int_t)region->bytes));
	set(o, "page_bytes", json_integer((json_int_t)region->page_bytes));
	set(o, "extent_count", json_integer((json_int_t)region->extent_count));
	set(o, "extents", extents(region));
	set(o, "physical_addresses",
	    json_string(!region->phys_known ? "unknown" :
			m->virtual_machine  ? "guest-physical" :
					      "physical"));
	set(o, "virtual_machine", json_boolean(m->virtual_machine));
	set(o, "counters", counters(m));
	set(o, "prefetchers", prefetchers(&m->prefetchers));
	for (size_t i = 0; i < m->note_count; i++)
		json_array_append_new(notes, json_string(m->notes[i]));
	set(o, "notes", notes);
	return o;
}

static json_t *timer(const struct timer_info *t)
{
	json_t *o = json_object();

	set(o, "name", json_string(t->name));
	set(o, "ticks_per_ns", json_real(t->ticks_per_ns));
	set(o, "resolution_ns",
	    json_real(t->resolution_ticks / t->ticks_per_ns));
	set(o, "overhead_ns", json_real(t->overhead_ticks / t->ticks_per_ns));
	set(o, "disagreement", json_real(t->disagreement));
	return o;
}

static json_t *conditions(const struct report *r)
{
	const struct machine_conditions *c = &r->machine->conditions;
	json_t *o = json_object();

	set(o, "complete", json_boolean(r->found->complete));
	set(o, "seed", json_integer((json_int_t)r->seed));
	set(o, "seconds", json_real(r->seconds));
	set(o, "time_limit_seconds",
	    r->limit_s > 0 ? json_real(r->limit_s) : json_null());
	set(o, "tests", json_integer((json_int_t)r->found->tests));
	set(o, "samples", json_integer((json_int_t)c->samples));
	set(o, "disturbed_samples", json_integer((json_int_t)c->disturbed));
	set(o, "page_size_changes", json_integer((json_int_t)c->resized));
	set(o, "core_cycle_ns", json_parameter(&r->found->cycle_ns));
	set(o, "timer", timer(&r->machine->timer));
	if (r->documented)
		set(o, "kernel", json_string(r->documented->kernel));
	return o;
}

static void set_known(json_t *o, const char *name, uint64_t value)
{
	set(o, name, value ? json_integer((json_int_t)value) : json_null());
}

static json_t *documented_caches(const struct documented *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->cache_count; i++) {
		const struct documented_cache *c = &d->caches[i];
		json_t *level = json_object();

		set(level, "level", json_integer(c->level));
		set(level, "type", json_string(c->type));
		set_known(level, "ways", c->ways);
		set_known(level, "capacity_bytes", c->capacity_bytes);
		set_known(level, "line_bytes", c->line_bytes);
		set_known(level, "sets", c->sets);
		set(level, "shared_cpus", json_string(c->shared_cpus));
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

		set(o, "level", json_integer(t->level));
		set(o, "type", json_string(t->type));
		set(o, "page_bytes", json_integer((json_int_t)t->page_bytes));
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
	set(o, "cpu_model", json_string(d->cpu_model));
	set(o, "caches", documented_caches(d));
	set(o, "tlbs", documented_tlbs(d));
	return o;
}

json_t *json_head(const struct report *r)
{
	json_t *root = json_object();

	set(root, "schema", json_integer(REPORT_SCHEMA));
	set(root, "tool",
	    json_pack("{s:s, s:s}", "name", TOOL_NAME, "version",
		      PROBE_PHYS_VERSION));
	if (r->failure)
		set(root, "error",
		    json_pack("{s:s, s:i}", "message", r->failure->text,
			      "exit_status", (int)r->failure->status));
	set(root, "machine", machine(r->machine));
	set(root, "conditions", conditions(r));
	return root;
}

json_t *report_json(const struct report *r)
{
	json_t *root = json_head(r), *memory = json_object();
	json_t *cpu = json_object();

	set(root, "caches", caches(r->found));
	set(root, "tlbs", tlbs(r->found));
	set(memory, "latency_cycles",
	    json_parameter(&r->found->memory_latency_cycles));
	set(memory, "latency_ns", json_parameter(&r->found->memory_latency_ns));
	set(root, "memory", memory);
	set(root, "registers", registers(r->found));
	set(cpu, "frequency_hz", json_parameter(&r->found->frequency_hz));
	set(root, "cpu", cpu);
	if (r->amp)
		set(root, "amp", json_amp(r));
	set(root, "documented", json_documented(r->documented));
	return root;
}
