// SPDX-License-Identifier: GPL-2.0
#include "model/profile/draw.h"

#include <string.h>

#include "base/text.h"
#include "model/profile/parse.h"

#define LINE 64
#define BOX_LINES 4
#define BOXES (PROFILE_MAX_CACHES + PROFILE_MAX_TLBS)

/** struct box - the text of one rectangle */
struct box {
	char lines[BOX_LINES][LINE];
};

static const char *policy_name(const struct profile_policy *p)
{
	return p->name == PROFILE_QLRU ? p->variant :
					 profile_policies()[p->name];
}

static void index_text(const struct profile_index *x, char *text, size_t size)
{
	if (x->kind == PROFILE_INDEX_SLICED)
		snprintf(text, size, "%u slices", x->slices);
	else if (x->fold)
		snprintf(text, size, "xor fold %u", x->fold);
	else
		snprintf(text, size, "%s", profile_index_kinds()[x->kind]);
}

/* Ways that no line of a program takes. */
static unsigned int held_ways(const struct profile_cache *c)
{
	const uint64_t mask = c->policy.allocation_mask;

	return mask ? c->ways - (unsigned int)__builtin_popcountll(mask) :
		      c->reserved_lines_per_set;
}

/* " of big", where only CPUs of one type have it. */
static const char *owner(const struct profile *p, uint64_t absent_on,
			 char *text, size_t size)
{
	const char *name = "";

	for (size_t i = 0; absent_on && i < p->core_type_count; i++)
		if (!(p->core_types[i].cpus & absent_on))
			name = p->core_types[i].name;
	snprintf(text, size, "%s%s", *name ? " of " : "", name);
	return text;
}

static void cache_box(const struct profile *p, const struct profile_cache *c,
		      struct box *b)
{
	char bytes[24], index[24], of[16];

	index_text(&c->index, index, sizeof(index));
	snprintf(b->lines[0], LINE, "L%d %s%s  %s  %g cycles", c->level,
		 profile_types()[c->type],
		 owner(p, c->absent_on, of, sizeof(of)),
		 text_bytes(c->capacity_bytes, bytes, sizeof(bytes)),
		 c->latency_cycles);
	snprintf(b->lines[1], LINE, "%u ways x %llu sets x %u B", c->ways,
		 (unsigned long long)c->sets, c->line_bytes);
	snprintf(b->lines[2], LINE, "%s, %s, %s index", policy_name(&c->policy),
		 index, c->physical ? "physical" : "virtual");
	snprintf(b->lines[3], LINE, "%s, %u instance%s, %u reserved",
		 profile_inclusions()[c->inclusion], c->instances,
		 c->instances == 1 ? "" : "s", held_ways(c));
}

static void tlb_box(const struct profile *p, const struct profile_tlb *t,
		    struct box *b)
{
	char index[24], bytes[24], of[16];
	size_t used = 0;

	index_text(&t->index, index, sizeof(index));
	snprintf(b->lines[0], LINE, "TLB L%d %s%s  +%g cycles", t->level,
		 profile_types()[t->type],
		 owner(p, t->absent_on, of, sizeof(of)), t->latency_cycles);
	snprintf(b->lines[1], LINE, "%u entries, %u ways%s", t->entries,
		 t->ways, t->ways == t->entries ? " (full)" : "");
	snprintf(b->lines[2], LINE, "%s, %s", policy_name(&t->policy), index);
	b->lines[3][0] = '\0';
	for (size_t i = 0; i < t->page_size_count; i++)
		used += (size_t)snprintf(b->lines[3] + used, LINE - used,
					 "%s%s", i ? ", " : "pages ",
					 text_bytes(t->page_bytes[i], bytes,
						    sizeof(bytes)));
}

static size_t boxes_of(const struct profile *p, struct box *caches,
		       struct box *tlbs)
{
	for (size_t i = 0; i < p->cache_count; i++)
		cache_box(p, &p->caches[i], &caches[i]);
	for (size_t i = 0; i < p->tlb_count; i++)
		tlb_box(p, &p->tlbs[i], &tlbs[i]);
	return p->cache_count > p->tlb_count ? p->cache_count : p->tlb_count;
}

static void rule(bool left, bool right, FILE *out)
{
	static const char dashes[] =
		"+------------------------------------------+";

	fprintf(out, "%-44s", left ? dashes : "");
	fprintf(out, "%s%s\n", right ? "   " : "", right ? dashes : "");
}

static void row(const struct box *left, const struct box *right, FILE *out)
{
	rule(left, right, out);
	for (size_t i = 0; i < BOX_LINES; i++) {
		if (left)
			fprintf(out, "| %-40.40s |", left->lines[i]);
		else
			fprintf(out, "%44s", "");
		if (right)
			fprintf(out, "   | %-40.40s |", right->lines[i]);
		fputc('\n', out);
	}
	rule(left, right, out);
}

