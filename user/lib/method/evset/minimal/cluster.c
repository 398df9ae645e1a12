// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/cluster.h"

#include <math.h>
#include <stdlib.h>

#include "method/probe/prober.h"

/* The lines most like the first one make the first means: many at first, since lines
 * of one set may be hardly more alike than others are by chance, then fewer.
 */
static const size_t first_few[] = { 12, 9, 6 };
#define FEW_ROUNDS ((int)(sizeof(first_few) / sizeof(first_few[0])))
#define FEW_LEAST 0.1
/* Lines of one set correlate with its mean by 0.65 to 0.95, others by less than
 * 0.5 (an L2 of 64 sets at one offset, 60 looks at each line). Beside others who use
 * the level they do by less: by more than half of what those do that are most alike.
 */
#define LIKE 0.5
#define SHARE_LIKE 0.7
#define LEAST_LIKE 0.35
#define ROUNDS 8
/* Rounds of all lines, after which only so many that are most alike go on. */
#define WHOLE_ROUNDS 2
#define NEAR 256
/* No correlation is that. */
#define NEVER (-2.0)
/* A line that is less like its class is like no other. */
#define CLOSE 0.35
#define CLOSER_BY 0.15
/* Of fewer looks no correlation tells anything. */
#define LOOKS_LEAST 8
/* Lines that are like no others, before and for each class that is found: nearly all
 * lines have a class, or the looks were of no use. To find that out of each of some four
 * thousand lines took six seconds on a Zen 3.
 */
#define VAIN_FIRST 32
#define VAIN_EACH 2

int evset_looks_begin(struct evset_looks *l, size_t lines, size_t room,
		      struct failure *f)
{
	*l = (struct evset_looks){
		.lines = lines,
		.room = room,
		.seen = calloc(lines + 1, sizeof(*l->seen)),
		.when = calloc(lines * room + 1, sizeof(*l->when)),
		.late = calloc(lines * room + 1, sizeof(*l->late)),
	};
	return l->seen && l->when && l->late ? 0 : prober_out_of_memory(f);
}

void evset_looks_free(struct evset_looks *l)
{
	free(l->seen);
	free(l->when);
	free(l->late);
	*l = (struct evset_looks){ .lines = 0 };
}

void evset_looks_add(struct evset_looks *l, size_t line, size_t look,
		     double late)
{
	size_t at = line * l->room + l->seen[line]++;

	l->when[at] = look;
	l->late[at] = late;
}

static void add(struct evset_mean *m, const struct evset_looks *l, size_t line)
{
	for (size_t i = 0; i < l->seen[line]; i++) {
		size_t at = line * l->room + i;

		m->late[l->when[at]] += l->late[at];
		m->count[l->when[at]]++;
	}
}

static void clear(struct evset_mean *m, size_t room)
{
	for (size_t i = 0; i < room; i++)
		m->late[i] = m->count[i] = 0;
}

static void divide(struct evset_mean *m, size_t room)
{
	for (size_t i = 0; i < room; i++)
		m->mean[i] = m->count[i] > 0 ? m->late[i] / m->count[i] : 0;
}

/* Pearson's, over the looks that both know; 0: too few. @own: the line is one of
 * those whose mean it is, and is left out of it.
 */
static double correlation(const struct evset_mean *m,
			  const struct evset_looks *l, size_t line, bool own)
{
	double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0, spread;

	for (size_t i = 0; i < l->seen[line]; i++) {
		size_t at = line * l->room + i, look = l->when[at];
		double x = l->late[at], y = m->mean[look];

		if (m->count[look] <= own)
			continue;
		if (own)
			y = (m->late[look] - x) / (m->count[look] - 1);
		n++;
		a += x;
		b += y;
		aa += x * x;
		bb += y * y;
		ab += x * y;
	}
	spread = (aa * n - a * a) * (bb * n - b * b);
	return n < LOOKS_LEAST || spread <= 0 ? 0 :
						(ab * n - a * b) / sqrt(spread);
}

/* What the @few that are most alike have at least. */
static double few_like(const double *like, size_t count, size_t few,
		       double *most)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = n;

		if (n == few && like[i] <= most[n - 1])
			continue;
		at -= n == few;
		for (; at && most[at - 1] < like[i]; at--)
			most[at] = most[at - 1];
		most[at] = like[i];
		n += n < few;
	}
	return fmax(FEW_LEAST, most[n - 1]);
}

/* Those that are not near are not asked any more. */
static void leave_far(double *like, size_t count, double *most)
{
	const double near = few_like(like, count, NEAR, most);

	for (size_t i = 0; i < count; i++)
		if (like[i] < near)
			like[i] = NEVER;
}

/* A share of what those have that are most alike, within bounds. */
static double like_enough(const double *like, size_t count, size_t least,
			  double *sorted)
{
	double share =
		SHARE_LIKE * few_like(like, count, least / 2 + 1, sorted);

	return fmin(LIKE, fmax(LEAST_LIKE, share));
}

/* Lines alike that have no class yet, into @is; the mean is theirs then. Return:
 * whether they are others than before.
 */
