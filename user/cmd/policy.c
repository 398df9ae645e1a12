// SPDX-License-Identifier: GPL-2.0
/*
 * policy.c - "probe-phys policy": identify the replacement policies of caches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cmd.h"
#include "method/dueling/machine.h"
#include "own_options.h"
#include "report/policy/policy.h"
#include "set_session.h"

/* Number of leader sets of one kind that are tested. */
#define TRIES 2
/* A policy of sets without numbers needs AGREEING equal sets among SETS_TRIED
 * tested ones.
 */
#define AGREEING 2
#define SETS_TRIED 4

/**
 * struct request - options of the command
 * @options: global options
 * @first: first level to identify, from 1
 * @last: last level to identify
 */
struct request {
	struct options options;
	uint64_t first;
	uint64_t last;
};

static int parse_level(const char *name, const char *arg, uint64_t *level,
		       struct argp_state *state)
{
	if (parse_number(arg, 1, RESULT_MAX_LEVELS, level))
		argp_error(state, "--%s: '%s' is no number (use 1 to %d)", name,
			   arg, RESULT_MAX_LEVELS);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'l':
		return parse_level("levels", arg, &r->last, state);
	case 'o':
		parse_level("level", arg, &r->last, state);
		r->first = r->last;
		return 0;
	default:
		return cmd_usual_option(key, arg, state, &r->options);
	}
}

/* A set that cannot be tested is an undecided finding, not a failure. */
static int say_why(struct policy_finding *found, int error, struct failure *f)
{
	if (error == -EINTR || error == -ENOMEM)
		return error;
	snprintf(found->reason, sizeof(found->reason), "%.255s", f->text);
	f->text[0] = '\0';
	return 0;
}

/* Identify the policy of the open set; @book serves all sets of a level. */
static int identify_set(struct set_session *s, struct policy_catalogue *book,
			struct policy_finding *found, struct failure *f)
{
	int error = 0;

	if (!book->cycle_count)
		error = policy_catalogue_make(book, &s->set.oracle,
					      POLICY_SEED);
	if (error == -ERANGE) {
		snprintf(
			found->reason, sizeof(found->reason),
			"%u ways and cycles of at most %zu accesses: no cycle distinguishes policies",
			s->set.oracle.ways, s->set.oracle.most_accesses);
		policy_catalogue_free(book);
		return 0;
	}
	if (error)
		return prober_out_of_memory(f);
	return policy_identify(&s->set.oracle, book, &s->prober.budget, found,
			       f);
}

/* Test whether sets of the level duel. */
static int look_for_duel(struct set_session *s, size_t level,
			 struct dueling_finding *found, struct failure *f)
{
	struct dueling_machine machine;
	int error = dueling_machine_open(&machine, &s->prober, s->levels, level,
					 &s->set);

	*found = (struct dueling_finding){ .verdict = DUELING_UNDECIDED };
	prober_progress(&s->prober, "L%zu: set dueling", level);
	if (!error)
		error = dueling_look(&machine.oracle, &s->prober.budget,
				     &s->prober.rng, found, f);
	else if (error == -ENOMEM)
		prober_out_of_memory(f);
	else
		snprintf(
			found->reason, sizeof(found->reason), "%s",
			error == -EDOM ?
				"the sets of the levels above leave no lines that miss only there" :
				"lines have too few words");
	dueling_machine_close(&machine);
	return error == -EDOM || error == -ERANGE ? 0 : error;
}

/*
 * Identify the policy of a leader set; if it is undecided, of another leader.
 */
static int identify_leaders(struct set_session *s, size_t level,
			    const struct dueling_finding *duel,
			    struct policy_catalogue *book,
			    struct leader_policy *leader, struct failure *f)
{
	uint64_t count = duel->counts[leader->role];
	int error = 0;

