// SPDX-License-Identifier: GPL-2.0
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/parse.h"
#include "options.h"

/* A day. */
#define MOST_LIMIT_S 86400

const char *argp_program_version = "probe-phys " PROBE_PHYS_VERSION;

static const struct argp_option table[] = {
	{ "machine", 'm', "KIND", 0,
	  "Where to measure: auto (default), module (probe_phys.ko), hugepage (no module) or sim:PROFILE.json (simulated)",
	  0 },
	{ "decide-by", 'd', "WHAT", 0,
	  "What distinguishes hits from misses: auto (default: counters that pass a self-test, else time), counters or time",
	  0 },
	{ "method", 'M', "WHAT", 0,
	  "How to measure: a list of xray (default) and amp (by miss counters alone)",
	  0 },
	{ "decision", 'D', "WHAT", 0,
	  "What decides AMP's parameters: sequential (default: a test of known error) or amp (the most common of 8 votes)",
	  0 },
	{ "only", 'o', "WHAT", 0,
	  "Measure only these: a list of l1, caches, tlbs and registers (default: all)",
	  0 },
	{ "prefetchers", 'p', "off|on", 0,
	  "Hardware prefetchers: off (default; those that have a switch, until the end) or on (leave them as they are)",
	  0 },
	{ "time-limit", 't', "SECONDS", 0,
	  "Search for each level of cache no longer (default: 60 on a virtual machine, 2 billion accesses elsewhere; 0: no limit)",
	  0 },
	{ "json", 'j', NULL, 0, "Print one JSON document and nothing else", 0 },
	{ "cpu", 'c', "N", 0,
	  "Measure on this CPU (default: the last one allowed, or a quieter one)",
	  0 },
	{ "seed", 's', "N", 0,
	  "Seed of all random orders and placements, to repeat a run", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t set_machine(struct options *o, const char *text,
			   struct argp_state *state)
{
	if (!strcmp(text, "auto"))
		o->machine = MACHINE_AUTO;
	else if (!strcmp(text, "module"))
		o->machine = MACHINE_MODULE;
	else if (!strcmp(text, "hugepage"))
		o->machine = MACHINE_HUGEPAGE;
	else if (!strncmp(text, "sim:", 4) && text[4]) {
		o->machine = MACHINE_SIM;
		o->profile = text + 4;
	} else
		argp_error(
			state,
			"--machine: '%s' is no machine (use auto, module, hugepage or sim:PROFILE.json)",
			text);
	return 0;
}

static error_t set_decide_by(struct options *o, const char *text,
			     struct argp_state *state)
{
	if (!strcmp(text, "auto"))
		o->decide_by = PROBER_BY_AUTO;
	else if (!strcmp(text, "counters"))
		o->decide_by = PROBER_BY_COUNTERS;
	else if (!strcmp(text, "time"))
		o->decide_by = PROBER_BY_TIME;
	else
		argp_error(
			state,
			"--decide-by: '%s' cannot decide (use auto, counters or time)",
			text);
	return 0;
}

static error_t set_prefetchers(struct options *o, const char *text,
			       struct argp_state *state)
{
	o->prefetch = !strcmp(text, "on");
	if (!o->prefetch && strcmp(text, "off") != 0)
		argp_error(state, "--prefetchers: '%s' (use off or on)", text);
	return 0;
}

static error_t set_time_limit(struct options *o, const char *text,
			      struct argp_state *state)
{
	uint64_t value;

	if (parse_number(text, 0, MOST_LIMIT_S, &value))
		argp_error(
			state,
			"--time-limit: '%s' is no number of seconds (use 0 to %d)",
			text, MOST_LIMIT_S);
	o->limit_s = (int)value;
	return 0;
}

static error_t set_decision(struct options *o, const char *text,
			    struct argp_state *state)
{
	if (!strcmp(text, "sequential"))
		o->decision = AMP_SEQUENTIAL;
	else if (!strcmp(text, "amp"))
		o->decision = AMP_BY_VOTES;
	else
		argp_error(state, "--decision: '%s' (use sequential or amp)",
			   text);
	return 0;
}

/**
 * struct list_option - an option whose value is a list of words
 * @name: name of the option
 * @choice: the valid words, for messages
 * @words: the words and their bits; @count of them
 * @count: their number
 */
struct list_option {
	const char *name;
	const char *choice;
	struct {
		const char *word;
		unsigned int bit;
	} words[4];
	size_t count;
};

static const struct list_option only_list = { "--only",
					      "l1, caches, tlbs, registers",
					      { { "l1", ONLY_L1 },
						{ "caches", ONLY_CACHES },
						{ "tlbs", ONLY_TLBS },
						{ "registers",
						  ONLY_REGISTERS } },
					      4 };

static const struct list_option method_list = { "--method",
						"xray, amp",
						{ { "xray", METHOD_XRAY },
						  { "amp", METHOD_AMP } },
						2 };

static unsigned int bit_of(const struct list_option *list, const char *word,
			   size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->words[i].word) == length &&
		    !strncmp(list->words[i].word, word, length))
			return list->words[i].bit;
	return 0;
}

static error_t set_list(const struct list_option *list, const char *text,
			unsigned int *bits, struct argp_state *state)
{
	const char *word = text;

	*bits = 0;
	for (;;) {
		size_t length = strcspn(word, ",");
		unsigned int bit = bit_of(list, word, length);

		if (!bit)
			argp_error(state,
				   "%s: '%.*s' cannot be measured (use %s)",
				   list->name, (int)length, word, list->choice);
		*bits |= bit;
		if (!word[length])
			return 0;
		word += length + 1;
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;
	uint64_t value;

	switch (key) {
	case 'm':
		return set_machine(o, argument, state);
	case 'd':
		return set_decide_by(o, argument, state);
	case 'M':
		return set_list(&method_list, argument, &o->methods, state);
	case 'D':
		return set_decision(o, argument, state);
	case 'o':
		return set_list(&only_list, argument, &o->only, state);
	case 'p':
		return set_prefetchers(o, argument, state);
	case 't':
		return set_time_limit(o, argument, state);
	case 'j':
		o->json = true;
		return 0;
	case 'c':
		if (parse_number(argument, 0, 1 << 20, &value))
			argp_error(state,
				   "--cpu: '%s' is no CPU number (use 0 to %d)",
				   argument, 1 << 20);
		o->cpu = (int)value;
		return 0;
	case 's':
		if (parse_number(argument, 0, INT64_MAX, &value))
			argp_error(
				state,
				"--seed: '%s' is no number (use 0 to 2^63 - 1)",
				argument);
		o->seed = value;
		return 0;
	case ARGP_KEY_ARGS:
		o->rest = state->argv + state->next;
		o->rest_count = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint64_t random_seed(void)
{
	uint32_t seed = 1;

	/* 32 bits, short enough to type the seed again. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = 1;
	return seed;
}

int options_parse(struct options *o, int argc, char **argv, const char *doc)
{
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.args_doc = "[COMMAND [OPTION...]]",
		.doc = doc,
	};

	*o = (struct options){ .cpu = -1,
			       .limit_s = -1,
			       .methods = METHOD_XRAY,
			       .only = ONLY_EVERYTHING,
			       .seed = random_seed() };
	argp_err_exit_status = 2;
	/* ARGP_IN_ORDER leaves options after the command to the command. */
	return argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
}
