// SPDX-License-Identifier: GPL-2.0
/*
 * hugepage.c - the machine that needs no module: huge pages in user space,
 * sorted by the frame numbers that the kernel reports.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/host/frames.h"
#include "machine/host/hypervisor.h"
#include "machine/host/page_watch.h"
#include "machine/host/populate.h"
#include "machine/host/quiet_cpu.h"
#include "machine/hugepage/hugepage.h"
#include "machine/native/chase.h"

static struct hugepage_machine *self(struct machine *m)
{
	return (struct hugepage_machine *)m;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct hugepage_machine *h = self(m);
	int error = chase_walk(m, h->native.base, &h->native.timer, NULL, s,
			       plan, samples, f);

	return error ? error : hugepage_watch(h, s, plan, samples, f);
}

static void close_machine(struct machine *m)
{
	struct hugepage_machine *h = self(m);

	if (h->mapped)
		munmap(h->mapped, h->mapped_bytes);
	page_watch_end(&h->watch);
	native_close(&h->native);
}

static const struct machine_ops ops = {
	.kind = "hugepage",
	.walk = walk,
	.close = close_machine,
	.view_open = hugepage_view_open,
	.view_walk = hugepage_view_walk,
	.view_touch = hugepage_view_touch,
	NATIVE_OPS,
};

/* Pages of a hugetlb pool that an administrator has set aside. */
static bool map_hugetlb(struct hugepage_machine *h, uint64_t bytes,
			uint64_t page_bytes)
{
	char *p;

	bytes = (bytes + page_bytes - 1) / page_bytes * page_bytes;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE |
			 (int)hugepage_flags(page_bytes),
		 -1, 0);
	if (p == MAP_FAILED)
		return false;
	h->mapped = p;
	h->mapped_bytes = bytes;
	h->native.base = p;
	h->hugetlb = true;
	h->native.machine.region.bytes = bytes;
	h->native.machine.region.page_bytes = page_bytes;
	strcpy(h->native.machine.region.backing, page_bytes == GIB ?
							 "1 GiB hugetlb pages" :
							 "2 MiB hugetlb pages");
	return true;
}

static int map_transparent(struct hugepage_machine *h, uint64_t bytes,
			   struct failure *f)
{
	uint64_t page = 2 * MIB;
	char *p;

	bytes = (bytes + page - 1) / page * page;
	p = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return fail(f, STATUS_FAILED, ENOMEM,
			    "memory: %llu MiB: %s (free some memory)",
			    (unsigned long long)(bytes / MIB), strerror(errno));
	h->mapped = p;
	h->mapped_bytes = bytes + page;
	h->native.base = p + (page - (uintptr_t)p % page) % page;
	if (madvise(h->native.base, bytes, MADV_HUGEPAGE) < 0)
		return fail(
			f, STATUS_UNAVAILABLE, ENODEV,
			"memory: no huge pages: %s (load probe_phys.ko, or set up vm.nr_hugepages)",
			strerror(errno));
	populate(h->native.base, bytes, page, h->native.machine.others,
		 h->native.machine.other_count);
	h->native.machine.region.bytes = bytes;
	h->native.machine.region.page_bytes = page;
	strcpy(h->native.machine.region.backing,
	       "2 MiB transparent huge pages");
	return 0;
}

static int map_memory(struct hugepage_machine *h, uint64_t bytes,
		      struct failure *f)
{
	struct machine *m = &h->native.machine;
	int error;

	if (map_hugetlb(h, bytes, GIB)) {
		error = 0;
	} else if (map_hugetlb(h, bytes, 2 * MIB)) {
		machine_note(m, "no free 1 GiB page in the hugetlb pool");
		error = 0;
	} else {
		machine_note(m, "no free page in the hugetlb pools");
		error = map_transparent(h, bytes, f);
	}
	if (error)
		return error;
	return frames_sort(&m->region, &h->mapped, &h->mapped_bytes,
			   &h->native.base, m, f);
}

/* A guest that is taken for hardware gives wrong answers; hardware that is
 * taken for a guest only gives fewer.
 */
static void describe_host(struct machine *m)
{
	char name[64];
	enum hypervisor found = hypervisor_find(name, sizeof(name));

	m->virtual_machine = found != HYPERVISOR_NONE;
	if (found == HYPERVISOR_UNKNOWN)
		machine_note(
			m,
			"unknown whether this is a virtual machine: taken for one (probe_phys.ko knows)");
	else if (m->virtual_machine && m->region.phys_known)
		machine_set_virtual(m);
}

static int open_machine(struct hugepage_machine *h,
			const struct machine_request *request,
			struct failure *f)
{
	struct machine *m = &h->native.machine;
	int cpu = request->cpu < 0 ? quiet_cpu_choose() : request->cpu;
	int error = native_open(&h->native, cpu, f);

	if (!error)
		error = map_memory(h, request->bytes, f);
	if (!error && !h->hugetlb &&
	    page_watch_begin(&h->watch, h->native.base, m->region.bytes))
		error = fail_memory(f, "memory");
	if (error)
		return error;
	if (!request->prefetch)
		strcpy(m->prefetchers.why, "only the module has the switch");
	hugepage_views(h);
	hugepage_touch_offer(m);
	describe_host(m);
	return 0;
}

struct machine *machine_open_hugepage(const struct machine_request *request,
				      struct failure *f)
{
	struct hugepage_machine *h = calloc(1, sizeof(*h));

	if (!h) {
		fail_memory(f, "memory");
		return NULL;
	}
	h->native.machine.ops = &ops;
	if (open_machine(h, request, f)) {
		close_machine(&h->native.machine);
		return NULL;
	}
	return &h->native.machine;
}
