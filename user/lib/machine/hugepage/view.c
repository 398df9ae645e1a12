// SPDX-License-Identifier: GPL-2.0
/*
 * view.c - views without a module. Pages that share frames, and small
 * ones that are executed, show a file in memory; the others are memory of
 * their own, or a part of the machine's region.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/host/frames.h"
#include "machine/host/free_memory.h"
#include "machine/host/smaps.h"
#include "machine/hugepage/hugepage.h"
#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define THP_PATH "/sys/kernel/mm/transparent_hugepage/enabled"
#define MAX_MAPS_PATH "/proc/sys/vm/max_map_count"

static uint64_t base_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- page sizes ---------------------------------------------------------- */

static uint64_t pool_number(uint64_t page_bytes, const char *what)
{
	uint64_t value;
	char path[128];

	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/hugepages/hugepages-%llukB/%s",
		 (unsigned long long)(page_bytes / 1024), what);
	return text_read_number(path, &value) ? 0 : value;
}

/* Free pages of the pool, less those reserved for mappings. */
static uint64_t pool_pages(uint64_t page_bytes)
{
	uint64_t reserved = pool_number(page_bytes, "resv_hugepages");
	uint64_t unused = pool_number(page_bytes, "free_hugepages");

	return unused > reserved ? unused - reserved : 0;
}

static bool transparent_pages(void)
{
	char line[96], word[32];

	return !text_read(THP_PATH, line, sizeof(line)) &&
	       !text_bracketed(line, word, sizeof(word)) &&
	       strcmp(word, "never") != 0;
}

static void add_size(struct machine *m, uint64_t page_bytes, bool shares)
{
	if (shares)
		m->view_shares_frames |= 1U << m->view_page_count;
	m->view_page_bytes[m->view_page_count++] = page_bytes;
}

void hugepage_views(struct hugepage_machine *h)
{
	const uint64_t huge[] = { 2 * MIB, GIB };
	struct machine *m = &h->native.machine;

	add_size(m, base_page_bytes(), true);
	for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		bool pool = pool_pages(huge[i]) > 0;

		if (pool || m->region.page_bytes == huge[i] ||
		    (huge[i] == 2 * MIB && transparent_pages()))
			add_size(m, huge[i], pool);
	}
	m->view_executable = code_available();
}

/* --- room ---------------------------------------------------------------- */

/*
 * Address space for the pages. The inaccessible rest at both ends keeps the
 * mapping from merging with others.
 */
static int reserve(struct mapped_view *v, struct failure *f)
{
	const uint64_t bytes = mapped_view_bytes(v);
	char *all;

	v->base = frames_reserve(bytes, v->view.request.page_bytes, &all,
				 &v->mapped_bytes);
	if (!v->base)
		return fail(
			f, STATUS_FAILED, ENOMEM,
			"views: %llu MiB of addresses: %s (raise ulimit -v, or ask for fewer pages)",
			(unsigned long long)(bytes / MIB), strerror(errno));
	v->mapped = all;
	return 0;
}

/* Touching more memory than there is makes the kernel kill a process. */
static int check_memory(const struct mapped_view *v, struct failure *f)
{
	uint64_t wanted = mapped_view_frame_bytes(v) +
			  v->view.request.pages * sizeof(uint64_t);
	uint64_t possible = host_free_bytes() / 4 * 3;

	if (wanted <= possible)
		return 0;
	return fail(
		f, STATUS_FAILED, ENOMEM,
		"views: %llu MiB of memory: only %llu MiB may be used (free some memory, or ask for fewer pages)",
		(unsigned long long)(wanted / MIB),
		(unsigned long long)(possible / MIB));
}

static void touch(const struct mapped_view *v)
{
	const struct view_request *r = &v->view.request;

	for (uint64_t i = 0; i < r->pages; i++) {
		volatile char *page = v->base + i * r->page_bytes;

		if (v->frames && v->frames != v->base)
			(void)*page;
		else
			*page = 0;
	}
}

/* --- frames that are a file ---------------------------------------------- */

static int too_many(const struct mapped_view *v, uint64_t runs,
		    struct failure *f)
{
	return fail(
		f, STATUS_UNAVAILABLE, ENOSPC,
		"views: %llu pages of %llu frames: %llu mappings are too many for this process (raise vm.max_map_count, or load probe_phys.ko)",
		(unsigned long long)v->view.request.pages,
		(unsigned long long)v->view.request.frames,
		(unsigned long long)runs);
}

