// SPDX-License-Identifier: GPL-2.0
/*
 * touch.c - accessed bits of pages: cleared by a child's /proc/self/clear_refs, which
 * flushes no TLB on the way, and read from its smaps.
 *
 * The kernel looks at each page when it clears, which takes entries of TLBs and time. It
 * leaves out mappings of files where bits of other memory are cleared: pages are those of
 * a file, but for the few that are tested.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "machine/host/cpu.h"
#include "machine/host/free_memory.h"
#include "machine/host/smaps.h"
#include "machine/hugepage/hugepage.h"
#include "machine/hugepage/touch_child.h"
#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"
#include "machine/native/touch_pages.h"

/* What one page table maps. */
#define BLOCK_BYTES (UINT64_C(2) << 20)
/* Private pages of it are pages of zeros. */
#define ZEROS_PATH "/dev/zero"

void hugepage_touch_offer(struct machine *m)
{
	m->accessed_bits = !access(TOUCH_CLEAR_PATH, W_OK);
	m->clearing_disturbs = m->accessed_bits;
}

/* --- the child ----------------------------------------------------------- */

static void close_two(const int *ends)
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

/* @v->fd writes to the child, @v->touch reads from it. */
static int start_child(struct mapped_view *v)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) ||
	    pipe2(from, O_CLOEXEC))
		goto failed;
	v->child = fork();
	if (v->child < 0)
		goto failed;
	if (!v->child) {
		close(to[1]);
		close(from[0]);
		touch_child_run(v->orders, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	v->fd = to[1];
	v->touch = from[0];
	v->smaps = smaps_open(v->child);
	return v->smaps < 0 ? v->smaps : 0;
failed:
	v->child = 0;
	close_two(to);
	close_two(from);
	return -errno;
}

static int give_order(const struct mapped_view *v, enum touch_order order)
{
	char byte = 0;

	v->orders->order = order;
	/* A child that was killed is an error, and no signal. */
	if (send(v->fd, &byte, 1, MSG_NOSIGNAL) != 1 ||
	    read(v->touch, &byte, 1) != 1)
		return -EIO;
	return v->orders->error;
}

/* Few mappings lie below, so that few are read before those that count. */
#define LOW_ADDRESS (UINT64_C(1) << 40)

static char *map(uint64_t at, uint64_t bytes, int flags)
{
	char *p = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
		       MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Anonymous memory has no code, and the page of zeros no other. */
static int open_file(bool executable)
{
	int fd = executable ? code_memfd("probe-phys-touch", 0) :
			      open(ZEROS_PATH, O_RDONLY | O_CLOEXEC);

	return fd >= 0 || executable ? fd : -errno;
}

static char *map_pages(uint64_t bytes, bool executable, int file)
{
	char *p = mmap((void *)(uintptr_t)LOW_ADDRESS, bytes,
		       PROT_READ | (executable ? PROT_EXEC : 0),
		       MAP_PRIVATE | MAP_NORESERVE, file, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* Kernels without huge pages do not know this. */
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

/* Between pages that are not accessible, so that it stays a mapping of its own. */
static char *map_witnesses(uint64_t page_bytes)
{
	char *p = map(LOW_ADDRESS - BLOCK_BYTES,
		      (TOUCH_WITNESSES + 2) * page_bytes, MAP_PRIVATE);

	if (p && (mprotect(p, page_bytes, PROT_NONE) ||
		  mprotect(p + (TOUCH_WITNESSES + 1) * page_bytes, page_bytes,
			   PROT_NONE)))
		return NULL;
	return p ? p + page_bytes : NULL;
}

static int no_room(uint64_t bytes, struct failure *f)
{
	return fail(
		f, STATUS_FAILED, ENOMEM,
		"views: %llu MiB of addresses: not to be had (raise ulimit -v, or set vm.overcommit_memory to 0)",
		(unsigned long long)(bytes / MIB));
}

/* @o->file belongs to the child. */
static int map_all(struct mapped_view *v, struct touch_orders *o,
		   struct failure *f)
{
	const struct machine *m = v->view.m;
	uint64_t bytes = mapped_view_bytes(v) + 2 * BLOCK_BYTES;

	v->mapped = map_pages(bytes, v->view.request.executable, o->file);
	v->mapped_bytes = v->mapped ? bytes : 0;
	o->witnesses = map_witnesses(v->view.request.page_bytes);
	if (!v->mapped || !o->witnesses)
		return no_room(bytes, f);
	v->base = v->mapped + BLOCK_BYTES - (uintptr_t)v->mapped % BLOCK_BYTES;
	o->base = v->base;
	o->mapped = v->mapped;
	o->mapped_bytes = bytes;
	o->page_bytes = v->view.request.page_bytes;
	o->executable = v->view.request.executable;
	o->timer = *v->timer;
	o->helper_cpu = cpu_of_another_core(m->cpu, m->others, m->other_count);
	return 0;
}

static int make_child(struct mapped_view *v, struct touch_orders *o,
		      struct failure *f)
{
	const struct hugepage_machine *h =
		(const struct hugepage_machine *)v->view.m;
	int error = map_all(v, o, f);

	if (error)
		return error;
	if (h->mapped && !h->hugetlb)
		madvise(h->mapped, h->mapped_bytes, MADV_DONTFORK);
	error = start_child(v);
	munmap(o->witnesses - o->page_bytes,
	       (TOUCH_WITNESSES + 2) * o->page_bytes);
	return error ? fail(f, STATUS_FAILED, -error,
			    "views: a process: %s (raise ulimit -u)",
			    strerror(-error)) :
		       0;
}

int hugepage_touch_map(struct mapped_view *v, struct failure *f)
{
	struct touch_orders *o;
	int error;

	if (v->view.request.page_bytes != (uint64_t)sysconf(_SC_PAGESIZE))
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"views: accessed bits of large pages: not to be had here (load probe_phys.ko)");
	o = (struct touch_orders *)map(0, sizeof(*o), MAP_SHARED);
	if (!o)
		return no_room(sizeof(*o), f);
	v->orders = o;
	v->orders_bytes = sizeof(*o);
	o->file = open_file(v->view.request.executable);
	if (o->file < 0)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"views: accessed bits: a file of pages: %s (allow " ZEROS_PATH
			", or load probe_phys.ko)",
			strerror(-o->file));
	error = make_child(v, o, f);
	close(o->file);
	return error;
}

/* --- pages --------------------------------------------------------------- */

static int add_touch(struct mapped_view *v, const struct touch *touch,
		     struct failure *f)
{
	struct touch_orders *o = v->orders;
	size_t length = touch->pages->length;
	int error = touch_check(v, touch, f);

	if (error)
		return error;
	if (o->count == TOUCH_MOST || length > TOUCH_MOST_OFFSETS - o->total)
		return fail(f, STATUS_FAILED, ERANGE,
			    "touch: more than %d pages (ask for fewer)",
			    TOUCH_MOST_OFFSETS);
	o->kinds[o->count] = touch->kind;
	o->rounds[o->count] = touch->rounds;
	o->lengths[o->count++] = length;
	memcpy(o->offsets + o->total, touch->pages->offsets,
	       length * sizeof(*o->offsets));
	o->total += length;
	return 0;
}

static int write_orders(struct mapped_view *v, const struct touch_plan *plan,
			struct failure *f)
{
	int error = 0;

	v->orders->count = v->orders->total = 0;
	v->orders->meanwhile = plan->meanwhile;
	for (size_t i = 0; !error && i < plan->before_count; i++)
		error = add_touch(v, &plan->before[i], f);
	return error ? error : add_touch(v, &plan->test, f);
}

/* In whatever order; SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t sum_of_offsets(const struct touch_orders *o)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < o->total - o->lengths[o->count - 1]; i++) {
		uint64_t x = o->offsets[i] + UINT64_C(0x9e3779b97f4a7c15);

		x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
		sum += x ^ x >> 31;
	}
	return sum;
}

static int by_offset(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sorts @pages. */
static int list_runs(struct touch_orders *o, uint64_t *pages, size_t count)
{
	struct touch_run *last = NULL;

	qsort(pages, count, sizeof(*pages), by_offset);
	o->run_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (last && pages[i] == last->offset + last->bytes) {
			last->bytes += o->page_bytes;
			continue;
		}
		if (o->run_count == TOUCH_MOST_RUNS)
			return -ERANGE;
		last = &o->runs[o->run_count++];
		*last = (struct touch_run){ pages[i], o->page_bytes };
	}
	return 0;
}

static int find_runs(struct touch_orders *o, const struct sequence *s,
		     struct failure *f)
{
	uint64_t *pages = calloc(s->length, sizeof(*pages));
	int error = pages ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < s->length; i++)
		pages[i] = s->offsets[i] - s->offsets[i] % o->page_bytes;
	if (!error)
		error = list_runs(o, pages, s->length);
	free(pages);
	return error ? fail(f, STATUS_FAILED, -error,
			    "touch: more than %d pages apart (ask for fewer)",
			    TOUCH_MOST_RUNS) :
		       0;
}

