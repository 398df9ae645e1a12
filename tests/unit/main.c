// SPDX-License-Identifier: GPL-2.0
/* main.c - all unit tests. CK_RUN_SUITE and CK_RUN_CASE select. */
#include <stdlib.h>

#include "suites.h"

int main(void)
{
	SRunner *runner = srunner_create(make_sequence_suite());
	int failed;

	srunner_add_suite(runner, make_decision_suite());
	srunner_add_suite(runner, make_parse_suite());
	srunner_add_suite(runner, make_report_suite());
	srunner_add_suite(runner, make_registers_suite());
	srunner_add_suite(runner, make_timer_suite());
	srunner_add_suite(runner, make_hugepage_suite());
	srunner_add_suite(runner, make_page_size_suite());
	srunner_add_suite(runner, make_views_suite());
	srunner_add_suite(runner, make_module_suite());
	srunner_add_suite(runner, make_netlink_suite());
	srunner_add_suite(runner, make_text_suite());
	srunner_add_suite(runner, make_profile_suite());
	srunner_add_suite(runner, make_sim_suite());
	srunner_add_suite(runner, make_counters_suite());
	srunner_add_suite(runner, make_selftest_suite());
	srunner_add_suite(runner, make_events_suite());
	srunner_add_suite(runner, make_model_policy_suite());
	srunner_add_suite(runner, make_model_index_suite());
	srunner_add_suite(runner, make_model_cache_suite());
	srunner_add_suite(runner, make_model_levels_suite());
	srunner_add_suite(runner, make_model_tlb_suite());
	srunner_add_suite(runner, make_xray_suite());
	srunner_add_suite(runner, make_xray_noise_suite());
	srunner_add_suite(runner, make_xray_theory_suite());
	srunner_add_suite(runner, make_xray_levels_suite());
	srunner_add_suite(runner, make_xray_below_suite());
	srunner_add_suite(runner, make_pushed_suite());
	srunner_add_suite(runner, make_inclusion_suite());
	srunner_add_suite(runner, make_stores_suite());
	srunner_add_suite(runner, make_sharing_suite());
	srunner_add_suite(runner, make_xray_tlb_suite());
	srunner_add_suite(runner, make_amp_suite());
	srunner_add_suite(runner, make_icache_suite());
	srunner_add_suite(runner, make_unified_suite());
	srunner_add_suite(runner, make_evset_suite());
	srunner_add_suite(runner, make_evset_machine_suite());
	srunner_add_suite(runner, make_excess_suite());
	srunner_add_suite(runner, make_spread_suite());
	srunner_add_suite(runner, make_reduce_suite());
	srunner_add_suite(runner, make_next_suite());
	srunner_add_suite(runner, make_collect_suite());
	srunner_add_suite(runner, make_query_suite());
	srunner_add_suite(runner, make_policy_suite());
	srunner_add_suite(runner, make_policy_dice_suite());
	srunner_add_suite(runner, make_duel_suite());
	srunner_add_suite(runner, make_duel_relation_suite());
	srunner_add_suite(runner, make_gf2_suite());
	srunner_add_suite(runner, make_index_suite());
	srunner_add_suite(runner, make_index_curved_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
