// SPDX-License-Identifier: GPL-2.0
/* counters.c - "probe-phys counters": which performance counters exist, and
 * whether each counts a known number of events.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "info/capability.h"
#include "machine/module/events.h"
#include "method/counter/selftest.h"
#include "own_options.h"
#include "report/json_out.h"

#define PROGRESS_CHARS 60

static void show_progress(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	fprintf(stderr, "\r%-*.*s", PROGRESS_CHARS, PROGRESS_CHARS, what);
	fflush(stderr);
}

static void erase_progress(const struct prober *p)
{
	if (p->progress)
		fprintf(stderr, "\r%-*s\r", PROGRESS_CHARS, "");
}

/* --- text ---------------------------------------------------------------- */

static void print_trial(const struct counter_trial *t)
{
	printf("   %-40s %10.1f  (%.0f to %.0f)\n", t->what, t->counted,
	       t->least > 0 ? t->least : 0, t->most);
}

static void print_counter(const struct machine *m, enum machine_counter role,
			  const struct counter_check *check)
{
	const char *name = machine_counter_name(role);

	if (check->state == COUNTER_MISSING) {
		printf("%-14s  N/C\n", name);
		return;
	}
	printf("%-14s  %-8s  %8.4g  %s\n", name,
	       counter_state_name(check->state), check->overhead,
	       m->counter_names[role]);
	if (check->state == COUNTER_BELIEVED)
		return;
	for (size_t i = 0; i < check->trial_count; i++)
		print_trial(&check->trials[i]);
	printf("   %s\n", check->reason);
	if (check->substitute != MACHINE_COUNTERS)
		printf("   stores instead: %s counts what it should\n",
		       machine_counter_name(check->substitute));
}

static int print_all(const struct machine *m,
		     const struct counter_checks *checks, struct failure *f)
{
	for (size_t i = 0; i < m->note_count; i++)
		printf("note            %s\n", m->notes[i]);
	printf("counter         test      overhead  event\n");
	for (int i = 0; i < MACHINE_COUNTERS; i++)
		print_counter(m, (enum machine_counter)i, &checks->role[i]);
	return cmd_flush(f);
}

/* --- JSON ---------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *trials_json(const struct counter_check *check)
{
	json_t *array = json_array();

	for (size_t i = 0; i < check->trial_count; i++) {
		const struct counter_trial *t = &check->trials[i];

		json_array_append_new(
			array,
			json_pack("{ss sf sf sf}", "what", t->what, "least",
				  t->least > 0 ? t->least : 0, "most", t->most,
				  "counted", t->counted));
	}
	return array;
}

static json_t *counter_json(const struct machine *m, enum machine_counter role,
			    const struct counter_check *check)
{
	bool missing = check->state == COUNTER_MISSING;
	const char *substitute =
		check->substitute == MACHINE_COUNTERS ?
			"" :
			machine_counter_name(check->substitute);

	return json_pack("{ss ss so so so so si si so}", "role",
			 machine_counter_name(role), "status",
			 counter_state_name(check->state), "event",
			 text_or_null(m->counter_names[role]), "reason",
			 text_or_null(check->reason), "overhead",
			 missing ? json_null() : json_real(check->overhead),
			 "trials", trials_json(check), "samples",
			 (json_int_t)check->samples, "not_running",
			 (json_int_t)check->unread, "substitute",
			 text_or_null(substitute));
}

static json_t *document(const struct machine *m, const struct prober *p,
			uint64_t seed, const struct counter_checks *checks)
{
	json_t *all = json_array(), *notes = json_array();

	for (int i = 0; i < MACHINE_COUNTERS; i++)
		json_array_append_new(all,
				      counter_json(m, (enum machine_counter)i,
						   &checks->role[i]));
	for (size_t i = 0; i < m->note_count; i++)
		json_array_append_new(notes, json_string(m->notes[i]));
	return json_pack("{si s{ss ss si so} sI so}", "schema", 1, "machine",
			 "kind", m->ops->kind, "name", m->name, "cpu",
			 p->m->cpu, "notes", notes, "seed", (json_int_t)seed,
			 "counters", all);
}

/* --- the command --------------------------------------------------------- */

/* The perf driver of the CPU's own counters. */
static const struct capability *cycle_counter(struct capability_list *list)
{
	capability_counters(list);
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, "cycle counter"))
			return &list->items[i];
	return NULL;
}

