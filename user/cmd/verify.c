// SPDX-License-Identifier: GPL-2.0
/* verify.c - "probe-phys verify": do masks predict which lines conflict? */
#include <stdio.h>

#include "base/parse.h"
#include "cmd.h"
#include "own_options.h"
#include "report/report.h"
#include "set_session.h"

#define PAIRS 1000
#define MOST_PAIRS 1000000

/**
 * struct request - options of the command
 * @options: global options
 * @pairs: pairs of lines, half of them predicted to share a set
 */
struct request {
	struct options options;
	uint64_t pairs;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'n':
		if (parse_number(arg, 2, MOST_PAIRS, &r->pairs))
			argp_error(
				state,
				"--pairs: '%s' is no number of pairs (use 2 to %d)",
				arg, MOST_PAIRS);
		return 0;
	default:
		return cmd_usual_option(key, arg, state, &r->options);
	}
}

static void print_rate(const char *what, size_t pairs, size_t wrong, double low,
		       double high)
{
	printf("   %zu of %zu pairs predicted to %s do not: %.2f %% (%.2f to %.2f %%)\n",
	       wrong, pairs, what,
	       pairs ? 100.0 * (double)wrong / (double)pairs : 0, 100 * low,
	       100 * high);
}

static bool was_checked(const struct cache_result *c)
{
	return c->function.check.congruent || c->function.check.apart;
}

static void print_level(const struct cache_result *c)
{
	const struct index_check *k = &c->function.check;

	printf("L%d %s\n", c->level, c->type);
	table_index_masks(&c->function, stdout);
	if (!c->function.rank && c->function.reason[0])
		printf("   masks undecided: %s\n", c->function.reason);
	print_rate("share a set", k->congruent, k->false_congruent,
		   k->congruent_low, k->congruent_high);
	print_rate("keep apart", k->apart, k->false_apart, k->apart_low,
		   k->apart_high);
	if (k->undecided)
		printf("   %zu more pairs were undecided\n", k->undecided);
	if (c->function.limit[0])
		printf("   %s\n", c->function.limit);
}

static json_t *level_json(const struct cache_result *c)
{
	json_t *index = json_object();

	json_index_function(index, &c->function);
	return json_pack("{s:i, s:s, s:o}", "level", c->level, "type", c->type,
			 "index", index);
}

/* Explain why no level was checked, with the reason of the last hashed one. */
static int nothing_to_check(const struct hierarchy *h, struct failure *f)
{
	const char *why =
		"no level with an eviction set was found (strides find all of them)";

	for (size_t i = 0; i < h->cache_count; i++)
		if (h->caches[i].function.reason[0])
			why = h->caches[i].function.reason;
	return fail(f, STATUS_UNAVAILABLE, ENODATA, "verify: no masks: %.200s",
		    why);
}

static int report(const struct hierarchy *h, const struct request *r,
		  struct failure *f)
{
	json_t *caches = json_array();
	size_t checked = 0;
	int error = 0;

	for (size_t i = 0; i < h->cache_count; i++) {
		const struct cache_result *c = &h->caches[i];

		if (!was_checked(c))
			continue;
		checked++;
		if (!r->options.json)
			print_level(c);
		json_array_append_new(caches, level_json(c));
	}
	if (!checked)
		error = nothing_to_check(h, f);
	else if (r->options.json)
		return set_session_caches(caches, f);
	json_decref(caches);
	return error;
}

enum exit_status cmd_verify(int argc, char **argv,
			    const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
		{ "pairs", 'n', "N", 0,
		  "Fresh pairs of lines to predict (default: 1000)", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Find the masks of hashed caches, and count how often they "
		       "predict wrongly which fresh lines conflict.",
	};
	struct request r = { .options = *options, .pairs = PAIRS };
	struct failure f = { .text = "" };
	struct set_session session;
	int error;

	cmd_own_options(&argp, argc, argv, &r);
	error = set_session_begin(&session, &r.options, SIZE_MAX,
				  (size_t)r.pairs, &f);
	if (!error)
		error = report(&session.found, &r, &f);
	return set_session_finish(&session, error, "verify", &r.options, &f);
}
