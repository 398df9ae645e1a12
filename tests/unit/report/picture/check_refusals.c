// SPDX-License-Identifier: GPL-2.0
/*
 * check_refusals.c - paths that picture_write() refuses, and files that it must
 * not replace.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/picture/folderkit.h"
#include "report/picture/paint.h"
#include "suites.h"

static struct folder_kit folder;

static void setup(void)
{
	folder_kit_begin(&folder);
}

static void teardown(void)
{
	folder_kit_end(&folder);
}

/* The message is one line with the cause and the remedy. */
static void expect_refusal(const char *path, int error, enum exit_status status,
			   const char *why, const char *remedy)
{
	struct failure f = { .text = "" };

	ck_assert_int_eq(picture_write(&folder.kit.picture, path, &f), -error);
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
	expect_refusal(folder_kit_path(&folder, "none/a.svg"), ENOENT,
		       STATUS_FAILED, "No such file", "folder");
	expect_refused_before(folder_kit_path(&folder, "none/a.svg"), ENOENT);
	ck_assert_int_eq(mkdir(folder_kit_path(&folder, "folder.svg"), 0700),
			 0);
	expect_refusal(folder_kit_path(&folder, "folder.svg"), EISDIR,
		       STATUS_FAILED, "directory", "name a file");
	expect_refused_before(folder_kit_path(&folder, "folder.svg"), EISDIR);
	memset(path, 'a', sizeof(path));
	strcpy(path + sizeof(path) - 5, ".svg");
	expect_refusal(path, ENAMETOOLONG, STATUS_FAILED, "too long",
		       "choose another");
	rmdir(folder_kit_path(&folder, "folder.svg"));
	ck_assert_uint_eq(folder_kit_count(&folder), 0);
}
END_TEST

/* The old file remains, and no other one. */
START_TEST(disk_full)
{
	const struct rlimit little = { 4096, RLIM_INFINITY };
	struct rlimit before;
	size_t length;
	char *bytes;

	treekit_write(folder.top, "a.svg", "the old picture");
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	expect_refusal(folder_kit_path(&folder, "a.svg"), EFBIG, STATUS_FAILED,
		       "too large", "choose another");
	expect_refusal(folder_kit_path(&folder, "a.png"), EFBIG, STATUS_FAILED,
		       "too large", "choose another");
	setrlimit(RLIMIT_FSIZE, &before);
	bytes = folder_kit_read(&folder, "a.svg", &length);
	ck_assert_str_eq(bytes, "the old picture");
	free(bytes);
	ck_assert_uint_eq(folder_kit_count(&folder), 1);
}
END_TEST

/* A device is written to, and not replaced by a file. */
START_TEST(devices)
{
	struct stat there;

	ck_assert_int_eq(
		symlink("/dev/full", folder_kit_path(&folder, "full.svg")), 0);
	expect_refusal(folder_kit_path(&folder, "full.svg"), ENOSPC,
		       STATUS_FAILED, "No space", "free some space");
	ck_assert_int_eq(
		symlink("/dev/null", folder_kit_path(&folder, "null.svg")), 0);
	folder_kit_draw(&folder, "null.svg");
	ck_assert_int_eq(stat("/dev/null", &there), 0);
	ck_assert(S_ISCHR(there.st_mode));
	ck_assert_uint_eq(folder_kit_count(&folder), 2);
}
END_TEST

START_TEST(links_stay)
{
	struct stat there;

	treekit_write(folder.top, "real.svg", "old");
	ck_assert_int_eq(
		symlink("real.svg", folder_kit_path(&folder, "link.svg")), 0);
	folder_kit_draw(&folder, "link.svg");
	ck_assert_int_eq(lstat(folder_kit_path(&folder, "link.svg"), &there),
			 0);
	ck_assert(S_ISLNK(there.st_mode));
	ck_assert_int_eq(stat(folder_kit_path(&folder, "real.svg"), &there), 0);
	ck_assert_int_gt(there.st_size, 1000);
	ck_assert_uint_eq(folder_kit_count(&folder), 2);
}
END_TEST

START_TEST(checked_before)
{
	struct failure f = { .text = "" };
	size_t length;
	char *bytes;

	treekit_write(folder.top, "a.svg", "the old picture");
	ck_assert_int_eq(picture_check(folder_kit_path(&folder, "a.svg"), &f),
			 0);
	ck_assert_int_eq(picture_check(folder_kit_path(&folder, "b.png"), &f),
			 0);
	ck_assert_str_eq(f.text, "");
	bytes = folder_kit_read(&folder, "a.svg", &length);
	ck_assert_str_eq(bytes, "the old picture");
	free(bytes);
	ck_assert_uint_eq(folder_kit_count(&folder), 1);
}
END_TEST

/* Both functions refuse before they create any file. */
START_TEST(without_library)
{
	expect_refusal(folder_kit_path(&folder, "a.svg"), ENOSYS,
		       STATUS_UNAVAILABLE, "without cairo", "libcairo2-dev");
	expect_refused_before(folder_kit_path(&folder, "a.svg"), ENOSYS);
	ck_assert_uint_eq(folder_kit_count(&folder), 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create("refusals");

	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	if (!paint_there()) {
		tcase_add_test(tc, without_library);
		return suite;
	}
	tcase_add_test(tc, bad_names);
	tcase_add_test(tc, disk_full);
	tcase_add_test(tc, devices);
	tcase_add_test(tc, links_stay);
	tcase_add_test(tc, checked_before);
	return suite;
}
