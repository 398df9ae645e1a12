// SPDX-License-Identifier: GPL-2.0
#include "model/profile/profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "model/profile/parse.h"

#define MOST_BYTES (4U << 20)

static int read_document(const struct value *v, struct profile *p)
{
	static const char *const keys[] = { "schema",
					    "name",
					    "source",
					    "cycle_ns",
					    "phys_bits",
					    "page_bytes",
					    "huge_page_bytes",
					    "phys_placement",
					    "caches",
					    "tlbs",
					    "walk_caches",
					    "walk",
					    "memory",
					    "prefetchers",
					    "counters",
					    "counter_faults",
					    "timer",
					    "noise",
					    "virtual_machine",
					    "host_page_bytes",
					    "same_set_miss_cycles",
					    "accessed_bits",
					    "misprediction_cycles",
					    "registers",
					    "core_types",
					    "expect",
					    NULL };
	struct value caches = value_member(v, "caches");
	struct value tlbs = value_member(v, "tlbs");

	p->cpus = 1;
	if (value_object(v, keys) || profile_read_head(v, p) ||
	    profile_read_core_types(v, p) || profile_read_caches(&caches, p) ||
	    profile_read_tlbs(&tlbs, p) || profile_read_walk_caches(v, p) ||
	    profile_read_same_set(v, p) || profile_read_rest(v, p))
		return -EINVAL;
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

struct profile *profile_parse(const char *text, size_t size, const char *name,
			      struct failure *f)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	const struct value document = { .json = root, .file = name, .f = f };
	struct profile *p;

	if (!root) {
		fail(f, STATUS_USAGE, EINVAL,
		     "profile %.80s: line %d, column %d: %s (it is no valid JSON)",
		     name, error.line, error.column, error.text);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p) {
		fail(f, STATUS_FAILED, ENOMEM,
		     "profile %.80s: out of memory (free some)", name);
	} else {
		text_printable(p->name, sizeof(p->name), base_name(name));
		if (read_document(&document, p)) {
			profile_free(p);
			p = NULL;
		}
	}
	json_decref(root);
	return p;
}

static int read_all(int fd, char *text, size_t *size)
{
	ssize_t got = 1;

	*size = 0;
	while (got > 0 && *size <= MOST_BYTES) {
		got = read(fd, text + *size, MOST_BYTES + 1 - *size);
		if (got > 0)
			*size += (size_t)got;
	}
	return got < 0 ? -errno : 0;
}

static char *read_file(int fd, const char *path, size_t *size,
		       struct failure *f)
{
	char *text = malloc(MOST_BYTES + 1);
	int error = text ? read_all(fd, text, size) : -ENOMEM;

	if (error)
		fail(f, STATUS_USAGE, -error,
		     "profile %.80s: %s (give a JSON file)", path,
		     strerror(-error));
	else if (*size > MOST_BYTES)
		fail(f, STATUS_USAGE, EFBIG,
		     "profile %.80s: more than %u MiB (give a machine profile)",
		     path, MOST_BYTES >> 20);
	else
		return text;
	free(text);
	return NULL;
}

struct profile *profile_load(const char *path, struct failure *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct profile *p = NULL;
	struct stat status;
	size_t size;
	char *text;

	if (fd < 0 || fstat(fd, &status)) {
		fail(f, STATUS_USAGE, errno,
		     "profile %.80s: %s (give a JSON file)", path,
		     strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (S_ISDIR(status.st_mode)) {
		fail(f, STATUS_USAGE, EISDIR,
		     "profile %.80s: it is a directory (give a JSON file)",
		     path);
		close(fd);
		return NULL;
	}
	text = read_file(fd, path, &size, f);
	close(fd);
	if (!text)
		return NULL;
	p = profile_parse(text, size, path, f);
	free(text);
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->cache_count; i++)
		profile_free_index(&p->caches[i].index);
	for (size_t i = 0; i < p->tlb_count; i++)
		profile_free_index(&p->tlbs[i].index);
	for (size_t i = 0; i < p->walk_cache_count; i++)
		profile_free_index(&p->walk_caches[i].index);
	json_decref(p->expect);
	free(p);
}