/* Page after page of the file, and then again from its start; or each page on
 * its own, as no mapping descends.
 */
static int map_pages(struct mapped_view *v, int prot, struct failure *f)
{
	const struct view_request *r = &v->view.request;
	uint64_t run = r->descending ? 1 : r->frames;
	uint64_t runs = (r->pages + run - 1) / run, most;

	if (!text_read_number(MAX_MAPS_PATH, &most) && runs >= most)
		return too_many(v, runs, f);
	for (uint64_t i = 0; i < r->pages; i += run) {
		uint64_t left = r->pages - i;
		uint64_t pages = left < run ? left : run;
		char *p = mmap(v->base + i * r->page_bytes,
			       pages * r->page_bytes, prot,
			       MAP_SHARED | MAP_FIXED, v->fd,
			       (off_t)(view_frame(r, i) * r->page_bytes));

		if (p != MAP_FAILED)
			continue;
		if (errno == ENOMEM)
			return too_many(v, runs, f);
		return fail(f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			    "views: mapping the pages: %s (load probe_phys.ko)",
			    strerror(errno));
	}
	return 0;
}

static int make_file(struct mapped_view *v, struct failure *f)
{
	uint64_t page = v->view.request.page_bytes;
	unsigned int flags = page == base_page_bytes() ?
				     0 :
				     MFD_HUGETLB | hugepage_flags(page);

	v->fd = code_memfd("probe-phys-view", flags);
	if (v->fd >= 0 &&
	    !fallocate(v->fd, 0, 0, (off_t)mapped_view_frame_bytes(v)))
		return 0;
	return fail(
		f, STATUS_FAILED, ENOMEM,
		"views: %llu frames of %llu KiB: %s (free memory, or raise vm.nr_hugepages)",
		(unsigned long long)v->view.request.frames,
		(unsigned long long)(page / 1024),
		strerror(v->fd < 0 ? -v->fd : errno));
}

static int map_writable(struct mapped_view *v, struct failure *f)
{
	char *p = mmap(NULL, mapped_view_frame_bytes(v), PROT_READ | PROT_WRITE,
		       MAP_SHARED, v->fd, 0);

	if (p == MAP_FAILED)
		return fail(f, STATUS_FAILED, errno,
			    "views: mapping the frames: %s (free some memory)",
			    strerror(errno));
	v->frames = p;
	v->own_frames = true;
	return 0;
}

static int show_file(struct mapped_view *v, struct failure *f)
{
	bool executable = v->view.request.executable;
	int error = 0;

	/* A pool has its pages already. */
	if (v->view.request.page_bytes == base_page_bytes())
		error = check_memory(v, f);
	if (!error)
		error = make_file(v, f);
	if (!error)
		error = reserve(v, f);
	if (!error)
		error = map_writable(v, f);
	if (!error)
		error = map_pages(
			v, PROT_READ | (executable ? PROT_EXEC : PROT_WRITE),
			f);
	if (error)
		return error;
	/* The administrator may have set shmem_enabled to "force". */
	if (v->view.request.page_bytes == base_page_bytes())
		madvise(v->base, mapped_view_bytes(v), MADV_NOHUGEPAGE);
	touch(v);
	return 0;
}

/* --- memory of their own ------------------------------------------------- */

static int not_huge(const struct mapped_view *v, uint64_t huge,
		    struct failure *f)
{
	uint64_t page = v->view.request.page_bytes;

	return fail(
		f, STATUS_UNAVAILABLE, EOPNOTSUPP,
		"views: only %llu of %llu pages became huge (echo 1 > /proc/sys/vm/compact_memory, set vm.nr_hugepages, or load probe_phys.ko)",
		(unsigned long long)(huge / page),
		(unsigned long long)v->view.request.pages);
}

static int prove_huge(const struct mapped_view *v, struct failure *f)
{
	uint64_t bytes = mapped_view_bytes(v);
	uint64_t huge = smaps_huge_bytes(v->base, bytes);

	if (huge < bytes && !madvise(v->base, bytes, MADV_COLLAPSE))
		huge = smaps_huge_bytes(v->base, bytes);
	return huge == bytes ? 0 : not_huge(v, huge, f);
}