static int none(const struct options *options, struct failure *f)
{
	struct capability_list *list = calloc(1, sizeof(*list));
	const struct capability *c = list ? cycle_counter(list) : NULL;

	if (options->machine == MACHINE_SIM)
		fail(f, STATUS_UNAVAILABLE, ENOENT,
		     "counters: the simulated machine has none (name them in its profile)");
	else if (c && c->state == CAPABILITY_NO)
		fail(f, STATUS_UNAVAILABLE, ENOENT,
		     "counters: this computer has none: %.100s (%.140s)",
		     c->detail, c->remedy[0] ? c->remedy : "see info");
	else if (options->machine == MACHINE_MODULE)
		fail(f, STATUS_UNAVAILABLE, ENOENT,
		     "counters: no known event can be counted here (see info)");
	else
		fail(f, STATUS_UNAVAILABLE, ENOENT,
		     "counters: only the module counts what a walk does (insmod probe_phys.ko)");
	free(list);
	return -ENOENT;
}

static int test_all(struct machine *m, const struct options *options,
		    struct failure *f)
{
	struct counter_checks checks;
	struct prober p;
	int error;

	if (!m->counters)
		return none(options, f);
	cmd_begin(&p, m, options);
	if (isatty(STDERR_FILENO))
		p.progress = show_progress;
	error = counters_selftest(&p, &checks, f);
	erase_progress(&p);
	if (error == -EINTR)
		return fail(f, STATUS_FAILED, EINTR,
			    "counters: interrupted (run it again)");
	if (error)
		return error;
	if (options->json)
		return json_out(document(m, &p, options->seed, &checks),
				JSON_INDENT(2) | JSON_REAL_PRECISION(6), f);
	return print_all(m, &checks, f);
}

static bool name_event(struct options *o, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t chars = equals ? (size_t)(equals - text) : 0;

	for (int i = 0; equals && equals[1] && i < MACHINE_COUNTERS; i++) {
		const char *role =
			machine_counter_name((enum machine_counter)i);

		if (strlen(role) != chars || strncmp(role, text, chars) != 0)
			continue;
		o->events[i] = equals + 1;
		return true;
	}
	return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'e':
		if (!name_event(o, arg))
			argp_error(
				state,
				"--event: '%s' is not ROLE=NAME (use a role of the list, such as l1d_miss)",
				arg);
		return 0;
	default:
		return cmd_usual_option(key, arg, state, o);
	}
}

/* Check names before a machine is opened: they do not depend on it. */
static int check_names(const struct options *o, struct failure *f)
{
	for (int i = 0; i < MACHINE_COUNTERS; i++) {
		struct module_event unused;
		int error;

		if (!o->events[i])
			continue;
		if (o->machine == MACHINE_SIM || o->machine == MACHINE_HUGEPAGE)
			return fail(
				f, STATUS_USAGE, EINVAL,
				"--event: only the module takes events by name (use --machine module)");
		error = module_event_named(MODULE_EVENTS_PMUS, o->events[i],
					   &unused, f);
		if (error)
			return error;
	}
	return 0;
}

static struct machine *open_machine(struct options *o, struct failure *f)
{
	bool any = o->machine == MACHINE_AUTO;
	struct machine *m;

	if (o->machine == MACHINE_HUGEPAGE) {
		none(o, f);
		return NULL;
	}
	/* Without the module there are no counters, so no memory needs to be
	 * sorted.
	 */
	if (any)
		o->machine = MACHINE_MODULE;
	m = cmd_open_machine(o, f);
	if (!m && any && f->status == STATUS_UNAVAILABLE &&
	    access(PROBE_PHYS_DEVICE, F_OK) != 0) {
		o->machine = MACHINE_HUGEPAGE;
		f->text[0] = '\0';
		none(o, f);
	}
	return m;
}

enum exit_status cmd_counters(int argc, char **argv,
			      const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
		{ "event", 'e', "ROLE=NAME", 0,
		  "Count this event for a role: PMU/EVENT/ or, with libpfm4, a name of the processor's manual",
		  0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Show which performance counters count the misses of "
		       "caches and TLBs, and whether each counts events "
		       "whose number is known.",
	};
	struct failure f = { .text = "" };
	struct options own = *options;
	struct machine *m = NULL;
	int error;

	cmd_own_options(&argp, argc, argv, &own);
	error = check_names(&own, &f);
	if (!error)
		m = open_machine(&own, &f);
	if (!m)
		return cmd_report(&f, &own);
	error = test_all(m, &own, &f);
	machine_close(m);
	return error ? cmd_report(&f, &own) : STATUS_DONE;
}
