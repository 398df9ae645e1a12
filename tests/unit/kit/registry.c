// SPDX-License-Identifier: GPL-2.0
/* registry.c - the suites that are linked into this program */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/registry.h"

#define TOP "tests/unit/"
#define PREFIX "check_"

/* The linker's names for the ends of the section. */
extern const struct unit_suite __start_unit_suites[];
extern const struct unit_suite __stop_unit_suites[];

/* "tests/unit/observe/check_trial.c" is "observe/trial". */
static void name_of(const char *file, char name[REGISTRY_NAME_BYTES])
{
	const char *top = strstr(file, TOP);
	const char *path = top ? top + strlen(TOP) : file;
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *word = base;

	if (!strncmp(word, PREFIX, strlen(PREFIX)))
		word += strlen(PREFIX);
	snprintf(name, REGISTRY_NAME_BYTES, "%.*s%.*s", (int)(base - path),
		 path, (int)strcspn(word, "."), word);
}

static int by_name(const void *a, const void *b)
{
	const struct unit_suite *const *x = a, *const *y = b;
	char of_x[REGISTRY_NAME_BYTES], of_y[REGISTRY_NAME_BYTES];

	name_of((*x)->file, of_x);
	name_of((*y)->file, of_y);
	return strcmp(of_x, of_y);
}

static void *of_count(size_t count, size_t size)
{
	void *all = calloc(count + 1, size);

	if (!all)
		abort();
	return all;
}

void registry_open(struct registry *r)
{
	/* cppcheck-suppress comparePointers ; both are ends of one section */
	r->count = (size_t)(__stop_unit_suites - __start_unit_suites);
	r->suites = of_count(r->count, sizeof(void *));
	r->names = of_count(r->count, sizeof(r->names[0]));
	r->wanted = of_count(r->count, sizeof(r->wanted[0]));
	for (size_t i = 0; i < r->count; i++)
		r->suites[i] = &__start_unit_suites[i];
	qsort(r->suites, r->count, sizeof(void *), by_name);
	for (size_t i = 0; i < r->count; i++)
		name_of(r->suites[i]->file, r->names[i]);
}

void registry_close(struct registry *r)
{
	free(r->suites);
	free(r->names);
	free(r->wanted);
}

/*
 * Whether @path ends with the last word of @given and has the others before it,
 * in this order.
 */
static bool fits(const char *path, const char *given)
{
	size_t long_path = strlen(path), long_given = strlen(given);
	bool is_last = true;

	while (long_given) {
		size_t word = 0, of_path = 0;

		while (word < long_given && given[long_given - 1 - word] != '/')
			word++;
		while (of_path < long_path &&
		       path[long_path - 1 - of_path] != '/')
			of_path++;
		if (of_path == word &&
		    !strncmp(path + long_path - word, given + long_given - word,
			     word)) {
			long_given -= word + (word < long_given);
			is_last = false;
		} else if (is_last || !long_path) {
			return false;
		}
		long_path -= of_path + (of_path < long_path);
	}
	return true;
}

/* Whether suite @name is @of or is in the folder @of. */
static bool is_below(const char *name, const char *of)
{
	size_t length = strlen(of);

	return !strncmp(name, of, length) &&
	       (name[length] == '\0' || name[length] == '/');
}

/*
 * struct choice - the suites and folders that fit
 * @count: how many; those below one that was found before do not count
 * @one: the last of them
 */
struct choice {
	size_t count;
	char one[REGISTRY_NAME_BYTES];
};

/* Of @name and the folders that it is in, the outermost that fits. */
static bool outermost(const char *name, const char *given, bool whole,
		      char fit[REGISTRY_NAME_BYTES])
{
	for (size_t end = 1; end <= strlen(name); end++) {
		if (name[end] != '/' && name[end] != '\0')
			continue;
		snprintf(fit, REGISTRY_NAME_BYTES, "%.*s", (int)end, name);
		if (whole ? !strcmp(fit, given) : fits(fit, given))
			return true;
	}
	return false;
}

/* What is sorted by name has the suites of a folder in a row. */
static void choose(const struct registry *r, const char *given, bool whole,
		   bool tell, struct choice *c)
{
	char fit[REGISTRY_NAME_BYTES];

	c->count = 0;
	for (size_t i = 0; i < r->count; i++) {
		if (!outermost(r->names[i], given, whole, fit) ||
		    (c->count && is_below(fit, c->one)))
			continue;
		c->count++;
		strcpy(c->one, fit);
		if (tell)
			fprintf(stderr, "    %s\n", fit);
	}
}

size_t registry_want(struct registry *r, const char *given)
{
	struct choice c;

	choose(r, given, true, false, &c);
	if (c.count != 1)
		choose(r, given, false, false, &c);
	if (c.count != 1) {
		fprintf(stderr,
			c.count ? "unit-tests: '%s' is not clear:\n" :
				  "unit-tests: no suite '%s' (see --list)\n",
			given);
		choose(r, given, false, true, &c);
		return c.count;
	}
	for (size_t i = 0; i < r->count; i++)
		r->wanted[i] |= is_below(r->names[i], c.one);
	return 1;
}
