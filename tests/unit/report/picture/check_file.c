// SPDX-License-Identifier: GPL-2.0
/* check_file.c - painted files: SVG, PNG and PDF. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/picture/folderkit.h"
#include "report/picture/paint.h"
#include "suites.h"

#define DEPTH 64

static struct folder_kit folder;

static void setup(void)
{
	folder_kit_begin(&folder);
}

static void teardown(void)
{
	folder_kit_end(&folder);
}

static size_t name_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || strchr(":-_.", at[length]))
		length++;
	return length;
}

/*
 * Skip the attributes of a tag, whose values are in quotes. Return: the end of
 * the tag; NULL: they are malformed.
 */
static const char *skip_attributes(const char *at)
{
	for (;;) {
		size_t length;
		char quote;

		at += strspn(at, " \t\r\n");
		if (*at == '>' || *at == '/' || *at == '?')
			return at;
		length = name_length(at);
		if (!length || at[length] != '=')
			return NULL;
		quote = at[length + 1];
		if (quote != '"' && quote != '\'')
			return NULL;
		at = strchr(at + length + 2, quote);
		if (!at)
			return NULL;
		at++;
	}
}

/* Whether all tags are closed in order; @tags counts elements. */
static bool is_well_formed(const char *at, size_t *tags)
{
	struct {
		const char *name;
		size_t length;
	} open[DEPTH];
	size_t depth = 0;

	for (*tags = 0; (at = strchr(at, '<'));) {
		bool closing = at[1] == '/', declared = at[1] == '?';
		const char *name = at + 1 + (closing || declared);
		size_t length = name_length(name);
		const char *end = skip_attributes(name + length);

		if (!length || !end)
			return false;
		at = end + (*end != '>');
		if (*at != '>' || (*end == '?') != declared)
			return false;
		if (closing) {
			if (!depth-- || open[depth].length != length ||
			    memcmp(open[depth].name, name, length) != 0)
				return false;
		} else if (*end == '>') {
			if (depth == DEPTH)
				return false;
			open[depth].name = name;
			open[depth++].length = length;
		}
		*tags += !closing && !declared;
	}
	return !depth && *tags;
}

START_TEST(svg)
{
	size_t length, again, tags;
	char *first, *second;

	folder_kit_draw(&folder, "a.svg");
	folder_kit_draw(&folder, "b.SVG");
	first = folder_kit_read(&folder, "a.svg", &length);
	second = folder_kit_read(&folder, "b.SVG", &again);
	ck_assert(is_well_formed(first, &tags));
	ck_assert_uint_gt(tags, 500);
	ck_assert_ptr_nonnull(strstr(first, "<svg"));
	/* The check detects a damaged file. */
	second[again - strlen("/g>\n</svg>\n") + 1] = 'h';
	ck_assert(!is_well_formed(second, &tags));
	free(first);
	free(second);
	ck_assert_uint_eq(folder_kit_count(&folder), 2);
}
END_TEST

/* In a separate process, because the library numbers its surfaces. */
static void draw_apart(const char *name)
{
	int status = 1;
	pid_t child = fork();

	if (!child) {
		struct failure f = { .text = "" };

		_exit(picture_write(&folder.kit.picture,
				    folder_kit_path(&folder, name), &f) != 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

START_TEST(same_data_same_file)
{
	static const char *const names[] = { "a.svg", "b.svg", "a.png",
					     "b.png", "a.pdf", "b.pdf" };
	size_t length, again;

	folder.kit.picture.date = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		draw_apart(names[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i += 2) {
		char *first = folder_kit_read(&folder, names[i], &length);
		char *second = folder_kit_read(&folder, names[i + 1], &again);

		ck_assert_uint_eq(length, again);
		ck_assert_msg(memcmp(first, second, length) == 0, "%s",
			      names[i]);
		free(first);
		free(second);
	}
}
END_TEST

START_TEST(other_formats)
{
	size_t length;
	char *bytes;

	folder_kit_draw(&folder, "a.png");
	bytes = folder_kit_read(&folder, "a.png", &length);
	ck_assert(memcmp(bytes, "\x89PNG\r\n", 6) == 0);
	ck_assert(memcmp(bytes + length - 8, "IEND", 4) == 0);
	free(bytes);
	folder_kit_draw(&folder, "a.pdf");
	bytes = folder_kit_read(&folder, "a.pdf", &length);
	ck_assert(memcmp(bytes, "%PDF-", 5) == 0);
	ck_assert_ptr_nonnull(memmem(bytes + length - 16, 16, "%%EOF", 5));
	free(bytes);
}
END_TEST

/* The layout measures texts with the library's font, as it paints them. */
START_TEST(measured_texts)
{
	struct failure f = { .text = "" };
	struct scene_metrics metrics;
	struct paint_metrics *m = paint_metrics_open(&metrics, &f);
	double one, two;

	ck_assert_msg(m != NULL, "%s", f.text);
	one = metrics.width(metrics.context, "32 KiB", 10);
	two = metrics.width(metrics.context, "32 KiB, 14 cycles", 10);
	ck_assert_double_gt(one, 10);
	ck_assert_double_lt(one, 60);
	ck_assert_double_gt(two, 1.5 * one);
	ck_assert_double_eq_tol(metrics.width(metrics.context, "32 KiB", 20),
				2 * one, 0.5);
	paint_metrics_close(m);
}

TCase *make_picture_file_case(void)
{
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, teardown);
	if (!paint_there())
		return tc;
	tcase_add_test(tc, svg);
	tcase_add_test(tc, same_data_same_file);
	tcase_add_test(tc, other_formats);
	tcase_add_test(tc, measured_texts);
	return tc;
}
