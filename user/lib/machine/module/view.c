// SPDX-License-Identifier: GPL-2.0
#include "machine/module/view.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/module/ioctl.h"
#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"
#include "machine/native/view_walk.h"

/* Tuning: pages proven when a view is opened; each costs a fault and two system
 * calls, and few pages are ever walked.
 */
#define PROVEN_PAGES 64
#define WORD_BITS 64
/* Of x86-64; a table is a base page. */
#define TABLE_ENTRY_BYTES 8

/* --- proof --------------------------------------------------------------- */

/*
 * A page that the kernel cannot map with the wanted entry gives SIGBUS to a
 * load or store, but EFAULT to a system call that does it for us: one that
 * writes to the page or, where that is not allowed, one that reads from it.
 */
static int touch_file(const struct view_request *shape)
{
	int fd;

	if (shape->executable)
		return code_memfd("probe-phys-touch", 0);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int touch(int file, const struct view_request *shape, char *address)
{
	ssize_t got = shape->executable ? pwrite(file, address, 1, 0) :
					  pread(file, address, 1, 0);

	return got == 1 ? 0 : got < 0 ? -errno : -EIO;
}

static int resolve(const struct module_mapping *mapping, uint64_t page)
{
	const struct view_request *shape = &mapping->shape;
	struct probe_phys_view_resolve entry = {
		.address =
			(uintptr_t)(mapping->base + page * shape->page_bytes),
	};
	int error = module_view_resolve(mapping->view, &entry);

	if (error)
		return error;
	if (entry.page_bytes != shape->page_bytes ||
	    entry.phys !=
		    mapping->phys + view_frame(shape, page) * shape->page_bytes)
		return -EPROTO;
	return 0;
}

static int prove_page(const struct module_mapping *mapping, int file,
		      uint64_t page)
{
	const struct view_request *shape = &mapping->shape;
	int error =
		touch(file, shape, mapping->base + page * shape->page_bytes);

	return error ? error : resolve(mapping, page);
}

int module_mapping_prove(const struct module_mapping *mapping)
{
	int file = touch_file(&mapping->shape);
	int error = file < 0 ? file : 0;

	for (uint64_t i = 0; !error && i < mapping->shape.pages; i++)
		error = prove_page(mapping, file, i);
	if (file >= 0)
		close(file);
	return error;
}

/* Where nothing is mapped, at a multiple of @align; NULL: anywhere. */
static void *free_addresses(uint64_t bytes, uint64_t align)
{
	char *all;

	if (!align || bytes < align)
		return NULL;
	all = mmap(NULL, bytes + align, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	munmap(all, bytes + align);
	return all + (align - (uintptr_t)all % align) % align;
}

int module_mapping_make(struct module_mapping *mapping, int buffer,
			uint32_t alias_pages)
{
	const struct view_request *shape = &mapping->shape;
	struct probe_phys_view_create create = {
		.flags = (shape->executable ? PROBE_PHYS_VIEW_EXEC : 0) |
			 (shape->descending ? PROBE_PHYS_VIEW_DESCENDING : 0),
		.bytes = shape->frames * shape->page_bytes,
		.page_bytes = shape->page_bytes,
		.alias_pages = alias_pages,
	};
	int error = module_view_create(buffer, &create);
	const uint64_t bytes = shape->pages * shape->page_bytes;
	char *base;

	if (error)
		return error;
	mapping->view = create.fd;
	base = mmap(free_addresses(bytes, mapping->align), bytes,
		    PROT_READ | (shape->executable ? PROT_EXEC : PROT_WRITE),
		    MAP_SHARED, mapping->view, 0);
	if (base == MAP_FAILED)
		return -errno;
	mapping->base = base;
	return 0;
}

void module_mapping_end(struct module_mapping *mapping)
{
	if (mapping->base)
		munmap(mapping->base,
		       mapping->shape.pages * mapping->shape.page_bytes);
	if (mapping->view >= 0)
		close(mapping->view);
	mapping->base = NULL;
	mapping->view = -1;
}

/* --- page sizes ---------------------------------------------------------- */

static void add_size(struct machine *m, uint64_t page_bytes)
{
	m->view_shares_frames |= 1U << m->view_page_count;
	m->view_page_bytes[m->view_page_count++] = page_bytes;
}

/* Those that all x86-64 kernels have below the highest level. */
static void add_tables(struct machine *m, const struct probe_phys_info *info)
{
	const uint64_t entries = info->page_bytes / TABLE_ENTRY_BYTES;

	m->table_bytes[0] = info->page_bytes * entries;
	m->table_bytes[1] = m->table_bytes[0] * entries;
	m->table_count = 2;
}

void module_views(struct machine *m, const struct probe_phys_info *info)
{
	const struct extent *run = &m->region.extents[0];

	add_size(m, info->page_bytes);
	/* The region itself has shown whether larger ones really come. */
	if (m->region.page_bytes >= info->pmd_bytes &&
	    info->features & PROBE_PHYS_FEATURE_VIEW_PMD)
		add_size(m, info->pmd_bytes);
	if (info->features & PROBE_PHYS_FEATURE_VIEW_PUD &&
	    run->bytes >= info->pud_bytes && run->phys % info->pud_bytes == 0)
		add_size(m, info->pud_bytes);
	m->view_executable = code_available();
	m->accessed_bits = info->features & PROBE_PHYS_FEATURE_VIEW_ACCESSED;
	m->clearing_disturbs = m->accessed_bits;
	if (info->features & PROBE_PHYS_FEATURE_VIEW_TABLES)
		add_tables(m, info);
}

/* --- a view -------------------------------------------------------------- */

static int check_room(const struct machine *m, const struct view_request *r,
		      struct failure *f)
{
	if (r->frames > m->region.bytes / r->page_bytes)
		return fail(
			f, STATUS_FAILED, ENOMEM,
			"views: %llu frames of %llu KiB: more than the memory of %llu MiB (give more memory)",
			(unsigned long long)r->frames,
			(unsigned long long)(r->page_bytes / 1024),
			(unsigned long long)(m->region.bytes >> 20));
	if (r->pages > PROBE_PHYS_MAX_ALIAS_PAGES)
		return fail(
			f, STATUS_UNAVAILABLE, ENOSPC,
			"views: %llu pages: the module maps at most %u (ask for fewer)",
			(unsigned long long)r->pages,
			PROBE_PHYS_MAX_ALIAS_PAGES);
	return 0;
}

/* The first pages and the last; others are touched when they are walked. */
static int prove_some(struct mapped_view *v,
		      const struct module_mapping *mapping)
{
	uint64_t last = mapping->shape.pages - 1;
	int error;

	v->touch = touch_file(&mapping->shape);
	v->touched = calloc(last / WORD_BITS + 1, sizeof(*v->touched));
	if (!v->touched)
		return -ENOMEM;
	if (v->touch < 0)
		return v->touch;
	error = prove_page(mapping, v->touch, last);
	for (uint64_t i = 0; !error && i < last && i < PROVEN_PAGES; i++)
		error = prove_page(mapping, v->touch, i);
	return error;
}

/* The span of the highest entries that serve nothing but the pages; 0: no matter. */
static uint64_t largest_table(const struct machine *m,
			      const struct view_request *r)
{
	uint64_t largest = 0;

	for (size_t i = 0; r->touched && i < m->table_count; i++)
		if (m->table_bytes[i] <= r->pages * r->page_bytes)
			largest = m->table_bytes[i];
	return largest;
}

static int map_proven(struct mapped_view *v, const struct module_memory *memory,
		      struct failure *f)
{
	const struct view_request *r = &v->view.request;
	struct module_mapping mapping = {
		.view = -1,
		.phys = v->view.m->region.extents[0].phys,
		.shape = *r,
		.align = largest_table(v->view.m, r),
	};
	int error = module_mapping_make(&mapping, memory->buffer,
					(uint32_t)r->pages);

	/* Closed with the view, whatever was made. */
	v->fd = mapping.view;
	v->base = v->mapped = mapping.base;
	v->mapped_bytes = mapped_view_bytes(v);
	if (!error)
		error = prove_some(v, &mapping);
	if (!error)
		return 0;
	return fail(
		f, STATUS_UNAVAILABLE,
		error == -ENOSPC || error == -ENOMEM ? -error : EOPNOTSUPP,
		"views: %llu pages of %llu KiB%s: %s (see dmesg, or use other pages)",
		(unsigned long long)r->pages,
		(unsigned long long)(r->page_bytes / 1024),
		r->executable ? ", executable" : "", strerror(-error));
}

int module_view_open(struct machine *m, const struct timer *timer,
		     const struct module_memory *memory,
		     const struct view_request *request, struct view **view,
		     struct failure *f)
{
	struct mapped_view *v = NULL;
	int error = mapped_view_new(m, timer, request, &v, f);

	if (error)
		return error;
	v->view.contiguous = true;
	v->frames = memory->base;
	error = check_room(m, request, f);
	if (!error)
		error = map_proven(v, memory, f);
	if (error) {
		mapped_view_close(&v->view);
		return error;
	}
	*view = &v->view;
	return 0;
}

/* --- a walk -------------------------------------------------------------- */

static int touch_page(struct mapped_view *v, uint64_t page)
{
	const struct view_request *r = &v->view.request;
	uint64_t *word = &v->touched[page / WORD_BITS];
	uint64_t bit = UINT64_C(1) << page % WORD_BITS;
	int error;

	if (*word & bit)
		return 0;
	error = touch(v->touch, r, v->base + page * r->page_bytes);
	if (!error)
		*word |= bit;
	return error;
}

int module_view_prove(struct view *view, const struct sequence *s,
		      struct failure *f)
{
	struct mapped_view *v = (struct mapped_view *)view;
	uint64_t page_bytes = view->request.page_bytes;

	for (size_t i = 0; i < s->length; i++) {
		uint64_t page = s->offsets[i] / page_bytes;
		/* Offsets beyond the view are refused below. */
		int error = page < view->request.pages ? touch_page(v, page) :
							 0;

		if (error)
			return fail(
				f, STATUS_FAILED, -error,
				"walk: a page of the view cannot be mapped: %s (free memory, or see dmesg)",
				strerror(-error));
	}
	return 0;
}

int module_view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	int error = module_view_prove(view, s, f);

	return error ? error : mapped_view_walk(view, s, plan, samples, f);
}
