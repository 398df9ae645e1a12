// SPDX-License-Identifier: GPL-2.0
/* tlb.c - translation by T(n,k) (section IV-C). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/cooper/tlb.h"
#include "method/cooper/tuning.h"

/*
 * Eight times the largest arrays that exist, so that the level behind them is
 * seen too; less where there is less memory.
 */
#define MOST_PAGES ((size_t)1 << 14)
#define FEWEST_PAGES ((size_t)1 << 6)
/*
 * Strings between two of the grid that are timed together, and the most pages
 * for which that is done.
 */
#define MOST_REFINED 256
/*
 * Least cycles per load that one page too many adds: random replacement adds
 * few.
 */
#define LEAST_EDGE 3

static void choose_grid(struct cooper_survey *s)
{
	size_t step = 1;

	for (size_t pages = 2; pages <= s->pages.count; pages += step) {
		if (s->grid_count == COOPER_MOST_STRINGS)
			break;
		s->grid[s->grid_count++] = pages;
		while (pages >= 2 * COOPER_STRINGS_PER_OCTAVE * step)
			step *= 2;
	}
}

/* --- levels --------------------------------------------------------------- */

/*
 * Cycles of T(1,k) beyond @pages pages, before a further level is missed: a
 * whole number, as all points are.
 */
static double cycles_beyond(const struct cooper_survey *s, size_t pages)
{
	const struct curve_result *found = &s->curves[0]->found;
	size_t i = 0;

	while (i + 1 < found->step_count &&
	       found->steps[i].end <= (double)(pages * s->pages.page_bytes))
		i++;
	return round(found->steps[i].latency);
}

static void set_level(struct cooper_survey *s, const struct cooper_tlb *t)
{
	struct parameter *latency = &t->row->latency_cycles;

	parameter_measured(&t->row->reach_bytes,
			   (double)(t->pages * s->pages.page_bytes), 0,
			   COOPER_METHOD);
	parameter_measured(latency, t->load_cycles, 0, COOPER_METHOD);
	if (t->above)
		snprintf(latency->reason, sizeof(latency->reason),
			 "of a load: %.3g more than in the first level",
			 t->load_cycles - cycles_beyond(s, 0));
	else
		snprintf(latency->reason, sizeof(latency->reason), "of a load");
}

static void leave_level_open(const struct cooper_tlb *t)
{
	const char *why =
		"other rises hide whether %zu pages are a TLB's reach";

	parameter_undecided(&t->row->reach_bytes, COOPER_METHOD, why, t->pages);
	parameter_undecided(&t->row->ways, COOPER_METHOD, why, t->pages);
	parameter_undecided(&t->row->latency_cycles, COOPER_METHOD, why,
			    t->pages);
}

/*
 * The most pages that fit, between this string and the next one: one page more
 * makes most of them miss. That is so in arrays of one set, whose sizes are
 * any; sizes of other arrays are sets times ways, and in the paper's grid.
 */
static int refine(struct cooper_survey *s, size_t at, struct cooper_tlb *t,
		  struct failure *f)
{
	double edge = cooper_cycles_at(s, 0, at) +
		      fmax(LEAST_EDGE, cooper_rise_at(s, 0, at) / 2);
	size_t fits = s->grid[at], next = s->grid[at + 1], timed[REFINED];
	struct cooper_string strings[REFINED];
	struct cooper_sweep sweep;

	while (fits <= MOST_REFINED && next - fits > 1) {
		size_t step = (next - fits + REFINED) / (REFINED + 1);
		size_t count = 0, first = 0;
		int error;

		for (; fits + (count + 1) * step < next; count++)
			timed[count] = fits + (count + 1) * step;
		error = cooper_sweep_pages(s, 0, timed, count, strings, &sweep,
					   f);
		if (error)
			return error;
		while (first < count && strings[first].cycles < edge)
			first++;
		if (first &&
		    strings[first - 1].cycles > cooper_cycles_at(s, 0, at))
			return 0;
		next = first < count ? timed[first] : next;
		fits = first ? timed[first - 1] : fits;
	}
	if (next - fits == 1)
		t->pages = fits;
	return 0;
}

/*
 * Cycles of a load beyond string @at, where it took @before: lines may have
 * left the first cache between two levels.
 */
static double behind(const struct cooper_survey *s, size_t at, double before)
{
	return before + cycles_beyond(s, s->grid[at]) -
	       cooper_cycles_at(s, 0, at);
}

