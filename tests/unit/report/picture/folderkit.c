// SPDX-License-Identifier: GPL-2.0
#include "report/picture/folderkit.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (8u << 20)

/* Fontconfig caches the fonts that it has read, and never frees them. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n";
}

void folder_kit_begin(struct folder_kit *folder)
{
	strcpy(folder->top, TREEKIT_NAME);
	treekit_make(folder->top);
	picture_kit_usual(&folder->kit);
}

void folder_kit_end(struct folder_kit *folder)
{
	picture_kit_free(&folder->kit);
	treekit_drop(folder->top);
}

const char *folder_kit_path(const struct folder_kit *folder, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder->top, name);
	return path;
}

size_t folder_kit_count(const struct folder_kit *folder)
{
	DIR *dir = opendir(folder->top);
	struct dirent *e;
	size_t count = 0;

	ck_assert_ptr_nonnull(dir);
	while ((e = readdir(dir)))
		count += strcmp(e->d_name, ".") != 0 &&
			 strcmp(e->d_name, "..") != 0;
	closedir(dir);
	return count;
}

char *folder_kit_read(const struct folder_kit *folder, const char *name,
		      size_t *length)
{
	FILE *in = fopen(folder_kit_path(folder, name), "r");
	char *bytes = malloc(MOST_BYTES + 1);

	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(bytes);
	*length = fread(bytes, 1, MOST_BYTES, in);
	bytes[*length] = '\0';
	fclose(in);
	ck_assert_uint_lt(*length, MOST_BYTES);
	return bytes;
}

void folder_kit_draw(const struct folder_kit *folder, const char *name)
{
	struct failure f = { .text = "" };

	ck_assert_msg(picture_write(&folder->kit.picture,
				    folder_kit_path(folder, name), &f) == 0,
		      "%s", f.text);
}
