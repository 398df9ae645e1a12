// SPDX-License-Identifier: GPL-2.0
/*
 * touch_child.c - what the child does. It calls nothing that allocates memory or takes a
 * lock, as another thread may have held that when the child was made.
 */
#include "machine/hugepage/touch_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "machine/hugepage/touch_helper.h"
#include "machine/machine.h"
#include "machine/native/code/code.h"
#include "machine/native/touch_pages.h"

/*
 * A hypervisor that takes the CPU may flush all TLBs: it does so every 80 us on a guest
 * that was seen. A round of touches in which one part took PAUSE times as long as
 * the others is made again, a few times.
 */
#define PART 32
#define PAUSE 4
#define MOST_LAST_ROUNDS 8
/* Of fewer parts one may be longer without a pause. */
#define LEAST_PARTS 8
/* Mappings that are given back are the heap and others at least as long. */
#define LONG_BYTES (UINT64_C(128) << 10)
#define MOST_MAPPINGS 64
#define MAPS_BYTES 32768

/*
 * Plans whose pages stay mapped for the next ones. The kernel looks at all of them, and at
 * each page table, when it shows the bits: it takes a millisecond for tables that searches
 * have left behind, and less than a tenth for those of a plan.
 */
#define MOST_PLANS 8
/* The same of code, which takes memory, and time to be written. */
#define MOST_CODE_PAGES 2048

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* The sanitizer's own memory looks as if it were not needed. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

/* --- memory that is not needed ------------------------------------------- */

struct range {
	uint64_t start;
	uint64_t end;
};

static bool is_private_memory(const char *line)
{
	const char *flags = strchr(line, ' ');
	const char *end = strchr(line, '\n');
	const char *path = memchr(line, '/', (size_t)(end - line));
	const char *name = memchr(line, '[', (size_t)(end - line));

	return flags && !strncmp(flags, " rw-p", 5) && !path &&
	       (!name || !strncmp(name, "[heap]", 6));
}

/* Where this function's variables are, there is the stack. */
static bool is_needed(const struct touch_orders *o, const struct range *r)
{
	uint64_t stack = (uintptr_t)&r, view = (uintptr_t)o->mapped;

	/* Witnesses are few, between pages that are not accessible. */
	return r->end - r->start < LONG_BYTES ||
	       (stack >= r->start && stack < r->end) ||
	       (r->end > view && r->start < view + o->mapped_bytes);
}

static size_t list_unneeded(const struct touch_orders *o, const char *maps,
			    struct range *list)
{
	size_t count = 0;

	for (const char *line = maps;
	     strchr(line, '\n') && count < MOST_MAPPINGS;
	     line = strchr(line, '\n') + 1) {
		struct range *r = &list[count];
		char *end;

		r->start = strtoull(line, &end, 16);
		if (*end != '-')
			continue;
		r->end = strtoull(end + 1, NULL, 16);
		count += is_private_memory(line) && !is_needed(o, r);
	}
	return count;
}

static void give_memory_back(const struct touch_orders *o)
{
	struct range list[MOST_MAPPINGS];
	char maps[MAPS_BYTES];
	int file;
	size_t length = 0, count;
	ssize_t got;

	if (IS_SANITIZED)
		return;
	file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while ((got = read(file, maps + length, sizeof(maps) - 1 - length)) > 0)
		length += (size_t)got;
	close(file);
	maps[length] = '\0';
	count = list_unneeded(o, maps, list);
	for (size_t i = 0; i < count; i++)
		munmap((void *)(uintptr_t)list[i].start,
		       list[i].end - list[i].start);
}

/* --- pages --------------------------------------------------------------- */

