/* SPDX-License-Identifier: GPL-2.0 */
/*
 * picture.h - draw the results of several methods on one machine on one sheet.
 *
 * Cairo draws the sheet. The tool can be built without cairo; then
 * picture_check() refuses.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_PICTURE_H
#define PROBE_PHYS_REPORT_PICTURE_PICTURE_H

#include "base/error.h"
#include "result/compactness_map.h"
#include "result/side_result.h"

/** PICTURE_MAPS - most compactness maps of one sheet; more are left out */
#define PICTURE_MAPS 2

/**
 * struct picture - input of the sheet, not owned
 * @machine: name of the machine, any text
 * @seed: of the measurement
 * @date: date of the measurement, any text; NULL: none, so that the same data
 *        give the same picture
 * @methods: results with curves; @method_count of them
 * @found: X-Ray's results, marked beside those of the others; NULL: none
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
 * picture_check() - whether a picture can be written there; called before
 * minutes of measurement
 * @path: ends in .svg, .png or .pdf
 * Return: 0; -EINVAL (STATUS_USAGE): another suffix; -ENOSYS
 * (STATUS_UNAVAILABLE): built without the library; -ENOENT, -EACCES, ...: the
 * folder. @f says what to do.
 */
int picture_check(const char *path, struct failure *f);

/**
 * picture_write() - draw the sheet and write the file
 * @path: the suffix is the format. An existing file is replaced once the
 *        picture is complete; a failure leaves it unchanged
 * Return: 0; as picture_check(); -EIO, -ENOSPC, ...: writing failed; -ENOMEM.
 */
int picture_write(const struct picture *picture, const char *path,
		  struct failure *f);

#endif
