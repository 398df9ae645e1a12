/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identify.h - which replacement policy a set has.
 *
 * Knows oracles of set/ and the policies of model/policy; no machine, and
 * prints nothing. Called by cmd/policy.c. The finding is in
 * result/policy_finding.h; functions return 0 or -errno with @f set, and an
 * undecided policy is no error.
 *
 * Simulate and compare (Abel and Reineke, ISPASS 2020): the next cycle is
 * always the one that splits the remaining hypotheses best. Sets that no known
 * policy explains are compared with random policies, then with permutation
 * policies (Abel and Reineke, RTAS 2013).
 */
#ifndef PROBE_PHYS_METHOD_POLICY_IDENTIFY_H
#define PROBE_PHYS_METHOD_POLICY_IDENTIFY_H

#include "method/policy/catalogue.h"
#include "observe/budget.h"
#include "result/policy_finding.h"

/**
 * policy_identify() - identify the policy of a set
 * @catalogue: made for this oracle
 * @budget: each question draws its error from it
 * @finding: (out)
 * Return: 0; -EINTR; or another -errno with @f set. An undecided policy is a
 * finding.
 */
int policy_identify(const struct set_oracle *oracle,
		    const struct policy_catalogue *catalogue,
		    struct budget *budget, struct policy_finding *finding,
		    struct failure *f);

#endif
