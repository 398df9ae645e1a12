/* SPDX-License-Identifier: GPL-2.0 */
/* pages.h - the guest's page tables, read in the file that is its memory. */
#ifndef LAB_PAGES_H
#define LAB_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define PAGES_REMEMBERED 4096

/**
 * struct page - where an address leads
 * @tag: virtual page number and generation it was found in
 * @phys: physical address of the 4 KiB piece that holds the address
 * @bytes: size of the page-table entry; 0: nothing is there
 */
struct page {
	uint64_t tag;
	uint64_t phys;
	uint64_t bytes;
};

/**
 * struct pages - one CPU's view
 * @ram: the guest's memory
 * @ram_bytes: its length; frames beyond are devices
 * @root: CR3
 * @generation: counts flushes, so that what was remembered is forgotten
 * @known: direct-mapped by virtual page number
 */
struct pages {
	const char *ram;
	uint64_t ram_bytes;
	uint64_t root;
	uint64_t generation;
	struct page known[PAGES_REMEMBERED];
};

/** pages_flush() - new page tables, or new contents */
void pages_flush(struct pages *p, uint64_t root);

/** pages_walk() - find @virt in the tables and remember it */
const struct page *pages_walk(struct pages *p, uint64_t virt);

static inline uint64_t pages_tag(const struct pages *p, uint64_t virt)
{
	return (virt >> 12 << 12) + (p->generation & 0xfff);
}

/** pages_find() - as pages_walk(), from memory if possible */
static inline const struct page *pages_find(struct pages *p, uint64_t virt)
{
	const struct page *page =
		&p->known[virt >> 12 & (PAGES_REMEMBERED - 1)];

	if (page->bytes && page->tag == pages_tag(p, virt))
		return page;
	return pages_walk(p, virt);
}

#endif
