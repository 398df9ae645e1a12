/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sheetkit.h - lay out the sheet of a picture, and check what every sheet must
 * satisfy.
 */
#ifndef PROBE_PHYS_UNIT_REPORT_PICTURE_SHEETKIT_H
#define PROBE_PHYS_UNIT_REPORT_PICTURE_SHEETKIT_H

#include "report/picture/picturekit.h"

/** sheet_kit_compose() - lay the picture of @kit out on @scene */
void sheet_kit_compose(struct scene *scene, const struct picture_kit *kit);

/** sheet_kit_release() - free the sheet and the picture */
void sheet_kit_release(struct scene *scene, struct picture_kit *kit);

/** sheet_kit_is_words() - is @item a text? */
bool sheet_kit_is_words(const struct scene_item *item);

/** sheet_kit_titles() - titles with @title in them; NULL: all */
size_t sheet_kit_titles(const struct scene *scene, const char *title);

/** sheet_kit_expect_titles() - each panel has a title and a plot */
void sheet_kit_expect_titles(const struct scene *scene);

/**
 * sheet_kit_expect_readable() - everything is on the sheet; no text overlaps
 * another one or is in a plot; no line runs through the name of a mark
 * @which: name of the sheet, for messages
 */
void sheet_kit_expect_readable(const struct scene *scene, const char *which);

#endif
