/* SPDX-License-Identifier: GPL-2.0 */
/* panel.h - what all panels of the sheet have: title, plot, legend. */
#ifndef PROBE_PHYS_REPORT_PICTURE_PANEL_H
#define PROBE_PHYS_REPORT_PICTURE_PANEL_H

#include "report/picture/axis.h"
#include "report/picture/flags.h"
#include "report/picture/picture.h"
#include "report/picture/scene.h"

/** PANEL_REMARKS - most lines below a plot */
#define PANEL_REMARKS 3

/**
 * struct panel - one of them
 * @box: all of it
 * @plot: where data are drawn
 * @legend: what is left of the column beside it
 * @pitch: height of a line there
 * @remarks: lines below the plot; @remark_count of them
 */
struct panel {
	struct scene *scene;
	struct scene_box box;
	struct scene_box plot;
	struct scene_box legend;
	double pitch;
	char remarks[PANEL_REMARKS][SCENE_TEXT];
	size_t remark_count;
};

/** panel_begin() - without rows of flags and remarks so far */
void panel_begin(struct panel *p, struct scene *s, const struct scene_box *box);

/** panel_title() - above everything */
void panel_title(struct panel *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** panel_remark() - a line below the plot; before panel_frame() */
void panel_remark(struct panel *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** panel_across() - left and right end of the plot, known from the beginning */
void panel_across(const struct panel *p, double *left, double *right);

/** panel_frame() - settle the plot below @rows rows of flags, write remarks */
void panel_frame(struct panel *p, size_t rows);

/** panel_axis_names() - what the axes show */
void panel_axis_names(struct panel *p, const char *across, const char *up);

/** panel_say() - words in the middle of a plot that has no data */
void panel_say(struct panel *p, const char *text);

/** panel_legend_plan() - so many lines will be written: how small they have to be */
void panel_legend_plan(struct panel *p, size_t lines);

/** panel_legend_words() - a line of the legend without a sample */
void panel_legend_words(struct panel *p, const char *text);

/**
 * panel_legend_entry() - the place of the next sample, with its name
 * @left: entries that follow this one, to say how many have no room
 * @sample: (out) of the sample's middle; STYLE_SAMPLE wide
 * Return: false: no room, and that was said.
 */
bool panel_legend_entry(struct panel *p, size_t left, const char *name,
			struct scene_point *sample);

/** PANEL_SAMPLE - half the width of a sample */
#define PANEL_SAMPLE 13.0

/** panel_curves() - latency over an axis, every method's curves, and the levels
 * that were found
 */
void panel_curves(struct scene *s, const struct picture *picture,
		  const struct scene_box *box, enum side_axis axis);

/** panel_map() - a map of compactness; NULL: there is none */
void panel_map(struct scene *s, const struct compactness_map *map, int level,
	       const struct scene_box *box);

/** panel_density() - what levels are counted by (Cooper-Sandoval, figure 7) */
void panel_density(struct scene *s, const struct picture *picture,
		   const struct scene_box *box);

/** SHEET_WIDTH, SHEET_HEIGHT - of the whole, in points */
#define SHEET_WIDTH 1600.0
#define SHEET_HEIGHT 1480.0

/** picture_compose() - the whole sheet; scene_free() in any case */
void picture_compose(struct scene *s, const struct picture *picture,
		     const struct scene_metrics *metrics);

#endif
