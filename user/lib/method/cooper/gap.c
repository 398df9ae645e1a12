// SPDX-License-Identifier: GPL-2.0
/*
 * gap.c - the gap test (IV-A): n locations k bytes apart miss as soon as
 * they are more than a set has ways and k is the size of a way.
 */
#include <math.h>
#include <stdlib.h>

#include "method/cooper/time.h"
#include "sequence/reference_strings.h"

/* LB, UB and MaxAssociativity of the paper. */
#define LEAST_GAP UINT64_C(1024)
#define MOST_GAP (UINT64_C(16) << 20)
#define MOST_LOCATIONS 33
#define GAPS 64

/**
 * struct gap - a sweep over k, or over o
 * @c: the measurement
 * @n: number of locations
 * @k: gap of each string
 * @o: offset of the last location of each string
 * @twin: control strings: they are slow too if translation is slow
 * @bases: where the string of the trial begins, page by page
 */
struct gap {
	struct cooper *c;
	uint64_t n;
	uint64_t k[2 * GAPS];
	uint64_t o[2 * GAPS];
	bool twin[2 * GAPS];
	struct cooper_string strings[2 * GAPS];
	size_t count;
};

static uint64_t span(uint64_t n, uint64_t k, uint64_t o)
{
	return (n - 1) * k + o + COOPER_PAGE_BYTES;
}

static int make(void *context, size_t which, unsigned int trial,
		struct sequence *s, struct failure *f)
{
	struct gap *g = context;
	struct prober *p = g->c->p;
	uint64_t n = g->n, k = g->k[which], o = g->o[which];
	uint64_t bases =
		(p->m->region.bytes - span(n, k, o)) / COOPER_PAGE_BYTES + 1;
	uint64_t base = rng_below(&p->rng, bases) * COOPER_PAGE_BYTES;
	int error = g->twin[which] ?
			    string_gap_twin(s, base, n, k, COOPER_PAGE_BYTES,
					    &p->rng) :
			    string_gap(s, base, n, k, o, &p->rng);

	(void)trial;
	return error ? prober_out_of_memory(f) : 0;
}

static void add(struct gap *g, uint64_t k, uint64_t o, bool twin)
{
	if (g->count == 2 * GAPS || span(g->n, k, o) > g->c->p->m->region.bytes)
		return;
	g->k[g->count] = k;
	g->o[g->count] = o;
	g->twin[g->count] = twin;
	g->strings[g->count++].x = (double)k;
}

static int time_all(struct gap *g, struct failure *f)
{
	struct cooper_sweep sweep = { .strings = g->strings,
				      .count = g->count,
				      .make = make,
				      .context = g,
				      .what = "gap test" };

	return cooper_sweep(g->c, &sweep, f);
}

/* From 2^n on in steps of max(1 KiB, 2^(n-2)): footnote 2. */
static uint64_t next_gap(uint64_t k)
{
	uint64_t octave = UINT64_C(1) << (63 - __builtin_clzll(k));

	return k + (octave / 4 > LEAST_GAP ? octave / 4 : LEAST_GAP);
}

/* Least k at which n locations miss; 0: none. */
static int find_gap(struct gap *g, uint64_t n, double baseline, uint64_t *k,
		    struct failure *f)
{
	int error;

	g->n = n;
	g->count = 0;
	for (uint64_t i = LEAST_GAP; i <= MOST_GAP; i = next_gap(i)) {
		add(g, i, 0, false);
		add(g, i, 0, true);
	}
	*k = 0;
	error = time_all(g, f);
	for (size_t i = 0; !error && !*k && i + 1 < g->count; i += 2)
		if (isfinite(g->strings[i].cycles) &&
		    g->strings[i].cycles > baseline &&
		    g->strings[i + 1].cycles <= baseline)
			*k = g->k[i];
	return error;
}

/* A single string. */
static int time_one(struct gap *g, uint64_t n, uint64_t k, double *cycles,
		    struct failure *f)
{
	int error;

	g->n = n;
	g->count = 0;
	add(g, k, 0, false);
	error = time_all(g, f);
	*cycles = g->strings[0].cycles;
	return error;
}

/* Least o that takes the last location out of the set. */
static int find_line(struct gap *g, uint64_t n, uint64_t k, double baseline,
		     struct failure *f)
{
	struct cooper_l1 *l1 = &g->c->l1;
	int error;

	g->n = n;
	g->count = 0;
	for (uint64_t o = sizeof(uint64_t); o <= COOPER_PAGE_BYTES; o *= 2)
		add(g, k, o, false);
	error = time_all(g, f);
	for (size_t i = 0; !error && !l1->line_found && i < g->count; i++) {
		l1->line_found = g->strings[i].cycles <= baseline;
		l1->line_bytes = g->o[i];
	}
	return error;
}

/*
 * n is odd, so ways that are even are found at once; where one location fewer
 * misses as well they are odd.
 */
static int settle(struct gap *g, uint64_t n, uint64_t k, double baseline,
		  struct failure *f)
{
	struct cooper_l1 *l1 = &g->c->l1;
	double fewer = baseline;
	int error = n > 2 ? time_one(g, n - 1, k, &fewer, f) : 0;

	if (error)
		return error;
	l1->found = true;
	l1->ways = fewer > baseline && isfinite(fewer) ? n - 2 : n - 1;
	l1->capacity_bytes = l1->ways * k;
	return find_line(g, l1->ways + 1, k, baseline, f);
}

static int search(struct gap *g, struct failure *f)
{
	double baseline;
	uint64_t k = 0, n = 2;
	int error = time_one(g, 2, LEAST_GAP, &baseline, f);

	while (!error && n <= MOST_LOCATIONS) {
		error = find_gap(g, n, baseline, &k, f);
		if (error || k)
			break;
		n += n == 2 ? 1 : 2;
	}
	return error || !k ? error : settle(g, n, k, baseline, f);
}

int cooper_measure_gap(struct cooper *c, struct failure *f)
{
	struct gap *g = calloc(1, sizeof(*g));
	int error;

	c->l1 = (struct cooper_l1){ .found = false };
	if (!g)
		return prober_out_of_memory(f);
	g->c = c;
	error = search(g, f);
	free(g);
	if (c->l1.line_found)
		c->line_bytes = c->l1.line_bytes < COOPER_LINE_BYTES ?
					COOPER_WIDE_BYTES :
					c->l1.line_bytes;
	return error;
}
