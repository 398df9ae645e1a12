// SPDX-License-Identifier: GPL-2.0
/* amp.c - AMP's answers, and where X-Ray's are others. */
#include <string.h>

#include "report/report.h"

#define CELL 24

/* --- what both found ----------------------------------------------------- */

/**
 * struct twin - one parameter by both methods
 * @name: as in the JSON document
 * @amp: AMP's
 * @other: X-Ray's
 */
struct twin {
	const char *name;
	const struct amp_parameter *amp;
	const struct parameter *other;
};

#define TWINS 6

static const struct cache_result *cache_of(const struct amp_row *row,
					   const struct hierarchy *h)
{
	if (amp_is_code(row))
		return h->instruction.level == row->level ? &h->instruction :
							    NULL;
	for (size_t i = 0; i < h->cache_count; i++)
		if (h->caches[i].level == row->level)
			return &h->caches[i];
	return NULL;
}

static size_t cache_twins(const struct amp_row *row, const struct hierarchy *h,
			  struct twin *twins)
{
	const struct cache_result *c = cache_of(row, h);

	if (!c)
		return 0;
	twins[0] = (struct twin){ "line_bytes", &row->block_bytes,
				  &c->line_bytes };
	twins[1] = (struct twin){ "capacity_bytes", &row->size,
				  &c->capacity_bytes };
	twins[2] = (struct twin){ "ways", &row->ways, &c->ways };
	twins[3] = (struct twin){ "write_allocate", &row->write_allocate,
				  &c->write_allocate };
	twins[4] =
		(struct twin){ "write_back", &row->write_back, &c->write_back };
	twins[5] = (struct twin){ "unified", &row->unified, &c->unified };
	return TWINS;
}

static bool same_side(const char *a, const char *b)
{
	return !strcmp(a, "instruction") == !strcmp(b, "instruction");
}

static size_t tlb_twins(const struct amp_row *row, const struct hierarchy *h,
			struct twin *twins)
{
	static const struct parameter shared = { .status = PARAMETER_MEASURED,
						 .value = 1 };

	for (size_t i = 0; i < h->tlb_count; i++) {
		const struct tlb_result *t = &h->tlbs[i];

		if (t->level != row->level || !same_side(t->type, row->type) ||
		    t->page_bytes != row->mapped_bytes)
			continue;
		twins[0] = (struct twin){ "entries", &row->size, &t->entries };
		twins[1] = (struct twin){ "ways", &row->ways, &t->ways };
		/* X-Ray says nothing of what it has not seen to be shared. */
		twins[2] = (struct twin){ "unified", &row->unified, &shared };
		return strcmp(t->type, "unified") ? 2 : 3;
	}
	return 0;
}

static bool differ(const struct twin *t)
{
	return parameter_is_measured(&t->amp->p) &&
	       parameter_is_measured(t->other) &&
	       t->amp->p.value != t->other->value;
}

static void row_name(const struct amp_row *row, char *text, size_t size)
{
	snprintf(text, size, "L%d %s%s", row->level, row->type,
		 row->mapped_bytes ? " TLB" : "");
}

/**
 * struct visitor - what is done about a disagreement
 * @out: the table; NULL: @array
 */
struct visitor {
	FILE *out;
	json_t *array;
};

static void tell(const struct visitor *v, const struct amp_row *row,
		 const struct twin *t)
{
	char name[48];

	row_name(row, name, sizeof(name));
	if (v->out)
		fprintf(v->out,
			"  %s %s: the methods disagree: x-ray %.0f, amp %.0f; neither is to be trusted\n",
			name, t->name, t->other->value, t->amp->p.value);
	else
		json_array_append_new(
			v->array,
			json_pack("{s:s, s:i, s:s, s:b, s:s, s:I, s:I}",
				  "where", name, "level", row->level, "type",
				  row->type, "tlb", row->mapped_bytes != 0,
				  "parameter", t->name, "x-ray",
				  (json_int_t)t->other->value, "amp",
				  (json_int_t)t->amp->p.value));
}

static void visit_rows(const struct visitor *v, const struct report *r,
		       const struct amp_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct twin twins[TWINS];
		size_t found = rows[i].mapped_bytes ?
				       tlb_twins(&rows[i], r->found, twins) :
				       cache_twins(&rows[i], r->found, twins);

		for (size_t k = 0; k < found; k++)
			if (differ(&twins[k]))
				tell(v, &rows[i], &twins[k]);
	}
}

