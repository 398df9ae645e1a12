// SPDX-License-Identifier: GPL-2.0
#include "module_events.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../host/text.h"

#define MISSES_OF_READS(cache)                                  \
	((cache) | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
	enum machine_counter role;
	uint32_t type;
	uint64_t config;
} generic[] = {
	{ COUNTER_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ COUNTER_L1D_MISS, PERF_TYPE_HW_CACHE,
	  MISSES_OF_READS(PERF_COUNT_HW_CACHE_L1D) },
	{ COUNTER_L3_MISS, PERF_TYPE_HW_CACHE,
	  MISSES_OF_READS(PERF_COUNT_HW_CACHE_LL) },
	{ COUNTER_DTLB_MISS, PERF_TYPE_HW_CACHE,
	  MISSES_OF_READS(PERF_COUNT_HW_CACHE_DTLB) },
	{ COUNTER_ITLB_MISS, PERF_TYPE_HW_CACHE,
	  MISSES_OF_READS(PERF_COUNT_HW_CACHE_ITLB) },
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

static int parse_event(struct probe_phys_event *event, const char *pmu,
		       const char *role)
{
	char path[512], line[256], *rest = line, *term;
	uint64_t type;

	snprintf(path, sizeof(path), "%s/events/%s", pmu, role);
	if (text_read(path, line, sizeof(line)))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/type", pmu);
	if (text_read_number(path, &type) || type > UINT32_MAX)
		return -EINVAL;
	*event = (struct probe_phys_event){ .type = (uint32_t)type };
	while ((term = strsep(&rest, ",")))
		if (apply_term(event, pmu, term))
			return -EINVAL;
	return 0;
}

static bool counts_no_cpu(const char *pmu)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/cpumask", pmu);
	return access(path, F_OK) == 0;
}

static size_t add_named(const char *pmus, const char *name,
			struct module_event *events, size_t count)
{
	char pmu[384];

	snprintf(pmu, sizeof(pmu), "%s/%s", pmus, name);
	if (counts_no_cpu(pmu))
		return count;
	for (unsigned int i = 0;
	     i < MACHINE_COUNTERS && count < MODULE_EVENTS_MAX - GENERIC; i++) {
		enum machine_counter role = (enum machine_counter)i;
		struct module_event *e = &events[count];

		if (parse_event(&e->event, pmu, machine_counter_name(role)))
			continue;
		e->role = role;
		snprintf(e->pmu, sizeof(e->pmu), "%.31s", name);
		count++;
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
	for (size_t i = 0; i < GENERIC; i++)
		events[count++] = (struct module_event){
			.role = generic[i].role,
			.event = { .type = generic[i].type,
				   .config = generic[i].config },
			.pmu = "kernel",
		};
	return count;
}
