// SPDX-License-Identifier: GPL-2.0
#include "report/picture/picturekit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEVELS 3
#define FOOTPRINTS 64
#define FIRST_BYTES 4096.0

static const double capacity[LEVELS] = { 32768, 1048576, 36700160 };
static const double effective[LEVELS + 1] = { 28672, 917504, 25165824,
					      268435456 };
static const double latency[LEVELS + 1] = { 5, 14, 52, 96 };

/* Steps with soft shoulders. */
static double cycles_at(double bytes)
{
	double cycles = latency[0];

	for (int i = 0; i < LEVELS; i++)
		cycles += (latency[i + 1] - latency[i]) /
			  (1 + exp2(-8 * log2(bytes / capacity[i])));
	return cycles;
}

static void count_latencies(struct side_curve *c)
{
	struct curve_density *d = &c->found.density;

	d->low = 2;
	d->width = 0.02;
	d->bins = 280;
	for (size_t i = 0; i < c->count; i++)
		d->raw[(size_t)((log2(c->points[i].y) - d->low) / d->width)]++;
	for (size_t i = 0; i < d->bins; i++)
		for (size_t k = 0; k < d->bins; k++)
			d->smooth[i] +=
				d->raw[k] *
				exp(-pow((double)i - (double)k, 2) / 128);
	for (size_t i = 0; i <= LEVELS; i++)
		d->peaks[d->peak_count++] =
			(size_t)((log2(latency[i]) - d->low) / d->width);
}

static void add_cooper(struct side_result *r)
{
	struct side_curve *c =
		side_result_keep(r, SIDE_FOOTPRINT_BYTES, FOOTPRINTS, "C(k)");

	for (size_t i = 0; i < FOOTPRINTS; i++) {
		c->points[i].x = FIRST_BYTES * exp2((double)i / 4);
		c->points[i].y = cycles_at(c->points[i].x);
	}
	c->analysed = c->found.decided = true;
	for (size_t i = 0; i <= LEVELS; i++)
		c->found.steps[c->found.step_count++] =
			(struct curve_step){ effective[i], latency[i] };
	count_latencies(c);
	for (size_t i = 0; i < LEVELS; i++) {
		struct side_level *level = side_result_add(r);

		parameter_measured(&level->capacity_bytes, effective[i], 0,
				   r->method);
		parameter_measured(&level->latency_cycles, latency[i], 0,
				   r->method);
		parameter_measured(&level->line_bytes, 64, 0, r->method);
	}
	c = side_result_keep(r, SIDE_REACH_BYTES, FOOTPRINTS, "T(1,k)");
	for (size_t i = 0; i < FOOTPRINTS; i++) {
		c->points[i].x = 4 * FIRST_BYTES * exp2((double)i / 5);
		c->points[i].y = c->points[i].x > 262144 ? 12 : 5;
	}
	parameter_measured(&side_result_add_tlb(r, 4096)->reach_bytes, 262144,
			   0, r->method);
}

static void add_saavedra(struct side_result *r)
{
	for (size_t a = 0; a < 14; a++) {
		struct side_curve *c =
			side_result_keep(r, SIDE_STRIDE_BYTES, 11 + a,
					 "array of %zu KiB", (size_t)8 << a);

		for (size_t i = 0; i < c->count; i++) {
			double stride = exp2((double)i + 3);
			double misses = fmin(1, stride / 64);

			c->points[i].x = stride;
			c->points[i].y =
				latency[0] +
				misses * (cycles_at(8192 * exp2((double)a)) -
					  latency[0]);
		}
	}
	parameter_measured(&side_result_add(r)->capacity_bytes, 65536, 0,
			   r->method);
}

static void add_xray(struct hierarchy *h)
{
	hierarchy_init(h);
	for (size_t i = 0; i < LEVELS; i++) {
		struct cache_result *c = hierarchy_add(h);

		parameter_measured(&c->capacity_bytes, capacity[i], 0, "x-ray");
		parameter_measured(&c->latency_cycles, latency[i], 0, "x-ray");
		parameter_measured(&c->line_bytes, 64, 0, "x-ray");
	}
	parameter_measured(&hierarchy_add_tlb(h, 1, "data", 4096)->entries, 64,
			   0, "x-ray");
	parameter_measured(
		&hierarchy_add_tlb(h, 1, "instruction", 4096)->entries, 128, 0,
		"x-ray");
}

