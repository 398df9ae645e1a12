/* SPDX-License-Identifier: GPL-2.0 */
/* verdict.h - the three answers to "is this sequence compact?" */
#ifndef PROBE_PHYS_BASE_VERDICT_H
#define PROBE_PHYS_BASE_VERDICT_H

/** enum verdict - the three answers */
enum verdict {
	VERDICT_UNDECIDED,
	VERDICT_COMPACT,
	VERDICT_NON_COMPACT,
};

#endif
