// SPDX-License-Identifier: GPL-2.0
#include "result/policy_finding.h"

const char *policy_kind_name(enum policy_kind kind)
{
	static const char *const names[] = {
		[POLICY_UNDECIDED] = "undecided",
		[POLICY_KNOWN] = "known",
		[POLICY_RANDOMISED] = "randomised",
		[POLICY_PERMUTATION] = "permutation",
		[POLICY_NONE_KNOWN] = "none of the known",
	};

	return names[kind];
}
