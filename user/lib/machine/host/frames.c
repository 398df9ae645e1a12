// SPDX-License-Identifier: GPL-2.0
#include "machine/host/frames.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRESENT (UINT64_C(1) << 63)
#define FRAME_MASK ((UINT64_C(1) << 55) - 1)

/* One huge page: its address, and that of its first frame (0: unknown). */
struct page {
	char *address;
	uint64_t phys;
};

static uint64_t base_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Return: the physical address of a huge page; 0 when frame numbers are
 * hidden; -1 as unsigned when its frames are not consecutive and aligned, so
 * that it is no huge page at all.
 */
static uint64_t read_page(int pagemap, const char *address, uint64_t bytes,
			  uint64_t *entries)
{
	uint64_t small = base_page_bytes(), count = bytes / small;
	off_t at = (off_t)((uintptr_t)address / small * sizeof(*entries));
	ssize_t wanted = (ssize_t)(count * sizeof(*entries));

	if (pread(pagemap, entries, (size_t)wanted, at) != wanted)
		return 0;
	if (!(entries[0] & PRESENT))
		return UINT64_MAX;
	if (!(entries[0] & FRAME_MASK))
		return 0;
	for (uint64_t i = 1; i < count; i++)
		if ((entries[i] & FRAME_MASK) != (entries[0] & FRAME_MASK) + i)
			return UINT64_MAX;
	if ((entries[0] & FRAME_MASK) * small % bytes)
		return UINT64_MAX;
	return (entries[0] & FRAME_MASK) * small;
}

/* Return: number of pages that turned out to be no huge pages, or -errno. */
static long read_pages(const struct region *region, char *base,
		       struct page *pages, size_t count)
{
	uint64_t *entries = malloc(region->page_bytes / base_page_bytes() *
				   sizeof(*entries));
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	long broken = 0;

	if (!entries) {
		if (pagemap >= 0)
			close(pagemap);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		pages[i].address = base + i * region->page_bytes;
		if (pagemap >= 0)
			pages[i].phys = read_page(pagemap, pages[i].address,
						  region->page_bytes, entries);
		broken += pages[i].phys == UINT64_MAX;
	}
	if (pagemap >= 0)
		close(pagemap);
	free(entries);
	return broken;
}

/* Pages of unknown frame keep the order of their addresses. */
static int by_frame(const void *a, const void *b)
{
	const struct page *x = a, *y = b;

	if (x->phys != y->phys)
		return x->phys < y->phys ? -1 : 1;
	return x->address < y->address ? -1 : 1;
}

static int no_memory(struct failure *f)
{
	return fail_memory(f, "memory");
}

/* Lists the pages that really are huge ones, those with the lowest frames
 * first; @dropped counts the others.
 */
static int inspect(const struct region *region, char *base, struct page **pages,
		   size_t *count, long *dropped, struct failure *f)
{
	size_t all = region->bytes / region->page_bytes;

	*pages = calloc(all, sizeof(**pages));
	if (!*pages)
		return no_memory(f);
	*dropped = read_pages(region, base, *pages, all);
	if (*dropped < 0) {
		free(*pages);
		return no_memory(f);
	}
	*count = all - (size_t)*dropped;
	if (*count * 4 < all) {
		free(*pages);
		return fail(
			f, STATUS_UNAVAILABLE, ENODEV,
			"memory: only %zu of %zu pages are huge pages (echo 1 > /proc/sys/vm/compact_memory, set vm.nr_hugepages, or load probe_phys.ko)",
			*count, all);
	}
	qsort(*pages, all, sizeof(**pages), by_frame);
	return 0;
}

