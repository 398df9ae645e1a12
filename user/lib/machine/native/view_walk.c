// SPDX-License-Identifier: GPL-2.0
/* view_walk.c - walks in mapped views, by loads, jumps or returns. */
#include "machine/native/view_walk.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/native/chase.h"
#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"
#include "sequence/offset_set.h"

/* --- the elements -------------------------------------------------------- */

/* Where an offset of the virtual pages lies in the frames. */
static uint64_t in_frames(const struct view_request *r, uint64_t offset)
{
	uint64_t page = offset / r->page_bytes;

	return view_frame(r, page) * r->page_bytes + offset % r->page_bytes;
}

static int check_distinct(const struct view_request *r,
			  const struct sequence *s, struct failure *f)
{
	struct offset_set taken = { .slots = NULL };
	bool distinct = true;

	if (offset_set_begin(&taken, s->length))
		return fail_memory(f, "views");
	for (size_t i = 0; distinct && i < s->length; i++)
		distinct = offset_set_add(&taken, in_frames(r, s->offsets[i]));
	offset_set_free(&taken);
	if (distinct)
		return 0;
	return fail(
		f, STATUS_FAILED, EINVAL,
		"walk: two elements lie in the same place of the view's %llu frames (report this as a bug)",
		(unsigned long long)r->frames);
}

static int check(const struct mapped_view *v, const struct sequence *s,
		 const struct walk_plan *plan, struct failure *f)
{
	const struct view_request *r = &v->view.request;
	uint64_t room = r->executable ? VIEW_SLOT_BYTES : sizeof(void *);

	if (!s->length || plan->flags & WALK_COLD)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: nothing to walk, or from cold caches: not possible in a view (report this as a bug)");
	for (size_t i = 0; i < s->length; i++) {
		if (s->offsets[i] % room)
			return fail(
				f, STATUS_FAILED, EINVAL,
				"walk: offset %#llx: not a multiple of %llu (report this as a bug)",
				(unsigned long long)s->offsets[i],
				(unsigned long long)room);
		if (s->offsets[i] >= mapped_view_bytes(v))
			return fail(
				f, STATUS_FAILED, ERANGE,
				"walk: offset %#llx: beyond the view's %llu pages (report this as a bug)",
				(unsigned long long)s->offsets[i],
				(unsigned long long)r->pages);
	}
	return check_distinct(r, s, f);
}

/* Orders before the one that is measured: many times as many as it takes until
 * a set of 16 ways has nothing else left.
 */
#define SHAKES 32

/* --- walks --------------------------------------------------------------- */

/* A ring of jumps, which a chase passes as its position. */
struct ring {
	const char *first;
	uint64_t length;
};

static void *jump_around(void *p, uint64_t jumps)
{
	const struct ring *ring = p;

	code_run(ring->first, jumps / ring->length);
	return p;
}

static void *return_around(void *p, uint64_t returns)
{
	const struct returns *ring = p;

	returns_run(ring, returns / ring->length);
	return p;
}

static void write_jumps(const struct mapped_view *v, const struct sequence *s)
{
	const struct view_request *r = &v->view.request;

	for (size_t i = 0; i < s->length; i++) {
		char *slot = v->frames + in_frames(r, s->offsets[i]);

		if (i + 1 < s->length)
			code_jump(slot, v->base + s->offsets[i],
				  v->base + s->offsets[i + 1]);
		else
			code_close_ring(slot);
	}
}

static int protect(const struct mapped_view *v, int prot, struct failure *f)
{
	if (v->frames != v->base ||
	    !mprotect(v->base, mapped_view_bytes(v), prot))
		return 0;
	return fail(f, STATUS_FAILED, errno,
		    "walk: pages cannot be made %s: %s (measure data pages)",
		    prot & PROT_EXEC ? "executable" : "writable",
		    strerror(errno));
}

