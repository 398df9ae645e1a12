// SPDX-License-Identifier: GPL-2.0
/* table.c - the policies of a level for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/policy/policy.h"

/* Most ranges of sets that are printed; the rest are counted. */
#define SHOWN_RANGES 8

static void print_vectors(const struct permutation_policy *p)
{
	for (unsigned int i = 0; i <= p->ways; i++) {
		const unsigned char *to = i < p->ways ? p->hit[i] : p->miss;

		if (i < p->ways)
			printf("      hit at %-2u", i);
		else
			printf("      miss     ");
		for (unsigned int j = 0; j < p->ways; j++)
			printf(" %2u", to[j]);
		putchar('\n');
	}
}

static void print_set(const struct policy_finding *found)
{
	bool named = found->kind == POLICY_KNOWN ||
		     found->kind == POLICY_RANDOMISED;

	printf("%s", named ? found->names[0] : policy_kind_name(found->kind));
	for (size_t i = 1; named && i < found->name_count; i++)
		printf("%s%s", i == 1 ? " = " : ", ", found->names[i]);
	if (policy_is_decided(found))
		printf("  (%zu sequences, %zu more confirm, %u answers)",
		       found->split, found->cycles - found->split,
		       found->answers);
	putchar('\n');
	if (found->reason[0])
		printf("      %s\n", found->reason);
	if (found->kind == POLICY_PERMUTATION)
		print_vectors(&found->permutation);
}

/* Test whether ranges have equal length and equal distance. */
static bool regular(const struct dueling_range *all, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (all[i].last - all[i].first != all[0].last - all[0].first ||
		    all[i].first - all[i - 1].first !=
			    all[1].first - all[0].first)
			return false;
	return count > 2;
}

static void print_range(const struct dueling_range *r)
{
	printf("%" PRIu64, r->first);
	if (r->last > r->first)
		printf("-%" PRIu64, r->last);
}

static void print_ranges(const struct dueling_finding *duel,
			 enum dueling_role role)
{
	size_t count = dueling_ranges(duel, role, NULL, 0);
	struct dueling_range *all = calloc(count + 1, sizeof(*all));

	if (!all || !count) {
		free(all);
		return;
	}
	dueling_ranges(duel, role, all, count);
	if (regular(all, count)) {
		print_range(&all[0]);
		printf(" and every %" PRIu64 " further to ",
		       all[1].first - all[0].first);
		print_range(&all[count - 1]);
	} else {
		for (size_t i = 0; i < count && i < SHOWN_RANGES; i++) {
			printf("%s", i ? ", " : "");
			print_range(&all[i]);
		}
		if (count > SHOWN_RANGES)
			printf(" and %zu more (see --json)",
			       count - SHOWN_RANGES);
	}
	free(all);
}

static void print_likely(const struct level_policy *found,
			 const struct leader_policy *l)
{
	bool first = true;

	if (policy_is_decided(&l->found))
		return;
	for (size_t i = 0; i < l->found.name_count; i++) {
		if (!policy_is_likely(found, l, i))
			continue;
		printf("%s%s",
		       first ? "      of these differ from the other leaders' in the age of new lines alone: " :
			       ", ",
		       l->found.names[i]);
		first = false;
	}
	if (!first)
		putchar('\n');
}

/* Print the relation as an expression to check; the list of sets is what was
 * measured.
 */
static void print_relation(const struct dueling_finding *d,
			   enum dueling_role role)
{
	char text[DUELING_RELATION_TEXT];

	if (!d->related[role])
		return;
	dueling_relation_text(&d->relations[role], text);
	printf("\n      these are all sets s with %s", text);
}

static void print_duel(const struct level_policy *found)
{
	const struct dueling_finding *d = &found->duel;

	printf("adaptive (set dueling)  (%zu sets tried, %u readings, %u pushes)\n",
	       d->tried, d->readings, d->pushes);
	if (d->roles)
		printf("      %" PRIu64 " of %" PRIu64 " sets follow\n",
		       d->counts[DUELING_FOLLOWS], d->sets);
	for (int i = 0; d->roles && i < DUELING_KINDS; i++) {
		const struct leader_policy *l = &found->leaders[i];

		if (!d->counts[l->role])
			continue;
		printf("      %" PRIu64 " lead%s: sets ", d->counts[l->role],
		       l->role == DUELING_LEADS_THRASH ? " against thrashing" :
							 "");
		print_ranges(d, l->role);
		print_relation(d, l->role);
		printf("\n      ");
		print_set(&l->found);
		print_likely(found, l);
	}
	if (d->reason[0])
		printf("      %s\n", d->reason);
}

void policy_print(const struct level_policy *found)
{
	const struct dueling_finding *d = &found->duel;

	printf("L%zu data  ", found->level);
	if (d->verdict == DUELING_SEEN) {
		print_duel(found);
		return;
	}
	print_set(&found->set);
	if (d->verdict == DUELING_NOT_SEEN)
		printf("      no set dueling in %zu of %" PRIu64 " sets\n",
		       d->tried, d->sets);
	else if (d->reason[0])
		printf("      set dueling: undecided: %s\n", d->reason);
}
