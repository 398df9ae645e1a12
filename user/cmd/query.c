// SPDX-License-Identifier: GPL-2.0
/* query.c - "probe-phys query": measure a sequence of accesses to one cache
 * set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cmd.h"
#include "method/set/query.h"
#include "own_options.h"
#include "report/json_out.h"
#include "set_session.h"

/* Ways of "@" while the grammar of a query is checked and no machine is measured. */
#define SOME_WAYS 8

/**
 * struct request - options of the command
 * @options: global options
 * @level: level of the set
 * @text: the query
 */
struct request {
	struct options options;
	uint64_t level;
	const char *text;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'j':
		r->options.json = true;
		return 0;
	case 'l':
		if (parse_number(arg, 1, RESULT_MAX_LEVELS, &r->level))
			argp_error(state,
				   "--level: '%s' is no level (use 1 to %d)",
				   arg, RESULT_MAX_LEVELS);
		return 0;
	case ARGP_KEY_ARG:
		if (r->text)
			argp_error(
				state,
				"'%s': one argument too many (quote the query)",
				arg);
		r->text = arg;
		return 0;
	case ARGP_KEY_END:
		if (!r->text)
			argp_error(state, "no query (give one like 'A B A?')");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool flushes(const struct request *r)
{
	return strchr(r->text, '!');
}

/**
 * struct answers - results of all measured accesses
 * @all: in the order of the query
 * @from_afar: hits are distinguished by time and the line comes from memory, so
 *             a miss may cost more than one
 */
struct answers {
	struct set_query_answer *all;
	bool from_afar;
};

static const char *verdict(const struct answers *a, size_t at)
{
	double misses = a->all[at].misses;

	if (a->from_afar && a->all[at].least > 0.75)
		return "miss";
	if (!a->all[at].agreed)
		return "undecided";
	if (misses > 0.75 && misses < 1.25)
		return "miss";
	return misses > -0.25 && misses < 0.25 ? "hit" : "undecided";
}

static void print(const struct query *q, const struct answers *answers)
{
	for (size_t i = 0, at = 0; i < q->length; i++) {
		if (!q->accesses[i].measured)
			continue;
		printf("%-4zu %-16s %-10s %5.2f misses\n", i + 1,
		       q->names[q->accesses[i].line], verdict(answers, at),
		       answers->all[at].misses);
		at++;
	}
}

static json_t *answer_json(const struct query *q, const struct answers *answers,
			   uint64_t level)
{
	json_t *all = json_array();

	for (size_t i = 0, at = 0; i < q->length; i++) {
		if (!q->accesses[i].measured)
			continue;
		json_array_append_new(
			all,
			json_pack("{s:i, s:s, s:s, s:f}", "access", (int)i + 1,
				  "line", q->names[q->accesses[i].line],
				  "answer", verdict(answers, at), "misses",
				  answers->all[at].misses));
		at++;
	}
	return json_pack("{s:i, s:i, s:o}", "schema", 1, "level", (int)level,
			 "measured", all);
}

/* Use time if counters cannot count while lines are flushed. */
static int choose_counters(struct set_session *s, const struct request *r,
			   struct failure *f)
{
	unsigned int before = s->prober.counters;

	if (!flushes(r))
		return 0;
	if (!s->m->flushes_lines)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"query: this machine cannot flush single lines on the way (leave out !)");
	s->prober.counters &= s->m->flush_counters;
	if (r->options.decide_by == PROBER_BY_COUNTERS &&
	    s->prober.counters != before)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"query: this machine cannot count while it flushes lines (use --decide-by time)");
	return 0;
}

static int answer(struct set_session *s, const struct request *r,
		  struct failure *f)
{
	struct answers answers = { .all = NULL };
	struct query q = { .length = 0 };
	int error = choose_counters(s, r, f);

	if (!error)
		error = set_session_open(s, (size_t)r->level, SET_SESSION_ANY,
					 f);
	if (!error)
		error = query_parse(&q, r->text, s->set.oracle.ways, f);
	if (!error) {
		answers.from_afar = flushes(r) && !s->set.counter;
		answers.all = calloc(q.measured + 1, sizeof(*answers.all));
		error = answers.all ? set_query_run(&s->set.oracle, &q,
						    answers.all, f) :
				      prober_out_of_memory(f);
	}
	if (!error && r->options.json)
		error = json_out(answer_json(&q, &answers, r->level),
				 JSON_INDENT(2) | JSON_REAL_PRECISION(6), f);
	else if (!error)
		print(&q, &answers);
	free(answers.all);
	query_free(&q);
	return error;
}

/* Report a mistake in the query before the machine is measured. */
static int check(const struct request *r, struct failure *f)
{
	struct query q;
	int error = query_parse(&q, r->text, SOME_WAYS, f);

	if (!error && !q.measured)
		error = fail(
			f, STATUS_USAGE, EINVAL,
			"query: nothing is measured (put ? behind an access)");
	query_free(&q);
	return error;
}

enum exit_status cmd_query(int argc, char **argv, const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
		{ "level", 'l', "N", 0, "Of a set of this level (default: 1)",
		  0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.args_doc = "QUERY",
		.doc = "Show which accesses to one cache set miss. Names are lines of the set; ? measures an access, ! flushes the line instead, @ fills the set, _ is each line of the last @, (A B)3 repeats.",
	};
	struct request r = { .options = *options, .level = 1 };
	struct failure f = { .text = "" };
	struct set_session session;
	int error;

	cmd_own_options(&argp, argc, argv, &r);
	error = check(&r, &f);
	if (error)
		return cmd_report(&f, &r.options);
	error = set_session_begin(&session, &r.options, (size_t)r.level, 0, &f);
	if (!error)
		error = answer(&session, &r, &f);
	return set_session_finish(&session, error, "query", &r.options, &f);
}
