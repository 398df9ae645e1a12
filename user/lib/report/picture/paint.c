// SPDX-License-Identifier: GPL-2.0
/* paint.c - the only file that knows cairo. */
#include "report/picture/paint.h"

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <errno.h>
#include <stdlib.h>

#define FONT "sans-serif"
/* Pixels of a PNG per point: a compromise of legibility and size. */
#define PIXELS 1.5
#define FULL_CIRCLE 6.283185307179586

static const struct {
	double lengths[4];
	int count;
} dashes[SCENE_DASHES] = {
	{ { 0 }, 0 },	 { { 7, 3 }, 2 },
	{ { 2, 2 }, 2 }, { { 9, 2.5, 2, 2.5 }, 4 },
	{ { 4, 4 }, 2 }, { { 1, 3 }, 2 },
};

struct paint_metrics {
	cairo_surface_t *surface;
	cairo_t *cr;
};

bool paint_there(void)
{
	return true;
}

const char *paint_version(void)
{
	return "cairo " CAIRO_VERSION_STRING;
}

/* Measure with unhinted fonts: widths on paper and on a screen are equal. */
static void choose_font(cairo_t *cr)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
	cairo_select_font_face(cr, FONT, CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
}

/* Ink beyond the advance (slanted ends) needs room, too. */
static double width_of(void *context, const char *text, double size)
{
	cairo_text_extents_t e;

	cairo_set_font_size(context, size);
	cairo_text_extents(context, text, &e);
	if (e.x_bearing + e.width > e.x_advance)
		return e.x_bearing + e.width;
	return e.x_advance;
}

static int say(cairo_status_t status, struct failure *f)
{
	if (status == CAIRO_STATUS_SUCCESS)
		return 0;
	if (status == CAIRO_STATUS_NO_MEMORY)
		return fail(
			f, STATUS_FAILED, ENOMEM,
			"cannot draw the picture: out of memory (free some)");
	return fail(f, STATUS_FAILED, EIO, "cannot draw the picture: cairo: %s",
		    cairo_status_to_string(status));
}

struct paint_metrics *paint_metrics_open(struct scene_metrics *metrics,
					 struct failure *f)
{
	struct paint_metrics *m = calloc(1, sizeof(*m));

	if (!m) {
		say(CAIRO_STATUS_NO_MEMORY, f);
		return NULL;
	}
	m->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	m->cr = cairo_create(m->surface);
	choose_font(m->cr);
	*metrics =
		(struct scene_metrics){ .width = width_of, .context = m->cr };
	width_of(m->cr, "x", 1);
	if (say(cairo_status(m->cr), f)) {
		paint_metrics_close(m);
		return NULL;
	}
	return m;
}

void paint_metrics_close(struct paint_metrics *m)
{
	if (!m)
		return;
	cairo_destroy(m->cr);
	cairo_surface_destroy(m->surface);
	free(m);
}

/** struct sink - destination of the bytes; @error: errno of the first write
 * that failed
 */
struct sink {
	FILE *out;
	int error;
};

static cairo_status_t write_some(void *context, const unsigned char *data,
				 unsigned int length)
{
	struct sink *sink = context;

	if (sink->error)
		return CAIRO_STATUS_WRITE_ERROR;
	if (fwrite(data, 1, length, sink->out) == length)
		return CAIRO_STATUS_SUCCESS;
	sink->error = errno ? errno : EIO;
	return CAIRO_STATUS_WRITE_ERROR;
}

/* A fixed date: the same data give the same file. */
static cairo_surface_t *open_pdf(const struct scene *s, struct sink *sink)
{
	cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
		write_some, sink, s->width, s->height);

	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
				       "1970-01-01T00:00:00Z");
	return surface;
}

static cairo_surface_t *
open_surface(const struct scene *s, enum paint_format format, struct sink *sink)
{
	cairo_surface_t *surface;

	switch (format) {
	case PAINT_SVG:
		return cairo_svg_surface_create_for_stream(write_some, sink,
							   s->width, s->height);
	case PAINT_PDF:
		return open_pdf(s, sink);
	case PAINT_PNG:
	default:
		surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
						     (int)(s->width * PIXELS),
						     (int)(s->height * PIXELS));
		cairo_surface_set_device_scale(surface, PIXELS, PIXELS);
		return surface;
	}
}

static void set_pen(cairo_t *cr, const struct scene_pen *pen)
{
	cairo_set_source_rgba(cr, ((pen->colour >> 16) & 0xff) / 255.0,
			      ((pen->colour >> 8) & 0xff) / 255.0,
			      (pen->colour & 0xff) / 255.0, pen->opacity);
	cairo_set_line_width(cr, pen->width);
	cairo_set_dash(cr, dashes[pen->dash % SCENE_DASHES].lengths,
		       dashes[pen->dash % SCENE_DASHES].count, 0);
}

static void paint_words(cairo_t *cr, const struct scene_item *item,
			struct scene_point at)
{
	cairo_save(cr);
	cairo_move_to(cr, at.x, at.y);
	if (item->upright)
		cairo_rotate(cr, -FULL_CIRCLE / 4);
	cairo_set_font_size(cr, item->size);
	cairo_show_text(cr, item->text);
	cairo_restore(cr);
}

static void paint_item(cairo_t *cr, const struct scene *s,
		       const struct scene_item *item)
{
	const struct scene_point *at = s->points + item->first;

	set_pen(cr, &item->pen);
	if (item->kind == SCENE_WORDS) {
		paint_words(cr, item, at[0]);
		return;
	}
	cairo_new_path(cr);
	if (item->kind == SCENE_CIRCLE)
		cairo_arc(cr, at[0].x, at[0].y, item->radius, 0, FULL_CIRCLE);
	for (size_t i = 0; item->kind != SCENE_CIRCLE && i < item->count; i++)
		cairo_line_to(cr, at[i].x, at[i].y);
	if (item->kind == SCENE_CLOSED)
		cairo_close_path(cr);
	if (item->pen.width > 0)
		cairo_stroke(cr);
	else
		cairo_fill(cr);
}

int paint(const struct scene *s, enum paint_format format, FILE *out,
	  struct failure *f)
{
	struct sink sink = { .out = out };
	cairo_surface_t *surface = open_surface(s, format, &sink);
	cairo_t *cr = cairo_create(surface);
	cairo_status_t status;

	choose_font(cr);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	for (size_t i = 0; i < s->item_count; i++)
		paint_item(cr, s, &s->items[i]);
	cairo_show_page(cr);
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (status == CAIRO_STATUS_SUCCESS && format == PAINT_PNG)
		status = cairo_surface_write_to_png_stream(surface, write_some,
							   &sink);
	cairo_surface_finish(surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return sink.error ? -sink.error : say(status, f);
}

#else

#include <errno.h>
#include <stddef.h>

bool paint_there(void)
{
	return false;
}

const char *paint_version(void)
{
	return "none";
}

static int refuse(struct failure *f)
{
	return fail(f, STATUS_UNAVAILABLE, ENOSYS,
		    "cannot draw a picture: built without cairo (%s)",
		    PAINT_MISSING);
}

struct paint_metrics *paint_metrics_open(struct scene_metrics *metrics,
					 struct failure *f)
{
	*metrics = (struct scene_metrics){ .width = NULL };
	refuse(f);
	return NULL;
}

void paint_metrics_close(struct paint_metrics *m)
{
	(void)m;
}

int paint(const struct scene *s, enum paint_format format, FILE *out,
	  struct failure *f)
{
	(void)s;
	(void)format;
	(void)out;
	return refuse(f);
}

#endif
