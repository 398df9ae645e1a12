/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paint.h - paint a scene into a file with cairo. If the tool was built without
 * cairo, each function fails and says so.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_PAINT_H
#define PROBE_PHYS_REPORT_PICTURE_PAINT_H

#include <stdio.h>

#include "base/error.h"
#include "report/picture/scene.h"

/** enum paint_format - file formats */
enum paint_format {
	PAINT_SVG,
	PAINT_PNG,
	PAINT_PDF,
};

/** PAINT_MISSING - advice if the library is missing */
#define PAINT_MISSING "install libcairo2-dev and build again"

/** paint_there() - whether the tool was built with the library */
bool paint_there(void);

/** paint_version() - name and version of the library */
const char *paint_version(void);

/** struct paint_metrics - measures the width of texts */
struct paint_metrics;

/**
 * paint_metrics_open() - open the font of the texts
 * @metrics: (out)
 * Return: NULL with @f set for -ENOSYS or -ENOMEM. The caller closes the
 * metrics with paint_metrics_close(), which accepts NULL.
 */
struct paint_metrics *paint_metrics_open(struct scene_metrics *metrics,
					 struct failure *f);
void paint_metrics_close(struct paint_metrics *m);

/**
 * paint() - write a scene to a file
 * Return: 0; -ENOSYS without the library, -ENOMEM or -EIO with @f set; another
 * -errno without @f if @out cannot be written: only the caller knows the file's
 * name.
 */
int paint(const struct scene *s, enum paint_format format, FILE *out,
	  struct failure *f);

#endif