static void fill_map(struct compactness_map *map, int level)
{
	*map = (struct compactness_map){
		.level = level,
		.ways = 8,
		.way_bytes = level > 1 ? 65536 : 4096,
		.stride_count = 12,
		.count_count = 10,
		.complete = true,
	};
	for (size_t i = 0; i < map->stride_count; i++)
		map->strides[i] = (map->way_bytes / 64) << i;
	for (size_t k = 0; k < map->count_count; k++)
		map->counts[k] = (size_t)2 << k;
	for (size_t i = 0; i < map->stride_count; i++)
		for (size_t k = 0; k < map->count_count; k++) {
			struct compact_cell *c = &map->cells[i][k];

			c->tested = i + k < 18;
			if (!c->tested)
				continue;
			c->verdict =
				map->counts[k] <=
						compact_map_boundary(
							map, map->strides[i]) ?
					VERDICT_COMPACT :
					VERDICT_NON_COMPACT;
			if (i == 5 && k == 9)
				c->verdict = VERDICT_UNDECIDED;
		}
}

static void begin(struct picture_kit *kit, size_t methods)
{
	static const char *const names[KIT_METHODS] = { "cooper-sandoval",
							"breaking-cache",
							"saavedra", "another" };

	memset(kit, 0, sizeof(*kit));
	for (size_t i = 0; i < methods; i++) {
		snprintf(kit->names[i], sizeof(kit->names[i]), "%s", names[i]);
		side_result_begin(&kit->results[i], kit->names[i]);
		kit->methods[i] = &kit->results[i];
	}
	kit->picture = (struct picture){ .machine = kit->machine,
					 .seed = 42,
					 .methods = kit->methods,
					 .method_count = methods };
}

void picture_kit_usual(struct picture_kit *kit)
{
	struct side_curve *c;

	begin(kit, 3);
	snprintf(kit->machine, sizeof(kit->machine), "any processor, CPU 1");
	add_cooper(&kit->results[0]);
	c = side_result_keep(&kit->results[1], SIDE_FOOTPRINT_BYTES, 17,
			     "updates");
	for (size_t i = 0; i < c->count; i++) {
		c->points[i].x = FIRST_BYTES * exp2((double)i);
		c->points[i].y = 1.3 * cycles_at(c->points[i].x) + 4;
	}
	parameter_measured(&side_result_add(&kit->results[1])->capacity_bytes,
			   2097152, 0, "breaking-cache");
	add_saavedra(&kit->results[2]);
	add_xray(&kit->found);
	kit->picture.found = &kit->found;
	for (size_t i = 0; i < PICTURE_MAPS; i++)
		fill_map(&kit->maps[i], (int)i + 1);
	kit->picture.maps = kit->maps;
	kit->picture.map_count = PICTURE_MAPS;
	kit->picture.date = "2026-01-31";
}

/* --- nonsense --------------------------------------------------------------- */

static double odd_value(struct rng *rng)
{
	static const double odd[] = { 0,     -1,     NAN, INFINITY, -INFINITY,
				      1e300, 1e-300, 64,  4096,	    65536 };
	size_t i = rng_below(rng, 8 * sizeof(odd) / sizeof(odd[0]));

	if (i < sizeof(odd) / sizeof(odd[0]))
		return odd[i];
	return exp2(40 * rng_uniform(rng));
}

/* Mostly what machines are like, so that marks lie close to each other. */
static double near_value(struct rng *rng)
{
	if (rng_below(rng, 20) == 0)
		return odd_value(rng);
	return exp2((double)(10 + rng_below(rng, 20))) *
	       (1 - 0.25 * (double)rng_below(rng, 2));
}

static void random_text(char *text, size_t most, struct rng *rng)
{
	size_t length = rng_below(rng, most);

	if (rng_below(rng, 2))
		length = rng_below(rng, 20);
	for (size_t i = 0; i < length; i++)
		text[i] = (char)(rng_below(rng, 30) ? 'A' + rng_below(rng, 60) :
						      1 + rng_below(rng, 255));
	text[length] = '\0';
}

static void random_parameter(struct parameter *p, struct rng *rng)
{
	if (rng_below(rng, 4))
		parameter_measured(p, near_value(rng), 0, "any");
}

static void random_curve(struct side_result *r, struct rng *rng)
{
	static const size_t counts[] = { 0, 1, 2, 10, 100 };
	char name[48];
	struct side_curve *c;

	random_text(name, sizeof(name), rng);
	c = side_result_keep(r, (enum side_axis)rng_below(rng, 3),
			     counts[rng_below(rng, 5)], "%s", name);
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		c->points[i] =
			(struct curve_point){ near_value(rng), odd_value(rng) };
	c->analysed = rng_below(rng, 2);
	c->found.decided = rng_below(rng, 3);
	random_text(c->found.reason, sizeof(c->found.reason), rng);
	c->found.step_count = rng_below(rng, CURVE_MOST_STEPS + 1);
	for (size_t i = 0; i < c->found.step_count; i++)
		c->found.steps[i] =
			(struct curve_step){ near_value(rng), odd_value(rng) };
	c->found.density.low = rng_below(rng, 9) ? 2 : odd_value(rng);
	c->found.density.width = rng_below(rng, 9) ? 0.02 : odd_value(rng);
	c->found.density.bins = rng_below(rng, CURVE_BINS + 2);
	for (size_t i = 0; i < CURVE_BINS; i++) {
		c->found.density.raw[i] = rng_below(rng, 9) ? 0 :
							      odd_value(rng);
		c->found.density.smooth[i] = odd_value(rng);
	}
	c->found.density.peak_count = rng_below(rng, CURVE_MOST_STEPS + 1);
	for (size_t i = 0; i < c->found.density.peak_count; i++)
		c->found.density.peaks[i] = rng_below(rng, CURVE_BINS + 9);
}

