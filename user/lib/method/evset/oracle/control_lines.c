// SPDX-License-Identifier: GPL-2.0
/*
 * control_lines.c - lines of the pages of a list that hit in the level.
 *
 * Each set of the levels above has enough of these lines to miss there, each
 * set of this level few. They are walked in the order of the list, so that as
 * many translations miss. Lines of one set follow each other, as in the list:
 * on Zen 4 a miss in the same set as the last one takes 3 cycles more than one
 * in another set.
 */
#include "method/evset/oracle/list_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64
/* Shorter lists, as multiples of the evictors of the levels above, have another
 * control.
 */
#define SPREAD_FROM 4
/* Sets of the levels above that lines of a list lie in. */
#define PLACES 2

/**
 * struct place - lines that share a set of the levels above
 * @at: their offset in evset_window.low_bytes
 * @count: of lines
 * @seen: lines that have been moved
 */
struct place {
	uint64_t at;
	size_t count;
	size_t seen;
};

static struct place *place_of(const struct evset_machine *e,
			      struct place *places, uint64_t line)
{
	for (size_t i = 0; i < PLACES; i++) {
		if (!places[i].count)
			places[i].at = line % e->window.low_bytes;
		if (places[i].at == line % e->window.low_bytes)
			return &places[i];
	}
	return NULL;
}

static bool count_places(const struct evset_machine *e, const uint64_t *lines,
			 size_t count, struct place *places)
{
	memset(places, 0, PLACES * sizeof(*places));
	for (size_t i = 0; i < count; i++) {
		struct place *p = place_of(e, places, lines[i]);

		if (!p)
			return false;
		p->count++;
	}
	for (size_t i = 0; i < PLACES; i++)
		if (places[i].count && places[i].count < e->o.upper_evictors)
			return false;
	return true;
}

bool evset_has_control_lines(const struct evset_machine *e,
			     const uint64_t *lines, size_t count)
{
	struct place places[PLACES];

	return e->o.upper_evictors > 1 &&
	       count > SPREAD_FROM * e->o.upper_evictors &&
	       count_places(e, lines, count, places);
}

/* A bit of the offset that no line is moved in, because the places differ in
 * it: two lines of one page stay distinct however far each is moved. 0: all
 * bits can be used.
 */
static uint64_t kept_bit(const struct place *places)
{
	uint64_t differ = places[1].count ? places[0].at ^ places[1].at : 0;

	return differ & -differ;
}

/* All moves but 0, in random order: a XOR index may undo moves that follow the
 * order of the lines.
 */
static int choose_moves(struct evset_machine *e, uint64_t kept,
			struct sequence *moves)
{
	uint64_t places = e->window.low_bytes / LINE_BYTES;

	moves->length = (size_t)(kept ? places / 2 : places) - 1;
	moves->offsets = calloc(moves->length, sizeof(*moves->offsets));
	if (!moves->offsets)
		return -ENOMEM;
	for (size_t i = 0; i < moves->length; i++) {
		uint64_t move = (i + 1) * LINE_BYTES;
		uint64_t low = kept ? move & (kept - 1) : move;

		moves->offsets[i] = low | (move - low) * 2;
	}
	sequence_shuffle(moves, &e->x->prober->rng);
	return 0;
}

static size_t groups_of(const struct evset_machine *e, const struct place *p,
			size_t most)
{
	size_t groups = p->count / (2 * e->o.upper_evictors);

	return groups > most ? most : groups ? groups : 1;
}

static size_t group_of(const struct evset_machine *e, struct place *places,
		       uint64_t line, size_t together, size_t most)
{
	struct place *p = place_of(e, places, line);
	bool second = p != places;
	size_t begin = second ? groups_of(e, places, most) : 0;
	size_t order = p->seen++ + p->count - (second ? 0 : together / 2);

	return begin + order % p->count * groups_of(e, p, most) / p->count;
}

/* Lines of one set that are moved alike share a set again. The first @together
 * lines do, so that they are moved in two ways: where all lines share a set
 * above, with the first and with the last lines; else some of them to the other
 * place, if no line of that place is in the same page.
 */
static bool goes_over(const struct evset_machine *e,
		      const struct sequence *list, const struct place *places,
		      size_t i, size_t together)
{
	uint64_t page = list->offsets[i] / e->window.low_bytes;

	if (!places[1].count || i >= together / 2 ||
	    list->offsets[i] % e->window.low_bytes != places[0].at)
		return false;
	for (size_t j = 0; j < list->length; j++)
		if (j != i && list->offsets[j] / e->window.low_bytes == page)
			return false;
	return true;
}

int evset_control_lines(struct evset_machine *e, const struct sequence *list,
			size_t together, struct sequence *s)
{
	struct place places[PLACES];
	struct sequence moves;
	uint64_t over = 0;
	size_t most;

	count_places(e, list->offsets, list->length, places);
	if (choose_moves(e, kept_bit(places), &moves))
		return -ENOMEM;
	*s = (struct sequence){ .length = list->length };
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	most = places[1].count ? moves.length / PLACES : moves.length;
	if (places[1].count)
		over = places[0].at ^ places[1].at ^
		       moves.offsets[groups_of(e, places, most)];
	for (size_t i = 0; s->offsets && i < s->length; i++) {
		uint64_t line = list->offsets[i];
		size_t group = group_of(e, places, line, together, most);
		bool changes = goes_over(e, list, places, i, together);

		s->offsets[i] = line ^ (changes ? over : moves.offsets[group]);
	}
	sequence_free(&moves);
	return s->offsets ? 0 : -ENOMEM;
}
