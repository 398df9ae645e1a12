// SPDX-License-Identifier: GPL-2.0
#include "machine/module/events.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/module/event_library.h"

#define MISSES_OF(cache, op)             \
	((cache) | (uint64_t)(op) << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define READ_MISSES(cache) \
	MISSES_OF(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE_MISSES(cache) \
	MISSES_OF(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_WRITE)

/* By the names that perf lists them by. */
static const struct {
	enum machine_counter role;
	uint32_t type;
	uint64_t config;
	const char *name;
} generic[] = {
	{ COUNTER_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	  "cpu-cycles" },
	{ COUNTER_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  "instructions" },
	{ COUNTER_LOADS, PERF_TYPE_HW_CACHE,
	  PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
		  PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16,
	  "L1-dcache-loads" },
	{ COUNTER_L1D_MISS, PERF_TYPE_HW_CACHE, READ_MISSES(L1D),
	  "L1-dcache-load-misses" },
	{ COUNTER_L3_MISS, PERF_TYPE_HW_CACHE, READ_MISSES(LL),
	  "LLC-load-misses" },
	{ COUNTER_DTLB_MISS, PERF_TYPE_HW_CACHE, READ_MISSES(DTLB),
	  "dTLB-load-misses" },
	{ COUNTER_ITLB_MISS, PERF_TYPE_HW_CACHE, READ_MISSES(ITLB),
	  "iTLB-load-misses" },
	{ COUNTER_L1I_MISS, PERF_TYPE_HW_CACHE, READ_MISSES(L1I),
	  "L1-icache-load-misses" },
	{ COUNTER_L1D_WRITE_MISS, PERF_TYPE_HW_CACHE, WRITE_MISSES(L1D),
	  "L1-dcache-store-misses" },
	{ COUNTER_L3_WRITE_MISS, PERF_TYPE_HW_CACHE, WRITE_MISSES(LL),
	  "LLC-store-misses" },
};

/* Names in sysfs by Arm's PMU driver. */
static const char *const arm_names[MACHINE_COUNTERS] = {
	[COUNTER_CYCLES] = "cpu_cycles",
	[COUNTER_INSTRUCTIONS] = "inst_retired",
	[COUNTER_LOADS] = "ld_retired",
	[COUNTER_L1D_MISS] = "l1d_cache_refill",
	[COUNTER_L2_MISS] = "l2d_cache_refill",
	[COUNTER_L3_MISS] = "l3d_cache_refill",
	[COUNTER_DTLB_MISS] = "l1d_tlb_refill",
	[COUNTER_STLB_MISS] = "dtlb_walk",
	[COUNTER_ITLB_MISS] = "l1i_tlb_refill",
	[COUNTER_L1I_MISS] = "l1i_cache_refill",
};

#define GENERIC (sizeof(generic) / sizeof(generic[0]))

/* "0-7" or "5"; the text goes on after it. */
static int parse_bits(const char **text, unsigned int *low, unsigned int *high)
{
	char *end;
	unsigned long bit = strtoul(*text, &end, 10);

	if (end == *text || bit > 63)
		return -EINVAL;
	*low = (unsigned int)bit;
	*high = *low;
	if (*end == '-') {
		*text = end + 1;
		bit = strtoul(*text, &end, 10);
		if (end == *text || bit > 63 || bit < *low)
			return -EINVAL;
		*high = (unsigned int)bit;
	}
	*text = end;
	return 0;
}

static uint64_t *config_of(struct probe_phys_event *event, const char *format,
			   const char **bits)
{
	const char *colon = strchr(format, ':');
	size_t length = colon ? (size_t)(colon - format) : 0;

	*bits = colon ? colon + 1 : NULL;
	if (length == 6 && !strncmp(format, "config", 6))
		return (uint64_t *)&event->config;
	if (length == 7 && !strncmp(format, "config1", 7))
		return (uint64_t *)&event->config1;
	if (length == 7 && !strncmp(format, "config2", 7))
		return (uint64_t *)&event->config2;
	return NULL;
}

/* Scatter a value as a format says: "config:0-7,32-35". */
static int apply(struct probe_phys_event *event, const char *format,
		 uint64_t value)
{
	const char *bits;
	uint64_t *config = config_of(event, format, &bits);
	unsigned int low, high;

	if (!config)
		return -EINVAL;
	for (;;) {
		unsigned int width;
		uint64_t mask;

		if (parse_bits(&bits, &low, &high))
			return -EINVAL;
		width = high - low + 1;
		mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
		*config |= (value & mask) << low;
		value = width == 64 ? 0 : value >> width;
		if (*bits != ',')
			break;
		bits++;
	}
	return *bits || value ? -EINVAL : 0;
}

/* "name=0x1f" or "name", which stands for 1. */
static int apply_term(struct probe_phys_event *event, const char *pmu,
		      char *term)
{
	char path[512], format[64];
	char *value = strchr(term, '='), *end;
	uint64_t number = 1;

	if (value) {
		*value++ = '\0';
		number = strtoull(value, &end, 0);
		if (end == value || *end)
			return -EINVAL;
	}
	if (!*term || strchr(term, '/'))
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/format/%s", pmu, term);
	if (text_read(path, format, sizeof(format)))
		return -EINVAL;
	return apply(event, format, number);
}

/* "event=0x1f,umask=1", as in a file of events. */
static int parse_terms(struct probe_phys_event *event, const char *pmu,
		       char *terms)
{
	char path[512], *term;
	uint64_t type;

	snprintf(path, sizeof(path), "%s/type", pmu);
	if (text_read_number(path, &type) || type > UINT32_MAX)
		return -EINVAL;
	*event = (struct probe_phys_event){ .type = (uint32_t)type };
	while ((term = strsep(&terms, ",")))
		if (apply_term(event, pmu, term))
			return -EINVAL;
	return 0;
}

static int parse_event(struct probe_phys_event *event, const char *pmu,
		       const char *name)
{
	char path[512], line[256];

	snprintf(path, sizeof(path), "%s/events/%s", pmu, name);
	if (text_read(path, line, sizeof(line)))
		return -ENOENT;
	return parse_terms(event, pmu, line);
}

static bool counts_no_cpu(const char *pmu)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/cpumask", pmu);
	return access(path, F_OK) == 0;
}

static size_t add_event(const char *path, const char *pmu, const char *name,
			enum machine_counter role, struct module_event *events,
			size_t count)
{
	struct module_event *e = &events[count];

	if (!name || count >= MODULE_EVENTS_MAX - GENERIC ||
	    parse_event(&e->event, path, name))
		return count;
	e->role = role;
	snprintf(e->pmu, sizeof(e->pmu), "%.31s", pmu);
	snprintf(e->name, sizeof(e->name), "%.63s", name);
	return count + 1;
}

static size_t add_named(const char *pmus, const char *pmu,
			struct module_event *events, size_t count)
{
	char path[384];

	snprintf(path, sizeof(path), "%s/%s", pmus, pmu);
	if (counts_no_cpu(path))
		return count;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++) {
		enum machine_counter role = (enum machine_counter)i;

		count = add_event(path, pmu, machine_counter_name(role), role,
				  events, count);
		count = add_event(path, pmu, arm_names[role], role, events,
				  count);
	}
	return count;
}

