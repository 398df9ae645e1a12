// SPDX-License-Identifier: GPL-2.0
/* effective.c - "probe-phys effective": the capacity of each level that a
 * program can use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cmd.h"
#include "machine/load.h"
#include "method/cooper/cooper.h"
#include "model/profile/profile.h"
#include "own_options.h"
#include "progress.h"
#include "report/effective.h"
#include "report/json_out.h"

#define LEAST_BYTES 4096
#define MOST_BYTES (UINT64_C(1) << 40)
/* Twice the cache of most computers; longer footprints take seconds a trial. */
#define USUAL_FOOTPRINT (UINT64_C(64) << 20)
#define LEAST_FOOTPRINT (UINT64_C(64) << 10)
/* The paper uses 100 trials without an improvement, which take minutes. */
#define USUAL_PATIENCE 20
#define MOST_PATIENCE 100000

/** enum load_kind - value of --load */
enum load_kind {
	LOAD_NONE,
	LOAD_SHARED,
	LOAD_LISTED,
};

/**
 * struct request - options of the command
 * @options: global options
 * @level: level of cache, from 1; 0: all
 * @most_bytes: longest footprint
 * @patience: trials without an improvement before a footprint is done
 * @kind: kind of load
 * @load: its CPUs, if listed, and bytes, 0: choose
 */
struct request {
	struct options options;
	uint64_t level;
	uint64_t most_bytes;
	uint64_t patience;
	enum load_kind kind;
	struct effective_load load;
};

/**
 * struct work - state of the measurement
 * @m: the machine
 * @r: options of the command
 * @progress: progress of the command, already begun
 * @alone: result without a load
 * @loaded: result beside the load, if @has_loaded
 * @load: the load that ran
 */
struct work {
	struct machine *m;
	const struct request *r;
	struct progress progress;
	struct side_result alone;
	struct side_result loaded;
	bool has_loaded;
	struct effective_load load;
};

/* --- options -------------------------------------------------------------- */

static void set_load(struct request *r, const char *text,
		     struct argp_state *state)
{
	r->kind = !strcmp(text, "none")	  ? LOAD_NONE :
		  !strcmp(text, "shared") ? LOAD_SHARED :
					    LOAD_LISTED;
	if (r->kind == LOAD_LISTED &&
	    parse_cpus(text, r->load.cpus, MACHINE_OTHERS, &r->load.cpu_count))
		argp_error(
			state,
			"--load: '%s' is no load (use none, shared or a list of up to %d CPUs like 1,3-5)",
			text, MACHINE_OTHERS);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'l':
		if (parse_number(arg, 1, SIDE_LEVELS, &r->level))
			argp_error(state,
				   "--level: '%s' is no level (use 1 to %d)",
				   arg, SIDE_LEVELS);
		return 0;
	case 'L':
		set_load(r, arg, state);
		return 0;
	case 'f':
		if (parse_number(arg, LEAST_FOOTPRINT, MOST_BYTES,
				 &r->most_bytes))
			argp_error(
				state,
				"--footprint: '%s' is no size (use %llu or more)",
				arg, (unsigned long long)LEAST_FOOTPRINT);
		return 0;
	case 'P':
		if (parse_number(arg, 1, MOST_PATIENCE, &r->patience))
			argp_error(
				state,
				"--patience: '%s' is no number of trials (use 1 to %d)",
				arg, MOST_PATIENCE);
		return 0;
	case 'b':
		if (parse_number(arg, LEAST_BYTES, MOST_BYTES, &r->load.bytes))
			argp_error(
				state,
				"--load-bytes: '%s' is no size (use %d or more)",
				arg, LEAST_BYTES);
		return 0;
	default:
		return cmd_usual_option(key, arg, state, &r->options);
	}
}

/* --- CPUs that share a level ---------------------------------------------- */

/* Remove the measuring CPU from the list. */
static void drop_own(const struct machine *m, struct effective_load *load)
{
	size_t kept = 0;

	for (size_t i = 0; i < load->cpu_count; i++)
		if (load->cpus[i] != m->cpu)
			load->cpus[kept++] = load->cpus[i];
	load->cpu_count = kept;
}

