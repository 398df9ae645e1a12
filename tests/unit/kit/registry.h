/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registry.h - the suites that are linked into this program, and how a user
 * names them. Knows nothing of what the suites test. main.c calls it.
 */
#ifndef PROBE_PHYS_UNIT_KIT_REGISTRY_H
#define PROBE_PHYS_UNIT_KIT_REGISTRY_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

/** The longest name of a suite or folder, with its final 0. */
#define REGISTRY_NAME_BYTES 128

/**
 * struct unit_suite - one suite
 * @file: its source, __FILE__
 * @make: makes the suite of that name; libcheck keeps the pointer to the name
 */
struct unit_suite {
	const char *file;
	Suite *(*make)(const char *name);
} __attribute__((aligned(16)));

/**
 * UNIT_SUITE() - begins the function that makes the suite of this file:
 *
 *	UNIT_SUITE(name)
 *	{
 *		Suite *s = suite_create(name);
 *
 *		suite_add_tcase(s, ...);
 *		return s;
 *	}
 *
 * The linker gathers the entries of all files in one section.
 */
#define UNIT_SUITE(name)                                          \
	static Suite *make_suite(const char *name);               \
	static const struct unit_suite unit_suite                 \
		__attribute__((used, section("unit_suites"))) = { \
			.file = __FILE__, .make = make_suite      \
		};                                                \
	static Suite *make_suite(const char *name)

/**
 * struct registry - all suites, sorted by name
 * @count: number of suites
 * @suites: what makes each
 * @names: path below tests/unit without "check_" and ".c"
 * @wanted: whether registry_want() has chosen it
 */
struct registry {
	size_t count;
	const struct unit_suite **suites;
	char (*names)[REGISTRY_NAME_BYTES];
	bool *wanted;
};

/** registry_open() - all suites, none of them wanted. Aborts without memory. */
void registry_open(struct registry *r);

/** registry_close() - frees the names; no suite may be in use any more */
void registry_close(struct registry *r);

/**
 * registry_want() - choose the suites that a user names
 * @r: the suites
 * @given: a suite ("observe/trial") or a folder ("observe"); folders in front
 *	or in the middle may be left out as long as one suite or folder fits:
 *	"evset/classes" is "method/evset/sort/classes"
 *
 * Return: how many suites or folders fit. Unless it is 1 nothing is chosen, and
 * those that fit are printed on stderr.
 */
size_t registry_want(struct registry *r, const char *given);

#endif
