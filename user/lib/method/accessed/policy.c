// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/policy.h"

#include <errno.h>
#include <stdio.h>

#include "method/accessed/set.h"
#include "method/policy/identify.h"

static int identify(struct accessed_set *s, struct policy_finding *found,
		    struct failure *f)
{
	struct policy_catalogue book;
	int error = policy_catalogue_make(&book, &s->oracle, POLICY_SEED);

	if (!error)
		error = policy_identify(&s->oracle, &book,
					&s->v->prober->budget, found, f);
	else if (error == -ENOMEM)
		error = prober_out_of_memory(f);
	policy_catalogue_free(&book);
	return error;
}

int accessed_find_policy(const struct kept_view *v,
			 const struct accessed_array *a, size_t above,
			 struct policy_finding *found, struct failure *f)
{
	struct budget *b = &v->prober->budget;
	const struct budget_scope scope = budget_resume(b, a->bound);
	char why[sizeof(found->reason)];
	struct accessed_set s;
	int error;

	*found = (struct policy_finding){ .kind = POLICY_UNDECIDED };
	error = accessed_set_open(&s, v, a, above, why, sizeof(why), f);
	if (!error && !why[0])
		error = identify(&s, found, f);
	else if (!error)
		snprintf(found->reason, sizeof(found->reason), "%s", why);
	found->answer_bound = budget_close(b, &scope);
	if (error != -EAGAIN && error != -EDQUOT && error != -ERANGE)
		return error;
	snprintf(found->reason, sizeof(found->reason), "%s",
		 error == -EAGAIN ? "all trials were interrupted" :
		 error == -ERANGE ? "too few ways, or too few pages" :
				    "its tests would err too often together");
	return 0;
}
