// SPDX-License-Identifier: GPL-2.0
/* rest.c - the parts of a profile beside caches and TLBs. */
#include <string.h>

#include "model/profile/parse.h"

#define LEAST_PAGE 1024
#define LARGEST_PAGE (UINT64_C(1) << 40)

static int read_page(const struct value *v, uint64_t least, uint64_t *bytes)
{
	int error = value_integer(v, least, LARGEST_PAGE, bytes);

	if (!error && v->json && !profile_power_of_two(*bytes))
		error = value_refuse(v, "%llu is no power of two",
				     (unsigned long long)*bytes);
	return error;
}

static int read_pages(const struct value *v, struct profile *p)
{
	struct value base = value_member(v, "page_bytes");
	struct value huge = value_member(v, "huge_page_bytes");
	uint64_t last;
	int error;

	p->page_bytes = 4096;
	error = read_page(&base, LEAST_PAGE, &p->page_bytes);
	if (!error)
		error = value_array(&huge, 0, PROFILE_MAX_PAGE_SIZES,
				    &p->huge_page_count);
	if (!huge.json && p->page_bytes == 4096) {
		p->huge_page_bytes[0] = UINT64_C(1) << 21;
		p->huge_page_bytes[1] = UINT64_C(1) << 30;
		p->huge_page_count = 2;
		return error;
	}
	last = p->page_bytes;
	for (size_t i = 0; !error && i < p->huge_page_count; i++) {
		struct value size = value_element(&huge, i);

		error = read_page(&size, 2 * last, &p->huge_page_bytes[i]);
		last = p->huge_page_bytes[i];
	}
	return error;
}

static int read_placement(const struct value *v, struct profile *p)
{
	static const char *const words[] = { "contiguous", "random-4k",
					     "random-2m", NULL };
	struct value placement = value_member(v, "phys_placement");
	unsigned int word = PROFILE_CONTIGUOUS;
	int error = value_choice(&placement, words, &word);

	p->placement = word;
	if (!error && p->placement == PROFILE_RANDOM_2M && !p->huge_page_count)
		error = value_refuse(
			&placement,
			"random-2m without huge pages (add huge_page_bytes)");
	return error;
}

static int read_latencies(const struct value *v, struct profile *p)
{
	static const char *const walk_keys[] = { "latency_cycles",
						 "touches_caches", NULL };
	static const char *const memory_keys[] = { "latency_cycles", NULL };
	struct value walk = value_member(v, "walk");
	struct value memory = value_member(v, "memory");
	struct value walk_latency = value_member(&walk, "latency_cycles");
	struct value touches = value_member(&walk, "touches_caches");
	struct value latency = value_member(&memory, "latency_cycles");

	p->walk_latency_cycles = 30;
	p->memory_latency_cycles = 200;
	if (value_object(&walk, walk_keys) ||
	    value_object(&memory, memory_keys) ||
	    value_number(&walk_latency, 0, PROFILE_MAX_CYCLES,
			 &p->walk_latency_cycles) ||
	    value_bool(&touches, &p->walk_touches_caches) ||
	    value_number(&latency, 1, PROFILE_MAX_CYCLES,
			 &p->memory_latency_cycles))
		return -EINVAL;
	return 0;
}

static int read_prefetcher(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "kind", "level", "switchable",
					    NULL };
	static const char *const kinds[] = { "adjacent-line", "next-line",
					     "stride", "stream", NULL };
	struct profile_prefetcher *one = &p->prefetchers[p->prefetcher_count];
	struct value kind = value_member(v, "kind");
	struct value level = value_member(v, "level");
	struct value switchable = value_member(v, "switchable");
	unsigned int word = 0, number = 1;

	one->switchable = true;
	if (value_object(v, keys) || value_required(&kind) ||
	    value_choice(&kind, kinds, &word) || value_required(&level) ||
	    value_count(&level, 1,
			(unsigned int)p->caches[p->cache_count - 1].level,
			&number) ||
	    value_bool(&switchable, &one->switchable))
		return -EINVAL;
	one->kind = word;
	one->level = (int)number;
	p->prefetcher_count++;
	return 0;
}

static int read_prefetchers(const struct value *v, struct profile *p)
{
	struct value all = value_member(v, "prefetchers");
	size_t count;
	int error = value_array(&all, 0, PROFILE_MAX_PREFETCHERS, &count);

	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(&all, i);

		if (!json_is_object(one.json))
			return value_refuse(&one, "is no object");
		error = read_prefetcher(&one, p);
	}
	return error;
}

