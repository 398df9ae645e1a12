// SPDX-License-Identifier: GPL-2.0
/* touch.c - accessed bits of a view's own entries, cleared in place. */
#include <string.h>

#include "machine/module/ioctl.h"
#include "machine/module/view.h"
#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"
#include "machine/native/touch_pages.h"

/* Of x86-64. */
#define TABLE_ENTRIES 512

/* The part of the view that a sequence lies in, whole pages. */
static struct probe_phys_view_accessed range_of(const struct mapped_view *v,
						const struct sequence *s)
{
	uint64_t page_bytes = v->view.request.page_bytes;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < s->length; i++) {
		uint64_t page = s->offsets[i] / page_bytes;

		first = page < first ? page : first;
		last = page > last ? page : last;
	}
	return (struct probe_phys_view_accessed){
		.address = (uintptr_t)v->base + first * page_bytes,
		.bytes = (last - first + 1) * page_bytes,
	};
}

/* Code that returns, where the pages show it. */
static void write_code(const struct mapped_view *v, const struct sequence *s)
{
	const struct view_request *r = &v->view.request;

	for (size_t i = 0; i < s->length; i++) {
		uint64_t frame = view_frame(r, s->offsets[i] / r->page_bytes);

		code_close_ring(v->frames + frame * r->page_bytes +
				s->offsets[i] % r->page_bytes);
		code_sync(v->base + s->offsets[i], VIEW_SLOT_BYTES);
	}
	code_serialize();
}

static int prepare(struct mapped_view *v, const struct touch *touch,
		   struct failure *f)
{
	int error = touch_check(v, touch, f);

	if (!error)
		error = module_view_prove(&v->view, touch->pages, f);
	if (!error && v->view.request.executable)
		write_code(v, touch->pages);
	return error;
}

static int run(const struct mapped_view *v, const struct touch_plan *plan,
	       struct touch_answer *answer)
{
	struct probe_phys_view_accessed clear = range_of(v, plan->test.pages);
	struct probe_phys_view_accessed count = clear;
	long before = touch_switches();
	int error;

	clear.flags = PROBE_PHYS_VIEW_ACCESSED_CLEAR;
	for (size_t i = 0; i < plan->before_count; i++)
		touch_pages(v->base, &plan->before[i]);
	error = module_view_accessed(v->fd, &clear);
	touch_pages(v->base, &plan->test);
	answer->disturbed = touch_switches() != before;
	if (!error)
		error = module_view_accessed(v->fd, &count);
	answer->walked = count.accessed;
	return error;
}

/* Entries that lie between those of the test serve pages of the view, too. */
static int take_tables(const struct mapped_view *v,
		       const struct touch_plan *plan, uint64_t span,
		       uint32_t flags, uint64_t *set)
{
	const uint64_t page_bytes = v->view.request.page_bytes;
	const struct probe_phys_view_accessed pages =
		range_of(v, plan->test.pages);
	const uint64_t first = pages.address / span * span;
	const uint64_t end = pages.address + pages.bytes + span - 1;
	struct probe_phys_view_accessed a = {
		.flags = flags,
		.address = first,
		.bytes = end / span * span - first,
	};
	int error;

	for (uint64_t bytes = page_bytes; bytes < span; bytes *= TABLE_ENTRIES)
		a.level++;
	error = module_view_accessed(v->fd, &a);
	*set = a.accessed;
	return error;
}

/* Between the pages of the test lie too many others. */
static int take_pages(const struct mapped_view *v,
		      const struct touch_plan *plan, uint32_t flags,
		      uint64_t *set)
{
	const uint64_t page_bytes = v->view.request.page_bytes;
	const struct sequence *s = plan->test.pages;

	*set = 0;
	for (size_t i = 0; i < s->length; i++) {
		struct probe_phys_view_accessed a = {
			.flags = flags,
			.address = (uintptr_t)v->base +
				   s->offsets[i] / page_bytes * page_bytes,
			.bytes = page_bytes,
		};
		int error = module_view_accessed(v->fd, &a);

		if (error)
			return error;
		*set += a.accessed;
	}
	return 0;
}

static int take_both(const struct mapped_view *v, const struct touch_plan *plan,
		     uint64_t span, uint32_t flags, struct touch_answer *answer)
{
	int error = take_pages(v, plan, flags, &answer->walked);

	return error ? error : take_tables(v, plan, span, flags, &answer->read);
}

/*
 * The kernel walks for its own pages, and that takes room in caches of page walks. So
 * the bits are cleared once more between the flush and the first touch: after that
 * TLBs have what the kernel needs for it.
 */
static int run_tables(const struct mapped_view *v,
		      const struct touch_plan *plan, uint64_t span,
		      struct touch_answer *answer)
{
	struct probe_phys_view_flush flush = { .flags = 0 };
	const uint32_t clear = PROBE_PHYS_VIEW_ACCESSED_CLEAR;
	long before = touch_switches();
	int error = module_view_flush(v->fd, &flush);

	if (!error)
		error = take_both(v, plan, span, clear, answer);
	for (size_t i = 0; i < plan->before_count; i++)
		touch_pages(v->base, &plan->before[i]);
	if (!error)
		error = take_both(v, plan, span, clear, answer);
	touch_pages(v->base, &plan->test);
	answer->disturbed = touch_switches() != before;
	return error ? error : take_both(v, plan, span, 0, answer);
}

/* @span: 0: pages alone */
static int touch_and_test(struct view *view, const struct touch_plan *plan,
			  uint64_t span, struct touch_answer *answer,
			  struct failure *f)
{
	struct mapped_view *v = (struct mapped_view *)view;
	int error = prepare(v, &plan->test, f);

	for (size_t i = 0; !error && i < plan->before_count; i++)
		error = prepare(v, &plan->before[i], f);
	if (error)
		return error;
	*answer = (struct touch_answer){ .walked = 0 };
	error = span ? run_tables(v, plan, span, answer) : run(v, plan, answer);
	if (error)
		return fail(f, STATUS_FAILED, -error,
			    "touch: accessed bits: %s (use other pages)",
			    strerror(-error));
	machine_count_touch(view->m, plan);
	/* A prefetcher may have touched more. */
	if (answer->walked > plan->test.pages->length)
		answer->walked = plan->test.pages->length;
	if (answer->read > plan->test.pages->length)
		answer->read = plan->test.pages->length;
	return 0;
}

int module_view_touch(struct view *view, const struct touch_plan *plan,
		      struct touch_answer *answer, struct failure *f)
{
	return touch_and_test(view, plan, 0, answer, f);
}

int module_view_touch_tables(struct view *view, const struct touch_plan *plan,
			     uint64_t table_bytes, struct touch_answer *answer,
			     struct failure *f)
{
	return touch_and_test(view, plan, table_bytes, answer, f);
}