/* Room of each element. */
static size_t room_of(const struct view_request *r, const struct sequence *s)
{
	size_t room = VIEW_CODE_BYTES;

	for (size_t i = 0; i < s->length; i++)
		while (s->offsets[i] % room)
			room /= 2;
	return r->code == VIEW_FULL_RETURNS ? room : VIEW_SLOT_BYTES;
}

static int write_returns(struct mapped_view *v, const struct sequence *s,
			 struct failure *f)
{
	const struct view_request *r = &v->view.request;
	const size_t n = s->length, room = room_of(r, s);

	returns_end(&v->returns);
	if (returns_begin(&v->returns, n))
		return fail_memory(f, "views");
	for (size_t i = 0; i < n; i++)
		returns_write(&v->returns, i,
			      v->frames + in_frames(r, s->offsets[i]),
			      v->base + s->offsets[i], room);
	return 0;
}

static void sync_code(struct mapped_view *v, const struct sequence *s)
{
	size_t bytes = room_of(&v->view.request, s);

	for (size_t i = 0; i < s->length; i++)
		code_sync(v->base + s->offsets[i], bytes);
	code_serialize();
}

static int lay_out_code(struct mapped_view *v, const struct sequence *s,
			struct failure *f)
{
	int error = protect(v, PROT_READ | PROT_WRITE, f);

	if (error)
		return error;
	if (v->view.request.code == VIEW_JUMPS)
		write_jumps(v, s);
	else
		error = write_returns(v, s, f);
	if (!error)
		error = protect(v, PROT_READ | PROT_EXEC, f);
	if (!error)
		sync_code(v, s);
	return error;
}

/* Short returns are those of translations, which pages of a pace would displace. */
static struct pace *pace_of(struct mapped_view *v, const struct walk_plan *plan)
{
	if (v->view.request.code != VIEW_FULL_RETURNS ||
	    !(plan->cycle_ticks > 0))
		return NULL;
	if (!v->pace.pages)
		pace_open(&v->pace);
	return &v->pace;
}

static int walk_code(struct mapped_view *v, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	const bool jumps = v->view.request.code == VIEW_JUMPS;
	struct ring ring = { .first = v->base + s->offsets[0],
			     .length = s->length };
	const struct chase_path path = {
		.follow = jumps ? jump_around : return_around,
		.start = jumps ? (void *)&ring : &v->returns,
		.unit = s->length,
		.round = s->length,
		.meter = v->meter,
		.pace = pace_of(v, plan),
	};
	int error = lay_out_code(v, s, f);

	v->first = error || !jumps ? NULL : ring.first;
	if (error) {
		returns_end(&v->returns);
		return error;
	}
	if (!jumps)
		returns_shake(&v->returns, plan->warm_rounds < SHAKES ?
						   plan->warm_rounds :
						   SHAKES);
	chase_sample(v->view.m, v->timer, &path, plan, samples);
	return 0;
}

/* As chase_lay_out(), through other pages: those of the view stay untouched. */
static void lay_out_loads(const struct mapped_view *v, const struct sequence *s)
{
	const struct view_request *r = &v->view.request;

	if (!v->frames) {
		chase_lay_out(v->base, s);
		return;
	}
	for (size_t i = 0; i < s->length; i++) {
		char *next = v->base + s->offsets[(i + 1) % s->length];

		memcpy(v->frames + in_frames(r, s->offsets[i]), &next,
		       sizeof(next));
	}
}

static void walk_loads(struct mapped_view *v, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples)
{
	const struct chase_path path = {
		.follow = chase_follow,
		.start = v->base + s->offsets[0],
		.unit = CHASE_UNIT,
		.round = s->length,
		.meter = v->meter,
	};

	lay_out_loads(v, s);
	chase_sample(v->view.m, v->timer, &path, plan, samples);
}

int mapped_view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	struct mapped_view *v = (struct mapped_view *)view;
	int error = check(v, s, plan, f);

	if (error)
		return error;
	if (view->request.executable)
		return walk_code(v, s, plan, samples, f);
	walk_loads(v, s, plan, samples);
	return 0;
}
