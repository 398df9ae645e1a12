// SPDX-License-Identifier: GPL-2.0
#include "pages.h"

#include <string.h>

#define ENTRY_PRESENT UINT64_C(1)
#define ENTRY_LARGE (UINT64_C(1) << 7)
#define ENTRY_FRAME UINT64_C(0x000ffffffffff000)

void pages_flush(struct pages *p, uint64_t root)
{
	p->root = root & ENTRY_FRAME;
	p->generation++;
	/* Tags hold twelve bits of it. */
	if (!(p->generation & 0xfff))
		memset(p->known, 0, sizeof(p->known));
}

static uint64_t entry_at(const struct pages *p, uint64_t phys)
{
	uint64_t entry = 0;

	if (phys + sizeof(entry) <= p->ram_bytes)
		memcpy(&entry, p->ram + phys, sizeof(entry));
	return entry;
}

const struct page *pages_walk(struct pages *p, uint64_t virt)
{
	struct page *page = &p->known[virt >> 12 & (PAGES_REMEMBERED - 1)];
	uint64_t table = p->root;

	page->bytes = 0;
	for (unsigned int shift = 39; shift >= 12; shift -= 9) {
		uint64_t bytes = UINT64_C(1) << shift;
		uint64_t entry = entry_at(p, table + (virt >> shift & 511) * 8);

		if (!(entry & ENTRY_PRESENT))
			return page;
		table = entry & ENTRY_FRAME;
		if (shift > 12 && (shift == 39 || !(entry & ENTRY_LARGE)))
			continue;
		page->tag = pages_tag(p, virt);
		page->phys = (table & ~(bytes - 1)) |
			     (virt & (bytes - 1) & ~UINT64_C(4095));
		page->bytes = bytes;
		return page;
	}
	return page;
}