static void visit(const struct visitor *v, const struct report *r)
{
	if (r->amp_alone)
		return;
	visit_rows(v, r, r->amp->caches, r->amp->cache_count);
	visit_rows(v, r, r->amp->tlbs, r->amp->tlb_count);
}

/* --- the table ----------------------------------------------------------- */

static void cell(char *text, const struct parameter *p, bool bytes)
{
	if (p->status == PARAMETER_UNAVAILABLE)
		strcpy(text, "N/C");
	else if (p->status == PARAMETER_UNDECIDED)
		strcpy(text, "?");
	else if (bytes)
		report_bytes(text, CELL, (uint64_t)p->value);
	else
		snprintf(text, CELL, "%.0f", p->value);
}

/* How many votes are for what is reported. */
static void print_votes(const struct amp_parameter *p, FILE *out)
{
	size_t same = 0;

	for (size_t i = 0; i < p->vote_count; i++)
		same += parameter_is_measured(&p->p) &&
			p->votes[i] == p->p.value;
	if (p->vote_count)
		fprintf(out, " %4zu/%zu", same, p->vote_count);
	else
		fputs("      -", out);
}

/* What a level does, in a line of its own. */
static void print_more(const struct amp_row *row, FILE *out)
{
	const struct parameter *const all[] = { &row->write_allocate.p,
						&row->write_back.p,
						&row->replacement.p,
						&row->unified.p };
	static const char *const of_caches[][2] = {
		{ "no write-allocate", "write-allocate" },
		{ "written through", "write-back" },
		{ "the same line goes each time", "any line goes (random)" },
		{ "code leaves data alone (split)", "code pushes data out" },
	};
	static const char *const of_tlbs[][2] = {
		{ "", "" },
		{ "", "" },
		{ "the same entry goes each time", "any entry goes (random)" },
		{ "code leaves data alone (split)", "code pushes data out" },
	};
	static const char *const of_code[][2] = {
		{ "", "" },
		{ "", "" },
		{ "the same entry goes each time", "any entry goes (random)" },
		{ "data leaves code alone (split)", "data pushes code out" },
	};
	const char *const(*words)[2] = !row->mapped_bytes ? of_caches :
				       amp_is_code(row)	  ? of_code :
							    of_tlbs;
	const char *between = "   ";

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!parameter_is_measured(all[i]))
			continue;
		fprintf(out, "%s%s", between, words[i][all[i]->value > 0]);
		between = ", ";
	}
	if (between[0] == ',')
		fputc('\n', out);
}

static void print_row(const struct amp_row *row, FILE *out)
{
	char name[48], block[CELL], size[CELL], ways[CELL];

	row_name(row, name, sizeof(name));
	cell(block, &row->block_bytes.p, true);
	cell(size, &row->size.p, !row->mapped_bytes);
	cell(ways, &row->ways.p, false);
	fprintf(out, "%-18s %9s %9s %6s ", name, block, size, ways);
	print_votes(&row->block_bytes, out);
	print_votes(&row->size, out);
	print_votes(&row->ways, out);
	fprintf(out, "  %s\n", row->counter ? row->counter : "-");
	print_more(row, out);
}

/** struct entry - a parameter that may be open */
struct entry {
	const char *name;
	const struct parameter *p;
};

/* Stores are not asked of TLBs. Return: how many. */
static size_t list(const struct amp_row *row, struct entry all[AMP_PARAMETERS])
{
	const bool tlb = row->mapped_bytes;
	size_t count = 0;

	all[count++] =
		(struct entry){ tlb ? "page" : "line", &row->block_bytes.p };
	all[count++] =
		(struct entry){ tlb ? "entries" : "capacity", &row->size.p };
	all[count++] = (struct entry){ "ways", &row->ways.p };
	if (!tlb) {
		all[count++] = (struct entry){ "write-allocate",
					       &row->write_allocate.p };
		all[count++] =
			(struct entry){ "write-back", &row->write_back.p };
	}
	all[count++] = (struct entry){ "replacement", &row->replacement.p };
	all[count++] = (struct entry){ "unified", &row->unified.p };
	return count;
}

static bool same_reason(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->p->reason, b->p->reason);
}