/* CPUs that share a level as documented; none if it is not documented. */
static void documented_sharers(const struct machine *m, int level,
			       struct effective_load *load)
{
	const struct documented_cache *c;
	struct documented d;

	cmd_read_documents(&d, m);
	c = documented_find(&d, level, "data");
	load->cpu_count = 0;
	/* A longer list than the load can use is cut. */
	if (c && parse_cpus(c->shared_cpus, load->cpus, MACHINE_OTHERS,
			    &load->cpu_count) == -EINVAL)
		load->cpu_count = 0;
	drop_own(m, load);
}

static void profile_sharers(const struct machine *m, const struct profile *p,
			    int level, struct effective_load *load)
{
	load->cpu_count = 0;
	for (size_t i = 0; i < p->cache_count; i++) {
		const struct profile_cache *c = &p->caches[i];

		if (c->level != level || c->type == PROFILE_INSTRUCTION)
			continue;
		for (unsigned int cpu = 0; cpu < p->cpus; cpu++)
			if (profile_shares(c, cpu, (unsigned int)m->cpu))
				load->cpus[load->cpu_count++] = (int)cpu;
	}
	drop_own(m, load);
}

/* CPUs that share @level or, if @level is 0, the last shared level, which is
 * stored in @level.
 */
static int find_sharers(const struct work *w, size_t *level,
			struct effective_load *load, struct failure *f)
{
	const struct options *options = &w->r->options;
	const size_t first = *level ? *level : 1;
	struct profile *p = NULL;

	if (options->machine == MACHINE_SIM) {
		p = profile_load(options->profile, f);
		if (!p)
			return -EINVAL;
	}
	for (size_t at = *level ? *level : w->alone.cache_count; at >= first;
	     at--) {
		if (p)
			profile_sharers(w->m, p, (int)at, load);
		else
			documented_sharers(w->m, (int)at, load);
		*level = at;
		if (load->cpu_count)
			break;
	}
	profile_free(p);
	if (load->cpu_count)
		return 0;
	return fail(
		f, STATUS_UNAVAILABLE, ENODATA,
		"effective: no other CPU is known to share a level with CPU %d (name some: --load LIST)",
		w->m->cpu);
}

/* --- measuring ------------------------------------------------------------ */

static int measure(struct work *w, struct side_result *found, struct failure *f)
{
	const struct cooper_wanted wanted = {
		.most_bytes = w->r->most_bytes,
		.patience = (unsigned int)w->r->patience,
	};
	const uint64_t accesses = w->m->conditions.accesses;
	const double began = progress_seconds(&w->progress);
	struct prober p;
	int error;

	cmd_begin(&p, w->m, &w->r->options);
	progress_of(&w->progress, &p);
	error = cooper_measure(&p, &wanted, found, f);
	found->loads = (double)(w->m->conditions.accesses - accesses);
	found->seconds = progress_seconds(&w->progress) - began;
	return error;
}

/* Choose the capacity that was measured alone: program and load together need
 * twice the level.
 */
static void choose_bytes(struct work *w, size_t level)
{
	const struct side_result *s = &w->alone;
	const struct parameter *p;

	if (!level || level > s->cache_count)
		level = s->cache_count;
	p = level ? &s->caches[level - 1].capacity_bytes : NULL;
	w->load.bytes = p && parameter_is_measured(p) ?
				(uint64_t)p->value / LEAST_BYTES * LEAST_BYTES :
				0;
	if (w->load.bytes < LEAST_BYTES)
		w->load.bytes = LEAST_BYTES;
}

