// SPDX-License-Identifier: GPL-2.0
/* check_file.c - the painted sheet, and files that cannot be written. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/picture/paint.h"
#include "report/picture/picturekit.h"
#include "suites.h"

#define MOST_BYTES (8u << 20)
#define DEPTH 64

/* Fontconfig keeps what it has read of fonts, and never frees it. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n";
}

static struct picture_kit kit;
static char folder[PATH_MAX];

static void setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/probe-phys-picture-XXXXXX",
		 tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	picture_kit_usual(&kit);
}

static size_t count_files(bool remove_them)
{
	DIR *dir = opendir(folder);
	char path[2 * PATH_MAX];
	struct dirent *e;
	size_t count = 0;

	ck_assert_ptr_nonnull(dir);
	while ((e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		count++;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (remove_them)
			remove(path);
	}
	closedir(dir);
	return count;
}

static void teardown(void)
{
	picture_kit_free(&kit);
	count_files(true);
	rmdir(folder);
}

static const char *in_folder(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Caller frees. */
static char *read_file(const char *name, size_t *length)
{
	FILE *in = fopen(in_folder(name), "r");
	char *bytes = malloc(MOST_BYTES + 1);

	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(bytes);
	*length = fread(bytes, 1, MOST_BYTES, in);
	bytes[*length] = '\0';
	fclose(in);
	ck_assert_uint_lt(*length, MOST_BYTES);
	return bytes;
}

static void write_file(const char *name, const char *text)
{
	FILE *out = fopen(in_folder(name), "w");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
}

static void draw(const char *name)
{
	struct failure f = { .text = "" };

	ck_assert_msg(picture_write(&kit.picture, in_folder(name), &f) == 0,
		      "%s", f.text);
}

static size_t name_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || strchr(":-_.", at[length]))
		length++;
	return length;
}

/* Of a tag, from behind its name: attributes with values in quotes. Return: its
 * end, or NULL.
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

	draw("a.svg");
	draw("b.SVG");
	first = read_file("a.svg", &length);
	second = read_file("b.SVG", &again);
	ck_assert(is_well_formed(first, &tags));
	ck_assert_uint_gt(tags, 500);
	ck_assert_ptr_nonnull(strstr(first, "<svg"));
	/* A damaged one is seen to be damaged. */
	second[again - strlen("/g>\n</svg>\n") + 1] = 'h';
	ck_assert(!is_well_formed(second, &tags));
	free(first);
	free(second);
	ck_assert_uint_eq(count_files(false), 2);
}
END_TEST

