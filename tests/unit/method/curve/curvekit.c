// SPDX-License-Identifier: GPL-2.0
#include "method/curve/curvekit.h"

#include <math.h>
#include <string.h>

/* Where sweeps begin: log2 of 1 KiB. */
#define BEGIN 10

enum shoulder {
	SHARP,
	STRAIGHT,
	SOFT,
	SATURATING,
	SHOULDERS
};

/**
 * struct plan - how a curve goes
 * @ends: log2 of x where each level is left
 * @widths: octaves that it takes to reach the next one
 */
struct plan {
	double ends[KNOWN_LEVELS];
	double widths[KNOWN_LEVELS];
	enum shoulder shoulders[KNOWN_LEVELS];
	double noise;
	bool rounded;
	bool evenly;
	size_t points_of_octave;
};

static double between(struct rng *rng, double low, double high)
{
	return low + (high - low) * rng_uniform(rng);
}

/* How much of a rise is done, @way from 0 to 1 along the shoulder. */
static double risen(enum shoulder shoulder, double way)
{
	if (way <= 0)
		return 0;
	if (way >= 1)
		return 1;
	switch (shoulder) {
	case STRAIGHT:
		return way;
	case SOFT:
		return way * way * (3 - 2 * way);
	default:
		return (1 - exp(-3 * way)) / (1 - exp(-3));
	}
}

static void draw_plan(struct rng *rng, struct known_curve *k, struct plan *p)
{
	double at = BEGIN + between(rng, 2, 5), latency = between(rng, 1.5, 6);

	p->noise = between(rng, 0, 0.03);
	p->rounded = !rng_below(rng, 3);
	p->evenly = rng_below(rng, 2);
	p->points_of_octave = 4 + rng_below(rng, 9);
	k->level_count = 2 + rng_below(rng, KNOWN_LEVELS - 1);
	for (size_t i = 0; i < k->level_count; i++) {
		if (p->rounded)
			latency = ceil(latency - 1e-9);
		k->levels[i].latency = latency;
		latency *= exp2(between(rng, log2(1.25), 2.2));
		p->shoulders[i] = (enum shoulder)rng_below(rng, SHOULDERS);
		p->widths[i] = p->shoulders[i] == SHARP ? 1e-6 :
							  between(rng, 0.1, 1);
		p->ends[i] = at;
		at += p->widths[i] + between(rng, 1, 3);
	}
}

static double x_of(const struct plan *p, size_t i)
{
	double octave = exp2((double)(BEGIN + i / p->points_of_octave));
	double part =
		(double)(i % p->points_of_octave) / (double)p->points_of_octave;

	return p->evenly ? octave * exp2(part) : octave * (1 + part);
}

/* Latency without noise, and the ends that are known by it. */
static double y_of(struct known_curve *k, const struct plan *p, size_t i,
		   double x)
{
	double y = k->levels[0].latency;

	for (size_t m = 0; m + 1 < k->level_count; m++) {
		struct known_level *l = &k->levels[m];
		double way = (x - p->ends[m] - 1e-9) / p->widths[m];

		y += (l[1].latency - l->latency) * risen(p->shoulders[m], way);
		if (way <= 0)
			l->first_end = i;
		if (way <= 0 || y <= l->latency * (1 + p->noise) ||
		    (p->rounded && round(y) <= l->latency))
			l->last_end = i;
	}
	return y;
}

static double disturbed(struct rng *rng, const struct plan *p, double y)
{
	double what = rng_uniform(rng);

	y *= 1 + p->noise * between(rng, -1, 1);
	if (what < 0.02)
		y *= between(rng, 1.1, 4);
	else if (what < 0.03)
		y *= between(rng, 0.7, 0.95);
	return p->rounded ? fmax(1, round(y)) : y;
}

void known_curve_draw(struct rng *rng, struct known_curve *k)
{
	struct plan p;

	memset(k, 0, sizeof(*k));
	draw_plan(rng, k, &p);
	for (size_t i = 0; i < KNOWN_POINTS; i++) {
		double x = x_of(&p, i);

		if (log2(x) > p.ends[k->level_count - 1])
			break;
		k->points[i].x = x;
		k->points[i].y = disturbed(rng, &p, y_of(k, &p, i, log2(x)));
		k->count = i + 1;
	}
	k->levels[k->level_count - 1].first_end = k->count - 1;
	k->levels[k->level_count - 1].last_end = k->count - 1;
}
