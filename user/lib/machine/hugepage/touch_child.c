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

#include "machine/machine.h"
#include "machine/native/code/code.h"
#include "machine/native/touch_pages.h"

/* Memory of no file; that of the program and its libraries keeps its bits. */
#define CLEAR_ANONYMOUS "2"
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

static uint64_t block_of(uint64_t offset)
{
	return offset - offset % TOUCH_BLOCK_BYTES;
}

static int protect(const struct touch_orders *o, bool writable)
{
	int prot = PROT_READ | (writable ? PROT_WRITE : PROT_EXEC);

	return o->executable && mprotect(o->mapped, o->mapped_bytes, prot) ?
		       -errno :
		       0;
}

static int fill(const struct touch_orders *o)
{
	int error = protect(o, true);

	madvise(o->mapped, o->mapped_bytes, MADV_DONTNEED);
	madvise(o->mapped, o->mapped_bytes, MADV_HUGEPAGE);
	for (size_t i = 0; !error && i < o->total; i++)
		if (!i || block_of(o->sorted[i]) != block_of(o->sorted[i - 1]))
			*(volatile char *)(o->base + o->sorted[i]) = 0;
	return error;
}

/* Protecting a part makes the kernel map a huge page by small ones. */
static int split_block(const struct touch_orders *o, uint64_t block)
{
	char *p = o->base + block;

	return mprotect(p, o->page_bytes, PROT_READ) ||
			       mprotect(p, o->page_bytes,
					PROT_READ | PROT_WRITE) ?
		       -errno :
		       0;
}

static void give_back(const struct touch_orders *o, uint64_t from, uint64_t to)
{
	if (from < to)
		madvise(o->base + from, to - from, MADV_DONTNEED);
}

/* Of a block whose first page is @i. Return: the next one's. */
static size_t trim_block(const struct touch_orders *o, size_t i)
{
	uint64_t at = block_of(o->sorted[i]);
	uint64_t end = at + TOUCH_BLOCK_BYTES;

	for (; i < o->total && o->sorted[i] < end; i++) {
		uint64_t page = o->sorted[i] - o->sorted[i] % o->page_bytes;

		give_back(o, at, page);
		at = page + o->page_bytes;
	}
	give_back(o, at, end);
	return i;
}

static int split(const struct touch_orders *o)
{
	int error = 0;

	for (size_t i = 0; !error && i < o->total;) {
		error = split_block(o, block_of(o->sorted[i]));
		i = trim_block(o, i);
	}
	/* The kernel would put them together again. */
	madvise(o->mapped, o->mapped_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; !error && o->executable && i < o->total; i++) {
		code_close_ring(o->base + o->sorted[i]);
		code_sync(o->base + o->sorted[i], VIEW_SLOT_BYTES);
	}
	if (!error)
		error = protect(o, false);
	code_serialize();
	return error;
}

/*
 * A page that was only read is the kernel's page of zeros: no struct page is looked up
 * for it, its bit is not cleared, and it is not counted. So clearing takes no entries and
 * little time for pages that are not tested.
 */
static int share_pages(struct touch_orders *o)
{
	o->own_count = 0;
	if (madvise(o->mapped, o->mapped_bytes, MADV_NOHUGEPAGE) &&
	    errno != EINVAL)
		return -errno;
	if (madvise(o->mapped, o->mapped_bytes, MADV_DONTNEED))
		return -errno;
	for (size_t i = 0; i < o->total; i++)
		(void)*(volatile char *)(o->base + o->offsets[i]);
	return 0;
}

static char *page_of(const struct touch_orders *o, uint64_t offset)
{
	return o->base + offset - offset % o->page_bytes;
}

/* Pages that are tested have memory of their own, those of the last test none. */
static int own_tested(struct touch_orders *o)
{
	const size_t count = o->lengths[o->count - 1];
	const uint64_t *tested = o->offsets + o->total - count;
	int error = 0;

	if (o->own_count == count &&
	    !memcmp(o->own, tested, count * sizeof(*tested)))
		return 0;
	for (size_t i = 0; !error && i < o->own_count; i++) {
		char *p = page_of(o, o->own[i]);

		if (madvise(p, o->page_bytes, MADV_DONTNEED))
			error = -errno;
		(void)*(volatile char *)p;
	}
	for (size_t i = 0; !error && i < count; i++)
		*(volatile char *)page_of(o, tested[i]) = 0;
	memcpy(o->own, tested, count * sizeof(*tested));
	o->own_count = count;
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

static int follow_plan(struct touch_orders *o, int clear)
{
	uint64_t *offsets = o->offsets;
	long before = touch_switches();
	bool cleared, quiet = true;

	for (size_t i = 0; i + 1 < o->count; i++) {
		quiet = touch_before(o, i, offsets) && quiet;
		offsets += o->lengths[i];
	}
	touch_witnesses(o);
	cleared = pwrite(clear, CLEAR_ANONYMOUS, 1, 0) == 1;
	touch(o, o->count - 1, 1, offsets);
	touch_witnesses(o);
	o->disturbed = !quiet || touch_switches() != before;
	return cleared ? 0 : -EIO;
}

static int follow(struct touch_orders *o, int clear)
{
	int error;

	switch (o->order) {
	case TOUCH_ORDER_FILL:
		return fill(o);
	case TOUCH_ORDER_SPLIT:
		return split(o);
	case TOUCH_ORDER_SHARE:
		return share_pages(o);
	case TOUCH_ORDER_TOUCH:
		error = o->executable ? 0 : own_tested(o);
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
	while (read(in, &byte, 1) == 1) {
		o->error = follow(o, clear);
		if (write(out, &byte, 1) != 1)
			break;
	}
	_exit(0);
}
