// SPDX-License-Identifier: GPL-2.0
#include "method/levels/levels.h"
#include "set_session.h"

#include <string.h>

#include "cmd.h"
#include "method/set/collect.h"
#include "report/json_out.h"

#define SETS 64

int set_session_begin(struct set_session *s, const struct options *options,
		      size_t levels, size_t pairs, struct failure *f)
{
	int error;

	memset(s, 0, sizeof(*s));
	s->m = cmd_open_machine(options, f);
	if (!s->m)
		return -ENODEV;
	cmd_begin(&s->prober, s->m, options);
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

/* Check the parameters that are needed of a level and of those above it. */
static int check_known(const struct cache_result *c, struct failure *f)
{
	if (parameter_is_measured(&c->ways) &&
	    parameter_is_measured(&c->line_bytes))
		return 0;
	return fail(
		f, STATUS_UNAVAILABLE, ENODATA,
		"L%d: its geometry is not decided, so no lines of one set are known: %.200s",
		c->level,
		c->ways.reason[0] ? c->ways.reason : c->line_bytes.reason);
}

static bool has_stride(const struct cache_result *c)
{
	return parameter_is_measured(&c->capacity_bytes) &&
	       c->index == INDEX_LINEAR;
}

static int check_above(const struct cache_result *c, int level,
		       struct failure *f)
{
	int error = check_known(c, f);

	if (!error && !has_stride(c))
		error = fail(
			f, STATUS_UNAVAILABLE, ENODATA,
			"L%d: no stride finds the sets of L%d, so no lines are certain to miss it (--level %d identifies its own policy)",
			level, c->level, c->level);
	return error;
}

static int check_own(const struct cache_result *c, struct failure *f)
{
	int error = check_known(c, f);

	if (error)
		return error;
	if (c->inclusion == INCLUSION_EXCLUSIVE ||
	    (parameter_is_measured(&c->effective_ways) &&
	     c->effective_ways.value != c->ways.value))
		return fail(
			f, STATUS_UNAVAILABLE, ENODATA,
			"L%d: it also holds lines that the levels above evict, so the effect of an access on its sets is not known",
			c->level);
	if (c->ways.value < 2 || c->ways.value > SET_MOST_WAYS)
		return fail(
			f, STATUS_UNAVAILABLE, EDOM,
			"L%d: %.0f ways: only policies of 2 to %d ways are identified",
			c->level, c->ways.value, SET_MOST_WAYS);
	return 0;
}

static int check_level(const struct set_session *s, size_t level,
		       struct failure *f)
{
	int error;

	if (level > s->found.cache_count)
		return fail(f, STATUS_UNAVAILABLE, ENODATA,
			    "no level L%zu was found", level);
	error = check_own(&s->found.caches[level - 1], f);
	for (size_t i = 0; !error && i + 1 < level; i++)
		error = check_above(&s->found.caches[i], (int)level, f);
	return error;
}

static struct set_level_geometry geometry_of(const struct cache_result *c)
{
	return (struct set_level_geometry){
		.ways = (unsigned int)c->ways.value,
		.line_bytes = (uint64_t)c->line_bytes.value,
		.way_bytes =
			(uint64_t)(c->capacity_bytes.value / c->ways.value),
	};
}

/* Take lines of one set by the stride that finds its sets. */
static int take_stride(struct set_session *s, size_t level, uint64_t set,
		       struct failure *f)
{
	int error;

	if (set == SET_SESSION_ANY)
		set = rng_below(&s->prober.rng, SETS);
	error = set_lines_linear(&s->lines, &s->prober, s->levels, level, set);
	if (error == -ENOMEM)
		return prober_out_of_memory(f);
	if (error)
		return fail(
			f, STATUS_UNAVAILABLE, -error,
			error == -ERANGE ?
				"L%zu: too little contiguous memory for enough lines of one set (free some)" :
				"L%zu: the sets of the levels above leave no lines that miss only there",
			level);
	return 0;
}

/* Find lines of one set by conflict tests; the set has no number. */
static int collect(struct set_session *s, size_t level, struct failure *f)
{
	char why[200];
	int error = set_collect(&s->lines, &s->prober, &s->found, level, why,
				sizeof(why), f);

	s->collected = true;
	if (!error && why[0])
		error = fail(f, STATUS_UNAVAILABLE, ENODATA, "L%zu: %s", level,
			     why);
	return error;
}

int set_session_open(struct set_session *s, size_t level, uint64_t set,
		     struct failure *f)
{
	int error = check_level(s, level, f);
	bool stride = !error && has_stride(&s->found.caches[level - 1]);

	s->collected = false;
	if (error)
		return error;
	for (size_t i = 0; i < level; i++)
		s->levels[i] = geometry_of(&s->found.caches[i]);
	if (stride)
		error = take_stride(s, level, set, f);
	/* Scattered pages may hold lines of one set that no stride reaches. */
	if (!stride || (error && error != -ENOMEM && set == SET_SESSION_ANY)) {
		f->text[0] = '\0';
		set_lines_free(&s->lines);
		error = collect(s, level, f);
	}
	return error ? error :
		       set_machine_open(&s->set, &s->prober, &s->lines,
					(int)level, f);
}

void set_session_close_set(struct set_session *s)
{
	set_machine_close(&s->set);
	set_lines_free(&s->lines);
}