	for (int i = 0; !error && i < TRIES && count; i++) {
		uint64_t left = rng_below(&s->prober.rng, count);

		leader->set = 0;
		while (duel->roles[leader->set] != leader->role || left--)
			leader->set++;
		set_session_close_set(s);
		leader->found =
			(struct policy_finding){ .kind = POLICY_UNDECIDED };
		error = set_session_open(s, level, leader->set, f);
		error = error ? say_why(&leader->found, error, f) :
				identify_set(s, book, &leader->found, f);
		/*
		 * If several policies fit, they would fit another leader, too.
		 */
		if (leader->found.kind != POLICY_UNDECIDED ||
		    leader->found.name_count)
			break;
	}
	return error;
}

static int identify_open(struct set_session *s, struct policy_catalogue *book,
			 struct level_policy *found, struct failure *f)
{
	int error = look_for_duel(s, found->level, &found->duel, f);

	prober_progress(&s->prober, "L%zu: replacement policy", found->level);
	if (!error && found->duel.verdict != DUELING_SEEN)
		return identify_set(s, book, &found->set, f);
	for (int i = 0; !error && found->duel.roles && i < DUELING_KINDS; i++)
		error = identify_leaders(s, found->level, &found->duel, book,
					 &found->leaders[i], f);
	return error;
}

/*
 * Test whether the open set, which has no number, follows leaders. A change
 * shows that it does; without a change, the leaders may have been missed.
 */
static int look_for_followers(struct set_session *s, size_t level,
			      struct dueling_finding *duel, struct failure *f)
{
	struct dueling_machine machine;
	uint64_t set = 0;
	int error;

	*duel = (struct dueling_finding){ .verdict = DUELING_UNDECIDED };
	if (!parameter_is_measured(&s->found.caches[level - 1].capacity_bytes))
		return 0;
	prober_progress(&s->prober, "L%zu: set dueling", level);
	error = dueling_machine_open(&machine, &s->prober, s->levels, level,
				     &s->set);
	if (!error)
		error = dueling_machine_only(&machine, &s->lines, &set);
	if (!error)
		error = dueling_follows(&machine.oracle, &s->prober.budget,
					&s->prober.rng, set, duel, f);
	else if (error == -ENOMEM)
		prober_out_of_memory(f);
	dueling_machine_close(&machine);
	/* If the test is impossible, no dueling was seen. */
	if (error == -EDOM || error == -ERANGE || error == -ENOSPC)
		error = 0;
	return error;
}

static void say_follows(struct level_policy *found,
			const struct dueling_finding *duel)
{
	found->duel = *duel;
	found->duel.tried += found->agreeing;
	snprintf(
		found->duel.reason, sizeof(found->duel.reason),
		"a set changes with accesses to other sets; its level has no known set numbers, so the leaders cannot be searched for");
}

/* Identify the policy of another set; the first set is already open. */
static int identify_another(struct set_session *s, bool first,
			    struct level_policy *found,
			    struct policy_finding *set, struct failure *f)
{
	struct policy_catalogue book = { .cycle_count = 0 };
	struct dueling_finding duel;
	int error = 0;

	*set = (struct policy_finding){ .kind = POLICY_UNDECIDED };
	if (!first) {
		set_session_close_set(s);
		error = set_session_open(s, found->level, SET_SESSION_ANY, f);
		if (error)
			return say_why(set, error, f);
	}
	error = look_for_followers(s, found->level, &duel, f);
	if (!error && duel.verdict == DUELING_SEEN) {
		say_follows(found, &duel);
		return 0;
	}
	prober_progress(&s->prober, "L%zu: replacement policy", found->level);
	if (!error)
		error = identify_set(s, &book, set, f);
	policy_catalogue_free(&book);
	return error;
}

static bool alike(const struct policy_finding *a,
		  const struct policy_finding *b)
{
	return a->kind == b->kind && a->name_count == b->name_count &&
	       (!a->name_count || !strcmp(a->names[0], b->names[0]));
}

static void leave_open(struct policy_finding *found, const char *reason)
{
	found->kind = POLICY_UNDECIDED;
	snprintf(found->reason, sizeof(found->reason), "%s", reason);
}

