// SPDX-License-Identifier: GPL-2.0
#include "machine/host/resctrl_shares.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"

#define RESCTRL "/sys/fs/resctrl"
#define CPU "/sys/devices/system/cpu/cpu"
/* Of a cache, in sysfs. */
#define INDEXES 8
#define PATH_BYTES 512
#define LIST_BYTES 1024
#define MOST_CPUS 1024
/* "/", the name of a folder, and the end. */
#define GROUP_BYTES (sizeof("/") + NAME_MAX)

/* --- threads of the core ------------------------------------------------- */

/* Whether a list like 0-3,8 holds a CPU; @another: one beside it, -1: none. */
static bool holds(const char *list, int cpu, int *another)
{
	int cpus[MOST_CPUS];
	bool found = false;
	size_t count;

	*another = -1;
	/* A longer list is cut. */
	parse_cpus(list, cpus, MOST_CPUS, &count);
	for (size_t i = 0; i < count; i++) {
		found |= cpus[i] == cpu;
		if (cpus[i] != cpu && *another < 0)
			*another = cpus[i];
	}
	return found;
}

/* Threads that are offline are not in the list. */
static void note_threads(struct machine *m, const char *root)
{
	char list[LIST_BYTES];
	int other;

	if (text_read_at(list, sizeof(list), "%s" CPU "%d/topology/%s", root,
			 m->cpu, "thread_siblings_list"))
		return;
	holds(list, m->cpu, &other);
	if (other >= 0)
		machine_note(
			m,
			"CPU %d is a thread of the same core: what is split between threads shows a share (echo 0 >" CPU
			"%d/online)",
			other, other);
}

/* --- ways that resctrl keeps back ---------------------------------------- */

/* Tasks that no group has go by their CPU's. */
static bool group_of_cpu(const char *root, int cpu, char *group, size_t size)
{
	char path[PATH_BYTES], list[LIST_BYTES];
	struct dirent *entry;
	bool found = false;
	int unused;
	DIR *dir;

	snprintf(path, sizeof(path), "%s" RESCTRL, root);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    text_read_at(list, sizeof(list), "%s/%s/cpus_list", path,
				 entry->d_name))
			continue;
		found = holds(list, cpu, &unused);
		snprintf(group, size, "/%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Of this process on that CPU; empty: the one that all are in. */
static void find_group(const char *root, int cpu, char *group, size_t size)
{
	static const char mark[] = "res:/";
	char line[sizeof(mark) + NAME_MAX];

	if (!text_read_at(line, sizeof(line), "%s/proc/self/cpu_resctrl_groups",
			  root) &&
	    !strncmp(line, mark, strlen(mark)) && line[strlen(mark)])
		snprintf(group, size, "/%s", line + strlen(mark));
	else if (!group_of_cpu(root, cpu, group, size))
		group[0] = '\0';
}

/* Number of the cache of a level, as resctrl has it; -1: not known. */
static long cache_id(const char *root, int cpu, int level)
{
	char line[32];

	for (int i = 0; i < INDEXES; i++) {
		if (text_read_at(line, sizeof(line),
				 "%s" CPU "%d/cache/index%d/level", root, cpu,
				 i) ||
		    strtol(line, NULL, 10) != level)
			continue;
		if (!text_read_at(line, sizeof(line),
				  "%s" CPU "%d/cache/index%d/id", root, cpu, i))
			return strtol(line, NULL, 10);
	}
	return -1;
}

/* @line: as in "L3:0=fffff;1=fffff" */
static void note_mask(struct machine *m, const char *root, const char *line)
{
	const char *colon = strchr(line, ':');
	char text[32], *end;
	unsigned long full;
	long id;

	if (!colon || line[0] != 'L' || line[1] < '2' || line[1] > '3' ||
	    text_read_at(text, sizeof(text), "%s" RESCTRL "/info/%.*s/cbm_mask",
			 root, (int)(colon - line), line))
		return;
	full = strtoul(text, NULL, 16);
	id = cache_id(root, m->cpu, line[1] - '0');
	for (const char *at = colon; at; at = strchr(at, ';')) {
		long domain = strtol(at + 1, &end, 10);
		unsigned long mask;

		if (*end != '=')
			return;
		mask = strtoul(end + 1, &end, 16);
		at = end;
		if ((id >= 0 && domain != id) || mask == full)
			continue;
		machine_note(
			m,
			"resctrl leaves this process %lx of %lx in %.*s: its ways and capacity are no more than that (widen its schemata)",
			mask, full, (int)(colon - line), line);
		return;
	}
}

static void note_masks(struct machine *m, const char *root)
{
	char path[PATH_BYTES], group[GROUP_BYTES], line[LIST_BYTES];
	FILE *file;

	find_group(root, m->cpu, group, sizeof(group));
	snprintf(path, sizeof(path), "%s" RESCTRL "%s/schemata", root, group);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		note_mask(m, root, line + strspn(line, " "));
	fclose(file);
}

void shares_note(struct machine *m, const char *root)
{
	note_threads(m, root);
	note_masks(m, root);
}
