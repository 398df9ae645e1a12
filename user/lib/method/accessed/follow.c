// SPDX-License-Identifier: GPL-2.0
/*
 * follow.c - whether accessed bits follow page walks at all.
 *
 * A hypervisor that keeps page tables of its own for a guest (shadow paging, PVM) sets
 * the guest's bits when it fills those, and not when a processor walks them. Then each
 * page looks as if a TLB had kept it, however many there are.
 */
#include <stdlib.h>

#include "method/accessed/trials.h"
#include "method/accessed/tuning.h"

/* Pages that share no entry, see array.c. */
#define APART 5
/*
 * Of so many times the entries of the largest known array no more than half are kept, with
 * all that lie above it. Twice as large an array, which no search would find, keeps
 * four fifths.
 */
#define MOST_KEPT 0.9

/* A part of all pages, each as likely. */
static int choose_tested(const struct kept_view *v, const struct sequence *all,
			 struct sequence *tested, struct failure *f)
{
	const size_t wanted = TESTED_PAGES < all->length ? TESTED_PAGES :
							   all->length;
	size_t left = wanted;

	*tested = (struct sequence){ .offsets = calloc(wanted,
						       sizeof(*all->offsets)) };
	if (!tested->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; left; i++)
		if (rng_below(&v->prober->rng, all->length - i) < left) {
			tested->offsets[tested->length++] = all->offsets[i];
			left--;
		}
	return 0;
}

static int touch_all(const struct kept_view *v, const struct sequence *all,
		     bool *follow, struct failure *f)
{
	const struct touch rounds = { all, v->kind, FILL_ROUNDS };
	struct touch_answer t = { .walked = 0 };
	struct sequence tested;
	int error = choose_tested(v, all, &tested, f);

	if (!error)
		error = kept_touch(
			v,
			&(struct touch_plan){ .before = &rounds,
					      .before_count = 1,
					      .test = { &tested, v->kind, 1 } },
			&t, f);
	*follow = (double)t.walked > (1 - MOST_KEPT) * (double)tested.length;
	sequence_free(&tested);
	return error;
}

int kept_follows_walks(const struct kept_view *v, bool *follow,
		       struct failure *f)
{
	const struct kept_shape w = { .rows = 1,
				      .columns = v->most,
				      .spacing = APART,
				      .stride = APART * v->most };
	struct sequence all = { .offsets = NULL };
	int error;

	*follow = true;
	if (w.stride > v->pages)
		return 0;
	error = kept_place(v, &w, &all, f);
	if (!error) {
		sequence_shuffle(&all, &v->prober->rng);
		error = touch_all(v, &all, follow, f);
	}
	sequence_free(&all);
	return error;
}
