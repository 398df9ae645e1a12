// SPDX-License-Identifier: GPL-2.0
/* main.c - all unit tests. CK_RUN_SUITE and CK_RUN_CASE select. */
#include <stdlib.h>

#include "suites.h"

static Suite *(*const makers[])(void) = {
	make_sequence_suite,	   make_strings_suite,
	make_decision_suite,	   make_parse_suite,
	make_report_suite,	   make_compare_suite,
	make_registers_suite,	   make_timer_suite,
	make_hugepage_suite,	   make_hypervisor_suite,
	make_shares_suite,	   make_page_size_suite,
	make_views_suite,	   make_code_suite,
	make_module_suite,	   make_netlink_suite,
	make_extack_suite,	   make_text_suite,
	make_profile_suite,	   make_sim_suite,
	make_sim_each_suite,	   make_counters_suite,
	make_selftest_suite,	   make_events_suite,
	make_model_policy_suite,   make_model_index_suite,
	make_model_cache_suite,	   make_model_levels_suite,
	make_model_tlb_suite,	   make_rounds_suite,
	make_xray_suite,	   make_xray_noise_suite,
	make_xray_theory_suite,	   make_xray_levels_suite,
	make_xray_below_suite,	   make_later_suite,
	make_time_limit_suite,	   make_index_held_suite,
	make_evset_small_suite,	   make_pushed_suite,
	make_inclusion_suite,	   make_stores_suite,
	make_stores_random_suite,  make_sharing_suite,
	make_xray_tlb_suite,	   make_tlb_lines_suite,
	make_tlb_lost_suite,	   make_cooper_suite,
	make_cooper_tlb_suite,	   make_amp_suite,
	make_icache_suite,	   make_unified_suite,
	make_steps_suite,	   make_level_end_suite,
	make_pieces_suite,	   make_sharing_hashed_suite,
	make_evset_suite,	   make_evset_machine_suite,
	make_excess_suite,	   make_spread_suite,
	make_each_suite,	   make_chance_suite,
	make_pools_suite,	   make_congruence_rate_suite,
	make_rates_suite,	   make_rates_seen_suite,
	make_crowd_suite,	   make_blocks_suite,
	make_reduce_suite,	   make_next_suite,
	make_collect_suite,	   make_evset_line_suite,
	make_query_suite,	   make_policy_suite,
	make_policy_dice_suite,	   make_duel_suite,
	make_duel_relation_suite,  make_gf2_suite,
	make_index_suite,	   make_index_curved_suite,
	make_nonsense_suite,	   make_compact_map_suite,
	make_curve_suite,	   make_load_suite,
	make_baseline_rules_suite, make_baseline_suite,
	make_picture_suite,	   make_late_suite,
	make_ways_suite,	   make_page_sets_suite,
	make_room_suite,	   make_trial_suite,
	make_bounds_suite,	   make_budget_suite,
	make_latency_suite,
};

int main(void)
{
	SRunner *runner = srunner_create(NULL);
	int failed;

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		srunner_add_suite(runner, makers[i]());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
