// SPDX-License-Identifier: GPL-2.0
#include "machine/module/counters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/module/events.h"
#include "machine/module/ioctl.h"

static int create(const struct module_counters *c, unsigned int wanted)
{
	struct probe_phys_counters_create group = { .cpu = c->cpu };
	int error;

	if (__builtin_popcount(wanted) > PROBE_PHYS_MAX_COUNTERS)
		return -E2BIG;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (wanted >> i & 1)
			group.events[group.nr_events++] = c->events[i];
	error = module_counters_create(c->session, &group);
	return error ? error : group.fd;
}

/* "counters of PMU: a b; of PMU: c" */
static void say_found(struct machine *m, const char *const *pmus)
{
	char text[sizeof(m->notes[0])] = "counters";
	const char *last = NULL;
	size_t length = strlen(text);

	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++) {
		if (!pmus[i])
			continue;
		if (!last || strcmp(last, pmus[i]))
			length += (size_t)snprintf(text + length,
						   sizeof(text) - length,
						   "%s of %s:", last ? ";" : "",
						   pmus[i]);
		last = pmus[i];
		if (length >= sizeof(text))
			break;
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, " %s",
			machine_counter_name((enum machine_counter)i));
		if (length >= sizeof(text))
			break;
	}
	machine_note(m, "%s", text);
}

/* Return: 0, or why it cannot be counted. */
static int take(struct module_counters *c, struct machine *m,
		const struct module_event *e, enum machine_counter role)
{
	int group;

	c->events[role] = e->event;
	group = create(c, 1U << role);
	if (group < 0)
		return group;
	close(group);
	c->available |= 1U << role;
	snprintf(m->counter_names[role], sizeof(m->counter_names[role]),
		 "%.20s/%.40s/", e->pmu, e->name);
	return 0;
}

static int take_named(struct module_counters *c, struct machine *m,
		      const struct machine_request *request, struct failure *f)
{
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++) {
		enum machine_counter role = (enum machine_counter)i;
		struct module_event e;
		int error;

		if (!request->events[i])
			continue;
		error = module_event_named(MODULE_EVENTS_PMUS,
					   request->events[i], &e, f);
		if (error)
			return error;
		error = take(c, m, &e, role);
		if (error)
			return fail(
				f, STATUS_UNAVAILABLE, -error,
				"event '%.60s': cannot be counted on CPU %d: %s (see perf list)",
				request->events[i], c->cpu, strerror(-error));
	}
	return 0;
}

int module_counters_find(struct module_counters *c, struct machine *m,
			 const struct machine_request *request,
			 struct failure *f)
{
	struct module_event candidates[MODULE_EVENTS_MAX];
	const char *pmus[MACHINE_COUNTERS] = { NULL };
	size_t count = module_events_find(MODULE_EVENTS_PMUS, candidates);
	int why = -ENOENT, error;

	c->group = -1;
	error = take_named(c, m, request, f);
	if (error)
		return error;
	for (size_t i = 0; i < count; i++) {
		const struct module_event *e = &candidates[i];

		if (c->available >> e->role & 1)
			continue;
		error = take(c, m, e, e->role);
		if (error)
			why = error;
		else
			pmus[e->role] = e->pmu;
	}
	m->counters = c->available;
	if (c->available)
		say_found(m, pmus);
	else
		machine_note(m, "no hardware counters: %s", strerror(-why));
	return 0;
}

void module_counters_close(struct module_counters *c)
{
	if (c->group >= 0)
		close(c->group);
	c->group = -1;
	c->counted = 0;
}

int module_counters_select(struct module_counters *c, unsigned int wanted,
			   bool *made)
{
	int group;

	*made = false;
	if (c->group >= 0 && c->counted == wanted)
		return 0;
	module_counters_close(c);
	group = create(c, wanted);
	if (group < 0)
		return group;
	c->group = group;
	c->counted = wanted;
	memset(c->overhead, 0, sizeof(c->overhead));
	*made = true;
	return 0;
}

bool module_counters_add(const struct module_counters *c,
			 const struct probe_phys_sample *slice, double *counts)
{
	unsigned int next = 0;

	if (slice->flags & PROBE_PHYS_SAMPLE_MULTIPLEXED ||
	    slice->nr_counters !=
		    (unsigned int)__builtin_popcount(c->counted) ||
	    slice->nr_counters > PROBE_PHYS_MAX_COUNTERS)
		return false;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++) {
		double count;

		if (!(c->counted >> i & 1))
			continue;
		count = (double)slice->counters[next++] - c->overhead[i];
		counts[i] += count > 0 ? count : 0;
	}
	return true;
}

bool module_counters_now(void *context, double *counts)
{
	const struct module_counters *c = context;
	struct probe_phys_counters_read read = { 0 };
	unsigned int next = 0;

	if (module_counters_read(c->group, &read) || read.state ||
	    read.nr_events != (unsigned int)__builtin_popcount(c->counted) ||
	    read.nr_events > PROBE_PHYS_MAX_COUNTERS)
		return false;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (c->counted >> i & 1)
			counts[i] = (double)read.values[next++].value;
	return true;
}
