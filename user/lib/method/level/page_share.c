// SPDX-License-Identifier: GPL-2.0
#include "method/level/page_share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/level/tuning.h"
#include "observe/sampler.h"

/* Real machines map each page of a view by itself. */
#define MOST_PAGES 16384

/* Lower quartile, in the order of @s; NAN: nothing was undisturbed. */
static int time_view(struct prober *p, struct view *v, const struct sequence *s,
		     double *ticks, struct failure *f)
{
	const struct walk_plan plan = {
		.flags = WALK_PLAIN_LOADS,
		.warm_rounds = PAGE_SHARE_WARM_ROUNDS,
		.loads = prober_loads(p, PAGE_SHARE_LOADS, 0),
		.samples = PAGE_SHARE_SAMPLES,
	};
	const struct machine_conditions before = p->m->conditions;
	struct sample samples[PAGE_SHARE_SAMPLES];
	double values[PAGE_SHARE_SAMPLES];
	size_t count = 0;
	int error = prober_stopped(p) ? -EINTR : 0;

	if (!error)
		error = v->m->ops->view_walk(v, s, &plan, samples, f);
	if (error)
		return error;
	prober_count_samples(p, &before, plan.loads);
	for (int i = 0; i < PAGE_SHARE_SAMPLES; i++)
		if (!samples[i].disturbed)
			values[count++] =
				samples[i].ticks / (double)samples[i].loads;
	*ticks = count ? statistics_quantile(values, count, 0.25) : NAN;
	return 0;
}

/* Whatever a view is refused for, there is none then. */
static struct view *open_view(struct prober *p, uint64_t page_bytes,
			      uint64_t pages, struct failure *f)
{
	const struct view_request r = { .page_bytes = page_bytes,
					.pages = pages,
					.frames = 1 };
	struct view *v;

	if (!p->m->ops->view_open || p->m->ops->view_open(p->m, &r, &v, f)) {
		f->text[0] = '\0';
		return NULL;
	}
	return v;
}

static int place_words(struct prober *p, struct sequence *s, struct failure *f)
{
	const struct shape words = prober_words(p);

	return sequence_place(s, &words, 0) ? prober_out_of_memory(f) : 0;
}

/**
 * struct both - the same words in the machine's memory and in a view, in turn
 * @region: ticks of each trial
 * @view: the same
 * @count: trials of both
 */
struct both {
	double region[PAGE_SHARE_TRIALS];
	double view[PAGE_SHARE_TRIALS];
	size_t count;
};

static int time_both(struct prober *p, struct view *v, struct both *b,
		     struct failure *f)
{
	const struct shape words = prober_words(p);
	struct sequence s;
	int error = place_words(p, &s, f);

	b->count = 0;
	for (int i = 0; !error && i < PAGE_SHARE_TRIALS; i++) {
		double region = NAN, view = NAN;

		error = prober_time(p, &words, WALK_PLAIN_LOADS, &region, f);
		if (!error)
			error = time_view(p, v, &s, &view, f);
		if (error || !isfinite(region) || !isfinite(view))
			continue;
		b->region[b->count] = region;
		b->view[b->count++] = view;
	}
	sequence_free(&s);
	return error;
}

/* Three of four trials of one are slower than three of four of the other, and by
 * more than the clock may change its pace meanwhile.
 */
static double excess_of(struct prober *p, struct both *b)
{
	double cycle = sampler_cycle_ticks(p->m), region, view, more;

	if (b->count < PAGE_SHARE_TRIALS / 2 ||
	    statistics_quantile(b->region, b->count, 0.25) <=
		    statistics_quantile(b->view, b->count, 0.75))
		return 0;
	region = statistics_quantile(b->region, b->count, 0.25);
	view = statistics_quantile(b->view, b->count, 0.25);
	more = region - view;
	return more > fmax(PAGE_SHARE_CYCLES * fmax(cycle, 0),
			   PAGE_SHARE_PART * view) ?
		       more :
		       0;
}

int page_share_measure(struct prober *p, double *ticks, struct failure *f)
{
	*ticks = 0;
	for (size_t i = 0; i < p->m->view_page_count; i++) {
		struct view *v = open_view(p, p->m->view_page_bytes[i], 1, f);
		struct both b;
		int error;

		if (!v)
			continue;
		error = time_both(p, v, &b, f);
		v->m->ops->view_close(v);
		if (error == -EAGAIN)
			f->text[0] = '\0';
		else if (error)
			return error;
		else
			*ticks = fmax(*ticks, excess_of(p, &b));
	}
	return 0;
}

static bool shares_frames(const struct machine *m, uint64_t page_bytes)
{
	for (size_t i = 0; i < m->view_page_count; i++)
		if (m->view_page_bytes[i] == page_bytes)
			return m->view_shares_frames >> i & 1;
	return false;
}

/* The same pages in the same order, each load of a word of its own. */
static int place_pages(struct prober *p, const struct sequence *of,
		       uint64_t first, struct sequence *s, struct failure *f)
{
	uint64_t page = p->m->region.page_bytes;

	s->length = of->length;
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < s->length; i++)
		s->offsets[i] = (of->offsets[i] / page - first) * page +
				i * p->word_bytes;
	return 0;
}

static int time_added(struct prober *p, struct view *v,
		      const struct sequence *pages, double *ticks,
		      struct failure *f)
{
	double slow = NAN, fast = NAN;
	struct sequence words;
	int error = place_words(p, &words, f);

	if (error)
		return error;
	error = time_view(p, v, pages, &slow, f);
	if (!error)
		error = time_view(p, v, &words, &fast, f);
	sequence_free(&words);
	*ticks = slow - fast;
	return error;
}

int page_share_added(struct prober *p, const struct sequence *s,
		     uint64_t line_room, double *ticks, struct failure *f)
{
	uint64_t page = p->m->region.page_bytes, first = UINT64_MAX, last = 0;
	struct sequence pages = { .offsets = NULL };
	struct view *v;
	int error;

	*ticks = NAN;
	for (size_t i = 0; i < s->length; i++) {
		uint64_t at = s->offsets[i] / page;

		first = at < first ? at : first;
		last = at > last ? at : last;
	}
	if (!s->length || last - first >= MOST_PAGES ||
	    s->length * p->word_bytes > line_room ||
	    s->length * p->word_bytes > page || !shares_frames(p->m, page))
		return 0;
	v = open_view(p, page, last - first + 1, f);
	if (!v)
		return 0;
	error = place_pages(p, s, first, &pages, f);
	if (!error)
		error = time_added(p, v, &pages, ticks, f);
	sequence_free(&pages);
	v->m->ops->view_close(v);
	return error;
}
