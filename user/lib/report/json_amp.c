// SPDX-License-Identifier: GPL-2.0
/* json_amp.c - AMP's results, with the votes, as JSON. */
#include "report/disagreement.h"
#include "report/json_value.h"

static json_t *voted(const struct amp_parameter *p)
{
	json_t *o = json_parameter(&p->p), *votes = json_array();

	for (size_t i = 0; i < p->vote_count; i++)
		json_array_append_new(votes,
				      json_integer((json_int_t)p->votes[i]));
	json_set(o, "votes", votes);
	json_set(o, "accesses", json_integer((json_int_t)p->accesses));
	return o;
}

/* The same for a parameter whose values 0 and 1 stand for words. */
static json_t *voted_for(const struct amp_parameter *p, json_t *zero,
			 json_t *one)
{
	json_t *o = voted(p), *votes = json_array();

	for (size_t i = 0; i < p->vote_count; i++)
		json_array_append(votes, p->votes[i] > 0 ? one : zero);
	json_set(o, "votes", votes);
	if (parameter_is_measured(&p->p))
		json_object_set(o, "value", p->p.value > 0 ? one : zero);
	json_decref(zero);
	json_decref(one);
	return o;
}

static json_t *row_json(const struct amp_row *row)
{
	bool tlb = row->mapped_bytes != 0;
	json_t *o = json_object();

	json_set(o, "level", json_integer(row->level));
	json_set(o, "type", json_string(row->type));
	json_set(o, "counter",
		 row->counter ? json_string(row->counter) : json_null());
	if (tlb)
		json_set(o, "mapped_bytes",
			 json_integer((json_int_t)row->mapped_bytes));
	json_set(o, tlb ? "page_bytes" : "line_bytes",
		 voted(&row->block_bytes));
	json_set(o, tlb ? "entries" : "capacity_bytes", voted(&row->size));
	json_set(o, "ways", voted(&row->ways));
	if (!tlb) {
		json_set(o, "write_allocate",
			 voted_for(&row->write_allocate, json_false(),
				   json_true()));
		json_set(o, "write_back",
			 voted_for(&row->write_back, json_false(),
				   json_true()));
	}
	json_set(o, "replacement",
		 voted_for(&row->replacement, json_string("repeatable"),
			   json_string("random")));
	json_set(o, "unified",
		 voted_for(&row->unified, json_false(), json_true()));
	return o;
}

static json_t *rows_json(const struct amp_row *rows, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, row_json(&rows[i]));
	return array;
}

static void add_disagreement(const struct disagreement *d, void *array)
{
	json_array_append_new(
		array,
		json_pack("{s:s, s:i, s:s, s:b, s:s, s:I, s:I}", "where",
			  d->where, "level", d->row->level, "type",
			  d->row->type, "tlb", d->row->mapped_bytes != 0,
			  "parameter", d->name, "x-ray", (json_int_t)d->xray,
			  "amp", (json_int_t)d->amp));
}

json_t *json_amp(const struct report *r)
{
	const struct amp_result *amp = r->amp;
	json_t *disagreements = json_array();
	json_t *o = json_object();

	json_set(o, "decision",
		 json_string(amp->decision == AMP_BY_VOTES ? "amp" :
							     "sequential"));
	json_set(o, "caches", rows_json(amp->caches, amp->cache_count));
	json_set(o, "tlbs", rows_json(amp->tlbs, amp->tlb_count));
	disagreements_each(r, add_disagreement, disagreements);
	json_set(o, "disagreements", disagreements);
	return o;
}
