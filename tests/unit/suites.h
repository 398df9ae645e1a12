/* SPDX-License-Identifier: GPL-2.0 */
/* suites.h - one maker per check_*.c. */
#ifndef PROBE_PHYS_UNIT_SUITES_H
#define PROBE_PHYS_UNIT_SUITES_H

#include <check.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Suite *make_sequence_suite(void);
Suite *make_strings_suite(void);
Suite *make_decision_suite(void);
Suite *make_trial_suite(void);
Suite *make_bounds_suite(void);
TCase *make_policy_bounds_case(void);
Suite *make_budget_suite(void);
Suite *make_xray_suite(void);
Suite *make_xray_noise_suite(void);
Suite *make_xray_theory_suite(void);
Suite *make_xray_levels_suite(void);
Suite *make_xray_below_suite(void);
Suite *make_latency_suite(void);
Suite *make_later_suite(void);
Suite *make_time_limit_suite(void);
Suite *make_index_held_suite(void);
Suite *make_evset_small_suite(void);
Suite *make_pushed_suite(void);
Suite *make_parse_suite(void);
Suite *make_report_suite(void);
Suite *make_compare_suite(void);
TCase *make_truth_case(void);
Suite *make_registers_suite(void);
Suite *make_timer_suite(void);
Suite *make_hugepage_suite(void);
Suite *make_hypervisor_suite(void);
Suite *make_shares_suite(void);
Suite *make_views_suite(void);
Suite *make_code_suite(void);
Suite *make_page_size_suite(void);
Suite *make_module_suite(void);
Suite *make_netlink_suite(void);
Suite *make_extack_suite(void);
Suite *make_text_suite(void);
Suite *make_profile_suite(void);
Suite *make_sim_suite(void);
Suite *make_sim_each_suite(void);
Suite *make_counters_suite(void);
Suite *make_selftest_suite(void);
Suite *make_events_suite(void);
Suite *make_model_policy_suite(void);
Suite *make_model_index_suite(void);
Suite *make_model_cache_suite(void);
Suite *make_model_levels_suite(void);
Suite *make_model_tlb_suite(void);
Suite *make_rounds_suite(void);
Suite *make_xray_tlb_suite(void);
Suite *make_tlb_lines_suite(void);
Suite *make_tlb_lost_suite(void);
Suite *make_cooper_suite(void);
TCase *make_cooper_time_case(void);
Suite *make_cooper_tlb_suite(void);
TCase *make_cooper_tlb_made_case(void);
Suite *make_cooper_tlb_suite(void);
TCase *make_cooper_tlb_made_case(void);
Suite *make_cooper_suite(void);
TCase *make_cooper_time_case(void);
Suite *make_amp_suite(void);
TCase *make_amp_crowd_case(void);
TCase *make_amp_taken_case(void);
TCase *make_amp_noise_case(void);
TCase *make_amp_beside_case(void);
TCase *make_amp_tlb_case(void);
TCase *make_amp_table_case(void);
Suite *make_icache_suite(void);
Suite *make_unified_suite(void);
TCase *make_unified_sets_case(void);
Suite *make_steps_suite(void);
Suite *make_level_end_suite(void);
Suite *make_pieces_suite(void);
Suite *make_evset_suite(void);
Suite *make_evset_machine_suite(void);
Suite *make_excess_suite(void);
Suite *make_spread_suite(void);
Suite *make_blocks_suite(void);
Suite *make_reduce_suite(void);
Suite *make_next_suite(void);
Suite *make_collect_suite(void);
Suite *make_evset_line_suite(void);
Suite *make_inclusion_suite(void);
Suite *make_stores_suite(void);
Suite *make_stores_random_suite(void);
Suite *make_sharing_suite(void);
Suite *make_crowd_suite(void);
Suite *make_each_suite(void);
Suite *make_late_suite(void);
Suite *make_ways_suite(void);
Suite *make_page_sets_suite(void);
Suite *make_room_suite(void);
Suite *make_pools_suite(void);
Suite *make_congruence_rate_suite(void);
Suite *make_rates_suite(void);
Suite *make_rates_seen_suite(void);
Suite *make_chance_suite(void);
Suite *make_sharing_hashed_suite(void);
Suite *make_query_suite(void);
Suite *make_policy_suite(void);
Suite *make_policy_dice_suite(void);
Suite *make_duel_suite(void);
Suite *make_duel_relation_suite(void);
Suite *make_gf2_suite(void);
Suite *make_index_suite(void);
Suite *make_index_curved_suite(void);
Suite *make_nonsense_suite(void);
Suite *make_compact_map_suite(void);
Suite *make_curve_suite(void);
TCase *make_curve_parts_case(void);
Suite *make_load_suite(void);
Suite *make_baseline_rules_suite(void);
Suite *make_baseline_suite(void);
Suite *make_picture_suite(void);
TCase *make_picture_file_case(void);
TCase *make_picture_parts_case(void);

/* A number that the environment may set. */
static inline uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/*
 * Whether case @i of @count is done: with PROBE_PHYS_PART=K one in K of them, but
 * of fewer one all the same; with PROBE_PHYS_TURN=N (otherwise the seed) another
 * one each turn.
 */
static inline bool is_in_part_of(int i, unsigned long count)
{
	unsigned long parts = from_environment("PROBE_PHYS_PART", 1);
	unsigned long turn = from_environment(
		"PROBE_PHYS_TURN", from_environment("PROBE_PHYS_SEED", 0));

	if (parts > count)
		parts = count;
	return parts < 2 || ((unsigned long)i + turn) % parts == 0;
}

/* Of what a test does many times in a row, one in so many: up to @most. */
static inline unsigned int part_step(unsigned int most)
{
	unsigned long parts = from_environment("PROBE_PHYS_PART", 1);

	return parts < 1 ? 1 : parts < most ? (unsigned int)parts : most;
}

/* The same of a long matrix. */
static inline bool is_in_part(int i)
{
	return is_in_part_of(i, ULONG_MAX);
}

#endif
