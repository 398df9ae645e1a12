// SPDX-License-Identifier: GPL-2.0
#include "report/effective.h"

#include "base/text.h"
#include "report/cells.h"
#include "report/json_value.h"

#define NAME 14

/* --- the table ------------------------------------------------------------ */

static bool is_wanted(const struct effective_report *e, size_t i)
{
	return !e->level || e->level == i + 1;
}

static void print_row(const char *when, const char *name,
		      const struct side_level *level, FILE *out)
{
	char capacity[CELL], line[CELL], latency[CELL];

	cell_bytes(capacity, &level->capacity_bytes);
	cell_bytes(line, &level->line_bytes);
	cell_time(latency, &level->latency_cycles, "cycles");
	fprintf(out, "%-*s %-8s %10s %6s %14s\n", NAME, when, name, capacity,
		line, latency);
}

static void print_part(const struct effective_report *e,
		       const struct side_result *s, const char *when, FILE *out)
{
	struct side_level memory = { .latency_cycles =
					     s->memory_latency_cycles };
	char name[CELL];

	for (size_t i = 0; i < s->cache_count; i++) {
		if (!is_wanted(e, i))
			continue;
		snprintf(name, sizeof(name), "L%zu", i + 1);
		print_row(when, name, &s->caches[i], out);
		when = "";
	}
	if (!e->level)
		print_row(when, "memory", &memory, out);
}

static void print_reason(const char *when, size_t level, const char *name,
			 const struct parameter *p, FILE *out)
{
	if (p->status != PARAMETER_UNDECIDED)
		return;
	fprintf(out, "  %s: ", when);
	if (level)
		fprintf(out, "L%zu ", level);
	fprintf(out, "%s: undecided: %s\n", name, p->reason);
}

static void print_reasons(const struct effective_report *e,
			  const struct side_result *s, const char *when,
			  FILE *out)
{
	print_reason(when, 0, "levels", &s->levels, out);
	for (size_t i = 0; i < s->cache_count; i++) {
		const struct side_level *level = &s->caches[i];

		if (!is_wanted(e, i))
			continue;
		print_reason(when, i + 1, "effective capacity",
			     &level->capacity_bytes, out);
		print_reason(when, i + 1, "line", &level->line_bytes, out);
		print_reason(when, i + 1, "latency", &level->latency_cycles,
			     out);
	}
	if (!e->level)
		print_reason(when, 0, "memory latency",
			     &s->memory_latency_cycles, out);
	if (e->level > s->cache_count)
		fprintf(out, "  %s: no level L%zu was found\n", when, e->level);
}

static void print_load(const struct effective_load *load, FILE *out)
{
	char bytes[CELL];

	text_bytes_exact(load->bytes, bytes, CELL);
	fprintf(out, "\nload: CPU");
	for (size_t i = 0; i < load->cpu_count; i++)
		fprintf(out, "%s %d", i ? "," : "", load->cpus[i]);
	fprintf(out,
		" walked %s each, with %.3g loads during the measurement\n",
		bytes, load->loads);
}

void effective_table(const struct effective_report *e, FILE *out)
{
	report_head(e->r, out);
	fprintf(out, "%-*s %-8s %10s %6s %14s\n", NAME, "", "", "effective",
		"line", "latency");
	print_part(e, e->alone, "alone", out);
	if (e->loaded)
		print_part(e, e->loaded, "beside load", out);
	if (e->loaded)
		print_load(e->load, out);
	fputc('\n', out);
	print_reasons(e, e->alone, "alone", out);
	if (e->loaded)
		print_reasons(e, e->loaded, "beside load", out);
	fprintf(out, "%.3g loads; %.1f s; --seed %llu\n",
		e->alone->loads + (e->loaded ? e->loaded->loads : 0),
		e->r->seconds, (unsigned long long)e->r->seed);
	if (!e->r->found->complete)
		fprintf(out,
			"The measurement %s: the table has only the finished parts.\n",
			e->r->failure ? "failed" : "was interrupted");
}

/* --- the document --------------------------------------------------------- */

static json_t *json_level(const struct side_level *level, size_t number)
{
	json_t *o = json_object();

	json_set(o, "level", json_integer((json_int_t)number));
	json_set(o, "effective_capacity_bytes",
		 json_parameter(&level->capacity_bytes));
	json_set(o, "line_bytes", json_parameter(&level->line_bytes));
	json_set(o, "ways", json_parameter(&level->ways));
	json_set(o, "latency_cycles", json_parameter(&level->latency_cycles));
	return o;
}

static json_t *json_part(const struct effective_report *e,
			 const struct side_result *s)
{
	json_t *o = json_object(), *caches = json_array();

	for (size_t i = 0; i < s->cache_count; i++)
		if (is_wanted(e, i))
			json_array_append_new(caches,
					      json_level(&s->caches[i], i + 1));
	json_set(o, "complete", json_boolean(s->complete));
	json_set(o, "levels", json_parameter(&s->levels));
	json_set(o, "caches", caches);
	json_set(o, "memory",
		 json_pack("{s:o}", "latency_cycles",
			   json_parameter(&s->memory_latency_cycles)));
	json_set(o, "loads", json_real(s->loads));
	json_set(o, "seconds", json_real(s->seconds));
	return o;
}

static json_t *json_load(const struct effective_load *load)
{
	json_t *o = json_object(), *cpus = json_array();

	for (size_t i = 0; i < load->cpu_count; i++)
		json_array_append_new(cpus, json_integer(load->cpus[i]));
	json_set(o, "cpus", cpus);
	json_set(o, "bytes", json_integer((json_int_t)load->bytes));
	json_set(o, "loads", json_real(load->loads));
	return o;
}

json_t *effective_json(const struct effective_report *e)
{
	json_t *root = json_head(e->r);

	json_set(root, "alone", json_part(e, e->alone));
	json_set(root, "load", e->loaded ? json_load(e->load) : json_null());
	json_set(root, "loaded",
		 e->loaded ? json_part(e, e->loaded) : json_null());
	return root;
}
