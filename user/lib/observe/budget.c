// SPDX-License-Identifier: GPL-2.0
#include "observe/budget.h"

#include <math.h>

struct budget budget_unlimited(void)
{
	return (struct budget){ .alpha_left = INFINITY };
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

struct budget_scope budget_open(struct budget *b)
{
	const struct budget_scope scope = { b->alpha_left, b->alpha_drawn };

	b->alpha_left = fmin(b->alpha_left, BUDGET_RESULT);
	return scope;
}

double budget_close(struct budget *b, const struct budget_scope *scope)
{
	b->alpha_left = scope->left - (b->alpha_drawn - scope->drawn);
	return budget_bound(b, scope->drawn);
}

double budget_bound(const struct budget *b, double before)
{
	return fmin(b->alpha_drawn - before, 1);
}