void draw_text(const struct profile *p, FILE *out)
{
	struct box caches[BOXES] = { 0 }, tlbs[BOXES] = { 0 };
	size_t rows = boxes_of(p, caches, tlbs);

	fprintf(out, "%s\n%u CPU%s, %g ns a cycle, %u physical address bits\n",
		p->name, p->cpus, p->cpus == 1 ? "" : "s", p->cycle_ns,
		p->phys_bits);
	for (size_t i = 0; i < rows; i++)
		row(i < p->cache_count ? &caches[i] : NULL,
		    i < p->tlb_count ? &tlbs[i] : NULL, out);
	fprintf(out, "memory: %g cycles; page walk: %g cycles, %s the caches\n",
		p->memory_latency_cycles, p->walk_latency_cycles,
		p->walk_touches_caches ? "through" : "beside");
}

static void svg_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

static void svg_box(const struct box *b, int x, int y, const char *fill,
		    FILE *out)
{
	fprintf(out,
		"<rect x=\"%d\" y=\"%d\" width=\"330\" height=\"84\" rx=\"6\" fill=\"%s\" stroke=\"#345\"/>\n",
		x, y, fill);
	for (int i = 0; i < BOX_LINES; i++) {
		fprintf(out, "<text x=\"%d\" y=\"%d\"%s>", x + 12,
			y + 20 + 18 * i, i ? "" : " font-weight=\"bold\"");
		svg_text(b->lines[i], out);
		fputs("</text>\n", out);
	}
}

void draw_svg(const struct profile *p, FILE *out)
{
	struct box caches[BOXES] = { 0 }, tlbs[BOXES] = { 0 };
	struct box memory = { 0 };
	int rows = (int)boxes_of(p, caches, tlbs);
	int height = 40 + 100 * (rows + 1);

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n<text x=\"20\" y=\"26\" font-size=\"16\">",
		height);
	svg_text(p->name, out);
	fputs("</text>\n", out);
	for (size_t i = 0; i < p->cache_count; i++)
		svg_box(&caches[i], 20, 40 + 100 * (int)i, "#def", out);
	for (size_t i = 0; i < p->tlb_count; i++)
		svg_box(&tlbs[i], 370, 40 + 100 * (int)i, "#fed", out);
	snprintf(memory.lines[0], LINE, "memory  %g cycles",
		 p->memory_latency_cycles);
	snprintf(memory.lines[1], LINE, "page walk  %g cycles",
		 p->walk_latency_cycles);
	svg_box(&memory, 20, 40 + 100 * rows, "#eee", out);
	fputs("</svg>\n", out);
}

static json_t *cache_json(const struct profile_cache *c)
{
	return json_pack("{si ss sI si si sI sf sf ss ss ss si}", "level",
			 c->level, "type", profile_types()[c->type],
			 "capacity_bytes", (json_int_t)c->capacity_bytes,
			 "ways", (int)c->ways, "line_bytes", (int)c->line_bytes,
			 "sets", (json_int_t)c->sets, "latency_cycles",
			 c->latency_cycles, "same_set_miss_cycles",
			 c->same_set_miss_cycles, "policy",
			 policy_name(&c->policy), "index",
			 profile_index_kinds()[c->index.kind], "inclusion",
			 profile_inclusions()[c->inclusion], "instances",
			 (int)c->instances);
}

static json_t *tlb_json(const struct profile_tlb *t)
{
	json_t *pages = json_array();

	for (size_t i = 0; i < t->page_size_count; i++)
		json_array_append_new(
			pages, json_integer((json_int_t)t->page_bytes[i]));
	return json_pack("{si ss so si si sf ss ss}", "level", t->level, "type",
			 profile_types()[t->type], "page_bytes", pages,
			 "entries", (int)t->entries, "ways", (int)t->ways,
			 "latency_cycles", t->latency_cycles, "policy",
			 policy_name(&t->policy), "index",
			 profile_index_kinds()[t->index.kind]);
}

static json_t *levels_json(const struct profile_walk_cache *c)
{
	json_t *all = json_array();

	for (int k = 0; k < PROFILE_TABLES; k++)
		if (c->tables >> k & 1)
			json_array_append_new(all,
					      json_string(profile_table_name(
						      (enum profile_table)k)));
	return all;
}

static json_t *walk_caches_json(const struct profile *p)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->walk_cache_count; i++) {
		const struct profile_walk_cache *c = &p->walk_caches[i];

		json_array_append_new(
			all,
			json_pack("{so si si ss ss}", "levels", levels_json(c),
				  "entries", (int)c->entries, "ways",
				  (int)c->ways, "policy",
				  policy_name(&c->policy), "index",
				  profile_index_kinds()[c->index.kind]));
	}
	return all;
}

json_t *draw_json(const struct profile *p)
{
	json_t *caches = json_array(), *tlbs = json_array();

	for (size_t i = 0; i < p->cache_count; i++)
		json_array_append_new(caches, cache_json(&p->caches[i]));
	for (size_t i = 0; i < p->tlb_count; i++)
		json_array_append_new(tlbs, tlb_json(&p->tlbs[i]));
	return json_pack("{si sb ss si so so so sf}", "schema", 1, "valid", 1,
			 "name", p->name, "cpus", (int)p->cpus, "caches",
			 caches, "tlbs", tlbs, "walk_caches",
			 walk_caches_json(p), "memory_latency_cycles",
			 p->memory_latency_cycles);
}
