// SPDX-License-Identifier: GPL-2.0
#include "set_session.h"

#include <string.h>

#include "../host/json_out.h"
#include "../method/xray.h"
#include "cmd.h"

#define SETS 64

int set_session_begin(struct set_session *s, const struct options *options,
		      size_t levels, size_t pairs, struct failure *f)
{
	int error;

	memset(s, 0, sizeof(*s));
	s->m = cmd_open_machine(options, f);
	if (!s->m)
		return -ENODEV;
	prober_begin(&s->prober, s->m, options->seed);
	s->prober.stop = cmd_interrupted();
	s->prober.by = options->decide_by;
	s->prober.most_levels = levels;
	if (pairs)
		s->prober.mask_pairs = pairs;
	error = prober_trust_counters(&s->prober, f);
	if (!error)
		error = xray_measure(&s->prober, &s->found, f);
	return error;
}

void set_session_end(struct set_session *s)
{
	set_session_close_set(s);
	machine_close(s->m);
	s->m = NULL;
}

enum exit_status set_session_finish(struct set_session *s, int error,
				    const char *command,
				    const struct options *options,
				    struct failure *f)
{
	set_session_end(s);
	if (error == -EINTR)
		fail(f, STATUS_FAILED, EINTR, "%s: interrupted (run it again)",
		     command);
	return error ? cmd_report(f, options) : STATUS_DONE;
}

int set_session_caches(json_t *caches, struct failure *f)
{
	return json_out(json_pack("{s:i, s:o}", "schema", 1, "caches", caches),
			JSON_INDENT(2) | JSON_REAL_PRECISION(6), f);
}

/* What a level is known by; else why not. */
static int take_level(const struct cache_result *c,
		      struct level_geometry *geometry, struct failure *f)
{
	if (c->ways.status != PARAMETER_MEASURED ||
	    c->capacity_bytes.status != PARAMETER_MEASURED ||
	    c->line_bytes.status != PARAMETER_MEASURED)
		return fail(
			f, STATUS_UNAVAILABLE, ENODATA,
			"L%d: its geometry is not decided, so no lines of one set are known: %.200s",
			c->level,
			c->ways.reason[0] ? c->ways.reason :
					    c->line_bytes.reason);
	if (c->index != INDEX_LINEAR)
		return fail(
			f, STATUS_UNAVAILABLE, ENODATA,
			"L%d: its index is not linear, so no lines of one set are known",
			c->level);
	if (c->effective_ways.status == PARAMETER_MEASURED &&
	    c->effective_ways.value != c->ways.value)
		return fail(
			f, STATUS_UNAVAILABLE, ENODATA,
			"L%d: levels above add to it, so what a visit does there is not known",
			c->level);
	*geometry = (struct level_geometry){
		.ways = (unsigned int)c->ways.value,
		.line_bytes = (uint64_t)c->line_bytes.value,
		.way_bytes =
			(uint64_t)(c->capacity_bytes.value / c->ways.value),
	};
	if (geometry->ways < 2 || geometry->ways > POLICY_SET_WAYS)
		return fail(f, STATUS_UNAVAILABLE, EDOM,
			    "L%d: %u ways: policies of 2 to %d are told apart",
			    c->level, geometry->ways, POLICY_SET_WAYS);
	return 0;
}

int set_session_open(struct set_session *s, size_t level, uint64_t set,
		     struct failure *f)
{
	int error;

	if (level > s->found.cache_count)
		return fail(f, STATUS_UNAVAILABLE, ENODATA,
			    "L%zu: no such level was found", level);
	for (size_t i = 0; i < level; i++) {
		error = take_level(&s->found.caches[i], &s->levels[i], f);
		if (error)
			return error;
	}
	if (set == SET_SESSION_ANY)
		set = rng_below(&s->prober.rng, SETS);
	error = level_lines_linear(&s->lines, &s->prober, s->levels, level,
				   set);
	if (error == -ENOMEM)
		return prober_out_of_memory(f);
	if (error)
		return fail(
			f, STATUS_UNAVAILABLE, -error,
			error == -ERANGE ?
				"L%zu: too little contiguous memory for enough lines of one set (free some)" :
				"L%zu: the sets of the levels above leave no lines that miss there only",
			level);
	return level_set_open(&s->set, &s->prober, &s->lines, (int)level, f);
}

void set_session_close_set(struct set_session *s)
{
	level_set_close(&s->set);
	level_lines_free(&s->lines);
}
