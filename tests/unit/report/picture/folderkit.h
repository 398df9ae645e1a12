/* SPDX-License-Identifier: GPL-2.0 */
/* folderkit.h - a temporary folder, and pictures that are painted there. */
#ifndef PROBE_PHYS_UNIT_REPORT_PICTURE_FOLDERKIT_H
#define PROBE_PHYS_UNIT_REPORT_PICTURE_FOLDERKIT_H

#include <limits.h>

#include "kit/treekit.h"
#include "report/picture/picturekit.h"

/**
 * struct folder_kit - a picture and where it is painted
 * @kit: the usual picture
 * @top: the folder
 */
struct folder_kit {
	struct picture_kit kit;
	char top[sizeof(TREEKIT_NAME)];
};

/** folder_kit_begin() - make the picture, and the folder without files */
void folder_kit_begin(struct folder_kit *folder);

/** folder_kit_end() - free the picture, and remove the folder */
void folder_kit_end(struct folder_kit *folder);

/** folder_kit_path() - Return: path of file @name, valid until the next call */
const char *folder_kit_path(const struct folder_kit *folder, const char *name);

/** folder_kit_count() - Return: number of files in the folder */
size_t folder_kit_count(const struct folder_kit *folder);

/** folder_kit_read() - Return: the bytes of @name and a 0; the caller frees */
char *folder_kit_read(const struct folder_kit *folder, const char *name,
		      size_t *length);

/** folder_kit_draw() - paint the picture to file @name */
void folder_kit_draw(const struct folder_kit *folder, const char *name);

#endif
