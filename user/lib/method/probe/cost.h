/* SPDX-License-Identifier: GPL-2.0 */
/* cost.h - what a part of a measurement costs, for the report. */
#ifndef PROBE_PHYS_METHOD_PROBE_COST_H
#define PROBE_PHYS_METHOD_PROBE_COST_H

#include "method/probe/prober.h"
#include "result/result.h"

/** cost_begin() - the totals of @p so far: of the machine's clock, its walks and the
 * tests
 * Return: to be passed to cost_since() or cost_end(), without a group.
 */
struct group_cost cost_begin(const struct prober *p);

/** cost_since() - what was spent since cost_begin()
 * @group: a literal, as of struct group_cost
 */
struct group_cost cost_since(const struct prober *p,
			     const struct group_cost *begun, const char *group);

/** cost_end() - add cost_since() to @h */
void cost_end(const struct prober *p, const struct group_cost *begun,
	      const char *group, struct hierarchy *h);

#endif
