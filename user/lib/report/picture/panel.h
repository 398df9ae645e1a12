/* SPDX-License-Identifier: GPL-2.0 */
/* panel.h - the parts of every panel: title, plot, legend. */
#ifndef PROBE_PHYS_REPORT_PICTURE_PANEL_H
#define PROBE_PHYS_REPORT_PICTURE_PANEL_H

#include "report/picture/axis.h"
#include "report/picture/flags.h"
#include "report/picture/picture.h"
#include "report/picture/scene.h"

/** PANEL_REMARKS - most lines below a plot */
#define PANEL_REMARKS 3

/**
 * struct panel - one panel
 * @box: the whole panel
 * @plot: area of the data
 * @legend: free part of the column beside the plot
 * @pitch: height of a line of the legend
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

/** panel_begin() - begin a panel without rows of flags and remarks */
void panel_begin(struct panel *p, struct scene *s, const struct scene_box *box);

/** panel_title() - write the title at the top */
void panel_title(struct panel *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** panel_remark() - add a line below the plot; call before panel_frame() */
void panel_remark(struct panel *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * panel_across() - left and right end of the plot; known before panel_frame()
 */
void panel_across(const struct panel *p, double *left, double *right);

/** panel_frame() - fix the plot below @rows rows of flags, write remarks */
void panel_frame(struct panel *p, size_t rows);

/** panel_axis_names() - write the names of the axes */
void panel_axis_names(struct panel *p, const char *across, const char *up);

/** panel_say() - write words in the middle of a plot without data */
void panel_say(struct panel *p, const char *text);

/**
 * panel_legend_plan() - choose the pitch for the number of lines in the legend
 */
void panel_legend_plan(struct panel *p, size_t lines);

/** panel_legend_words() - write a line of the legend without a sample */
void panel_legend_words(struct panel *p, const char *text);

/**
 * panel_legend_entry() - write the name of the next sample and return the
 * sample's place
 * @left: number of entries that follow this one, printed if they have no room
 * @sample: (out) middle of the sample, which is STYLE_SAMPLE wide
 * Return: false: no room; the legend shows how many are missing.
 */
bool panel_legend_entry(struct panel *p, size_t left, const char *name,
			struct scene_point *sample);

/** PANEL_SAMPLE - half the width of a sample */
#define PANEL_SAMPLE 13.0

/** panel_curves() - draw latency over an axis: the curves of all methods, and
 * the levels
 */
void panel_curves(struct scene *s, const struct picture *picture,
		  const struct scene_box *box, enum side_axis axis);

/** panel_map() - draw a map of compactness; NULL: there is none */
void panel_map(struct scene *s, const struct compactness_map *map, int level,
	       const struct scene_box *box);

/** panel_density() - draw the density whose peaks are levels (Cooper-Sandoval,
 * figure 7)
 */
void panel_density(struct scene *s, const struct picture *picture,
		   const struct scene_box *box);

/** SHEET_WIDTH, SHEET_HEIGHT - size of the sheet, in points */
#define SHEET_WIDTH 1600.0
#define SHEET_HEIGHT 1480.0

/** picture_compose() - draw the whole sheet into a scene; the caller always
 * calls scene_free()
 */
void picture_compose(struct scene *s, const struct picture *picture,
		     const struct scene_metrics *metrics);

#endif
