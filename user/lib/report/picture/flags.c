// SPDX-License-Identifier: GPL-2.0
/* flags.c - place the names of marks so that they do not overlap. */
#include "report/picture/flags.h"

#include <math.h>
#include <stdlib.h>

#include "report/picture/style.h"

/* Distance from a mark's line to its name, with half a symbol, and from there
 * to the next name.
 */
#define BEFORE_NAME 6
#define SYMBOL_HALF 4
#define APART 3

struct flag *flags_add(struct flags *f, double x)
{
	struct flag *flag;

	if (f->count == FLAGS_MOST) {
		f->hidden++;
		return NULL;
	}
	flag = &f->flags[f->count++];
	*flag = (struct flag){ .x = x };
	return flag;
}

static const char *name_of(const struct flags *f, const struct flag *flag)
{
	return f->is_brief ? flag->brief : flag->text;
}

static double end_of(const struct flags *f, const struct flag *flag,
		     const struct scene *s)
{
	return flag->x + BEFORE_NAME +
	       scene_width(s, name_of(f, flag), STYLE_MARK_SIZE);
}

static int by_place(const void *a, const void *b)
{
	const struct flag *left = a, *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return left->symbol < right->symbol ? -1 : left->symbol > right->symbol;
}

/* Place names from right to left: a name can only cross lines of marks to its
 * right.
 */
static void stack(struct flags *f, const struct scene *s)
{
	f->rows = 0;
	f->hidden = 0;
	for (size_t i = f->count; i--;) {
		struct flag *flag = &f->flags[i];
		double end = end_of(f, flag, s) + APART + SYMBOL_HALF;

		flag->row = 0;
		for (size_t k = i + 1; k < f->count && f->flags[k].x <= end;
		     k++)
			if (f->flags[k].shown && f->flags[k].row >= flag->row)
				flag->row = f->flags[k].row + 1;
		flag->shown = flag->row < FLAGS_ROWS;
		f->hidden += !flag->shown;
		if (flag->shown && flag->row >= f->rows)
			f->rows = flag->row + 1;
	}
}

void flags_place(struct flags *f, const struct scene *s)
{
	size_t refused = f->hidden;

	qsort(f->flags, f->count, sizeof(f->flags[0]), by_place);
	f->is_brief = false;
	stack(f, s);
	if (f->hidden) {
		f->is_brief = true;
		stack(f, s);
	}
	f->hidden += refused;
}

static double row_at(const struct flag *flag, double top)
{
	return top - ((double)flag->row + 0.5) * FLAGS_ROW_HEIGHT - APART;
}

struct scene_box flags_box(const struct flags *f, const struct flag *flag,
			   const struct scene *s, double top)
{
	double y = row_at(flag, top);

	return (struct scene_box){ flag->x - SYMBOL_HALF,
				   y - FLAGS_ROW_HEIGHT / 2, end_of(f, flag, s),
				   y + FLAGS_ROW_HEIGHT / 2 };
}

void flags_draw(const struct flags *f, struct scene *s,
		const struct scene_box *plot, double right)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct flag *flag = &f->flags[i];
		double y = flag->shown ? row_at(flag, plot->top) : plot->top;

		scene_line(s, flag->pen, flag->x, y, flag->x, plot->bottom);
	}
	for (size_t i = 0; i < f->count; i++) {
		const struct flag *flag = &f->flags[i];
		double y = row_at(flag, plot->top);
		struct scene_words words = {
			.at = { flag->x + BEFORE_NAME,
				y + (SCENE_ASCENT - SCENE_DESCENT) / 2 *
						STYLE_MARK_SIZE },
			.role = SCENE_MARK,
			.size = STYLE_MARK_SIZE,
			.most = fmax(right - flag->x - BEFORE_NAME, 1),
			.colour = STYLE_INK,
		};

		if (!flag->shown)
			continue;
		style_symbol(s, flag->symbol, flag->pen, flag->x, y);
		scene_text(s, &words, "%s", name_of(f, flag));
	}
}