/* In the order of enum profile_counter. */
static const char *const counter_names[] = { "cycles",	       "loads",
					     "l1d_miss",       "l2_miss",
					     "l3_miss",	       "dtlb_miss",
					     "stlb_miss",      "itlb_miss",
					     "l1i_miss",       "instructions",
					     "l1d_write_miss", "l2_write_miss",
					     "l3_write_miss",  NULL };

static int read_fault(const struct value *v, struct profile_counter_fault *one)
{
	static const char *const keys[] = { "factor", "per_load", "overhead",
					    "busy", NULL };
	struct value factor = value_member(v, keys[0]);
	struct value per_load = value_member(v, keys[1]);
	struct value overhead = value_member(v, keys[2]);
	struct value busy = value_member(v, keys[3]);

	if (value_object(v, keys) ||
	    value_number(&factor, 0, 1000, &one->factor) ||
	    value_number(&per_load, 0, 1000, &one->per_load) ||
	    value_number(&overhead, 0, 1e6, &one->overhead) ||
	    value_number(&busy, 0, 1, &one->busy))
		return -EINVAL;
	return 0;
}

static int read_faults(const struct value *v, struct profile *p)
{
	struct value all = value_member(v, "counter_faults");
	int error = value_object(&all, counter_names);

	for (int i = 0; !error && i < PROFILE_COUNTERS; i++) {
		struct value one = value_member(&all, counter_names[i]);

		p->faults[i] = (struct profile_counter_fault){
			.faulty = one.json,
			.factor = 1,
		};
		if (one.json && !(p->counters >> i & 1))
			error = value_refuse(
				&one, "is none of counters (add it there)");
		else
			error = read_fault(&one, &p->faults[i]);
	}
	return error;
}

/* Those of misses of a memory-side cache, which no CPU counts. */
static unsigned int uncounted(const struct profile *p)
{
	switch (p->caches[p->cache_count - 1].level) {
	case 2:
		return 1U << PROFILE_COUNTER_L2_MISS |
		       1U << PROFILE_COUNTER_L2_WRITE_MISS;
	case 3:
		return 1U << PROFILE_COUNTER_L3_MISS |
		       1U << PROFILE_COUNTER_L3_WRITE_MISS;
	default:
		return 0;
	}
}

static int read_counters(const struct value *v, struct profile *p)
{
	const bool beyond = p->caches[p->cache_count - 1].memory_side;
	const unsigned int none = beyond ? uncounted(p) : 0;
	struct value all = value_member(v, "counters");
	size_t count;
	int error = value_array(&all, 0, PROFILE_COUNTERS, &count);

	/* The counters of the format's example. */
	if (!all.json)
		p->counters = ((1U << (PROFILE_COUNTER_ITLB_MISS + 1)) - 1) &
			      ~none;
	for (size_t i = 0; !error && i < count; i++) {
		struct value one = value_element(&all, i);
		unsigned int word = 0;

		error = value_choice(&one, counter_names, &word);
		if (!error && p->counters >> word & 1)
			error = value_refuse(&one, "%s is there already",
					     counter_names[word]);
		if (!error && none >> word & 1)
			error = value_refuse(
				&one,
				"no CPU counts misses of a memory-side cache (leave it out)");
		p->counters |= 1U << word;
	}
	return error;
}

static int read_timer(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "resolution_ns", "overhead_cycles",
					    NULL };
	struct value timer = value_member(v, "timer");
	struct value resolution = value_member(&timer, "resolution_ns");
	struct value overhead = value_member(&timer, "overhead_cycles");
	struct value mispredicted = value_member(v, "misprediction_cycles");

	p->timer_resolution_ns = 0.4;
	p->timer_overhead_cycles = 25;
	if (value_object(&timer, keys) ||
	    value_number(&resolution, 0, 1e6, &p->timer_resolution_ns) ||
	    value_number(&overhead, 0, PROFILE_MAX_CYCLES,
			 &p->timer_overhead_cycles) ||
	    value_number(&mispredicted, 0, PROFILE_MAX_CYCLES,
			 &p->misprediction_cycles))
		return -EINVAL;
	return 0;
}