static size_t add_known(struct module_event *events, size_t count)
{
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++) {
		enum machine_counter role = (enum machine_counter)i;
		const char *name;

		for (size_t j = 0; (name = event_library_role(role, j)); j++) {
			struct module_event *e = &events[count];
			char why[80];

			if (count >= MODULE_EVENTS_MAX - GENERIC ||
			    event_library_find(name, &e->event, why))
				continue;
			e->role = role;
			strcpy(e->pmu, "libpfm4");
			snprintf(e->name, sizeof(e->name), "%.63s", name);
			count++;
		}
	}
	return count;
}

size_t module_events_find(const char *pmus, struct module_event *events)
{
	DIR *directory = opendir(pmus);
	struct dirent *entry;
	size_t count = 0;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			count = add_named(pmus, entry->d_name, events, count);
	if (directory)
		closedir(directory);
	count = add_known(events, count);
	for (size_t i = 0; i < GENERIC; i++) {
		struct module_event *e = &events[count++];

		*e = (struct module_event){
			.role = generic[i].role,
			.event = { .type = generic[i].type,
				   .config = generic[i].config },
			.pmu = "kernel",
		};
		snprintf(e->name, sizeof(e->name), "%s", generic[i].name);
	}
	return count;
}

/* "PMU/EVENT/" or "PMU/term=value,.../". */
static int named_in_sysfs(const char *pmus, const char *name, size_t pmu_chars,
			  struct module_event *e)
{
	char path[384], terms[256];
	const char *what = name + pmu_chars + 1;
	size_t chars = strlen(what);

	if (chars && what[chars - 1] == '/')
		chars--;
	if (!pmu_chars || pmu_chars >= sizeof(e->pmu) || !chars ||
	    chars >= sizeof(e->name) || memchr(what, '/', chars))
		return -EINVAL;
	snprintf(e->pmu, sizeof(e->pmu), "%.*s", (int)pmu_chars, name);
	snprintf(e->name, sizeof(e->name), "%.*s", (int)chars, what);
	snprintf(path, sizeof(path), "%s/%s", pmus, e->pmu);
	if (!strcmp(e->pmu, ".") || !strcmp(e->pmu, ".."))
		return -EINVAL;
	if (!parse_event(&e->event, path, e->name))
		return 0;
	snprintf(terms, sizeof(terms), "%s", e->name);
	return parse_terms(&e->event, path, terms);
}

int module_event_named(const char *pmus, const char *name,
		       struct module_event *event, struct failure *f)
{
	const char *slash = strchr(name, '/');
	char why[80] = "";
	int error;

	*event = (struct module_event){ .pmu = "libpfm4" };
	if (slash) {
		error = named_in_sysfs(pmus, name, (size_t)(slash - name),
				       event);
		snprintf(why, sizeof(why), "no such PMU, event or term in %s",
			 pmus);
	} else {
		snprintf(event->name, sizeof(event->name), "%.63s", name);
		error = event_library_find(name, &event->event, why);
	}
	if (!error)
		return 0;
	return fail(
		f, STATUS_UNAVAILABLE, -error,
		"event '%.60s': %s (name it PMU/EVENT/ as perf list does%s)",
		name, why,
		event_library_there() || slash ?
			"" :
			", or install libpfm4-dev and build again");
}
