// SPDX-License-Identifier: GPL-2.0
#include "report/documented.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static void read_text(const char *directory, const char *name, char *text,
		      size_t size)
{
	char path[256];
	FILE *file;

	text[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(text, (int)size, file))
		text[strcspn(text, "\n")] = '\0';
	else
		text[0] = '\0';
	fclose(file);
}

/* Parse a number of sysfs, with K or M behind it. */
static uint64_t read_number(const char *directory, const char *name)
{
	char text[32], *end;
	uint64_t value;

	read_text(directory, name, text, sizeof(text));
	if (!isdigit((unsigned char)text[0]))
		return 0;
	value = strtoull(text, &end, 10);
	if (*end == 'K')
		value <<= 10;
	else if (*end == 'M')
		value <<= 20;
	return value;
}

static void read_cache(struct documented_cache *c, const char *directory)
{
	c->level = (int)read_number(directory, "level");
	read_text(directory, "type", c->type, sizeof(c->type));
	for (char *p = c->type; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	c->capacity_bytes = read_number(directory, "size");
	c->ways = read_number(directory, "ways_of_associativity");
	c->line_bytes = read_number(directory, "coherency_line_size");
	c->sets = read_number(directory, "number_of_sets");
	read_text(directory, "shared_cpu_list", c->shared_cpus,
		  sizeof(c->shared_cpus));
}

static void read_model(char *model, size_t size, const char *cpuinfo)
{
	FILE *file = fopen(cpuinfo, "re");
	char line[256];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		const char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		snprintf(model, size, "%.*s", (int)strcspn(value, "\n"), value);
		break;
	}
	fclose(file);
}

void documented_read(struct documented *d, const char *sysfs_cpu,
		     const char *cpuinfo)
{
	struct utsname name;

	memset(d, 0, sizeof(*d));
	for (size_t i = 0; i < sizeof(d->caches) / sizeof(d->caches[0]); i++) {
		struct documented_cache c = { .level = 0 };
		char directory[192];

		snprintf(directory, sizeof(directory), "%s/cache/index%zu",
			 sysfs_cpu, i);
		read_cache(&c, directory);
		if (!c.level)
			break;
		d->caches[d->cache_count++] = c;
	}
	documented_read_tlbs(d);
	read_model(d->cpu_model, sizeof(d->cpu_model), cpuinfo);
	if (uname(&name) == 0)
		snprintf(d->kernel, sizeof(d->kernel), "%s", name.release);
}

const struct documented_cache *documented_find(const struct documented *d,
					       int level, const char *type)
{
	for (size_t i = 0; i < d->cache_count; i++)
		if (d->caches[i].level == level &&
		    !strcmp(d->caches[i].type, "instruction") ==
			    !strcmp(type, "instruction"))
			return &d->caches[i];
	return NULL;
}