static bool choose(struct evset_mean *m, const struct evset_looks *l,
		   const double *like, double least, bool *is, size_t *count)
{
	bool changed = false;

	*count = 0;
	clear(m, l->room);
	for (size_t i = 0; i < l->lines; i++) {
		bool now = like[i] >= least;

		changed |= now != is[i];
		is[i] = now;
		*count += now;
		if (now)
			add(m, l, i);
	}
	divide(m, l->room);
	return changed;
}

int evset_growth_begin(struct evset_growth *g, const struct evset_looks *l,
		       struct failure *f)
{
	*g = (struct evset_growth){
		.l = l,
		.mean = { .late = calloc(l->room + 1, sizeof(double)),
			  .count = calloc(l->room + 1, sizeof(double)),
			  .mean = calloc(l->room + 1, sizeof(double)) },
		.like = calloc(2 * l->lines + 1, sizeof(*g->like)),
		.is = calloc(l->lines + 1, sizeof(*g->is)),
	};
	return g->mean.late && g->mean.count && g->mean.mean && g->like &&
			       g->is ?
		       0 :
		       prober_out_of_memory(f);
}

void evset_growth_end(struct evset_growth *g)
{
	free(g->mean.late);
	free(g->mean.count);
	free(g->mean.mean);
	free(g->like);
	free(g->is);
	*g = (struct evset_growth){ .l = NULL };
}

/* The class of one line, into @g->is. */
static size_t grow(struct evset_growth *g, size_t line, const size_t *class_of,
		   size_t least)
{
	const struct evset_looks *l = g->l;
	struct evset_mean *m = &g->mean;
	double *like = g->like, *sorted = like + l->lines;
	bool changed = true;
	size_t count = 0;

	clear(m, l->room);
	add(m, l, line);
	divide(m, l->room);
	for (size_t i = 0; i < l->lines; i++) {
		g->is[i] = i == line;
		like[i] = class_of[i] == EVSET_NO_CLASS ? 0 : NEVER;
	}
	for (int k = 0; changed && k < ROUNDS; k++) {
		if (k == WHOLE_ROUNDS)
			leave_far(like, l->lines, sorted);
		for (size_t i = 0; i < l->lines; i++)
			if (like[i] > NEVER)
				like[i] = correlation(m, l, i, g->is[i] && k);
		if (!k)
			like[line] = 1;
		changed = choose(
			m, l, like,
			k < FEW_ROUNDS ?
				few_like(like, l->lines, first_few[k], sorted) :
				like_enough(like, l->lines, least, sorted),
			g->is, &count);
	}
	return count;
}

/* Each line into the class that it is like, if it is like no other. One that was
 * taken by a class that came first may be more like another.
 */
static void choose_closest(const struct evset_looks *l, size_t *class_of,
			   size_t count, struct evset_mean *m, double *best,
			   double *second, size_t *closest)
{
	for (size_t i = 0; i < l->lines; i++)
		best[i] = second[i] = -1;
	for (size_t k = 0; k < count; k++) {
		clear(m, l->room);
		for (size_t i = 0; i < l->lines; i++)
			if (class_of[i] == k)
				add(m, l, i);
		divide(m, l->room);
		for (size_t i = 0; i < l->lines; i++) {
			double like = correlation(m, l, i, class_of[i] == k);

			second[i] = fmax(second[i], fmin(like, best[i]));
			if (like <= best[i])
				continue;
			best[i] = like;
			closest[i] = k;
		}
	}
	for (size_t i = 0; i < l->lines; i++)
		class_of[i] = best[i] > CLOSE &&
					      best[i] > second[i] + CLOSER_BY ?
				      closest[i] :
				      EVSET_NO_CLASS;
}

bool evset_grow_next(struct evset_growth *g, size_t least, size_t *class_of)
{
	const size_t before = g->count;

	for (; g->count == before && g->next < g->l->lines &&
	       g->vain < VAIN_FIRST + VAIN_EACH * g->count;
	     g->next++) {
		if (class_of[g->next] != EVSET_NO_CLASS)
			continue;
		if (grow(g, g->next, class_of, least) < least) {
			g->vain++;
			continue;
		}
		for (size_t i = 0; i < g->l->lines; i++)
			if (g->is[i])
				class_of[i] = g->count;
		g->count++;
	}
	return g->count > before;
}

int evset_alike(const struct evset_looks *l, size_t least, size_t *class_of,
		size_t *count, struct failure *f)
{
	size_t *closest = calloc(l->lines + 1, sizeof(*closest));
	struct evset_growth g;
	int error = evset_growth_begin(&g, l, f);

	*count = 0;
	for (size_t i = 0; i < l->lines; i++)
		class_of[i] = EVSET_NO_CLASS;
	if (!error && !closest)
		error = prober_out_of_memory(f);
	if (!error) {
		while (evset_grow_next(&g, least, class_of))
			;
		*count = g.count;
		choose_closest(l, class_of, *count, &g.mean, g.like,
			       g.like + l->lines, closest);
	}
	evset_growth_end(&g);
	free(closest);
	return error;
}
