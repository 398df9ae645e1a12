// SPDX-License-Identifier: GPL-2.0
#include "report/compare/comparekit.h"

#include <math.h>

static void add_truth(struct truth *truth, double capacity_bytes,
		      double usable_bytes, double latency_cycles)
{
	truth->caches[truth->cache_count++] =
		(struct truth_cache){ .capacity_bytes = capacity_bytes,
				      .usable_bytes = usable_bytes,
				      .line_bytes = 64,
				      .ways = 8,
				      .latency_cycles = latency_cycles };
}

static void make_truth(struct truth *truth)
{
	*truth = (struct truth){ .exact = true, .memory_latency_cycles = 200 };
	add_truth(truth, 32 * KIB, 32 * KIB, 4);
	add_truth(truth, 512 * KIB, 576 * KIB, 12);
	truth->tlbs[truth->tlb_count++] =
		(struct truth_tlb){ 1, 4096, 64, 4, 0 };
	truth->tlbs[truth->tlb_count++] =
		(struct truth_tlb){ 2, 4096, 1024, 8, 7 };
}

void compare_kit_forget_truth(struct compare_kit *kit)
{
	kit->truth = (struct truth){ .memory_latency_cycles = NAN };
}

void compare_kit_add_xray(struct compare_kit *kit, double capacity_bytes,
			  double latency_cycles)
{
	struct cache_result *level = hierarchy_add(&kit->xray);

	parameter_measured(&level->ways, 8, 1e-6, "x-ray");
	parameter_measured(&level->line_bytes, 64, 1e-6, "x-ray");
	parameter_measured(&level->capacity_bytes, capacity_bytes, 1e-6,
			   "x-ray");
	parameter_measured(&level->effective_capacity_bytes, capacity_bytes,
			   1e-6, "x-ray");
	parameter_measured(&level->latency_cycles, latency_cycles, 0, "x-ray");
}

struct side_level *compare_kit_add_side(struct compare_kit *kit,
					enum compare_method m,
					double capacity_bytes)
{
	struct side_level *level =
		side_result_add(&kit->sides[m - COMPARE_COOPER]);

	parameter_measured(&level->capacity_bytes, capacity_bytes, 0,
			   compare_method_name(m));
	return level;
}

void compare_kit_begin(struct compare_kit *kit)
{
	make_truth(&kit->truth);
	hierarchy_init(&kit->xray);
	compare_kit_add_xray(kit, 32 * KIB, 4);
	kit->amp = (struct amp_result){ .selected = true, .answered = true };
	kit->said =
		(struct compare_said){ .xray = &kit->xray, .amp = &kit->amp };
	for (int m = 0; m < COMPARE_METHODS; m++)
		kit->said.runs[m] = (struct compare_run){ .selected = true,
							  .complete = true };
	for (int i = 0; i < COMPARE_SIDES; i++) {
		enum compare_method m = COMPARE_COOPER + i;

		side_result_begin(&kit->sides[i], compare_method_name(m));
		compare_kit_add_side(kit, m, 32 * KIB);
		kit->said.sides[i] = &kit->sides[i];
	}
}

void compare_kit_end(struct compare_kit *kit)
{
	for (int i = 0; i < COMPARE_SIDES; i++)
		side_result_free(&kit->sides[i]);
}

void compare_kit_make(struct compare_kit *kit)
{
	compare_make(&kit->c, &kit->said, &kit->truth);
}