static int read_noise(const struct value *v, struct profile_noise *n)
{
	static const char *const keys[] = { "seed",
					    "jitter_cycles",
					    "tail_probability",
					    "tail_cycles",
					    "interrupts_per_million_loads",
					    "lines_evicted_per_interrupt",
					    "frequency_drift",
					    NULL };
	struct value noise = value_member(v, "noise");
	struct value seed = value_member(&noise, keys[0]);
	struct value jitter = value_member(&noise, keys[1]);
	struct value probability = value_member(&noise, keys[2]);
	struct value tail = value_member(&noise, keys[3]);
	struct value interrupts = value_member(&noise, keys[4]);
	struct value evicted = value_member(&noise, keys[5]);
	struct value drift = value_member(&noise, keys[6]);

	n->seed = 1;
	if (value_object(&noise, keys) ||
	    value_integer(&seed, 0, INT64_MAX, &n->seed) ||
	    value_number(&jitter, 0, PROFILE_MAX_CYCLES, &n->jitter_cycles) ||
	    value_number(&probability, 0, 1, &n->tail_probability) ||
	    value_number(&tail, 0, 1e9, &n->tail_cycles) ||
	    value_number(&interrupts, 0, 1e6,
			 &n->interrupts_per_million_loads) ||
	    value_count(&evicted, 0, 1 << 20,
			&n->lines_evicted_per_interrupt) ||
	    value_number(&drift, 0, 0.5, &n->frequency_drift))
		return -EINVAL;
	return 0;
}

static int read_virtual(const struct value *v, struct profile *p)
{
	struct value flag = value_member(v, "virtual_machine");
	struct value host = value_member(v, "host_page_bytes");
	struct value accessed = value_member(v, "accessed_bits");

	if (value_bool(&flag, &p->virtual_machine) ||
	    value_bool(&accessed, &p->accessed_bits) ||
	    read_page(&host, LEAST_PAGE, &p->host_page_bytes))
		return -EINVAL;
	for (size_t i = 0; p->accessed_bits && i < p->tlb_count; i++)
		if (p->tlbs[i].paired_pages)
			return value_refuse(
				&accessed,
				"tlbs[%zu] has paired_pages, which walk for two pages (leave one of them out)",
				i);
	if (host.json && !p->virtual_machine)
		return value_refuse(&host, "without virtual_machine (set it)");
	return 0;
}

static int read_registers(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "int", "double", "mmx", "sse",
					    NULL };
	unsigned int *const counts[] = { &p->registers_int,
					 &p->registers_double,
					 &p->registers_mmx, &p->registers_sse };
	struct value registers = value_member(v, "registers");
	int error = value_object(&registers, keys);

	for (size_t i = 0; !error && keys[i]; i++) {
		struct value count = value_member(&registers, keys[i]);

		*counts[i] = i == 2 ? 8 : 16;
		error = value_count(&count, 0, 1024, counts[i]);
	}
	return error;
}

int profile_read_head(const struct value *v, struct profile *p)
{
	struct value schema = value_member(v, "schema");
	struct value name = value_member(v, "name");
	struct value source = value_member(v, "source");
	struct value cycle = value_member(v, "cycle_ns");
	struct value bits = value_member(v, "phys_bits");
	unsigned int version = 1;

	p->cycle_ns = 1;
	p->phys_bits = 40;
	if (value_count(&schema, 1, 1, &version) ||
	    value_text(&name, p->name, sizeof(p->name)) ||
	    value_text(&source, p->source, sizeof(p->source)) ||
	    value_number(&cycle, 0.001, 1e6, &p->cycle_ns) ||
	    value_count(&bits, 24, 52, &p->phys_bits) || read_pages(v, p) ||
	    read_placement(v, p))
		return -EINVAL;
	return 0;
}

int profile_read_rest(const struct value *v, struct profile *p)
{
	struct value expect = value_member(v, "expect");

	if (read_latencies(v, p) || read_prefetchers(v, p) ||
	    read_counters(v, p) || read_faults(v, p) || read_timer(v, p) ||
	    read_noise(v, &p->noise) || read_virtual(v, p) ||
	    read_registers(v, p))
		return -EINVAL;
	if (expect.json && !json_is_object(expect.json))
		return value_refuse(&expect, "is no object");
	p->expect = json_incref(expect.json);
	return 0;
}
