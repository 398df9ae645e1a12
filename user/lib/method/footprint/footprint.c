// SPDX-License-Identifier: GPL-2.0
/* footprint.c - which level footprints are to find, and its result. */
#include "method/footprint/footprint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/footprint/internal.h"
#include "method/level/page_share.h"

/* A page has more lines than are loaded at a time. */
#define LONGEST_LINE 256
/* While the line size is not known. */
#define USUAL_LINE_BYTES 64
/* In a guest pages lie at random, so lines of a set are not as many as those of
 * another: of this many times a level's lines LRU keeps less than that share.
 */
#define TIMES_STEP 0.25
/* Little of what two ways to a latency may differ by. */
#define MOST_KEPT (PAGE_SHARE_PART / 8)

/* Share of lines in sets that are not full when they hold @times the ways of lines on
 * average, by a Poisson distribution: of @mean, no more than @ways - 1 others.
 */
static double kept_share(size_t ways, double mean)
{
	double term = exp(-mean), sum = 0;

	for (size_t i = 0; i < ways; i++) {
		sum += term;
		term *= mean / (double)(i + 1);
	}
	return sum;
}

static double times_above(const struct cache_result *above)
{
	double times = 1;
	/* One way needs most. */
	size_t ways = parameter_is_measured(&above->ways) ?
			      (size_t)above->ways.value :
			      1;

	while (kept_share(ways, times * (double)ways) > MOST_KEPT)
		times += TIMES_STEP;
	return times;
}

static bool is_known(const struct cache_result *c)
{
	return parameter_is_measured(&c->capacity_bytes);
}

/* A level that is open for another reason may be one that lets no new lines in: what
 * footprints find is then the level below it. On a busy CPU all takes longer: 13.1 cycles
 * for the 12 of a Zen 3's L2.
 */
static bool is_open(const struct cache_result *c)
{
	const struct parameter *own[] = { &c->ways, &c->capacity_bytes,
					  &c->effective_capacity_bytes,
					  &c->latency_cycles, &c->latency_ns };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (parameter_is_measured(own[i]))
			return false;
	return c->unreached == UNREACHED_BY_STRIDES;
}

/* Strides have reached it, and its sets are not known. Its latency distinguishes it from
 * a level below.
 */
static bool is_timed(const struct cache_result *c)
{
	return parameter_is_measured(&c->latency_ns) &&
	       !parameter_is_measured(&c->ways) &&
	       !parameter_is_measured(&c->effective_capacity_bytes);
}

/* NULL: there is none, or what lies above it is not known. */
static struct cache_result *find_open(struct hierarchy *h)
{
	for (size_t i = 0; i < h->cache_count; i++) {
		struct cache_result *c = &h->caches[i];

		if (!is_known(c))
			return i && (is_open(c) || is_timed(c)) ? c : NULL;
	}
	return NULL;
}

/* What levels above hold together, if the last one adds to the others. */
static double bytes_above(const struct cache_result *above)
{
	double own = above->capacity_bytes.value;

	if (parameter_is_measured(&above->effective_capacity_bytes))
		own = fmax(own, above->effective_capacity_bytes.value);
	return own;
}

static uint64_t longest_line(const struct hierarchy *h,
			     const struct cache_result *below)
{
	uint64_t longest = USUAL_LINE_BYTES;

	for (const struct cache_result *c = h->caches; c < below; c++)
		if (parameter_is_measured(&c->line_bytes) &&
		    c->line_bytes.value > (double)longest)
			longest = (uint64_t)c->line_bytes.value;
	return longest;
}

static struct footprint prepare(struct prober *p, const struct hierarchy *h,
				const struct cache_result *c)
{
	return (struct footprint){
		.p = p,
		.line_bytes = longest_line(h, c),
		.first_bytes =
			(uint64_t)(times_above(c - 1) * bytes_above(c - 1)),
		.most_pages = p->m->region.bytes / FOOTPRINT_PAGE_BYTES,
		.memory_ns = h->memory_latency_ns.value,
	};
}

static void report_latency(const struct plateau *found, struct cache_result *c)
{
	struct parameter *cycles = &c->latency_cycles;

	if (!found->found) {
		parameter_undecided(cycles, FOOTPRINT_METHOD, "%s",
				    found->reason);
		c->latency_ns = *cycles;
		c->effective_capacity_bytes = *cycles;
		return;
	}
	if (isfinite(found->latency.cycles))
		parameter_measured(cycles, found->latency.cycles, 0,
				   FOOTPRINT_METHOD);
	else
		parameter_undecided(cycles, FOOTPRINT_METHOD,
				    "one core cycle could not be timed");
	parameter_measured(&c->latency_ns, found->latency.ns, 0,
			   FOOTPRINT_METHOD);
}

/* Where its latency is open, lines that it has room for take about as long. */
static int find_above(struct footprint *fp, const struct cache_result *above,
		      struct failure *f)
{
	struct latency l;
	int error;

	fp->above_ns = above->latency_ns.value;
	if (parameter_is_measured(&above->latency_ns))
		return 0;
	error = footprint_find_latency(
		fp, (uint64_t)above->capacity_bytes.value / 2, &l, f);
	fp->above_ns = l.ns;
	return error;
}

/* The plateau of a level that was timed before is its own, or another level's. */
static void compare_latency(const struct prober *p, struct plateau *found,
			    struct cache_result *c)
{
	const bool cycles = parameter_is_measured(&c->latency_cycles);
	const struct latency before = {
		.ns = c->latency_ns.value,
		.ticks = prober_load_ticks(p, c->latency_ns.value),
		.cycles = cycles ? c->latency_cycles.value : NAN,
	};

	if (found->found && !latency_same(&found->latency, &before)) {
		found->found = false;
		snprintf(
			found->reason, sizeof(found->reason),
			"%.2f ns for lines of %llu KiB, %.2f ns for lines a fixed stride apart: they may be of two levels",
			found->latency.ns,
			(unsigned long long)(found->bytes >> 10), before.ns);
	}
	if (!found->found)
		parameter_undecided(&c->effective_capacity_bytes,
				    FOOTPRINT_METHOD, "%s", found->reason);
}

static int measure(struct footprint *fp, struct cache_result *c,
		   struct failure *f)
{
	struct plateau plateau;
	int error = find_above(fp, c - 1, f);

	if (!error)
		error = footprint_find_lists(fp, c - 1, f);
	if (!error)
		error = footprint_find_plateau(fp, &plateau, f);
	if (error)
		return error;
	if (is_timed(c))
		compare_latency(fp->p, &plateau, c);
	else
		report_latency(&plateau, c);
	if (!plateau.found)
		return 0;
	error = footprint_find_room(fp, &plateau, &c->effective_capacity_bytes,
				    f);
	c->effective_capacity_bytes.by = "time";
	return error;
}

int footprint_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct cache_result *c = find_open(h);
	struct footprint fp;
	int error;

	if (!c || !parameter_is_measured(&h->memory_latency_ns))
		return 0;
	fp = prepare(p, h, c);
	if (fp.line_bytes > LONGEST_LINE)
		return 0;
	fp.pages = calloc(fp.most_pages, sizeof(*fp.pages));
	if (!fp.pages)
		return prober_out_of_memory(f);
	error = measure(&fp, c, f);
	free(fp.pages);
	return error;
}