/* List decided levels, whose ways can be measured. */
static int list_levels(struct cooper_survey *s, struct cooper_tlb *levels,
		       size_t *count, struct failure *f)
{
	double cycles = cycles_beyond(s, 0);
	size_t above = 0;
	int error = cooper_judge_rises(s, f);

	for (size_t at = 0; !error && at < s->grid_count; at++) {
		struct cooper_tlb *t = &levels[*count];
		struct side_tlb *row;

		if (s->rises[at] != RISE_OF_TLB && s->rises[at] != RISE_OPEN)
			continue;
		row = side_result_add_tlb(s->c->r, s->pages.page_bytes);
		if (!row)
			return 0;
		*t = (struct cooper_tlb){
			.row = row,
			.pages = s->grid[at],
			.above = above,
			.hit_cycles = cycles_beyond(s, above),
			.load_cycles = cycles,
			.miss_cycles = cycles_beyond(s, s->grid[at]),
		};
		above = s->grid[at];
		cycles = behind(s, at, cycles);
		if (s->rises[at] == RISE_OPEN) {
			leave_level_open(t);
			continue;
		}
		if (cooper_rises_at(s, 0, at))
			error = refine(s, at, t, f);
		set_level(s, t);
		++*count;
	}
	return error;
}

/* --- everything ---------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void
leave_open(struct cooper_survey *s, const char *why, ...)
{
	struct side_tlb *t = side_result_add_tlb(s->c->r, s->pages.page_bytes);
	char reason[256];
	va_list args;

	if (!t)
		return;
	va_start(args, why);
	vsnprintf(reason, sizeof(reason), why, args);
	va_end(args);
	parameter_undecided(&t->reach_bytes, COOPER_METHOD, "%s", reason);
	parameter_undecided(&t->ways, COOPER_METHOD, "%s", reason);
	parameter_undecided(&t->latency_cycles, COOPER_METHOD, "%s", reason);
}

/* @error: error that ended the measurement before, or 0 */
static int measure_ways(struct cooper_survey *s,
			const struct cooper_tlb *levels, size_t count,
			int error, struct failure *f)
{
	for (size_t i = 0; i < count; i++) {
		if (!error)
			error = cooper_measure_tlb_ways(s->c, &s->pages,
							&levels[i], f);
		if (error)
			parameter_undecided(&levels[i].row->ways, COOPER_METHOD,
					    "interrupted");
	}
	return error;
}

static int measure(struct cooper_survey *s, struct failure *f)
{
	struct cooper_tlb levels[SIDE_LEVELS];
	size_t count = 0;
	int error = 0;

	choose_grid(s);
	for (size_t kind = 0; !error && kind < 2; kind++)
		error = cooper_time_pages(s, kind, s->pages.count, f);
	for (size_t kind = 0; !error && kind < 2; kind++)
		if (!s->curves[kind]->found.decided) {
			leave_open(s, "%s: %s", cooper_kind_name(kind),
				   s->curves[kind]->found.reason);
			return 0;
		}
	if (!error)
		error = list_levels(s, levels, &count, f);
	if (!error && !s->c->r->tlb_count)
		leave_open(s, "up to %zu pages nothing but caches is missed",
			   s->pages.count);
	if (error && !s->c->r->tlb_count)
		leave_open(
			s,
			"interrupted before TLBs and caches were distinguished");
	return measure_ways(s, levels, count, error, f);
}

/* As many pages as there is memory for. */
static int open_view(struct cooper_survey *s, struct failure *why)
{
	struct machine *m = s->c->p->m;
	int error = -ENOSPC;

	for (size_t pages = MOST_PAGES; pages >= FEWEST_PAGES; pages /= 2) {
		const struct view_request r = { .page_bytes =
							s->pages.page_bytes,
						.pages = pages,
						.frames = pages };

		why->text[0] = '\0';
		s->pages.count = pages;
		error = m->ops->view_open(m, &r, &s->pages.view, why);
		if (error != -ENOSPC && error != -ENOMEM)
			break;
	}
	return error;
}

static void leave_unavailable(struct cooper_survey *s, const char *why)
{
	struct side_tlb *t = side_result_add_tlb(s->c->r, s->pages.page_bytes);

	if (!t)
		return;
	parameter_unavailable(&t->reach_bytes, "%s", why);
	parameter_unavailable(&t->ways, "%s", why);
	parameter_unavailable(&t->latency_cycles, "%s", why);
}

int cooper_measure_tlbs(struct cooper *c, struct failure *f)
{
	struct cooper brief = *c;
	struct cooper_survey s = { .c = &brief };
	const struct machine *m = c->p->m;
	struct failure why = { .text = "" };
	int error;

	brief.sample_loads = c->sample_loads / BRIEF < TLB_LEAST_LOADS ?
				     TLB_LEAST_LOADS :
				     c->sample_loads / BRIEF;
	s.pages.page_bytes = m->view_page_count ? m->view_page_bytes[0] : 0;
	if (!m->ops->view_open || !m->view_page_count) {
		leave_unavailable(
			&s, "this machine maps no pages of a size of choice");
		return 0;
	}
	if (open_view(&s, &why)) {
		leave_unavailable(&s, why.text);
		return 0;
	}
	error = measure(&s, f);
	m->ops->view_close(s.pages.view);
	return error;
}
