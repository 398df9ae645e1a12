// SPDX-License-Identifier: GPL-2.0
/*
 * monitor.c - "probe-phys monitor": print the module's events as they arrive.
 */
#include <argp.h>
#include <inttypes.h>
#include <linux/probe_phys.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/text.h"
#include "cmd.h"
#include "machine/module/names.h"
#include "netlink/inventory.h"
#include "own_options.h"
#include "report/json_out.h"

#define MAX_SECONDS UINT64_C(1000000000)

/**
 * struct monitor - state of the command
 * @options: global options
 * @count: end after this number of events, 0: no limit
 * @seconds: end after this time, 0: no limit
 * @printed: number of printed events
 * @failure: failure while printing
 */
struct monitor {
	struct options options;
	uint64_t count;
	uint64_t seconds;
	uint64_t printed;
	struct failure failure;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* RFC 3339, local time, milliseconds: "2026-01-31T12:00:00.123+01:00". */
static void spell_time(uint64_t ns, char *text, size_t size)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char date[32], offset[8] = "";
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &local);
	strftime(offset, sizeof(offset), "%z", &local);
	snprintf(text, size, "%s.%03u%.3s:%s", date,
		 (unsigned int)(ns / 1000000 % 1000), offset, offset + 3);
}

/* Name of what an event counts, singular and plural. */
static const char *count_means(const struct inventory_event *e)
{
	bool one = e->count == 1;

	switch (e->kind) {
	case PROBE_PHYS_EVENT_WALK_DISTURBED:
		return one ? "late sample" : "late samples";
	case PROBE_PHYS_EVENT_SMI:
		return one ? "sample with a system management interrupt" :
			     "samples with a system management interrupt";
	case PROBE_PHYS_EVENT_FREQUENCY:
		return "permille of the ticks";
	case PROBE_PHYS_EVENT_PREFETCH_RESTORED:
		return one ? "CPU given back" : "CPUs given back";
	default:
		return one ? "time" : "times";
	}
}

/* Walks and buffers are numbered separately. */
static const char *id_means(uint32_t kind)
{
	return kind == PROBE_PHYS_EVENT_BUFFER_CREATED ||
			       kind == PROBE_PHYS_EVENT_BUFFER_GONE ?
		       "buffer" :
		       "walk";
}

static int print_text(const struct inventory_event *e, const char *when,
		      struct failure *f)
{
	char bytes[24];

	printf("%s  %-17s", when, module_event_name(e->kind));
	if (e->has_id)
		printf("  %s %" PRIu64, id_means(e->kind), e->id);
	if (e->has_bytes)
		printf("  %s", text_bytes(e->bytes, bytes, sizeof(bytes)));
	if (e->has_cpu)
		printf("  CPU %" PRId32, e->cpu);
	if (e->has_count)
		printf("  %" PRIu64 " %s", e->count, count_means(e));
	if (e->has_owner)
		printf("  owner %" PRIu32 " %s", e->owner.pid, e->owner.comm);
	putchar('\n');
	return cmd_flush(f);
}

static json_t *begin_json(uint64_t ns, const char *when, const char *event)
{
	return json_pack("{si ss sI ss}", "schema", 1, "time", when, "time_ns",
			 (json_int_t)ns, "event", event);
}

static int print_json(const struct inventory_event *e, uint64_t ns,
		      const char *when, struct failure *f)
{
	json_t *line = begin_json(ns, when, module_event_name(e->kind));

	json_object_set_new(line, "kind", json_integer(e->kind));
	if (e->has_id)
		json_object_set_new(line, "id",
				    json_integer((json_int_t)e->id));
	if (e->has_bytes)
		json_object_set_new(line, "bytes",
				    json_integer((json_int_t)e->bytes));
	if (e->has_cpu)
		json_object_set_new(line, "cpu", json_integer(e->cpu));
	if (e->has_count)
		json_object_set_new(line, "count",
				    json_integer((json_int_t)e->count));
	if (e->has_owner)
		json_object_set_new(line, "owner",
				    json_pack("{sI ss}", "pid",
					      (json_int_t)e->owner.pid, "comm",
					      e->owner.comm));
	return json_out(line, JSON_COMPACT, f);
}