static int not_executable(struct failure *f)
{
	return fail(
		f, STATUS_UNAVAILABLE, EOPNOTSUPP,
		"views: executable pages: %s (allow anonymous executable memory, or measure data pages)",
		strerror(errno));
}

static int make_memory(struct mapped_view *v, struct failure *f)
{
	bool small = v->view.request.page_bytes == base_page_bytes();
	uint64_t bytes = mapped_view_bytes(v);
	int error = check_memory(v, f);

	if (!error)
		error = reserve(v, f);
	if (error)
		return error;
	if (mprotect(v->base, bytes, PROT_READ | PROT_WRITE) < 0)
		return fail(
			f, STATUS_FAILED, ENOMEM,
			"views: %llu MiB of memory: %s (free some memory, or ask for fewer pages)",
			(unsigned long long)(bytes / MIB), strerror(errno));
	if (small) {
		madvise(v->base, bytes, MADV_NOHUGEPAGE);
		touch(v);
		return 0;
	}
	madvise(v->base, bytes, MADV_HUGEPAGE);
	touch(v);
	if (v->view.request.executable) {
		v->frames = v->base;
		if (mprotect(v->base, bytes, PROT_READ | PROT_EXEC) < 0)
			return not_executable(f);
	}
	return prove_huge(v, f);
}

/* --- the choice ---------------------------------------------------------- */

static bool consecutive(const struct region *region, uint64_t bytes)
{
	for (size_t i = 0; i < region->extent_count; i++)
		if (region->extents[i].phys && !region->extents[i].offset)
			return region->extents[i].bytes >= bytes;
	return false;
}

/* Memory that is there already, with pages of the wanted size. */
static bool show_region(struct mapped_view *v, const struct hugepage_machine *h)
{
	const struct view_request *r = &v->view.request;
	uint64_t bytes = mapped_view_bytes(v);

	if (r->executable ||
	    r->page_bytes != h->native.machine.region.page_bytes ||
	    bytes > h->native.machine.region.bytes)
		return false;
	if (!h->hugetlb && smaps_huge_bytes(h->native.base, bytes) != bytes)
		return false;
	v->base = h->native.base;
	v->view.contiguous = consecutive(&h->native.machine.region, bytes);
	return true;
}

static int make_pages(struct mapped_view *v, const struct hugepage_machine *h,
		      struct failure *f)
{
	const struct view_request *r = &v->view.request;
	bool own = r->frames == r->pages;

	if (r->touched)
		return hugepage_touch_map(v, f);
	if (r->page_bytes == base_page_bytes()) {
		if (own && !r->executable)
			return make_memory(v, f);
		return show_file(v, f);
	}
	if (own && show_region(v, h))
		return 0;
	if (pool_pages(r->page_bytes) >= r->frames)
		return show_file(v, f);
	if (own && r->page_bytes == 2 * MIB && transparent_pages())
		return make_memory(v, f);
	return fail(
		f, STATUS_UNAVAILABLE, EOPNOTSUPP,
		"views: %llu frames of %llu KiB: the hugetlb pool has %llu free (raise vm.nr_hugepages, or load probe_phys.ko)",
		(unsigned long long)r->frames,
		(unsigned long long)(r->page_bytes / 1024),
		(unsigned long long)pool_pages(r->page_bytes));
}

/* Files, pools and small pages keep their size. */
static int watch_pages(struct mapped_view *v, const struct hugepage_machine *h,
		       struct failure *f)
{
	if (v->fd >= 0 || v->view.request.page_bytes != PAGE_WATCH_BYTES ||
	    (!v->mapped && h->hugetlb) ||
	    !page_watch_begin(&v->watch, v->base, mapped_view_bytes(v)))
		return 0;
	return fail_memory(f, "view");
}

int hugepage_view_open(struct machine *m, const struct view_request *request,
		       struct view **view, struct failure *f)
{
	struct hugepage_machine *h = (struct hugepage_machine *)m;
	struct mapped_view *v = NULL;
	int error = mapped_view_new(m, &h->native.timer, request, &v, f);

	if (error)
		return error;
	error = make_pages(v, h, f);
	if (!error)
		error = watch_pages(v, h, f);
	if (error) {
		mapped_view_close(&v->view);
		return error;
	}
	*view = &v->view;
	return 0;
}
