// SPDX-License-Identifier: GPL-2.0
/* prefetch.c - adjacent line, next line, stride, stream. */
#include "model/prefetch.h"

#define PAGE_BYTES 4096
/* Repetitions after which a pattern is believed. */
#define BELIEVED 2
/* Lines that a stream runs ahead. */
#define AHEAD 2

void prefetch_init(struct prefetcher *p, const struct profile_prefetcher *what,
		   const struct chain *chain)
{
	*p = (struct prefetcher){ .profile = what, .on = true };
	while (p->level < chain->depth &&
	       chain->levels[p->level]->profile->level != what->level)
		p->level++;
}

static void fetch(const struct prefetcher *p, struct levels *h,
		  const struct chain *chain, const struct place *at,
		  int64_t bytes)
{
	struct place to = { at->phys + (uint64_t)bytes,
			    at->virt + (uint64_t)bytes };

	if (to.phys / PAGE_BYTES == at->phys / PAGE_BYTES &&
	    !levels_holds(chain, &to, p->level))
		levels_miss(h, chain, &to, p->level, false, LEVELS_UNKNOWN);
}

static struct prefetch_page *page_of(struct prefetcher *p, uint64_t phys,
				     int64_t line)
{
	uint64_t page = phys / PAGE_BYTES;
	struct prefetch_page *slot = &p->pages[page % PREFETCH_PAGES];

	if (slot->page != page + 1)
		*slot = (struct prefetch_page){ .page = page + 1,
						.last = line };
	return slot;
}

/* A delta in bytes that came twice in a row comes again. */
static void stride(struct prefetcher *p, struct levels *h,
		   const struct chain *chain, const struct place *at)
{
	int64_t offset = (int64_t)(at->phys % PAGE_BYTES);
	struct prefetch_page *page = page_of(p, at->phys, offset);
	int64_t delta = offset - page->last;

	if (!delta)
		return;
	page->seen = delta == page->delta ? page->seen + 1 : 1;
	page->delta = delta;
	page->last = offset;
	if (page->seen >= BELIEVED)
		fetch(p, h, chain, at, delta);
}

/* Neighbouring lines one after the other, up or down. */
static void stream(struct prefetcher *p, struct levels *h,
		   const struct chain *chain, const struct place *at,
		   unsigned int line_shift)
{
	int64_t line = (int64_t)(at->phys % PAGE_BYTES >> line_shift);
	struct prefetch_page *page = page_of(p, at->phys, line);
	int64_t delta = line - page->last;

	if (!delta)
		return;
	if (delta != 1 && delta != -1)
		page->seen = 0;
	else
		page->seen = delta == page->delta ? page->seen + 1 : 1;
	page->delta = delta;
	page->last = line;
	for (int64_t i = 1; i <= AHEAD && page->seen >= BELIEVED; i++)
		fetch(p, h, chain, at, i * delta * (1 << line_shift));
}

void prefetch_after(struct prefetcher *p, struct levels *h,
		    const struct chain *chain, const struct place *at,
		    unsigned int served)
{
	unsigned int shift;

	if (!p->on || p->level >= chain->depth || served < p->level)
		return;
	shift = chain->levels[p->level]->line_shift;
	switch (p->profile->kind) {
	case PROFILE_ADJACENT_LINE:
		if (served > p->level)
			fetch(p, h, chain, at,
			      at->phys >> shift & 1 ? -(1 << shift) :
						      1 << shift);
		return;
	case PROFILE_NEXT_LINE:
		if (served > p->level)
			fetch(p, h, chain, at, 1 << shift);
		return;
	case PROFILE_STRIDE:
		stride(p, h, chain, at);
		return;
	case PROFILE_STREAM:
		stream(p, h, chain, at, shift);
		return;
	}
}
