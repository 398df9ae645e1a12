/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identify.h - which replacement policy a set has.
 *
 * Simulate and compare (Abel and Reineke, ISPASS 2020), the next question
 * always being the one that splits what is left best; what none of the known
 * policies explains is tried as a random one and as a permutation policy (Abel
 * and Reineke, RTAS 2013).
 */
#ifndef PROBE_PHYS_METHOD_POLICY_IDENTIFY_H
#define PROBE_PHYS_METHOD_POLICY_IDENTIFY_H

#include "method/policy/catalogue.h"
#include "observe/budget.h"
#include "result/policy_finding.h"

/**
 * policy_identify() - ask an oracle until its policy is known
 * @catalogue: made for this oracle
 * @budget: each question draws its error from it
 * @finding: (out)
 * Return: 0; -EINTR; or another -errno with @f set. That nothing could be
 * decided is a finding.
 */
int policy_identify(const struct set_oracle *oracle,
		    const struct policy_catalogue *catalogue,
		    struct budget *budget, struct policy_finding *finding,
		    struct failure *f);

#endif