/* In a process of its own: the library numbers what it draws on. */
static void draw_apart(const char *name)
{
	int status = 1;
	pid_t child = fork();

	if (!child) {
		struct failure f = { .text = "" };

		_exit(picture_write(&kit.picture, in_folder(name), &f) != 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

START_TEST(same_data_same_file)
{
	static const char *const names[] = { "a.svg", "b.svg", "a.png",
					     "b.png", "a.pdf", "b.pdf" };
	size_t length, again;

	kit.picture.date = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		draw_apart(names[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i += 2) {
		char *first = read_file(names[i], &length);
		char *second = read_file(names[i + 1], &again);

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

	draw("a.png");
	bytes = read_file("a.png", &length);
	ck_assert(memcmp(bytes, "\x89PNG\r\n", 6) == 0);
	ck_assert(memcmp(bytes + length - 8, "IEND", 4) == 0);
	free(bytes);
	draw("a.pdf");
	bytes = read_file("a.pdf", &length);
	ck_assert(memcmp(bytes, "%PDF-", 5) == 0);
	ck_assert_ptr_nonnull(memmem(bytes + length - 16, 16, "%%EOF", 5));
	free(bytes);
}
END_TEST

/* The library's font is measured, too: what was laid out is what is painted. */
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
END_TEST

/* One line: what, why, and what to do. */
static void expect_refusal(const char *path, int error, enum exit_status status,
			   const char *why, const char *remedy)
{
	struct failure f = { .text = "" };

	ck_assert_int_eq(picture_write(&kit.picture, path, &f), -error);
	ck_assert_int_eq(f.status, status);
	ck_assert_msg(strstr(f.text, why) != NULL, "%s", f.text);
	ck_assert_msg(strstr(f.text, remedy) != NULL, "%s", f.text);
	ck_assert_ptr_null(strchr(f.text, '\n'));
}

static void expect_refused_before(const char *path, int error)
{
	struct failure f = { .text = "" };

	ck_assert_int_eq(picture_check(path, &f), -error);
	ck_assert(f.text[0]);
}

START_TEST(bad_names)
{
	char path[3 * PATH_MAX];

	expect_refusal("a.gif", EINVAL, STATUS_USAGE, "a.gif", ".svg");
	expect_refusal("svg", EINVAL, STATUS_USAGE, "no known suffix", ".png");
	expect_refused_before("a.gif", EINVAL);
	expect_refusal(in_folder("none/a.svg"), ENOENT, STATUS_FAILED,
		       "No such file", "folder");
	expect_refused_before(in_folder("none/a.svg"), ENOENT);
	ck_assert_int_eq(mkdir(in_folder("folder.svg"), 0700), 0);
	expect_refusal(in_folder("folder.svg"), EISDIR, STATUS_FAILED,
		       "directory", "name a file");
	expect_refused_before(in_folder("folder.svg"), EISDIR);
	memset(path, 'a', sizeof(path));
	strcpy(path + sizeof(path) - 5, ".svg");
	expect_refusal(path, ENAMETOOLONG, STATUS_FAILED, "too long",
		       "choose another");
	rmdir(in_folder("folder.svg"));
	ck_assert_uint_eq(count_files(false), 0);
}
END_TEST

/* What was there stays, and nothing else is left. */
START_TEST(disk_full)
{
	const struct rlimit little = { 4096, RLIM_INFINITY };
	struct rlimit before;
	size_t length;
	char *bytes;

	write_file("a.svg", "the old picture");
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	expect_refusal(in_folder("a.svg"), EFBIG, STATUS_FAILED, "too large",
		       "choose another");
	expect_refusal(in_folder("a.png"), EFBIG, STATUS_FAILED, "too large",
		       "choose another");
	setrlimit(RLIMIT_FSIZE, &before);
	bytes = read_file("a.svg", &length);
	ck_assert_str_eq(bytes, "the old picture");
	free(bytes);
	ck_assert_uint_eq(count_files(false), 1);
}
END_TEST

/* What is no file of its own is written to, and not replaced. */
START_TEST(devices)
{
	struct stat there;

	ck_assert_int_eq(symlink("/dev/full", in_folder("full.svg")), 0);
	expect_refusal(in_folder("full.svg"), ENOSPC, STATUS_FAILED, "No space",
		       "free some space");
	ck_assert_int_eq(symlink("/dev/null", in_folder("null.svg")), 0);
	draw("null.svg");
	ck_assert_int_eq(stat("/dev/null", &there), 0);
	ck_assert(S_ISCHR(there.st_mode));
	ck_assert_uint_eq(count_files(false), 2);
}
END_TEST

START_TEST(links_stay)
{
	struct stat there;

	write_file("real.svg", "old");
	ck_assert_int_eq(symlink("real.svg", in_folder("link.svg")), 0);
	draw("link.svg");
	ck_assert_int_eq(lstat(in_folder("link.svg"), &there), 0);
	ck_assert(S_ISLNK(there.st_mode));
	ck_assert_int_eq(stat(in_folder("real.svg"), &there), 0);
	ck_assert_int_gt(there.st_size, 1000);
	ck_assert_uint_eq(count_files(false), 2);
}
END_TEST

START_TEST(checked_before)
{
	struct failure f = { .text = "" };
	size_t length;
	char *bytes;

	write_file("a.svg", "the old picture");
	ck_assert_int_eq(picture_check(in_folder("a.svg"), &f), 0);
	ck_assert_int_eq(picture_check(in_folder("b.png"), &f), 0);
	ck_assert_str_eq(f.text, "");
	bytes = read_file("a.svg", &length);
	ck_assert_str_eq(bytes, "the old picture");
	free(bytes);
	ck_assert_uint_eq(count_files(false), 1);
}
END_TEST

/* Nothing can be drawn, which is said before anything else is done. */
START_TEST(without_library)
{
	expect_refusal(in_folder("a.svg"), ENOSYS, STATUS_UNAVAILABLE,
		       "without cairo", "libcairo2-dev");
	expect_refused_before(in_folder("a.svg"), ENOSYS);
	ck_assert_uint_eq(count_files(false), 0);
}
END_TEST

TCase *make_picture_file_case(void)
{
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, teardown);
	if (!paint_there()) {
		tcase_add_test(tc, without_library);
		return tc;
	}
	tcase_add_test(tc, svg);
	tcase_add_test(tc, same_data_same_file);
	tcase_add_test(tc, other_formats);
	tcase_add_test(tc, measured_texts);
	tcase_add_test(tc, bad_names);
	tcase_add_test(tc, disk_full);
	tcase_add_test(tc, devices);
	tcase_add_test(tc, links_stay);
	tcase_add_test(tc, checked_before);
	return tc;
}