static void print_open(const struct amp_row *row, FILE *out)
{
	struct entry all[AMP_PARAMETERS];
	size_t count = list(row, all);
	char name[48];

	row_name(row, name, sizeof(name));
	for (size_t i = 0; i < count; i++) {
		if (parameter_is_measured(all[i].p) ||
		    (i && same_reason(&all[i], &all[i - 1])))
			continue;
		fprintf(out, "  %s %s", name, all[i].name);
		for (size_t k = i + 1;
		     k < count && same_reason(&all[k], &all[i]); k++)
			fprintf(out, ", %s", all[k].name);
		fprintf(out, ": %s: %s\n",
			all[i].p->status == PARAMETER_UNDECIDED ? "undecided" :
								  "unavailable",
			all[i].p->reason);
	}
}

void amp_table(const struct report *r, FILE *out)
{
	const struct amp_result *amp = r->amp;
	const struct visitor v = { .out = out };

	fprintf(out, "%-18s %9s %9s %6s  %-20s  %s\n", "amp", "line/page",
		"size", "ways",
		amp->decision == AMP_BY_VOTES ? "by most of 8 votes" :
						"votes that agree",
		"counter");
	for (size_t i = 0; i < amp->cache_count; i++)
		print_row(&amp->caches[i], out);
	for (size_t i = 0; i < amp->tlb_count; i++)
		print_row(&amp->tlbs[i], out);
	fputs("\n", out);
	for (size_t i = 0; i < amp->cache_count; i++)
		print_open(&amp->caches[i], out);
	for (size_t i = 0; i < amp->tlb_count; i++)
		print_open(&amp->tlbs[i], out);
	visit(&v, r);
}

/* --- JSON ---------------------------------------------------------------- */

static json_t *voted(const struct amp_parameter *p)
{
	json_t *o = json_parameter(&p->p), *votes = json_array();

	for (size_t i = 0; i < p->vote_count; i++)
		json_array_append_new(votes,
				      json_integer((json_int_t)p->votes[i]));
	json_object_set_new(o, "votes", votes);
	json_object_set_new(o, "accesses",
			    json_integer((json_int_t)p->accesses));
	return o;
}

/* The same where 0 and 1 stand for something else. */
static json_t *voted_for(const struct amp_parameter *p, json_t *zero,
			 json_t *one)
{
	json_t *o = voted(p), *votes = json_array();

	for (size_t i = 0; i < p->vote_count; i++)
		json_array_append(votes, p->votes[i] > 0 ? one : zero);
	json_object_set_new(o, "votes", votes);
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

	json_object_set_new(o, "level", json_integer(row->level));
	json_object_set_new(o, "type", json_string(row->type));
	json_object_set_new(o, "counter",
			    row->counter ? json_string(row->counter) :
					   json_null());
	if (tlb)
		json_object_set_new(
			o, "mapped_bytes",
			json_integer((json_int_t)row->mapped_bytes));
	json_object_set_new(o, tlb ? "page_bytes" : "line_bytes",
			    voted(&row->block_bytes));
	json_object_set_new(o, tlb ? "entries" : "capacity_bytes",
			    voted(&row->size));
	json_object_set_new(o, "ways", voted(&row->ways));
	if (!tlb) {
		json_object_set_new(o, "write_allocate",
				    voted_for(&row->write_allocate,
					      json_false(), json_true()));
		json_object_set_new(o, "write_back",
				    voted_for(&row->write_back, json_false(),
					      json_true()));
	}
	json_object_set_new(o, "replacement",
			    voted_for(&row->replacement,
				      json_string("repeatable"),
				      json_string("random")));
	json_object_set_new(o, "unified",
			    voted_for(&row->unified, json_false(),
				      json_true()));
	return o;
}

static json_t *rows_json(const struct amp_row *rows, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, row_json(&rows[i]));
	return array;
}

json_t *json_amp(const struct report *r)
{
	const struct amp_result *amp = r->amp;
	const struct visitor v = { .array = json_array() };
	json_t *o = json_object();

	json_object_set_new(o, "decision",
			    json_string(amp->decision == AMP_BY_VOTES ?
						"amp" :
						"sequential"));
	json_object_set_new(o, "caches",
			    rows_json(amp->caches, amp->cache_count));
	json_object_set_new(o, "tlbs", rows_json(amp->tlbs, amp->tlb_count));
	visit(&v, r);
	json_object_set_new(o, "disagreements", v.array);
	return o;
}