/* Merge the finding of another set. Return: false: the search ends. */
static bool take_another(struct level_policy *found,
			 const struct policy_finding *another)
{
	struct policy_finding *set = &found->set;

	if (another->kind == POLICY_UNDECIDED) {
		if (!found->agreeing)
			*set = *another;
		return true;
	}
	if (!found->agreeing) {
		*set = *another;
	} else if (!alike(set, another)) {
		leave_open(
			set,
			"one set has one of these policies, another one does not: sets may duel, or other load disturbs the level");
		return false;
	}
	return ++found->agreeing < AGREEING;
}

/* Sets without numbers are chosen at random, and several must agree. */
static int identify_collected(struct set_session *s, struct level_policy *found,
			      struct failure *f)
{
	struct policy_finding *another = calloc(1, sizeof(*another));
	struct dueling_finding *duel = &found->duel;
	bool more = true;
	int error = 0;

	if (!another)
		return prober_out_of_memory(f);
	for (int i = 0; !error && more && i < SETS_TRIED; i++) {
		error = identify_another(s, !i, found, another, f);
		if (!error)
			more = duel->verdict != DUELING_SEEN &&
			       take_another(found, another);
	}
	free(another);
	if (error || duel->verdict == DUELING_SEEN)
		return error;
	if (more && found->agreeing)
		leave_open(&found->set, "of several sets only one was decided");
	duel->tried = found->agreeing;
	if (duel->tried)
		snprintf(
			duel->reason, sizeof(duel->reason),
			"the level has no known set numbers, so not all sets can be tested: this is the result of %zu random ones",
			duel->tried);
	return 0;
}

static int identify(struct set_session *s, size_t level,
		    struct level_policy *found, struct failure *f)
{
	struct policy_catalogue book = { .cycle_count = 0 };
	int error = set_session_open(s, level, SET_SESSION_ANY, f);

	*found = (struct level_policy){
		.level = level,
		.leaders = { { .role = DUELING_LEADS_REUSE },
			     { .role = DUELING_LEADS_THRASH } },
	};
	if (error)
		return say_why(&found->set, error, f);
	error = s->collected ? identify_collected(s, found, f) :
			       identify_open(s, &book, found, f);
	policy_catalogue_free(&book);
	/* This level is undecided, but others may still be decided. */
	if (error == -ENOSPC) {
		leave_open(
			&found->set,
			"its lines have too few words for the sequences that distinguish policies");
		error = 0;
	}
	return error;
}

static int identify_all(struct set_session *s, const struct request *r,
			struct failure *f)
{
	json_t *caches = json_array();
	int error = 0;

	if (r->first > s->found.cache_count)
		error = fail(f, STATUS_UNAVAILABLE, ENODATA,
			     "policy: no level %d was found", (int)r->first);
	for (size_t i = r->first;
	     !error && i <= r->last && i <= s->found.cache_count; i++) {
		struct level_policy *found = calloc(1, sizeof(*found));

		if (!found) {
			error = prober_out_of_memory(f);
			break;
		}
		error = identify(s, i, found, f);
		set_session_close_set(s);
		if (!error && !r->options.json)
			policy_print(found);
		if (!error)
			json_array_append_new(caches, policy_json(found));
		dueling_finding_free(&found->duel);
		free(found);
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
		  "Identify the first N levels of cache (default: all)", 0 },
		{ "level", 'o', "N", 0, "Identify level N alone", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Identify the replacement policies of caches, and the leader sets where sets duel.",
	};
	struct request r = { .options = *options,
			     .first = 1,
			     .last = RESULT_MAX_LEVELS };
	struct failure f = { .text = "" };
	struct set_session session;
	int error;

	cmd_own_options(&argp, argc, argv, &r);
	error = set_session_begin(&session, &r.options, (size_t)r.last, 0, &f);
	if (!error)
		error = identify_all(&session, &r, &f);
	return set_session_finish(&session, error, "policy", &r.options, &f);
}
