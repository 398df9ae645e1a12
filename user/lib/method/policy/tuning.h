/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what identifying a policy spends on cycles and simulations: time,
 * no answer.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_TUNING_H
#define PROBE_PHYS_METHOD_POLICY_TUNING_H

#include "base/tuned.h"

/**
 * CATALOGUE_PER_WAY - accesses that distinguish policies, per way: longer
 * cycles distinguish no more, and are disturbed more often
 */
#define CATALOGUE_PER_WAY TUNED(5)
/** CATALOGUE_MORE - and a few more */
#define CATALOGUE_MORE TUNED(20)
/** POOL_PER_WAY - the same of averages */
#define POOL_PER_WAY TUNED(5)
/** POOL_MORE - and a few more */
#define POOL_MORE TUNED(20)
/** MEANS_FAILURES - void answers in a row */
#define MEANS_FAILURES TUNED(12)
/** UNKNOWN_CYCLES - cycles that are measured where no known policy fits */
#define UNKNOWN_CYCLES TUNED(8)
/**
 * PREDICT_FORGET_ROUNDS - rounds of a random policy until it has forgotten its
 * beginning
 */
#define PREDICT_FORGET_ROUNDS TUNED(150)
/** PREDICT_BATCHES - batches of its mean */
#define PREDICT_BATCHES TUNED(12)
/** PREDICT_BATCH_ROUNDS - rounds of each */
#define PREDICT_BATCH_ROUNDS TUNED(16)
/** LOOKED_AT - cycles that are considered in each choice */
#define LOOKED_AT TUNED(64)
/**
 * GOOD_ENOUGH - a simulation ends when its error is this share of the answers'
 * error
 */
#define GOOD_ENOUGH TUNED_REAL(0.5)
/** STAGE_CYCLES - cycles that each stage adds */
#define STAGE_CYCLES TUNED(4)
/** UNKNOWN_PASSES - passes over all cycles until each has its answers */
#define UNKNOWN_PASSES TUNED(12)

#endif
