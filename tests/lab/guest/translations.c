// SPDX-License-Identifier: GPL-2.0
/*
 * translations.c - TLB misses of known number, by page size, on the machine of
 * exact.json. Alias views show the same memory at many pages: one line of data
 * and as many translations as are wanted.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "guest.h"

/**
 * struct array - one of exact.json's TLBs, least recently used entries go
 * @name: of its pages
 * @page_bytes: their size
 * @few: pages that fit beside those that the kernel needs meanwhile
 * @many: more than twice the entries
 * @slack: misses that are the kernel's, when few are touched
 * @swept: the same when all that the kernel had there is gone
 */
struct array {
	const char *name;
	uint64_t page_bytes;
	unsigned int few;
	unsigned int many;
	unsigned int slack;
	unsigned int swept;
};

static const struct array arrays[] = {
	{ "4 KiB", UINT64_C(1) << 12, 512, 2560, 16, 64 },
	{ "2 MiB", 2 * MIB, 16, 80, 4, 16 },
	{ "1 GiB", GIB, 8, 40, 2, 4 },
};

static void flush_view(const struct touching *t)
{
	struct probe_phys_view_flush flush = { .size = sizeof(flush) };

	need(!ioctl(t->view->fd, PROBE_PHYS_IOC_VIEW_FLUSH, &flush),
	     "view flush");
}

static void check_array(const struct array *a, int buffer)
{
	struct guest_view v =
		map_view(buffer, a->page_bytes, a->page_bytes, a->many);
	struct touching t = {
		.base = v.base, .n = a->few, .stride = a->page_bytes, .view = &v
	};
	char what[64];

	snprintf(what, sizeof(what), "%s pages, nothing", a->name);
	check_touching(what, &t, DTLB, 0, a->slack);
	t.between = flush_view;
	snprintf(what, sizeof(what), "%s pages, flush of the view", a->name);
	check_touching(what, &t, DTLB, a->few, a->slack);
	t.between = NULL;
	t.n = a->many;
	snprintf(what, sizeof(what), "%s pages beyond the TLB, nothing",
		 a->name);
	check_touching(what, &t, DTLB, a->many, a->swept);
	unmap_view(&v);
}

/* The same bytes, by pages of one size and another. */
static void check_sizes(int giant)
{
	const struct array *small = &arrays[0], *large = &arrays[1];
	struct touching t = { .n = BUFFER_BYTES / 4096, .stride = 4096 };
	struct guest_view v = map_view(guest.buffer, BUFFER_BYTES, 4096, 0);

	t.base = v.base;
	check_touching("8 MiB by 4 KiB", &t, DTLB, t.n, small->swept);
	unmap_view(&v);
	v = map_view(guest.buffer, BUFFER_BYTES, 2 * MIB, 0);
	t.base = v.base;
	check_touching("8 MiB by 2 MiB", &t, DTLB, 0, large->slack);
	unmap_view(&v);
	if (giant < 0)
		return;
	t.n = large->many;
	t.stride = 2 * MIB;
	v = map_view(giant, GIB, 2 * MIB, 0);
	t.base = v.base;
	check_touching("160 MiB by 2 MiB", &t, DTLB, t.n, large->swept);
	unmap_view(&v);
	v = map_view(giant, GIB, GIB, 0);
	t.base = v.base;
	check_touching("160 MiB by 1 GiB", &t, DTLB, 0, arrays[2].slack);
	unmap_view(&v);
}

void check_tlbs(int giant)
{
	check_array(&arrays[0], guest.buffer);
	check_array(&arrays[1], guest.buffer);
	if (giant < 0)
		skip("1 GiB pages: this kernel's module has no such views");
	else
		check_array(&arrays[2], giant);
	check_sizes(giant);
}

/* A few pages: the kernel takes them out of the TLB one by one (INVLPG). */
static void protect(const struct touching *t)
{
	need(!mprotect(t->base, t->n * t->stride, PROT_READ), "mprotect");
	need(!mprotect(t->base, t->n * t->stride, PROT_READ | PROT_WRITE),
	     "mprotect");
	for (unsigned int i = 0; i < t->n; i++)
		t->base[i * t->stride] = 1;
	need(!mprotect(t->base, t->n * t->stride, PROT_READ), "mprotect");
}

void check_invlpg(void)
{
	struct touching t = { .n = 24, .stride = 4096 };

	t.base = mmap(NULL, t.n * t.stride, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	need(t.base != MAP_FAILED, "mmap");
	check_touching("pages, nothing", &t, DTLB, 0, t.n / 4);
	t.between = protect;
	check_touching("INVLPG", &t, DTLB, t.n, t.n / 4);
}