static int take_event(uint8_t command, struct nlattr **attributes, void *arg)
{
	uint64_t ns = now_ns(CLOCK_REALTIME);
	struct inventory_event event;
	struct monitor *m = arg;
	char when[64];
	int error;

	if (command != PROBE_PHYS_CMD_EVENT ||
	    (m->count && m->printed >= m->count))
		return 0;
	error = inventory_take(INVENTORY_EVENT, attributes, &event);
	if (error)
		return error;
	spell_time(ns, when, sizeof(when));
	m->printed++;
	if (m->options.json)
		return print_json(&event, ns, when, &m->failure);
	return print_text(&event, when, &m->failure);
}

static int print_lost(struct monitor *m)
{
	uint64_t ns = now_ns(CLOCK_REALTIME);
	char when[64];

	spell_time(ns, when, sizeof(when));
	if (m->options.json)
		return json_out(begin_json(ns, when, "events-lost"),
				JSON_COMPACT, &m->failure);
	printf("%s  events lost\n", when);
	return cmd_flush(&m->failure);
}

/* A descriptor that becomes readable on a signal to end. */
static int catch_signals(struct failure *f)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		return fail(f, STATUS_FAILED, errno, "monitor: signalfd: %s",
			    strerror(errno));
	return fd;
}

static int milliseconds_left(uint64_t deadline_ns)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);
	uint64_t left;

	if (!deadline_ns)
		return -1;
	if (now >= deadline_ns)
		return 0;
	left = (deadline_ns - now) / 1000000 + 1;
	return left > 1000000 ? 1000000 : (int)left;
}

static int receive(struct monitor *m, struct genl *g)
{
	int error = genl_receive(g, take_event, m, &m->failure);

	return error == -ENOBUFS ? print_lost(m) : error;
}

static int watch(struct monitor *m, struct genl *g, int signals)
{
	struct pollfd wait[] = { { .fd = signals, .events = POLLIN },
				 { .fd = genl_fd(g), .events = POLLIN } };
	uint64_t deadline_ns = 0;
	int error = 0;

	if (m->seconds)
		deadline_ns = now_ns(CLOCK_MONOTONIC) + m->seconds * 1000000000;
	while (!error && (!m->count || m->printed < m->count)) {
		int left = milliseconds_left(deadline_ns);
		int ready = left ? poll(wait, 2, left) : 0;

		if (!left || (ready > 0 && wait[0].revents))
			break;
		if (ready < 0 && errno != EINTR)
			return fail(&m->failure, STATUS_FAILED, errno,
				    "monitor: waiting: %s", strerror(errno));
		if (ready > 0)
			error = receive(m, g);
	}
	return error;
}

static int run(struct monitor *m)
{
	struct genl *g = genl_open(&m->failure);
	int signals, error;

	if (!g)
		return -ENODEV;
	error = genl_listen(g, PROBE_PHYS_GENL_GROUP_EVENTS, &m->failure);
	if (!error) {
		signals = catch_signals(&m->failure);
		error = signals < 0 ? signals : watch(m, g, signals);
		if (signals >= 0)
			close(signals);
	}
	genl_close(g);
	return error;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct monitor *m = state->input;

	switch (key) {
	case 'j':
		m->options.json = true;
		return 0;
	case 'n':
		if (parse_number(arg, 1, UINT64_MAX, &m->count))
			argp_error(state,
				   "--count: '%s' is no count (use 1 or more)",
				   arg);
		return 0;
	case 's':
		if (parse_number(arg, 1, MAX_SECONDS, &m->seconds))
			argp_error(
				state,
				"--seconds: '%s' is no time (use 1 to %" PRIu64
				")",
				arg, MAX_SECONDS);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state,
			   "'%s': monitor takes no arguments (see --help)",
			   arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

enum exit_status cmd_monitor(int argc, char **argv,
			     const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print a JSON document per event", 0 },
		{ "count", 'n', "N", 0, "End after N events", 0 },
		{ "seconds", 's', "S", 0, "End after S seconds", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	static const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Print the events of probe_phys.ko as they arrive, one a line, until interrupted.\v"
		       "With --json each line is a JSON document of its own.",
	};
	struct monitor m = { .options = *options };

	cmd_own_options(&argp, argc, argv, &m);
	if (run(&m))
		return cmd_report(&m.failure, &m.options);
	return STATUS_DONE;
}
