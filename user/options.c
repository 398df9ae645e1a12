// SPDX-License-Identifier: GPL-2.0
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "options.h"
#include "parse.h"

const char *argp_program_version = "probe-phys " PROBE_PHYS_VERSION;

static const struct argp_option table[] = {
	{ "machine", 'm', "KIND", 0,
	  "Where to measure: auto (default), module (probe_phys.ko), hugepage (no module) or sim:PROFILE.json (simulated)",
	  0 },
	{ "decide-by", 'd', "WHAT", 0,
	  "What tells hits from misses: auto (default: counters that prove themselves, else time), counters or time",
	  0 },
	{ "only", 'o', "WHAT", 0,
	  "Measure only these: a list of l1, caches, tlbs and registers (default: all)",
	  0 },
	{ "prefetchers", 'p', "off|on", 0,
	  "Hardware prefetchers: off (default; those that have a switch, until the end) or on (leave them as they are)",
	  0 },
	{ "json", 'j', NULL, 0, "Print one JSON document and nothing else", 0 },
	{ "cpu", 'c', "N", 0,
	  "Measure on this CPU (default: the last one allowed)", 0 },
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

static unsigned int only_bit(const char *word, size_t length)
{
	static const struct {
		const char *name;
		unsigned int bit;
	} words[] = { { "l1", ONLY_L1 },
		      { "caches", ONLY_CACHES },
		      { "tlbs", ONLY_TLBS },
		      { "registers", ONLY_REGISTERS } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == length &&
		    !strncmp(words[i].name, word, length))
			return words[i].bit;
	return 0;
}

static error_t set_only(struct options *o, const char *text,
			struct argp_state *state)
{
	const char *word = text;

	o->only = 0;
	for (;;) {
		size_t length = strcspn(word, ",");
		unsigned int bit = only_bit(word, length);

		if (!bit)
			argp_error(
				state,
				"--only: '%.*s' cannot be measured (use l1, caches, tlbs, registers)",
				(int)length, word);
		o->only |= bit;
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
	case 'o':
		return set_only(o, argument, state);
	case 'p':
		return set_prefetchers(o, argument, state);
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

	/* Short enough to be typed again. */
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
			       .only = ONLY_EVERYTHING,
			       .seed = random_seed() };
	argp_err_exit_status = 2;
	/* In order: what follows the command is the command's. */
	return argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
}
