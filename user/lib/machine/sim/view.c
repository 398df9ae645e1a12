// SPDX-License-Identifier: GPL-2.0
/*
 * view.c - views of a simulated machine: pages at fresh virtual addresses
 * over frames beside the region.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/sim/walk.h"

/* Away from the region. Views begin where a page table of 1 GiB begins, as a
 * kernel would place large mappings.
 */
#define VIEWS UINT64_C(0x100000000000)
#define LONGEST (UINT64_C(1) << 46)

/**
 * struct sim_view - one of a simulated machine
 * @view: what methods see
 * @memory: its frames
 * @last: executable: the last walk, @last_length accesses
 */
struct sim_view {
	struct view view;
	struct sim_memory memory;
	struct model_access *last;
	size_t last_length;
};

static int remember(struct sim_view *v, const struct model_access *accesses,
		    size_t length, struct failure *f)
{
	struct model_access *copy = calloc(length + 1, sizeof(*copy));

	if (!copy)
		return fail_memory(f, "walk");
	memcpy(copy, accesses, length * sizeof(*copy));
	free(v->last);
	v->last = copy;
	v->last_length = length;
	return 0;
}

struct sim_path sim_view_again(const struct view *view)
{
	const struct sim_view *v = (const struct sim_view *)view;

	return (struct sim_path){ .accesses = v->last,
				  .length = v->last_length };
}

static uint64_t table_bytes(const struct sim *s, int table)
{
	return UINT64_C(1) << profile_table_shift(s->profile,
						  (enum profile_table)table);
}

/* Those of which addresses have several. */
static void offer_tables(struct sim *s)
{
	struct machine *m = &s->machine;

	for (int k = 0; m->accessed_bits && k < PROFILE_TABLES &&
			table_bytes(s, k) < LONGEST;
	     k++)
		m->table_bytes[m->table_count++] = table_bytes(s, k);
}

void sim_view_offer(struct sim *s)
{
	const struct profile *p = s->profile;
	struct machine *m = &s->machine;

	s->next_view = VIEWS;
	m->view_page_bytes[m->view_page_count++] = p->page_bytes;
	for (size_t i = 0; i < p->huge_page_count; i++)
		if (m->view_page_count < MACHINE_PAGE_SIZES &&
		    !machine_offers_pages(m, p->huge_page_bytes[i], NULL))
			m->view_page_bytes[m->view_page_count++] =
				p->huge_page_bytes[i];
	m->view_executable = true;
	m->view_shares_frames = (1U << m->view_page_count) - 1;
	offer_tables(s);
}

static int check_request(const struct machine *m, const struct view_request *r,
			 struct failure *f)
{
	if (!machine_offers_pages(m, r->page_bytes, NULL))
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"view: pages of %llu bytes: not in the profile (ask for another size)",
			(unsigned long long)r->page_bytes);
	if (!r->pages || !r->frames || r->frames > r->pages ||
	    r->pages > LONGEST / r->page_bytes)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"view: %llu pages on %llu frames: out of range (ask for fewer pages)",
			(unsigned long long)r->pages,
			(unsigned long long)r->frames);
	return 0;
}

int sim_view_open(struct machine *m, const struct view_request *request,
		  struct view **view, struct failure *f)
{
	struct sim *s = sim_of(m);
	uint64_t bytes = request->pages * request->page_bytes;
	int error = check_request(m, request, f);
	struct sim_view *v;

	if (error)
		return error;
	v = calloc(1, sizeof(*v));
	if (!v)
		return fail_memory(f, "view");
	error = sim_memory_frames(&v->memory, s->profile, request->page_bytes,
				  request->frames, &s->rng,
				  &v->view.contiguous);
	if (error) {
		sim_memory_free(&v->memory);
		free(v);
		return fail(
			f, STATUS_FAILED, ENOMEM,
			"view: the machine lacks memory for %llu frames (ask for fewer)",
			(unsigned long long)request->frames);
	}
	v->memory.base = sim_take_addresses(s, bytes);
	v->view.m = m;
	v->view.request = *request;
	*view = &v->view;
	return 0;
}

/* Elements that lie in one word would be one link of the chain. */
static int check_distinct(struct sim *s, size_t length, struct failure *f)
{
	bool distinct = true;

	if (offset_set_begin(&s->taken, length))
		return fail_memory(f, "walk");
	for (size_t i = 0; distinct && i < length; i++)
		distinct = offset_set_add(&s->taken, s->accesses[i].phys);
	return distinct ?
		       0 :
		       fail(f, STATUS_FAILED, EINVAL,
			    "walk: two elements in one word of memory (report this as a bug)");
}

static int place_element(struct sim_view *v, uint64_t offset, uint64_t slot,
			 struct model_access *a, struct failure *f)
{
	const struct view_request *r = &v->view.request;
	uint64_t page = offset / r->page_bytes, in = offset % r->page_bytes;

	if (offset % slot || page >= r->pages)
		return fail(
			f, STATUS_FAILED, offset % slot ? EINVAL : ERANGE,
			"walk: offset %#llx: misaligned or beyond the view of %llu pages (report this as a bug)",
			(unsigned long long)offset,
			(unsigned long long)r->pages);
	*a = (struct model_access){
		.virt = v->memory.base + offset,
		.phys = sim_memory_phys(
			&v->memory, view_frame(r, page) * r->page_bytes + in),
		.page_bytes = r->page_bytes,
		.cpu = (unsigned int)v->view.m->cpu,
		.kind = r->executable ? MODEL_FETCH : MODEL_LOAD,
	};
	return 0;
}

