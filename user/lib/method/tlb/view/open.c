// SPDX-License-Identifier: GPL-2.0
/* open.c - the pages and frames that sequences are laid out in. */
#include <errno.h>

#include "method/tlb/tuning.h"
#include "method/tlb/view/view.h"
#include "observe/sampler.h"

/* Frames of this many bytes have words enough for the largest arrays. */
#define FRAME_BYTES (UINT64_C(256) << 10)
/*
 * Assumed while the first cache is unknown: no way is longer, no line shorter.
 */
#define LONGEST_WAY (UINT64_C(64) << 10)
#define SHORTEST_LINE 32
#define SMALLEST_CACHE 8192
/* With fewer pages no level can be found. Other questions need fewer. */
#define LEAST_PAGES 64
#define LONGER 2
/* No address space is larger than that. */
#define LONGEST_VIEW (UINT64_C(1) << 46)

/* A sample lasts at least this many steps of the timer. */
#define LEAST_CYCLES 2

static uint64_t way_bytes_of(const struct cache_result *c)
{
	if (!c || c->capacity_bytes.status != PARAMETER_MEASURED ||
	    c->ways.status != PARAMETER_MEASURED)
		return LONGEST_WAY;
	return (uint64_t)(c->capacity_bytes.value / c->ways.value);
}

static uint64_t line_bytes_of(const struct cache_result *c)
{
	if (!c || c->line_bytes.status != PARAMETER_MEASURED)
		return SHORTEST_LINE;
	return (uint64_t)c->line_bytes.value;
}

static uint64_t cached_bytes_of(const struct cache_result *c)
{
	if (!c || c->capacity_bytes.status != PARAMETER_MEASURED)
		return SMALLEST_CACHE;
	return (uint64_t)c->capacity_bytes.value;
}

static unsigned int loads_of(const struct machine *m)
{
	double loads =
		m->timer.resolution_ticks * STEPS_PER_SAMPLE / LEAST_CYCLES;

	return loads > LOADS_PER_SAMPLE ? (unsigned int)loads :
					  LOADS_PER_SAMPLE;
}

/*
 * Frames enough for separate lines in half of the first cache. Their number is
 * odd, so that strides that are powers of two visit all of them. The frames may
 * be any only where ways are no longer than pages.
 */
static uint64_t frames_apart(const struct tlb_view *v)
{
	uint64_t bytes = v->apart * v->line_bytes, frames = 1;

	if (v->colors == 1)
		frames = (bytes + v->page_bytes - 1) / v->page_bytes;
	return frames | 1;
}

/* As many pages as can be had, and as many frames. */
static int open_view(struct tlb_view *v, struct view_request *r,
		     uint64_t frames, struct view **view, struct failure *f)
{
	struct machine *m = v->prober->m;
	struct failure why = { .text = "" };
	int error = -EINVAL;

	for (; r->pages >= v->least_pages; r->pages /= 2) {
		r->frames = frames ? frames : r->pages;
		why.text[0] = '\0';
		error = m->ops->view_open(m, r, view, &why);
		if (!error && !v->pages)
			v->pages = r->pages;
		if (!error)
			return 0;
		if (error == -EOPNOTSUPP)
			break;
	}
	return fail(f, why.status, -error, "%s", why.text);
}

static int open_whole(struct tlb_view *v, struct view_request *r,
		      struct failure *f)
{
	int error = open_view(v, r, 0, &v->wide, f);

	v->wide_frames = v->pages;
	return error;
}

/* No more memory than the machine was given. */
static int open_own(struct tlb_view *v, struct view_request *r,
		    struct failure *f)
{
	uint64_t most = v->prober->m->region.bytes / r->page_bytes;

	r->descending = false;
	if (r->pages > most)
		r->pages = most;
	return open_whole(v, r, f);
}

static int open_sharing(struct tlb_view *v, struct view_request *r,
			struct failure *f)
{
	uint64_t most = r->pages;
	int error;

	r->descending = frames_apart(v) > 1;
	error = open_view(v, r, frames_apart(v), &v->narrow, f);
	if (error == -EOPNOTSUPP) {
		r->pages = most;
		return open_own(v, r, f);
	}
	v->wide_frames = 1;
	while (v->wide_frames < v->colors ||
	       v->wide_frames * r->page_bytes < FRAME_BYTES)
		v->wide_frames *= 2;
	return error;
}

int tlb_view_widen(struct tlb_view *v, struct failure *f)
{
	struct view_request r = { .page_bytes = v->page_bytes,
				  .pages = LONGER * v->pages,
				  .executable = v->executable,
				  .code = v->code };
	int error;

	if (v->wide)
		return 0;
	error = open_view(v, &r, v->wide_frames, &v->wide, f);
	return error == -ENOSPC || error == -ENOMEM ? -ERANGE : error;
}

int tlb_view_open(struct tlb_view *v, struct prober *p, uint64_t page_bytes,
		  enum tlb_access access, const struct cache_result *cache,
		  uint64_t most_pages, bool contiguous, struct failure *f)
{
	uint64_t longest = LONGEST_VIEW / page_bytes;
	const bool executable = access != TLB_LOADS;
	const enum view_code code = access == TLB_RETURNS ? VIEW_RETURNS :
							    VIEW_JUMPS;
	struct view_request r = { .page_bytes = page_bytes,
				  .pages = most_pages < longest ? most_pages :
								  longest,
				  .executable = executable,
				  .code = code };
	int error;

	*v = (struct tlb_view){
		.prober = p,
		.page_bytes = page_bytes,
		.least_pages = most_pages < LEAST_PAGES ? most_pages :
							  LEAST_PAGES,
		.slot_bytes = executable ? VIEW_SLOT_BYTES : sizeof(uint64_t),
		.line_bytes = line_bytes_of(cache),
		.executable = executable,
		.code = code,
		.colors = 1,
		.loads = loads_of(p->m),
		.orders = 1,
		.counters = p->m->view_counters,
	};
	if (access == TLB_RETURNS)
		v->cycle_ticks = sampler_cycle_ticks(p->m);
	v->way_bytes = way_bytes_of(cache);
	v->cached = cached_bytes_of(cache) / v->slot_bytes;
	v->apart = cached_bytes_of(cache) / 2 / v->line_bytes;
	/* A way that is no power of two long is rounded up. */
	while (v->colors * page_bytes < way_bytes_of(cache))
		v->colors *= 2;
	error = contiguous ? open_whole(v, &r, f) : open_sharing(v, &r, f);
	if (error)
		tlb_view_close(v);
	return error;
}

void tlb_view_close(struct tlb_view *v)
{
	const struct machine_ops *ops = v->prober->m->ops;

	if (v->narrow)
		ops->view_close(v->narrow);
	if (v->wide)
		ops->view_close(v->wide);
	v->narrow = NULL;
	v->wide = NULL;
}

uint64_t tlb_view_room(const struct tlb_view *v)
{
	return v->wide_frames * v->page_bytes / v->slot_bytes;
}
