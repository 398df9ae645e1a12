// SPDX-License-Identifier: GPL-2.0
#include "observe/budget.h"

#include <math.h>

struct budget budget_unlimited(void)
{
	return (struct budget){ .alpha_left = INFINITY, .ns_left = UINT64_MAX };
}

bool budget_draw(struct budget *b, double alpha)
{
	if (!(alpha <= b->alpha_left))
		return false;
	b->alpha_left -= alpha;
	b->alpha_drawn += alpha;
	if (b->drawn)
		b->drawn(b->context, alpha);
	return true;
}

double budget_share(const struct budget *b, size_t tests, double most)
{
	return fmin(b->alpha_left / (double)tests, most);
}

bool budget_draw_ns(struct budget *b, uint64_t ns)
{
	bool enough = ns <= b->ns_left;

	if (b->ns_left != UINT64_MAX)
		b->ns_left -= enough ? ns : b->ns_left;
	return enough;
}

double budget_bound(const struct budget *b, double before)
{
	return fmin(b->alpha_drawn - before, 1);
}
