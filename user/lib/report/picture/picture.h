/* SPDX-License-Identifier: GPL-2.0 */
/*
 * picture.h - what several methods saw of a machine, on one sheet.
 *
 * Drawn with a library that is kept (cairo); the tool is built without it where
 * it is not there.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_PICTURE_H
#define PROBE_PHYS_REPORT_PICTURE_PICTURE_H

#include "base/error.h"
#include "result/compactness_map.h"
#include "result/side_result.h"

/** PICTURE_MAPS - most compactness maps of one sheet; more are left out */
#define PICTURE_MAPS 2

/**
 * struct picture - everything that is on the sheet, not owned
 * @machine: its name, any text
 * @seed: of the measurement
 * @date: when, any text; NULL: not said, so that the same data make the same
 *        picture
 * @methods: results with curves; @method_count of them
 * @found: what X-Ray found, drawn in beside the others; NULL: nothing
 * @maps: nearest level first; @map_count of them
 */
struct picture {
	const char *machine;
	uint64_t seed;
	const char *date;
	const struct side_result *const *methods;
	size_t method_count;
	const struct hierarchy *found;
	const struct compactness_map *maps;
	size_t map_count;
};

/**
 * picture_check() - can a picture be written there? To be asked before minutes
 * of measurement
 * @path: ends in .svg, .png or .pdf
 * Return: 0; -EINVAL (STATUS_USAGE): another suffix; -ENOSYS
 * (STATUS_UNAVAILABLE): built without the library; -ENOENT, -EACCES, ...: the
 * folder. @f says what to do.
 */
int picture_check(const char *path, struct failure *f);

/**
 * picture_write() - draw the sheet
 * @path: its suffix says the format. A file that is there is replaced once the
 *        picture is whole, and stays as it is on failure
 * Return: 0; as picture_check(); -EIO, -ENOSPC, ...: writing failed; -ENOMEM.
 */
int picture_write(const struct picture *picture, const char *path,
		  struct failure *f);

#endif
