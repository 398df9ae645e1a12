// SPDX-License-Identifier: GPL-2.0
/* twin.c - what translations take: the same pages without conflicts of lines. */
#include <math.h>
#include <stdlib.h>

#include "method/probe/internal.h"

/* The first-level instruction TLBs of processors that keep decoded instructions
 * have 48 entries at least.
 */
#define NEAR_PAGES 16

/* Elements of code are as long as they can be: those that it is compared with
 * (near_code()) are.
 */
int probe_twin(const struct prober *p, const struct sequence *s,
	       const struct reference *r, struct sequence *twin,
	       struct failure *f)
{
	if (sequence_translation_twin(twin, s, r->page_bytes, r->line_bytes,
				      r->code_bytes ? r->code_bytes :
						      p->word_bytes))
		return prober_out_of_memory(f);
	return 0;
}

/*
 * Code in as many lines, in pages that any TLB has room for: going from one page to
 * another may cost cycles, which are no miss (three on a Zen 5, at times only
 * beyond 16 pages).
 */
static struct shape near_code(const struct reference *r, size_t length)
{
	size_t pages = length < NEAR_PAGES ? length : NEAR_PAGES;
	size_t lines = (length + pages - 1) / pages;

	return (struct shape){ .inner = lines,
			       .inner_stride = r->code_bytes,
			       .stride = r->page_bytes + lines * r->code_bytes,
			       .outer = pages };
}

struct shape probe_near(const struct prober *p, const struct reference *r,
			size_t length)
{
	return r->code_bytes && length ? near_code(r, length) : prober_words(p);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static void make_distinct(struct sequence *s)
{
	size_t count = 0;

	qsort(s->offsets, s->length, sizeof(*s->offsets), by_number);
	for (size_t i = 0; i < s->length; i++)
		if (!count || s->offsets[i] != s->offsets[count - 1])
			s->offsets[count++] = s->offsets[i];
	s->length = count;
}

/* Of distinct lines: pages that lie whole ways apart have the same sets. */
static bool sets_suffice(struct sequence *lines, const struct reference *r)
{
	size_t sets = r->twin_way_bytes / r->line_bytes, run = 0;

	if (!r->twin_ways || !sets)
		return true;
	for (size_t i = 0; i < lines->length; i++)
		lines->offsets[i] %= sets;
	qsort(lines->offsets, lines->length, sizeof(*lines->offsets),
	      by_number);
	for (size_t i = 0; i < lines->length; i++) {
		run = i && lines->offsets[i] == lines->offsets[i - 1] ?
			      run + 1 :
			      1;
		if (run > r->twin_ways)
			return false;
	}
	return true;
}

/* Distinct lines of a twin, by their numbers. */
static int list_twin(struct prober *p, const struct sequence *s,
		     const struct reference *r, struct sequence *lines,
		     struct failure *f)
{
	int error = probe_twin(p, s, r, lines, f);

	if (error)
		return error;
	for (size_t i = 0; i < lines->length; i++)
		lines->offsets[i] /= r->line_bytes;
	make_distinct(lines);
	return 0;
}

int prober_sequence_twin_fits(struct prober *p, const struct sequence *s,
			      const struct reference *r, bool *fits,
			      struct failure *f)
{
	struct sequence lines;
	int error;

	*fits = false;
	if (!r->twin_lines)
		return 0;
	error = list_twin(p, s, r, &lines, f);
	if (error)
		return error;
	*fits = lines.length <= r->twin_lines && sets_suffice(&lines, r);
	sequence_free(&lines);
	return 0;
}

int prober_twin_fits(struct prober *p, const struct shape *w,
		     const struct reference *r, bool *fits, struct failure *f)
{
	struct sequence s, lines;
	int error;

	*fits = shape_length(w) <= r->twin_lines;
	if (*fits || !w->folds.count || !r->twin_lines)
		return 0;
	if (sequence_place(&s, w, p->arena_offset))
		return prober_out_of_memory(f);
	error = list_twin(p, &s, r, &lines, f);
	sequence_free(&s);
	if (error)
		return error;
	*fits = lines.length <= r->twin_lines;
	sequence_free(&lines);
	return 0;
}

int probe_translation(struct prober *p, const struct sequence *s,
		      const struct reference *r, unsigned int loads,
		      double *added, struct failure *f)
{
	const struct shape words = probe_near(p, r, s->length);
	unsigned int counter = r->counter & p->counters;
	struct readings slow, fast = { .count = 0 };
	struct sequence twin;
	int error = probe_twin(p, s, r, &twin, f);

	if (error)
		return error;
	error = probe_observe(p, &twin, 0, counter, loads, &slow, f);
	sequence_free(&twin);
	if (!error)
		error = probe_observe_shape(p, &words, 0, counter, loads, &fast,
					    f);
	*added = 0;
	if (error || !slow.count || !fast.count)
		return error;
	*added = statistics_quantile(slow.values, slow.count, 0.25) -
		 statistics_quantile(fast.values, fast.count, 0.25);
	return 0;
}

int prober_translation(struct prober *p, const struct sequence *s,
		       const struct reference *r, double *ticks,
		       struct failure *f)
{
	struct reference timed = *r;
	bool fits;
	int error = prober_sequence_twin_fits(p, s, r, &fits, f);

	*ticks = NAN;
	if (error || !fits)
		return error;
	timed.counter = 0;
	return probe_translation(p, s, &timed, probe_loads(p, 0), ticks, f);
}
