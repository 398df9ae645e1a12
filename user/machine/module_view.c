// SPDX-License-Identifier: GPL-2.0
#include "module_view.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mapped_view.h"
#include "module_ioctl.h"

/* More entries than this are not all asked for: each is a system call. */
#define RESOLVED 65536

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

int module_mapping_prove(const struct module_mapping *mapping)
{
	const struct view_request *shape = &mapping->shape;
	uint64_t step = shape->pages / RESOLVED + 1;
	int file = touch_file(shape);
	int error = file < 0 ? file : 0;

	for (uint64_t i = 0; !error && i < shape->pages; i++) {
		error = touch(file, shape,
			      mapping->base + i * shape->page_bytes);
		if (!error && i % step == 0)
			error = resolve(mapping, i);
	}
	if (file >= 0)
		close(file);
	return error;
}

/* --- what there is to be had --------------------------------------------- */

static void add_size(struct machine *m, uint64_t page_bytes)
{
	m->view_shares_frames |= 1U << m->view_page_count;
	m->view_page_bytes[m->view_page_count++] = page_bytes;
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

static int map(struct mapped_view *v, int buffer)
{
	const struct view_request *r = &v->view.request;
	struct probe_phys_view_create create = {
		.flags = (r->executable ? PROBE_PHYS_VIEW_EXEC : 0) |
			 (r->descending ? PROBE_PHYS_VIEW_DESCENDING : 0),
		.bytes = mapped_view_frame_bytes(v),
		.page_bytes = r->page_bytes,
		.alias_pages = (uint32_t)r->pages,
	};
	int error = module_view_create(buffer, &create);
	char *base;

	if (error)
		return error;
	v->fd = create.fd;
	base = mmap(NULL, mapped_view_bytes(v),
		    PROT_READ | (r->executable ? PROT_EXEC : PROT_WRITE),
		    MAP_SHARED, v->fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	v->base = base;
	v->mapped = base;
	v->mapped_bytes = mapped_view_bytes(v);
	return 0;
}

static int map_proven(struct mapped_view *v, const struct module_memory *memory,
		      struct failure *f)
{
	struct module_mapping mapping = {
		.phys = v->view.m->region.extents[0].phys,
		.shape = v->view.request,
	};
	int error = map(v, memory->buffer);

	if (!error) {
		mapping.view = v->fd;
		mapping.base = v->base;
		error = module_mapping_prove(&mapping);
	}
	if (!error)
		return 0;
	return fail(
		f, STATUS_UNAVAILABLE,
		error == -ENOSPC || error == -ENOMEM ? -error : EOPNOTSUPP,
		"views: %llu pages of %llu KiB%s: %s (see dmesg, or use other pages)",
		(unsigned long long)mapping.shape.pages,
		(unsigned long long)(mapping.shape.page_bytes / 1024),
		mapping.shape.executable ? ", executable" : "",
		strerror(-error));
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
	if (request->executable)
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
