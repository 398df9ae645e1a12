/* SPDX-License-Identifier: GPL-2.0 */
/* picturekit.h - what is drawn in tests: a machine like many, and any nonsense. */
#ifndef PROBE_PHYS_UNIT_REPORT_PICTURE_PICTUREKIT_H
#define PROBE_PHYS_UNIT_REPORT_PICTURE_PICTUREKIT_H

#include "base/rng.h"
#include "report/picture/picture.h"
#include "report/picture/scene.h"

#define KIT_METHODS 4

/** struct picture_kit - a picture with all that it points to */
struct picture_kit {
	struct picture picture;
	struct side_result results[KIT_METHODS];
	const struct side_result *methods[KIT_METHODS];
	struct hierarchy found;
	struct compactness_map maps[PICTURE_MAPS + 1];
	char machine[400];
	char names[KIT_METHODS][160];
};

/** picture_kit_usual() - three levels, three methods, two maps */
void picture_kit_usual(struct picture_kit *kit);

/** picture_kit_random() - anything: no data, few, many, long names, NaN */
void picture_kit_random(struct picture_kit *kit, struct rng *rng);

void picture_kit_free(struct picture_kit *kit);

/** picture_kit_metrics() - a font of wide letters, without a library */
struct scene_metrics picture_kit_metrics(void);

/** PICTURE_KIT_ROUNDED - places that are so near are the same */
#define PICTURE_KIT_ROUNDED 0.01

/** picture_kit_meet() - do boxes share more than an edge? */
bool picture_kit_meet(const struct scene_box *a, const struct scene_box *b);

/** picture_kit_count() - texts with @part in them; NULL: all of the role */
size_t picture_kit_count(const struct scene *s, enum scene_role role,
			 const char *part);

#endif