static int measure_loaded(struct work *w, struct failure *f)
{
	size_t level = w->r->level;
	struct load_request request;
	struct load *load;
	int error = 0;

	if (w->r->kind == LOAD_SHARED)
		error = find_sharers(w, &level, &w->load, f);
	if (error)
		return error;
	if (!w->load.bytes)
		choose_bytes(w, level);
	request = (struct load_request){ .cpus = w->load.cpus,
					 .cpu_count = w->load.cpu_count,
					 .bytes = w->load.bytes };
	error = load_start(w->m, &request, &load, f);
	if (error)
		return error;
	w->has_loaded = true;
	error = measure(w, &w->loaded, f);
	for (size_t i = 0; i < w->load.cpu_count; i++)
		w->load.loads += (double)load_loads(load, i);
	load_stop(load);
	return error;
}

static int measure_all(struct work *w, struct failure *f)
{
	int error;

	if (w->r->kind != LOAD_NONE)
		w->progress.part = 0.5;
	w->load = w->r->load;
	error = measure(w, &w->alone, f);
	w->progress.before = w->progress.part;
	if (!error && w->r->kind != LOAD_NONE)
		error = measure_loaded(w, f);
	progress_end(&w->progress);
	return error;
}

/* --- output --------------------------------------------------------------- */

static int print(const struct effective_report *e,
		 const struct options *options, struct failure *f)
{
	if (options->json)
		return json_out(effective_json(e),
				JSON_INDENT(2) | JSON_REAL_PRECISION(10), f);
	effective_table(e, stdout);
	return cmd_flush(f);
}

static enum exit_status tell(struct work *w, int error, struct failure *f)
{
	const bool failed = error && error != -EINTR;
	const struct request *r = w->r;
	struct failure other = { .text = "" };
	struct documented documented = { .cache_count = 0 };
	struct hierarchy nothing;
	const struct report base = {
		.machine = machine_describe(w->m),
		.found = &nothing,
		.documented = r->options.machine == MACHINE_SIM ? NULL :
								  &documented,
		.seed = r->options.seed,
		.seconds = progress_seconds(&w->progress),
		.failure = failed ? f : NULL,
	};
	const struct effective_report e = {
		.alone = &w->alone,
		.loaded = w->has_loaded ? &w->loaded : NULL,
		.load = &w->load,
		.level = r->level,
		.r = &base,
	};

	if (base.documented)
		cmd_read_documents(&documented, w->m);
	hierarchy_init(&nothing);
	nothing.complete = !error;
	if (failed && !w->alone.cache_count)
		return cmd_report(f, &r->options);
	if (print(&e, &r->options, &other))
		return cmd_report(&other, &r->options);
	if (failed)
		return cmd_say(f);
	return error ? STATUS_FAILED : STATUS_DONE;
}

static const struct argp_option table[] = {
	{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
	{ "level", 'l', "N", 0, "Report this level alone (default: all)", 0 },
	{ "load", 'L', "WHO", 0,
	  "Measure again beside a load: none (default), shared (on the other CPUs of the level), or on the CPUs of a list",
	  0 },
	{ "load-bytes", 'b', "N", 0,
	  "Memory that each CPU of the load walks (default: the capacity of the level)",
	  0 },
	{ "footprint", 'f', "N", 0,
	  "Longest footprint in bytes (default: 64 MiB); only smaller caches are found",
	  0 },
	{ "patience", 'P', "N", 0,
	  "End a footprint after N trials without an improvement (default: 20; the paper: 100)",
	  0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

enum exit_status cmd_effective(int argc, char **argv,
			       const struct options *options)
{
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Measure the capacity of each level of cache that a "
		       "program can use, alone "
		       "or beside a load on other CPUs.",
	};
	struct request r = { .options = *options,
			     .most_bytes = USUAL_FOOTPRINT,
			     .patience = USUAL_PATIENCE };
	struct work w = { .r = &r };
	struct failure f = { .text = "" };
	enum exit_status status;
	int error;

	cmd_own_options(&argp, argc, argv, &r);
	w.m = cmd_open_machine(&r.options, &f);
	if (!w.m)
		return cmd_report(&f, &r.options);
	progress_begin(&w.progress);
	error = measure_all(&w, &f);
	status = tell(&w, error, &f);
	side_result_free(&w.alone);
	side_result_free(&w.loaded);
	machine_close(w.m);
	return status;
}
