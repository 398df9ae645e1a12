// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/cluster.h"

#include <math.h>
#include <stdlib.h>

#include "method/probe/prober.h"

/* The lines most similar to the first one make the first means: many at first,
 * since lines of one set may be hardly more similar than others by chance, then
 * fewer.
 */
static const size_t first_few[] = { 12, 9, 6 };
#define FEW_ROUNDS ((int)(sizeof(first_few) / sizeof(first_few[0])))
#define FEW_LEAST 0.1
/* Lines of one set correlate with its mean by 0.65 to 0.95, others by less than
 * 0.5 (64 sets at one offset, 60 samples of each line). Under contention the
 * correlation is less, but above this share of that of the most similar lines.
 */
#define SIMILAR 0.5
#define SHARE_SIMILAR 0.7
#define LEAST_SIMILAR 0.35
#define ROUNDS 8
/* Rounds of all lines, after which only the most similar ones go on. */
#define WHOLE_ROUNDS 2
#define NEAR 256
/* Below any correlation. */
#define NEVER (-2.0)
/* A line that is less similar to its class is similar to none. */
#define CLOSE 0.35
#define CLOSER_BY 0.15
/* Fewer samples give no correlation. */
#define SAMPLES_LEAST 8
/* Lines that are similar to no others, before the first class and for each one
 * that is found: nearly all lines have a class, or the samples are useless. To
 * find that out of each of four thousand lines would take six seconds.
 */
#define FRUITLESS_FIRST 32
#define FRUITLESS_EACH 2

int evset_samples_begin(struct evset_samples *l, size_t lines, size_t room,
			struct failure *f)
{
	*l = (struct evset_samples){
		.lines = lines,
		.room = room,
		.seen = calloc(lines + 1, sizeof(*l->seen)),
		.when = calloc(lines * room + 1, sizeof(*l->when)),
		.excess = calloc(lines * room + 1, sizeof(*l->excess)),
	};
	return l->seen && l->when && l->excess ? 0 : prober_out_of_memory(f);
}

void evset_samples_free(struct evset_samples *l)
{
	free(l->seen);
	free(l->when);
	free(l->excess);
	*l = (struct evset_samples){ .lines = 0 };
}

void evset_samples_add(struct evset_samples *l, size_t line, size_t sample,
		       double excess)
{
	size_t at = line * l->room + l->seen[line]++;

	l->when[at] = sample;
	l->excess[at] = excess;
}

static void add(struct evset_cluster_mean *m, const struct evset_samples *l,
		size_t line)
{
	for (size_t i = 0; i < l->seen[line]; i++) {
		size_t at = line * l->room + i;

		m->excess[l->when[at]] += l->excess[at];
		m->count[l->when[at]]++;
	}
}

static void clear(struct evset_cluster_mean *m, size_t room)
{
	for (size_t i = 0; i < room; i++)
		m->excess[i] = m->count[i] = 0;
}

static void divide(struct evset_cluster_mean *m, size_t room)
{
	for (size_t i = 0; i < room; i++)
		m->mean[i] = m->count[i] > 0 ? m->excess[i] / m->count[i] : 0;
}

/* Pearson's correlation over the samples that both have; 0: too few. @own: the
 * line is part of the mean, and is left out of it.
 */
static double correlation(const struct evset_cluster_mean *m,
			  const struct evset_samples *l, size_t line, bool own)
{
	double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0, spread;

	for (size_t i = 0; i < l->seen[line]; i++) {
		size_t at = line * l->room + i, sample = l->when[at];
		double x = l->excess[at], y = m->mean[sample];

		if (m->count[sample] <= own)
			continue;
		if (own)
			y = (m->excess[sample] - x) / (m->count[sample] - 1);
		n++;
		a += x;
		b += y;
		aa += x * x;
		bb += y * y;
		ab += x * y;
	}
	spread = (aa * n - a * a) * (bb * n - b * b);
	return n < SAMPLES_LEAST || spread <= 0 ?
		       0 :
		       (ab * n - a * b) / sqrt(spread);
}

/* The least similarity of the @few most similar lines. */
static double few_similar(const double *similarity, size_t count, size_t few,
			  double *most)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = n;

		if (n == few && similarity[i] <= most[n - 1])
			continue;
		at -= n == few;
		for (; at && most[at - 1] < similarity[i]; at--)
			most[at] = most[at - 1];
		most[at] = similarity[i];
		n += n < few;
	}
	return fmax(FEW_LEAST, most[n - 1]);
}

/* Lines that are not near are left out from now on. */
static void leave_far(double *similarity, size_t count, double *most)
{
	const double near = few_similar(similarity, count, NEAR, most);

	for (size_t i = 0; i < count; i++)
		if (similarity[i] < near)
			similarity[i] = NEVER;
}

/* A share of the similarity of the most similar lines, within bounds. */
static double similar_enough(const double *similarity, size_t count,
			     size_t least, double *sorted)
{
	double share = SHARE_SIMILAR *
		       few_similar(similarity, count, least / 2 + 1, sorted);

	return fmin(SIMILAR, fmax(LEAST_SIMILAR, share));
}

