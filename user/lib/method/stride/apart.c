// SPDX-License-Identifier: GPL-2.0
/* apart.c - what code in few lines is compared with: the same in more sets. */
#include "method/stride/stride.h"

/* Sets as far apart have no line in common, nor what is fetched behind one. */
#define FAR_BYTES (2 * XRAY_LONGEST_LINE_FIRST)

/* Of @count sets that lie evenly in a way; 0: there is one, or they are too near. */
static uint64_t distance(const struct xray_level *level, size_t count)
{
	const uint64_t apart = count > 1 ? level->way_bytes / count : 0;

	return apart < FAR_BYTES ? 0 : apart - apart % XRAY_LONGEST_LINE_FIRST;
}

bool xray_is_timed_code(const struct xray *x)
{
	return x->reference.code_bytes && !xray_counter(x);
}

struct shape xray_apart(const struct xray *x, const struct xray_level *level,
			const struct shape *w)
{
	const bool rows = w->skews > 1;
	const uint64_t apart = distance(level, rows ? w->skews : w->inner);
	struct shape control = *w;

	if (!xray_is_timed_code(x) || !apart)
		return x->reference.control;
	if (rows)
		control.skew += apart;
	else
		control.inner_stride += apart;
	return control;
}
