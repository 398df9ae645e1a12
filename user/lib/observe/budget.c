// SPDX-License-Identifier: GPL-2.0
#include "observe/budget.h"

#include <math.h>

struct budget budget_begin(void)
{
	return (struct budget){ .alpha_left = BUDGET_RESULT,
				.alpha_result = BUDGET_RESULT };
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

double budget_take(struct budget *b, double most)
{
	const double alpha = fmin(b->alpha_left / BUDGET_TESTS, most);

	return alpha > 0 && budget_draw(b, alpha) ? alpha : 0;
}

struct budget_scope budget_open(struct budget *b)
{
	return budget_resume(b, 0);
}

struct budget_scope budget_resume(struct budget *b, double drawn)
{
	const struct budget_scope scope = { b->alpha_left,
					    b->alpha_drawn - drawn, b->open };

	if (!b->open)
		b->alpha_left = fmax(b->alpha_result - drawn, 0);
	b->open = true;
	return scope;
}

double budget_close(struct budget *b, const struct budget_scope *scope)
{
	if (!scope->inner)
		b->alpha_left = scope->left;
	b->open = scope->inner;
	return budget_bound(b, scope->drawn);
}

double budget_bound(const struct budget *b, double before)
{
	return fmin(b->alpha_drawn - before, 1);
}