/* Similar lines that have no class yet, into @is; then the mean is that of these lines.
 * Return: whether they are others than before.
 */
static bool choose(struct evset_cluster_mean *m, const struct evset_samples *l,
		   const double *similarity, double least, bool *is,
		   size_t *count)
{
	bool changed = false;

	*count = 0;
	clear(m, l->room);
	for (size_t i = 0; i < l->lines; i++) {
		bool now = similarity[i] >= least;

		changed |= now != is[i];
		is[i] = now;
		*count += now;
		if (now)
			add(m, l, i);
	}
	divide(m, l->room);
	return changed;
}

int evset_clusters_begin(struct evset_clusters *g,
			 const struct evset_samples *l, struct failure *f)
{
	*g = (struct evset_clusters){
		.l = l,
		.mean = { .excess = calloc(l->room + 1, sizeof(double)),
			  .count = calloc(l->room + 1, sizeof(double)),
			  .mean = calloc(l->room + 1, sizeof(double)) },
		.similarity = calloc(2 * l->lines + 1, sizeof(*g->similarity)),
		.is = calloc(l->lines + 1, sizeof(*g->is)),
	};
	return g->mean.excess && g->mean.count && g->mean.mean &&
			       g->similarity && g->is ?
		       0 :
		       prober_out_of_memory(f);
}

void evset_clusters_end(struct evset_clusters *g)
{
	free(g->mean.excess);
	free(g->mean.count);
	free(g->mean.mean);
	free(g->similarity);
	free(g->is);
	*g = (struct evset_clusters){ .l = NULL };
}

/* The class of one line, into @g->is. */
static size_t grow(struct evset_clusters *g, size_t line,
		   const size_t *class_of, size_t least)
{
	const struct evset_samples *l = g->l;
	struct evset_cluster_mean *m = &g->mean;
	double *similarity = g->similarity, *sorted = similarity + l->lines;
	bool changed = true;
	size_t count = 0;

	clear(m, l->room);
	add(m, l, line);
	divide(m, l->room);
	for (size_t i = 0; i < l->lines; i++) {
		g->is[i] = i == line;
		similarity[i] = class_of[i] == EVSET_NO_CLASS ? 0 : NEVER;
	}
	for (int k = 0; changed && k < ROUNDS; k++) {
		if (k == WHOLE_ROUNDS)
			leave_far(similarity, l->lines, sorted);
		for (size_t i = 0; i < l->lines; i++)
			if (similarity[i] > NEVER)
				similarity[i] =
					correlation(m, l, i, g->is[i] && k);
		if (!k)
			similarity[line] = 1;
		changed = choose(m, l, similarity,
				 k < FEW_ROUNDS ?
					 few_similar(similarity, l->lines,
						     first_few[k], sorted) :
					 similar_enough(similarity, l->lines,
							least, sorted),
				 g->is, &count);
	}
	return count;
}

/* Each line into the class that it is similar to, if it is similar to no other
 * one. A class that came first may have taken lines of another one.
 */
static void choose_closest(const struct evset_samples *l, size_t *class_of,
			   size_t count, struct evset_cluster_mean *m,
			   double *best, double *second, size_t *closest)
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
			double similarity =
				correlation(m, l, i, class_of[i] == k);

			second[i] = fmax(second[i], fmin(similarity, best[i]));
			if (similarity <= best[i])
				continue;
			best[i] = similarity;
			closest[i] = k;
		}
	}
	for (size_t i = 0; i < l->lines; i++)
		class_of[i] = best[i] > CLOSE &&
					      best[i] > second[i] + CLOSER_BY ?
				      closest[i] :
				      EVSET_NO_CLASS;
}

bool evset_clusters_next(struct evset_clusters *g, size_t least,
			 size_t *class_of)
{
	const size_t before = g->count;

	for (; g->count == before && g->next < g->l->lines &&
	       g->fruitless < FRUITLESS_FIRST + FRUITLESS_EACH * g->count;
	     g->next++) {
		if (class_of[g->next] != EVSET_NO_CLASS)
			continue;
		if (grow(g, g->next, class_of, least) < least) {
			g->fruitless++;
			continue;
		}
		for (size_t i = 0; i < g->l->lines; i++)
			if (g->is[i])
				class_of[i] = g->count;
		g->count++;
	}
	return g->count > before;
}

int evset_cluster(const struct evset_samples *l, size_t least, size_t *class_of,
		  size_t *count, struct failure *f)
{
	size_t *closest = calloc(l->lines + 1, sizeof(*closest));
	struct evset_clusters g;
	int error = evset_clusters_begin(&g, l, f);

	*count = 0;
	for (size_t i = 0; i < l->lines; i++)
		class_of[i] = EVSET_NO_CLASS;
	if (!error && !closest)
		error = prober_out_of_memory(f);
	if (!error) {
		while (evset_clusters_next(&g, least, class_of))
			;
		*count = g.count;
		choose_closest(l, class_of, *count, &g.mean, g.similarity,
			       g.similarity + l->lines, closest);
	}
	evset_clusters_end(&g);
	free(closest);
	return error;
}
