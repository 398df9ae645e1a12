// SPDX-License-Identifier: GPL-2.0
#include "machine/native/mapped_view.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/native/code/code.h"

uint64_t mapped_view_bytes(const struct mapped_view *v)
{
	return v->view.request.pages * v->view.request.page_bytes;
}

uint64_t mapped_view_frame_bytes(const struct mapped_view *v)
{
	return v->view.request.frames * v->view.request.page_bytes;
}

static int check_request(const struct machine *m, const struct view_request *r,
			 struct failure *f)
{
	unsigned long long kib = r->page_bytes / 1024;
	size_t index;

	if (!machine_offers_pages(m, r->page_bytes, &index))
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"views: pages of %llu KiB: not to be had here (load probe_phys.ko, or set up a hugetlb pool)",
			kib);
	if (r->executable && (!m->view_executable ||
			      (r->code != VIEW_JUMPS && !returns_available())))
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"views: executable pages: not to be had here (measure data pages)");
	if (!r->pages || !r->frames || r->frames > r->pages ||
	    r->pages > INT64_MAX / r->page_bytes)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"views: %llu pages of %llu frames: not possible (report this as a bug)",
			(unsigned long long)r->pages,
			(unsigned long long)r->frames);
	if (r->frames < r->pages && !(m->view_shares_frames & 1U << index))
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"views: pages of %llu KiB that share frames: not to be had here (load probe_phys.ko, or set up a hugetlb pool)",
			kib);
	return 0;
}

int mapped_view_new(struct machine *m, const struct timer *timer,
		    const struct view_request *request,
		    struct mapped_view **view, struct failure *f)
{
	struct mapped_view *v;
	int error = check_request(m, request, f);

	if (error)
		return error;
	v = calloc(1, sizeof(*v));
	if (!v)
		return fail_memory(f, "views");
	v->view.m = m;
	v->view.request = *request;
	v->timer = timer;
	v->fd = -1;
	v->smaps = -1;
	v->touch = -1;
	*view = v;
	return 0;
}

void mapped_view_close(struct view *view)
{
	struct mapped_view *v;

	if (!view)
		return;
	v = (struct mapped_view *)view;
	if (v->mapped)
		munmap(v->mapped, v->mapped_bytes);
	if (v->own_frames)
		munmap(v->frames, mapped_view_frame_bytes(v));
	if (v->fd >= 0)
		close(v->fd);
	if (v->touch >= 0)
		close(v->touch);
	free(v->touched);
	if (v->smaps >= 0)
		close(v->smaps);
	if (v->child > 0) {
		kill(v->child, SIGKILL);
		waitpid(v->child, NULL, 0);
	}
	if (v->orders)
		munmap(v->orders, v->orders_bytes);
	returns_end(&v->returns);
	pace_close(&v->pace);
	page_watch_end(&v->watch);
	free(v);
}

void mapped_view_again(const struct view *view)
{
	const struct mapped_view *v = (const struct mapped_view *)view;

	if (v->returns.list)
		returns_run(&v->returns, 1);
	else if (v->first)
		code_run(v->first, 1);
}