static int check_room(uint64_t bytes, struct failure *f)
{
	if (host_free_bytes() / 4 * 3 >= bytes)
		return 0;
	return fail(
		f, STATUS_FAILED, ENOMEM,
		"views: %llu MiB of memory: not to be had (free some memory)",
		(unsigned long long)(bytes / MIB));
}

static int fail_pages(int error, struct failure *f)
{
	return fail(
		f, STATUS_UNAVAILABLE, EOPNOTSUPP,
		"views: accessed bits: pages: %s (allow anonymous executable memory, or load probe_phys.ko)",
		strerror(-error));
}

static int make_pages(struct mapped_view *v, struct failure *f)
{
	struct touch_orders *o = v->orders;
	/* Others are pages of zeros, which are one page. */
	uint64_t bytes = o->executable ? o->total * o->page_bytes : 0;
	int error;

	for (size_t i = 0; i < o->run_count; i++)
		bytes += o->runs[i].bytes;
	error = check_room(bytes, f);
	if (error)
		return error;
	error = give_order(v, TOUCH_ORDER_MAP);
	return error ? fail_pages(error, f) : 0;
}

/* --- touches ------------------------------------------------------------- */

static int read_bits(const struct mapped_view *v, struct touch_answer *answer)
{
	const struct touch_orders *o = v->orders;
	struct smaps_range *ranges = calloc(o->run_count + 1, sizeof(*ranges));
	struct smaps_range *witnesses = ranges + o->run_count;
	int error = ranges ? 0 : -ENOMEM;

	if (error)
		return error;
	for (size_t i = 0; i < o->run_count; i++) {
		ranges[i].base = o->base + o->runs[i].offset;
		ranges[i].bytes = o->runs[i].bytes;
	}
	witnesses->base = o->witnesses;
	witnesses->bytes = TOUCH_WITNESSES * o->page_bytes;
	error = smaps_referenced(v->smaps, ranges, o->run_count + 1);
	answer->walked = 0;
	for (size_t i = 0; i < o->run_count; i++)
		answer->walked += ranges[i].referenced / o->page_bytes;
	answer->disturbed = o->disturbed ||
			    witnesses->referenced == witnesses->bytes;
	free(ranges);
	return error;
}

int hugepage_view_touch(struct view *view, const struct touch_plan *plan,
			struct touch_answer *answer, struct failure *f)
{
	struct mapped_view *v = (struct mapped_view *)view;
	/* Code is there for this plan alone. */
	const bool early = plan->soon && !v->orders->executable;
	int error = write_orders(v, plan, f);
	uint64_t sum;

	if (!error)
		error = find_runs(v->orders,
				  early ? plan->soon : plan->test.pages, f);
	if (error)
		return error;
	sum = sum_of_offsets(v->orders);
	if (sum != v->present)
		error = make_pages(v, f);
	v->present = error ? 0 : sum;
	if (error)
		return error;
	error = give_order(v, TOUCH_ORDER_TOUCH);
	if (!error)
		error = read_bits(v, answer);
	if (error)
		return fail(
			f, STATUS_FAILED, EIO,
			"views: accessed bits: cannot be cleared or read (load probe_phys.ko)");
	machine_count_touch(view->m, plan);
	/* A prefetcher may have touched more. */
	if (answer->walked > plan->test.pages->length)
		answer->walked = plan->test.pages->length;
	return 0;
}
