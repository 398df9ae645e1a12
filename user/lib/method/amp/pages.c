// SPDX-License-Identifier: GPL-2.0
#include "method/amp/pages.h"

static uint64_t word_bytes(const struct view_request *r)
{
	return r->executable ? VIEW_SLOT_BYTES : sizeof(uint64_t);
}

int amp_pages_open(struct amp_space *space, uint64_t page_bytes, uint64_t count,
		   uint64_t words, bool executable, struct amp_pages *pages,
		   struct failure *f)
{
	struct machine *m = space->p->m;
	struct view_request r = { .page_bytes = page_bytes,
				  .pages = count,
				  .descending = true,
				  .executable = executable };
	int error;

	/* Descending ones are no fewer than three, and one is left over. */
	r.frames = count * words * word_bytes(&r) / page_bytes + 3;
	if (r.pages < r.frames)
		r.pages = r.frames;
	*pages = (struct amp_pages){ .words = words };
	error = m->ops->view_open(m, &r, &pages->view, f);
	if (error == -EOPNOTSUPP || error == -ENOSPC || error == -ENOMEM)
		return -EAGAIN;
	return error;
}

void amp_pages_close(struct amp_pages *pages)
{
	if (pages->view)
		pages->view->m->ops->view_close(pages->view);
	pages->view = NULL;
}

uint64_t amp_pages_offset(const struct amp_pages *pages, uint64_t page,
			  uint64_t word)
{
	const struct view_request *r = &pages->view->request;
	uint64_t at = page / r->frames * pages->words + word;

	return page * r->page_bytes + at * word_bytes(r);
}
