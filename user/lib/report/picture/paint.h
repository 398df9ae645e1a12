/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paint.h - a scene on paper, by a library that is kept (cairo). Built
 * without it, everything here says so.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_PAINT_H
#define PROBE_PHYS_REPORT_PICTURE_PAINT_H

#include <stdio.h>

#include "base/error.h"
#include "report/picture/scene.h"

/** enum paint_format - what a file holds */
enum paint_format {
	PAINT_SVG,
	PAINT_PNG,
	PAINT_PDF,
};

/** PAINT_MISSING - what to do where the library is not there */
#define PAINT_MISSING "install libcairo2-dev and build again"

/** paint_there() - is the tool built with the library */
bool paint_there(void);

/** paint_version() - its name and version, for people */
const char *paint_version(void);

/** struct paint_metrics - what measures texts */
struct paint_metrics;

/**
 * paint_metrics_open() - the font that texts will be painted with
 * @metrics: (out)
 * Return: NULL with @f set: -ENOSYS or -ENOMEM in words. To be closed by
 * paint_metrics_close(), which takes NULL as well.
 */
struct paint_metrics *paint_metrics_open(struct scene_metrics *metrics,
					 struct failure *f);
void paint_metrics_close(struct paint_metrics *m);

/**
 * paint() - write a scene to a file
 * Return: 0; -ENOSYS without the library, -ENOMEM or -EIO with @f set; why @out
 * could not be written, without, for who opened it has its name.
 */
int paint(const struct scene *s, enum paint_format format, FILE *out,
	  struct failure *f);

#endif
