/* SPDX-License-Identifier: GPL-2.0 */
/* draw.h - a profile as a picture. */
#ifndef PROBE_PHYS_MODEL_PROFILE_DRAW_H
#define PROBE_PHYS_MODEL_PROFILE_DRAW_H

#include <stdio.h>

#include "model/profile/profile.h"

/** draw_text() - for a terminal: levels from the core down, TLBs beside */
void draw_text(const struct profile *p, FILE *out);

/** draw_svg() - the same as a standalone SVG document */
void draw_svg(const struct profile *p, FILE *out);

/** draw_json() - the same as an object; NULL when out of memory */
json_t *draw_json(const struct profile *p);

#endif