static int describe(struct region *region, const struct page *pages,
		    size_t count, struct machine *m, struct failure *f)
{
	uint64_t *phys = calloc(count, sizeof(*phys));
	int error = phys ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < count; i++)
		phys[i] = pages[i].phys;
	region->bytes = count * region->page_bytes;
	if (!error)
		error = region_list_extents(region, phys, count,
					    region->page_bytes);
	free(phys);
	if (error)
		return no_memory(f);
	if (!region->phys_known)
		machine_note(
			m,
			"physical addresses are hidden (CAP_SYS_ADMIN is needed to read /proc/self/pagemap)");
	return 0;
}

/* Return: false: a page did not move; pages that did are lost then. */
static bool move_pages(const struct region *region, struct page *pages,
		       size_t count, char *to)
{
	for (size_t i = 0; i < count; i++) {
		char *at = to + i * region->page_bytes;
		void *p = mremap(pages[i].address, region->page_bytes,
				 region->page_bytes,
				 MREMAP_MAYMOVE | MREMAP_FIXED, at);

		if (p == MAP_FAILED)
			return false;
		pages[i].address = at;
	}
	return true;
}

/* Address space is no concern below it, and no table of pages is larger. */
#define MOST_ALIGNED (UINT64_C(1) << 30)

uint64_t frames_alignment(uint64_t bytes, uint64_t page_bytes)
{
	uint64_t aligned = page_bytes;

	while (2 * aligned <= bytes && aligned < MOST_ALIGNED)
		aligned *= 2;
	return aligned;
}

char *frames_reserve(uint64_t bytes, uint64_t page_bytes, char **all,
		     uint64_t *all_bytes)
{
	uint64_t aligned = frames_alignment(bytes, page_bytes);

	for (;; aligned = page_bytes) {
		*all_bytes = bytes + aligned + page_bytes;
		*all = mmap(NULL, *all_bytes, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (*all != MAP_FAILED)
			return *all + aligned - (uintptr_t)*all % aligned;
		if (aligned == page_bytes)
			return NULL;
	}
}

int frames_sort(struct region *region, char **mapped, uint64_t *mapped_bytes,
		char **base, struct machine *m, struct failure *f)
{
	const uint64_t page = region->page_bytes;
	uint64_t reserved_bytes;
	struct page *pages;
	char *reserved, *to;
	size_t count;
	long dropped;
	int error = inspect(region, *base, &pages, &count, &dropped, f);

	if (error)
		return error;
	if (dropped)
		machine_note(m, "%ld pages were no huge pages and are not used",
			     dropped);
	to = frames_reserve(region->bytes, page, &reserved, &reserved_bytes);
	if (!to) {
		free(pages);
		return no_memory(f);
	}
	if (!move_pages(region, pages, count, to)) {
		error = fail(
			f, STATUS_FAILED, ENOMEM,
			"memory: huge pages would not move: %s (load probe_phys.ko)",
			strerror(errno));
		munmap(reserved, reserved_bytes);
		free(pages);
		return error;
	}
	munmap(*mapped, *mapped_bytes);
	*mapped = reserved;
	*mapped_bytes = reserved_bytes;
	*base = to;
	region->bytes = count * page;
	free(pages);
	/* Read again: only the page tables as they are now count. */
	error = inspect(region, *base, &pages, &count, &dropped, f);
	if (error)
		return error;
	if (dropped)
		error = fail(
			f, STATUS_FAILED, ENODEV,
			"memory: %ld huge pages were split while moving (load probe_phys.ko)",
			dropped);
	else
		error = describe(region, pages, count, m, f);
	free(pages);
	return error;
}

bool frames_kept(const struct region *region, char *base)
{
	size_t count = region->bytes / region->page_bytes;
	struct page *pages = calloc(count, sizeof(*pages));
	bool kept = pages && !read_pages(region, base, pages, count);

	for (size_t i = 0; kept && i < region->extent_count; i++) {
		const struct extent *e = &region->extents[i];

		for (uint64_t at = 0; at < e->bytes; at += region->page_bytes)
			kept &= !e->phys ||
				pages[(e->offset + at) / region->page_bytes]
						.phys == e->phys + at;
	}
	free(pages);
	return kept;
}