static void random_result(struct side_result *r, struct rng *rng)
{
	static const size_t counts[] = { 0, 1, 3, 9, SIDE_CURVES + 1 };
	size_t curves = counts[rng_below(rng, 5)];

	for (size_t i = rng_below(rng, SIDE_LEVELS + 1); i--;) {
		struct side_level *level = side_result_add(r);

		random_parameter(&level->capacity_bytes, rng);
		random_parameter(&level->line_bytes, rng);
		random_parameter(&level->latency_cycles, rng);
	}
	for (size_t i = rng_below(rng, SIDE_LEVELS + 1); i--;)
		random_parameter(&side_result_add_tlb(r, 4096)->reach_bytes,
				 rng);
	for (size_t i = 0; i < curves; i++)
		random_curve(r, rng);
}

static void random_map(struct compactness_map *map, struct rng *rng)
{
	map->level = (int)rng_below(rng, 5);
	map->stride_count = rng_below(rng, COMPACT_MAP_STRIDES + 1);
	map->count_count = rng_below(rng, COMPACT_MAP_COUNTS + 1);
	map->ways = rng_below(rng, 3) ? rng_below(rng, 40) : 0;
	map->way_bytes = rng_below(rng, 1 << 20);
	random_text(map->reason, sizeof(map->reason), rng);
	for (size_t i = 0; i < map->stride_count; i++)
		map->strides[i] = UINT64_C(1) << (i + rng_below(rng, 30));
	for (size_t k = 0; k < map->count_count; k++)
		map->counts[k] = (size_t)1 << (k + rng_below(rng, 3));
	for (size_t i = 0; i < map->stride_count; i++)
		for (size_t k = 0; k < map->count_count; k++)
			map->cells[i][k] = (struct compact_cell){
				.tested = rng_below(rng, 4),
				.verdict = (enum verdict)rng_below(rng, 3),
			};
}

void picture_kit_random(struct picture_kit *kit, struct rng *rng)
{
	begin(kit, rng_below(rng, KIT_METHODS + 1));
	random_text(kit->machine, sizeof(kit->machine), rng);
	for (size_t i = 0; i < kit->picture.method_count; i++) {
		if (rng_below(rng, 4) == 0)
			random_text(kit->names[i], sizeof(kit->names[i]), rng);
		random_result(&kit->results[i], rng);
	}
	hierarchy_init(&kit->found);
	for (size_t i = rng_below(rng, RESULT_MAX_LEVELS + 1); i--;) {
		struct cache_result *c = hierarchy_add(&kit->found);

		random_parameter(&c->capacity_bytes, rng);
		random_parameter(&c->line_bytes, rng);
		random_parameter(&c->latency_cycles, rng);
	}
	for (size_t i = rng_below(rng, RESULT_MAX_TLBS + 1); i--;)
		random_parameter(&hierarchy_add_tlb(&kit->found,
						    1 + (int)rng_below(rng, 2),
						    "data", 4096)
					  ->entries,
				 rng);
	if (rng_below(rng, 3))
		kit->picture.found = &kit->found;
	kit->picture.maps = kit->maps;
	kit->picture.map_count = rng_below(rng, PICTURE_MAPS + 2);
	for (size_t i = 0; i < kit->picture.map_count; i++)
		random_map(&kit->maps[i], rng);
}

void picture_kit_free(struct picture_kit *kit)
{
	for (size_t i = 0; i < KIT_METHODS; i++)
		side_result_free(&kit->results[i]);
}

static double width_of(void *context, const char *text, double size)
{
	(void)context;
	return 0.62 * size * (double)strlen(text);
}

struct scene_metrics picture_kit_metrics(void)
{
	return (struct scene_metrics){ .width = width_of };
}

bool picture_kit_meet(const struct scene_box *a, const struct scene_box *b)
{
	return a->left < b->right - PICTURE_KIT_ROUNDED &&
	       b->left < a->right - PICTURE_KIT_ROUNDED &&
	       a->top < b->bottom - PICTURE_KIT_ROUNDED &&
	       b->top < a->bottom - PICTURE_KIT_ROUNDED;
}

size_t picture_kit_count(const struct scene *s, enum scene_role role,
			 const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < s->item_count; i++)
		if (s->items[i].kind == SCENE_WORDS &&
		    s->items[i].role == role &&
		    (!part || strstr(s->items[i].text, part)))
			count++;
	return count;
}
