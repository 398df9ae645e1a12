// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_profile.c - any bytes as a machine profile: refused in one line, or
 * drawn, simulated and freed.
 *
 * An input is the text of a profile. When it begins with '#', its first line
 * is the name of the file instead ('/' and all), as that is foreign, too.
 */
#include <string.h>

#include "base/rng.h"
#include "fuzz.h"
#include "model/model.h"
#include "model/profile/draw.h"

/* Larger models are only drawn: filling them is slow and finds nothing. */
#define MOST_LINES (UINT64_C(1) << 17)
#define ACCESSES 400

static void check_refusal(const struct failure *f, const char *name)
{
	bool printable = true;

	if (f->status != STATUS_USAGE || !f->text[0])
		fprintf(stderr, "status %d, text '%s', file '%s'\n", f->status,
			f->text, name);
	must(f->status == STATUS_USAGE);
	must(!strncmp(f->text, "profile ", 8));
	for (const char *c = f->text; *c; c++)
		printable &= *c >= ' ' && *c <= '~';
	must(printable);
}

static void draw(const struct profile *p)
{
	FILE *null = fopen("/dev/null", "w");
	json_t *drawn;

	must(null);
	draw_text(p, null);
	draw_svg(p, null);
	drawn = draw_json(p);
	must(drawn);
	json_decref(drawn);
	fclose(null);
}

static uint64_t lines_of(const struct profile *p)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < p->cache_count; i++)
		lines += p->caches[i].instances * p->caches[i].sets *
			 p->caches[i].ways;
	for (size_t i = 0; i < p->tlb_count; i++)
		lines += (uint64_t)p->cpus * p->tlbs[i].entries;
	return lines;
}

/* Most cycles that one access can take. */
static double dearest(const struct profile *p)
{
	double most = p->memory_latency_cycles, tlb = 0;

	for (size_t i = 0; i < p->cache_count; i++)
		if (p->caches[i].latency_cycles > most)
			most = p->caches[i].latency_cycles;
	for (size_t i = 0; i < p->tlb_count; i++)
		if (p->tlbs[i].latency_cycles > tlb)
			tlb = p->tlbs[i].latency_cycles;
	/* A walk's own load may cost as much as the access. */
	return 2 * most + tlb + p->walk_latency_cycles + 1;
}

static uint64_t page_of(const struct profile *p, struct rng *rng)
{
	uint64_t which = rng_below(rng, p->huge_page_count + 2);

	return which < p->huge_page_count ? p->huge_page_bytes[which] :
					    p->page_bytes;
}

/* Addresses that share sets: few lines, few pages, few far-away regions. */
static uint64_t address(const struct profile *p, struct rng *rng)
{
	uint64_t at = rng_below(rng, 16) * 64;

	switch (rng_below(rng, 4)) {
	case 0:
		return at;
	case 1:
		return at + rng_below(rng, 24) * p->page_bytes;
	case 2:
		return at + rng_below(rng, 24) * (p->caches[0].capacity_bytes /
						  p->caches[0].ways);
	default:
		return rng_next(rng) & ((UINT64_C(1) << p->phys_bits) - 1);
	}
}

static void disturb(struct model *m, const struct profile *p, struct rng *rng,
		    unsigned int cpu, uint64_t at)
{
	uint64_t phys;

	switch (rng_below(rng, 40)) {
	case 0:
		model_flush_line(m, at);
		break;
	case 1:
		model_flush_page(m, cpu, at);
		must(!model_translation(m, cpu, at, MODEL_LOAD, &phys));
		break;
	case 2:
		model_flush_tlbs(m, cpu);
		break;
	case 3:
		model_evict_random(m, cpu, 3);
		break;
	case 4:
		model_set_prefetchers(m, cpu, rng_next(rng) & 1);
		break;
	case 5:
		if (lines_of(p) < 1 << 16)
			model_flush_caches(m, cpu);
		break;
	default:
		break;
	}
}

/* The value that a counter shows after @truth events and @loads loads. */
static uint64_t shown(const struct profile *p, int counter, uint64_t truth,
		      uint64_t loads)
{
	const struct profile_counter_fault *fault = &p->faults[counter];

	if (!fault->faulty)
		return truth;
	return (uint64_t)((double)truth * fault->factor +
			  (double)loads * fault->per_load);
}

static void counted(const struct model *m, const struct profile *p,
		    uint64_t loads, uint64_t cycles)
{
	must(model_counter(m, 0, PROFILE_COUNTER_LOADS) ==
	     shown(p, PROFILE_COUNTER_LOADS, loads, loads));
	must(model_counter(m, 0, PROFILE_COUNTER_CYCLES) ==
	     shown(p, PROFILE_COUNTER_CYCLES, cycles, loads));
	for (int i = 0; i < PROFILE_COUNTERS; i++)
		if (i != PROFILE_COUNTER_CYCLES)
			must(model_counter(m, 0, (enum profile_counter)i) <=
			     shown(p, i, 3 * ACCESSES, loads));
}

static void simulate(const struct profile *p, uint64_t seed)
{
	struct model *m = model_create(p);
	struct rng rng = { seed };
	uint64_t loads = 0, costs = 0;
	double most = dearest(p) * MODEL_TICKS;

	must(m);
	for (int i = 0; i < ACCESSES * 3; i++) {
		struct model_access a = {
			.virt = address(p, &rng),
			.page_bytes = page_of(p, &rng),
			.cpu = (unsigned int)rng_below(&rng, p->cpus),
			.kind = (enum model_kind)(i % 3),
		};
		uint32_t cost;

		a.phys = a.virt ^ (rng_below(&rng, 2) << 21);
		cost = model_access(m, &a);
		must(cost <= most);
		loads += a.kind == MODEL_LOAD && !a.cpu;
		costs += a.cpu ? 0 : cost;
		disturb(m, p, &rng, a.cpu, a.virt);
	}
	counted(m, p, loads, costs / MODEL_TICKS);
	model_destroy(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct failure f = { .text = "" };
	const uint8_t *end = size && data[0] == '#' ? memchr(data, '\n', size) :
						      NULL;
	char name[256] = "input";
	struct profile *p;

	if (end) {
		size_t length = (size_t)(end - data) - 1;

		if (length >= sizeof(name))
			length = sizeof(name) - 1;
		memcpy(name, data + 1, length);
		name[length] = '\0';
		size -= (size_t)(end + 1 - data);
		data = end + 1;
	}
	p = profile_parse((const char *)data, size, name, &f);
	if (!p) {
		check_refusal(&f, name);
		return 0;
	}
	must(!f.text[0]);
	draw(p);
	if (lines_of(p) <= MOST_LINES)
		simulate(p, size);
	profile_free(p);
	return 0;
}
