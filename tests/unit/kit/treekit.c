// SPDX-License-Identifier: GPL-2.0
#include "kit/treekit.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void treekit_make(char *top)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
}

void treekit_put(const char *top, const char *path, const void *bytes,
		 size_t size)
{
	char name[512];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", top, path);
	for (char *at = strchr(name + strlen(top) + 1, '/'); at;
	     at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(name, 0700);
		*at = '/';
	}
	file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

void treekit_write(const char *top, const char *path, const char *text)
{
	treekit_put(top, path, text, strlen(text));
}

static int drop(const char *path, const struct stat *unused, int kind,
		struct FTW *at)
{
	(void)unused;
	(void)kind;
	(void)at;
	return remove(path);
}

void treekit_drop(const char *top)
{
	nftw(top, drop, 8, FTW_DEPTH | FTW_PHYS);
}
