// SPDX-License-Identifier: GPL-2.0
/* policy.c - "probe-phys policy": which replacement policy caches have. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../parse.h"
#include "cmd.h"
#include "own_options.h"
#include "set_session.h"

/**
 * struct request - what is asked for
 * @options: common ones
 * @levels: that are identified, from the first
 */
struct request {
	struct options options;
	uint64_t levels;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'j':
		r->options.json = true;
		return 0;
	case 'l':
		if (parse_number(arg, 1, 3, &r->levels))
			argp_error(state,
				   "--levels: '%s' is no number (use 1 to 3)",
				   arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': it takes no arguments (see --help)",
			   arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

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
				       (int)found->asked[i], "misses",
				       found->misses[i], "expected_least",
				       found->expected[i].low, "expected_most",
				       found->expected[i].high));
	return all;
}

static bool is_decided(const struct policy_finding *found)
{
	return found->kind != POLICY_UNDECIDED;
}

static json_t *policy_json(const struct policy_finding *found)
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
			   is_decided(found) ? "measured" : "undecided", "kind",
			   policy_kind_name(found->kind),
			   is_decided(found) ? "names" : "candidates", names,
			   "sequences", (int)found->split, "confirmed_by",
			   (int)(found->cycles - found->split), "answers",
			   (int)found->answers, "method",
			   "simulate and compare", "evidence", evidence(found));
	if (is_decided(found))
		json_object_set_new(policy, "answer_error_bound",
				    json_real(found->answer_bound));
	if (found->reason[0])
		json_object_set_new(policy, "reason",
				    json_string(found->reason));
	if (found->kind == POLICY_PERMUTATION)
		json_object_set_new(policy, "permutation",
				    vectors(&found->permutation));
	return policy;
}

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

static void print_policy(int level, const struct policy_finding *found)
{
	bool named = found->kind == POLICY_KNOWN ||
		     found->kind == POLICY_RANDOMISED;

	printf("L%d data  %s", level,
	       named ? found->names[0] : policy_kind_name(found->kind));
	for (size_t i = 1; named && i < found->name_count; i++)
		printf("%s%s", i == 1 ? " = " : ", ", found->names[i]);
	if (is_decided(found))
		printf("  (%zu sequences, %zu more confirm, %u answers)",
		       found->split, found->cycles - found->split,
		       found->answers);
	putchar('\n');
	if (found->reason[0])
		printf("      %s\n", found->reason);
	if (found->kind == POLICY_PERMUTATION)
		print_vectors(&found->permutation);
}

static int identify(struct set_session *s, size_t level,
		    struct policy_finding *found, struct failure *f)
{
	int error = set_session_open(s, level, f);
	struct policy_book book = { .cycle_count = 0 };

	*found = (struct policy_finding){ .kind = POLICY_UNDECIDED };
	if (error == -EINTR || error == -ENOMEM)
		return error;
	if (error) {
		snprintf(found->reason, sizeof(found->reason), "%.255s",
			 f->text);
		f->text[0] = '\0';
		return 0;
	}
	prober_progress(&s->prober, "L%zu: replacement policy", level);
	error = policy_book_make(&book, &s->set.oracle, POLICY_SEED);
	if (error == -ERANGE) {
		snprintf(
			found->reason, sizeof(found->reason),
			"%u ways and circles of at most %zu accesses: nothing to tell policies apart with",
			s->set.oracle.ways, s->set.oracle.most_accesses);
		error = 0;
	} else if (!error) {
		error = policy_identify(&s->set.oracle, &book, found, f);
	}
	policy_book_free(&book);
	return error;
}

static int identify_all(struct set_session *s, const struct request *r,
			struct failure *f)
{
	json_t *caches = json_array();
	int error = 0;

	for (size_t i = 1;
	     !error && i <= r->levels && i <= s->found.cache_count; i++) {
		struct policy_finding found;

		error = identify(s, i, &found, f);
		set_session_close_set(s);
		if (error)
			break;
		if (!r->options.json)
			print_policy((int)i, &found);
		json_array_append_new(caches,
				      json_pack("{s:i, s:s, s:o}", "level",
						(int)i, "type", "data",
						"policy", policy_json(&found)));
	}
	if (!error && r->options.json)
		return set_session_caches(caches, f);
	json_decref(caches);
	return error;
}

enum exit_status cmd_policy(int argc, char **argv,
			    const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
		{ "levels", 'l', "N", 0,
		  "Identify the first N levels of cache (default: 2)", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Find out which replacement policy caches have.",
	};
	struct request r = { .options = *options, .levels = 2 };
	struct failure f = { .text = "" };
	struct set_session session;
	int error;

	cmd_own_options(&argp, argc, argv, &r);
	error = set_session_begin(&session, &r.options, (size_t)r.levels, 0,
				  &f);
	if (!error)
		error = identify_all(&session, &r, &f);
	return set_session_finish(&session, error, "policy", &r.options, &f);
}
