// SPDX-License-Identifier: GPL-2.0
/* page_list.c - lists of lines of all classes, and the room that they take. */
#include <stdlib.h>

#include "method/evset/count/pages.h"

size_t evset_page_lines(const struct evset_pages *p, size_t class, size_t most)
{
	const size_t count = evset_class_lines(&p->c, class);

	return count < most ? count : most;
}

/* Room for @per_class lines of each class at so many offsets: the loops below go over the
 * same classes, and over no more offsets.
 */
static int make_room(struct evset_pages *p, size_t per_class, size_t offsets,
		     struct failure *f)
{
	size_t lines = 0;

	for (size_t i = 0; i < p->c.count; i++)
		lines += evset_page_lines(p, i, per_class);
	lines *= offsets;
	p->line_count = 0;
	if (lines <= p->room)
		return 0;
	free(p->lines);
	p->lines = calloc(lines, sizeof(*p->lines));
	p->room = p->lines ? lines : 0;
	return p->lines ? 0 : prober_out_of_memory(f);
}

/* Lines of each class, all of them moved by so much. */
static void add_moved(struct evset_pages *p, size_t per_class, uint64_t by)
{
	for (size_t i = 0; i < p->c.count; i++)
		for (size_t j = 0; j < evset_page_lines(p, i, per_class); j++)
			p->lines[p->line_count++] =
				p->c.lines[p->c.begin[i] + j] ^ by;
}

int evset_page_list(struct evset_pages *p, size_t per_class, uint64_t bit,
		    struct failure *f)
{
	const size_t count = p->offset_count;
	int error = make_room(p, per_class, bit ? 2 * count : count, f);

	for (size_t o = 0; !error && o < count; o++)
		add_moved(p, per_class, p->offsets[o]);
	for (size_t o = 0; !error && bit && o < count; o++)
		add_moved(p, per_class, p->offsets[o] ^ bit);
	return error;
}

int evset_page_list_thin(struct evset_pages *p, size_t per_class, size_t of_set,
			 struct failure *f)
{
	const bool spread = !p->e->x->upper_count;
	int error = make_room(p, per_class, 1, f);

	for (size_t i = 0; !error && i < p->c.count; i++)
		for (size_t j = 0; j < evset_page_lines(p, i, per_class); j++)
			if (j / of_set < p->offset_count)
				p->lines[p->line_count++] =
					p->c.lines[p->c.begin[i] + j] ^
					p->offsets[((spread ? i : 0) +
						    j / of_set) %
						   p->offset_count];
	return error;
}