int sim_view_walk(struct view *view, const struct sequence *q,
		  const struct walk_plan *plan, struct sample *samples,
		  struct failure *f)
{
	struct sim_view *v = (struct sim_view *)view;
	uint64_t slot = view->request.executable ? VIEW_SLOT_BYTES :
						   sizeof(uint64_t);
	struct sim *s = sim_of(view->m);
	const double mispredicted = s->profile->misprediction_cycles;
	const bool returns = view->request.executable &&
			     view->request.code != VIEW_JUMPS;
	int error = sim_room(s, q->length, f);

	if (!error && plan->flags & WALK_COLD)
		error = fail(
			f, STATUS_FAILED, EINVAL,
			"walk: views have no cold walks (report this as a bug)");
	for (size_t i = 0; !error && i < q->length; i++)
		error = place_element(v, q->offsets[i], slot, &s->accesses[i],
				      f);
	if (!error)
		error = check_distinct(s, q->length, f);
	if (!error && view->request.executable)
		error = remember(v, s->accesses, q->length, f);
	if (!error)
		sim_walk(s, q->length, returns ? mispredicted : 0, plan,
			 samples);
	return error;
}

/* As in struct touch: one element a page. */
static int prepare_touch(struct sim_view *v, const struct touch *touch,
			 struct failure *f)
{
	struct sim *s = sim_of(v->view.m);
	const struct sequence *q = touch->pages;
	int error = sim_room(s, q->length, f);

	if (!error && touch->kind == TOUCH_FETCHES &&
	    !v->view.request.executable)
		error = fail(
			f, STATUS_FAILED, EINVAL,
			"touch: the view is not executable (report this as a bug)");
	for (size_t i = 0; !error && i < q->length; i++) {
		error = place_element(v, q->offsets[i], VIEW_SLOT_BYTES,
				      &s->accesses[i], f);
		s->accesses[i].kind =
			touch->kind == TOUCH_FETCHES ? MODEL_FETCH : MODEL_LOAD;
	}
	return error;
}

/* No two elements lie in the same @bytes. */
static int check_apart(struct sim *s, const struct sequence *q, uint64_t bytes,
		       struct failure *f)
{
	bool distinct = true;

	if (offset_set_begin(&s->taken, q->length))
		return fail_memory(f, "touch");
	for (size_t i = 0; distinct && i < q->length; i++)
		distinct = offset_set_add(&s->taken, q->offsets[i] / bytes);
	return distinct ?
		       0 :
		       fail(f, STATUS_FAILED, EINVAL,
			    "touch: two elements in one page, or below one entry (report this as a bug)");
}

static int touch_before(struct sim_view *v, const struct touch_plan *plan,
			struct touch_answer *touched, struct failure *f)
{
	struct sim *s = sim_of(v->view.m);

	for (size_t i = 0; i < plan->before_count; i++) {
		const struct touch *before = &plan->before[i];
		struct sim_path path = { .length = before->pages->length };
		int error = prepare_touch(v, before, f);

		if (error)
			return error;
		path.accesses = s->accesses;
		s->now += sim_follow(s, &path,
				     (uint64_t)before->rounds * path.length,
				     &touched->disturbed);
	}
	return 0;
}

/* The number of a level of tables; PROFILE_TABLES: there is none. */
static int find_table(const struct sim *s, uint64_t bytes)
{
	int k = 0;

	while (k < PROFILE_TABLES && table_bytes(s, k) != bytes)
		k++;
	return k;
}

/* @bytes: no two elements of the test lie in as many */
static int touch_and_test(struct sim_view *v, const struct touch_plan *plan,
			  uint64_t bytes, struct model_walked *walked,
			  struct touch_answer *touched, struct failure *f)
{
	struct sim *s = sim_of(v->view.m);
	uint64_t cost;
	int error = touch_before(v, plan, touched, f);

	if (!error)
		error = prepare_touch(v, &plan->test, f);
	if (!error)
		error = check_apart(s, plan->test.pages, bytes, f);
	if (error)
		return error;
	cost = model_walks(s->model, s->accesses, plan->test.pages->length,
			   walked);
	s->now += (double)cost / MODEL_TICKS;
	touched->walked = walked->pages;
	machine_count_touch(v->view.m, plan);
	return 0;
}

int sim_view_touch(struct view *view, const struct touch_plan *plan,
		   struct touch_answer *touched, struct failure *f)
{
	struct model_walked walked;

	*touched = (struct touch_answer){ .walked = 0 };
	return touch_and_test((struct sim_view *)view, plan,
			      view->request.page_bytes, &walked, touched, f);
}

int sim_view_touch_tables(struct view *view, const struct touch_plan *plan,
			  uint64_t table_bytes, struct touch_answer *touched,
			  struct failure *f)
{
	struct sim *s = sim_of(view->m);
	const int table = find_table(s, table_bytes);
	struct model_walked walked;
	int error;

	*touched = (struct touch_answer){ .walked = 0 };
	if (table == PROFILE_TABLES || table_bytes <= view->request.page_bytes)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"touch: no entries of %llu bytes above these pages (report this as a bug)",
			(unsigned long long)table_bytes);
	model_flush_tlbs(s->model, (unsigned int)view->m->cpu);
	error = touch_and_test((struct sim_view *)view, plan, table_bytes,
			       &walked, touched, f);
	if (!error)
		touched->read = walked.tables[table];
	return error;
}

void sim_view_close(struct view *view)
{
	struct sim_view *v = (struct sim_view *)view;

	if (!v)
		return;
	sim_memory_free(&v->memory);
	free(v->last);
	free(v);
}