static char *map_file(const struct touch_orders *o, char *at, uint64_t bytes)
{
	char *p = mmap(at, bytes, PROT_READ | (o->executable ? PROT_EXEC : 0),
		       MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, o->file,
		       at - o->mapped);

	/* As its neighbours, so that they become one mapping. */
	if (p != MAP_FAILED)
		madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

/* Kernels before 5.14 do not know this: pages come when they are touched, then. */
static void populate(char *p, uint64_t bytes, bool write)
{
	madvise(p, bytes, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
}

/* Pages of the file again, mapped. */
static int give_back(struct touch_orders *o)
{
	for (size_t i = 0; i < o->own_count; i++) {
		char *p = map_file(o, o->base + o->own[i].offset,
				   o->own[i].bytes);

		if (p == MAP_FAILED)
			return -errno;
		populate(p, o->own[i].bytes, false);
	}
	o->own_count = 0;
	return 0;
}

static int write_code(const struct touch_orders *o)
{
	char slot[VIEW_SLOT_BYTES] = { 0 };

	code_close_ring(slot);
	for (size_t i = 0; i < o->total; i++)
		if (pwrite(o->file, slot, sizeof(slot),
			   o->base - o->mapped + (off_t)o->offsets[i]) !=
		    sizeof(slot))
			return -errno;
	return 0;
}

static bool may_stay(const struct touch_orders *o)
{
	return o->executable ? o->present + o->total <= MOST_CODE_PAGES :
			       o->present < o->total * MOST_PLANS;
}

/*
 * Earlier pages stay where the next plans may have them, too: those of the sets that are
 * looked at one by one. Others are mapped anew, as pages that are only given up leave
 * their page tables there.
 */
static int give_up_pages(struct touch_orders *o)
{
	/* Pages of their own lack the code of the next plan. */
	if (may_stay(o))
		return o->executable ? give_back(o) : 0;
	if (o->executable && ftruncate(o->file, 0))
		return -errno;
	o->own_count = 0;
	o->present = 0;
	return map_file(o, o->mapped, o->mapped_bytes) == MAP_FAILED ? -errno :
								       0;
}

/*
 * A file that the kernel has for pages of zeros serves those that are only loaded: they
 * share one page.
 */
static int map_pages(struct touch_orders *o)
{
	int error = give_up_pages(o);

	o->present += o->total;
	if (!error && o->executable)
		error = write_code(o);
	for (size_t i = 0; !error && i < o->total; i++)
		(void)*(volatile char *)(o->base + o->offsets[i]);
	if (o->executable)
		code_serialize();
	return error;
}

static int own_code(const struct touch_orders *o, char *p, uint64_t bytes)
{
	/* What lies behind the last code stays zero. */
	if (pread(o->file, p, bytes, p - o->mapped) <= 0 ||
	    mprotect(p, bytes, PROT_READ | PROT_EXEC))
		return -errno;
	code_sync(p, bytes);
	return 0;
}

static int own_run(const struct touch_orders *o, const struct touch_run *r)
{
	char *p = mmap(o->base + r->offset, r->bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	/* Kernels without huge pages do not know this. */
	madvise(p, r->bytes, MADV_NOHUGEPAGE);
	populate(p, r->bytes, true);
	if (o->executable)
		return own_code(o, p, r->bytes);
	for (uint64_t at = 0; at < r->bytes; at += o->page_bytes)
		*(volatile char *)(p + at) = 0;
	return 0;
}

/*
 * Pages that are tested have memory of their own, those of the last test none: what is a
 * file's keeps its bits, so that clearing takes no entries and little time for pages that
 * are not tested.
 */
static int own_tested(struct touch_orders *o)
{
	const size_t count = o->run_count;
	int error;

	if (o->own_count == count &&
	    !memcmp(o->own, o->runs, count * sizeof(*o->runs)))
		return 0;
	error = give_back(o);
	memcpy(o->own, o->runs, count * sizeof(*o->runs));
	for (; !error && o->own_count < count; o->own_count++)
		error = own_run(o, &o->own[o->own_count]);
	if (o->executable)
		code_serialize();
	return error;
}

/* --- touches ------------------------------------------------------------- */

static void touch(const struct touch_orders *o, size_t at, unsigned int rounds,
		  uint64_t *offsets)
{
	const struct sequence pages = { offsets, o->lengths[at] };

	if (rounds)
		touch_pages(o->base,
			    &(struct touch){ &pages, o->kinds[at], rounds });
}

/* Return: whether nothing took the CPU meanwhile, as far as time shows it. */
static bool touch_at_once(const struct touch_orders *o, size_t at,
			  uint64_t *offsets)
{
	const size_t length = o->lengths[at];
	uint64_t longest = 0, sum = 0;
	size_t parts = 0;

	for (size_t i = 0; i < length; i += PART, parts++) {
		const struct sequence part = { offsets + i, length - i < PART ?
								    length - i :
								    PART };
		uint64_t start = o->timer.start(&o->timer), ticks;

		touch_pages(o->base, &(struct touch){ &part, o->kinds[at], 1 });
		ticks = o->timer.stop(&o->timer) - start;
		longest = ticks > longest ? ticks : longest;
		sum += ticks;
	}
	return parts < LEAST_PARTS ||
	       longest * (parts - 1) <= PAUSE * (sum - longest);
}

static bool touch_before(const struct touch_orders *o, size_t at,
			 uint64_t *offsets)
{
	touch(o, at, o->rounds[at] - 1, offsets);
	for (int i = 0; i < MOST_LAST_ROUNDS; i++)
		if (touch_at_once(o, at, offsets))
			return true;
	return false;
}

static void touch_witnesses(const struct touch_orders *o)
{
	for (size_t i = 0; i < TOUCH_WITNESSES; i++)
		(void)*(volatile char *)(o->witnesses + i * o->page_bytes);
}

static void touch_all(struct touch_orders *o)
{
	uint64_t *offsets = o->offsets;

	for (size_t i = 0; i + 1 < o->count; i++) {
		touch(o, i, 1, offsets);
		offsets += o->lengths[i];
	}
}

static int follow_plan(struct touch_orders *o, int clear)
{
	uint64_t *offsets = o->offsets;
	long before = touch_switches();
	bool cleared, quiet = true;

	touch_helper_wake(o);
	for (size_t i = 0; i + 1 < o->count; i++) {
		quiet = touch_before(o, i, offsets) && quiet;
		offsets += o->lengths[i];
	}
	touch_witnesses(o);
	cleared = touch_helper_clear(o, o->meanwhile ? touch_all : NULL) ||
		  pwrite(clear, TOUCH_CLEAR_ANONYMOUS, 1, 0) == 1;
	touch(o, o->count - 1, 1, offsets);
	touch_witnesses(o);
	o->disturbed = !quiet || touch_switches() != before;
	return cleared ? 0 : -EIO;
}

static int follow(struct touch_orders *o, int clear)
{
	int error;

	switch (o->order) {
	case TOUCH_ORDER_MAP:
		return map_pages(o);
	case TOUCH_ORDER_TOUCH:
		error = own_tested(o);
		return error ? error : follow_plan(o, clear);
	}
	return -EINVAL;
}

void touch_child_run(struct touch_orders *o, int in, int out)
{
	int clear = open(TOUCH_CLEAR_PATH, O_WRONLY | O_CLOEXEC);
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	give_memory_back(o);
	for (size_t i = 0; i < TOUCH_WITNESSES; i++)
		*(volatile char *)(o->witnesses + i * o->page_bytes) = 0;
	touch_helper_start(o);
	while (read(in, &byte, 1) == 1) {
		o->error = follow(o, clear);
		if (write(out, &byte, 1) != 1)
			break;
	}
	_exit(0);
}
