// SPDX-License-Identifier: GPL-2.0
/* info.c - "probe-phys info": what this computer supports, and what would
 * enable the rest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "info/capability.h"
#include "own_options.h"
#include "report/json_out.h"

static const char *word(enum capability_state state)
{
	switch (state) {
	case CAPABILITY_YES:
		return "yes";
	case CAPABILITY_NO:
		return "no";
	default:
		return "?";
	}
}

static int print_text(const struct capability_list *list, struct failure *f)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct capability *c = &list->items[i];

		printf("%-17s  %-3s  %s\n", c->name, word(c->state), c->detail);
		if (c->remedy[0])
			printf("%-17s       -> %s\n", "", c->remedy);
	}
	return cmd_flush(f);
}

static json_t *state_json(enum capability_state state)
{
	if (state == CAPABILITY_UNKNOWN)
		return json_null();
	return json_boolean(state == CAPABILITY_YES);
}

static json_t *facts_json(const struct capability *c)
{
	json_t *facts = json_object();

	for (size_t i = 0; i < c->fact_count; i++)
		json_object_set_new(
			facts, c->facts[i].name,
			json_integer((json_int_t)c->facts[i].value));
	return facts;
}

static json_t *document(const struct capability_list *list)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < list->count; i++) {
		const struct capability *c = &list->items[i];

		json_array_append_new(
			lines, json_pack("{ss so ss ss so}", "name", c->name,
					 "available", state_json(c->state),
					 "detail", c->detail, "remedy",
					 c->remedy, "facts", facts_json(c)));
	}
	return json_pack("{si so}", "schema", 1, "capabilities", lines);
}

enum exit_status cmd_info(int argc, char **argv, const struct options *options)
{
	struct failure failure = { 0 };
	struct options own = *options;
	struct capability_list *list;
	int error;

	cmd_json_option(
		argc, argv,
		"Show what is available on this computer; for the rest, the reason and what would help.",
		&own);
	list = calloc(1, sizeof(*list));
	if (!list) {
		fail(&failure, STATUS_FAILED, ENOMEM,
		     "info: out of memory (free some)");
		return cmd_report(&failure, &own);
	}
	capability_module(list, own.cpu);
	capability_privileges(list);
	capability_memory(list);
	capability_counters(list);
	capability_processor(list, own.cpu);
	capability_pictures(list);
	if (own.json)
		error = json_out(document(list), JSON_INDENT(2), &failure);
	else
		error = print_text(list, &failure);
	free(list);
	return error ? cmd_report(&failure, &own) : STATUS_DONE;
}
