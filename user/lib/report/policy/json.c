// SPDX-License-Identifier: GPL-2.0
/* json.c - the policies of a level as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_value.h"
#include "report/policy/policy.h"

static json_t *vectors(const struct permutation_policy *p)
{
	json_t *hits = json_array(), *miss = json_array();

	for (unsigned int i = 0; i < p->ways; i++) {
		json_t *hit = json_array();

		for (unsigned int j = 0; j < p->ways; j++)
			json_array_append_new(hit, json_integer(p->hit[i][j]));
		json_array_append_new(hits, hit);
		json_array_append_new(miss, json_integer(p->miss[i]));
	}
	return json_pack("{s:o, s:o}", "hit", hits, "miss", miss);
}

static json_t *evidence(const struct policy_finding *found)
{
	json_t *all = json_array();

	for (size_t i = 0; i < found->cycles; i++)
		json_array_append_new(
			all, json_pack("{s:i, s:f, s:f, s:f}", "cycle",
				       (int)found->measured[i], "misses",
				       found->misses[i], "expected_least",
				       found->expected[i].low, "expected_most",
				       found->expected[i].high));
	return all;
}

static json_t *set_json(const struct policy_finding *found)
{
	json_t *names = json_array();
	bool named = found->kind == POLICY_KNOWN ||
		     found->kind == POLICY_RANDOMISED;
	json_t *policy;

	for (size_t i = 0; i < found->name_count; i++)
		json_array_append_new(names, json_string(found->names[i]));
	policy = json_pack("{s:o, s:s, s:s, s:o, s:i, s:i, s:i, s:s, s:o}",
			   "value",
			   named ? json_string(found->names[0]) : json_null(),
			   "status",
			   policy_is_decided(found) ? "measured" : "undecided",
			   "kind", policy_kind_name(found->kind),
			   policy_is_decided(found) ? "names" : "candidates",
			   names, "sequences", (int)found->split,
			   "confirmed_by", (int)(found->cycles - found->split),
			   "answers", (int)found->answers, "method",
			   "simulate and compare", "evidence", evidence(found));
	if (policy_is_decided(found))
		json_set(policy, "answer_error_bound",
			 json_real(found->answer_bound));
	if (found->reason[0])
		json_set(policy, "reason", json_string(found->reason));
	if (found->kind == POLICY_PERMUTATION)
		json_set(policy, "permutation", vectors(&found->permutation));
	return policy;
}

static json_t *ranges_json(const struct dueling_finding *duel,
			   enum dueling_role role)
{
	size_t count = dueling_ranges(duel, role, NULL, 0);
	struct dueling_range *all = calloc(count + 1, sizeof(*all));
	json_t *ranges = json_array();

	count = all ? dueling_ranges(duel, role, all, count) : 0;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			ranges, json_pack("[I, I]", (json_int_t)all[i].first,
					  (json_int_t)all[i].last));
	free(all);
	return ranges;
}

static json_t *bits_json(uint64_t bits)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, bits);
	return json_string(text);
}

/* Return nothing where no policy was found. */
static json_t *relation_json(const struct dueling_finding *d,
			     enum dueling_role role)
{
	const struct dueling_relation *r = &d->relations[role];
	char text[DUELING_RELATION_TEXT];

	if (!d->related[role])
		return NULL;
	dueling_relation_text(r, text);
	return json_pack("{s:s, s:o, s:o, s:i, s:o, s:o}", "expression", text,
			 "fixed_bits", bits_json(r->fixed), "fixed_value",
			 bits_json(r->value), "pair_shift", (int)r->shift,
			 "pair_bits", bits_json(r->pairs), "pair_value",
			 bits_json(r->differ));
}

static json_t *leader_json(const struct level_policy *found,
			   const struct leader_policy *l)
{
	json_t *policy = set_json(&l->found), *equivalent = json_array();
	json_t *relation = relation_json(&found->duel, l->role);
	json_t *leader, *likely_ones = json_array();

	for (size_t i = 1;
	     policy_is_decided(&l->found) && i < l->found.name_count; i++)
		json_array_append_new(equivalent,
				      json_string(l->found.names[i]));
	leader = json_pack("{s:O, s:o, s:b, s:I, s:o, s:I}", "policy",
			   json_object_get(policy, "value"), "equivalent",
			   equivalent, "resists_thrashing",
			   l->role == DUELING_LEADS_THRASH, "set_count",
			   (json_int_t)found->duel.counts[l->role], "sets",
			   ranges_json(&found->duel, l->role), "asked_set",
			   (json_int_t)l->set);
	for (size_t i = 0;
	     !policy_is_decided(&l->found) && i < l->found.name_count; i++)
		if (policy_is_likely(found, l, i))
			json_array_append_new(likely_ones,
					      json_string(l->found.names[i]));
	if (json_array_size(likely_ones))
		json_object_set(leader, "likely", likely_ones);
	json_decref(likely_ones);
	if (relation)
		json_set(leader, "relation", relation);
	json_object_del(policy, "value");
	json_object_update_missing(leader, policy);
	json_decref(policy);
	return leader;
}

static json_t *dueling_json(const struct dueling_finding *d)
{
	json_t *duel = json_pack("{s:s, s:i, s:i, s:i}", "status",
				 d->verdict == DUELING_UNDECIDED ? "undecided" :
								   "measured",
				 "sets_tried", (int)d->tried, "readings",
				 (int)d->readings, "pushes", (int)d->pushes);

	if (d->sets)
		json_set(duel, "sets", json_integer((json_int_t)d->sets));
	if (d->verdict == DUELING_SEEN)
		json_set(duel, "error_bound", json_real(d->seen_bound));
	if (d->roles)
		json_object_update_new(
			duel,
			json_pack("{s:I, s:I, s:f}", "following",
				  (json_int_t)d->counts[DUELING_FOLLOWS],
				  "undecided",
				  (json_int_t)d->counts[DUELING_ROLE_UNDECIDED],
				  "roles_error_bound", d->roles_bound));
	if (d->reason[0])
		json_set(duel, "reason", json_string(d->reason));
	return duel;
}

static json_t *adaptive_json(const struct level_policy *found)
{
	const struct dueling_finding *d = &found->duel;
	json_t *leaders = json_array();

	for (int i = 0; d->roles && i < DUELING_KINDS; i++)
		if (d->counts[found->leaders[i].role])
			json_array_append_new(leaders,
					      leader_json(found,
							  &found->leaders[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "value", "adaptive",
			 "status", "measured", "kind", "adaptive", "method",
			 "set dueling", "adaptive", true, "leaders", leaders);
}

json_t *policy_json(const struct level_policy *found)
{
	const struct dueling_finding *d = &found->duel;
	json_t *policy;

	if (d->verdict == DUELING_SEEN) {
		policy = adaptive_json(found);
	} else {
		policy = set_json(&found->set);
		json_set(policy, "adaptive",
			 d->verdict == DUELING_NOT_SEEN ? json_false() :
							  json_null());
	}
	if (d->tried || d->reason[0])
		json_set(policy, "dueling", dueling_json(d));
	return json_pack("{s:i, s:s, s:o}", "level", (int)found->level, "type",
			 "data", "policy", policy);
}
