/* SPDX-License-Identifier: GPL-2.0 */
/* guest.h - what the tests of the lab's guest share. */
#ifndef LAB_GUEST_H
#define LAB_GUEST_H

#include <linux/probe_phys.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define BUFFER_BYTES (8 * MIB)

enum event {
	CYCLES,
	LOADS,
	L1D,
	L2,
	DTLB,
	L1I,
	EVENTS
};

extern const char *const event_names[EVENTS];

/**
 * struct guest - what everything is done with
 * @cpu: the modelled CPU, which this program runs on
 * @session: descriptor of the module; so are @buffer and @counters
 * @info: what the module can do
 */
struct guest {
	int cpu;
	int session;
	int buffer;
	int counters;
	struct probe_phys_info info;
};

extern struct guest guest;

/** check() - a line of TAP */
void check(bool good, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** skip() - a line of TAP for @what, which this kernel cannot do */
void skip(const char *what);

/** need() - without it there is no going on */
void need(bool good, const char *what);

/** plan() - the last line of TAP */
void plan(void);

/** open_guest() - everything, with the counters of PMU @name */
void open_guest(int cpu, const char *name);

/** control() - have this CPU modelled, or no longer */
void control(bool on);

/** giant_buffer() - 1 GiB, aligned; -1: the module has no views for it */
int giant_buffer(void);

/** count() - what @event has counted so far */
uint64_t count(enum event event);

/**
 * struct guest_view - a view of a buffer
 * @fd: its descriptor
 * @base: where it is mapped
 * @bytes: so long
 */
struct guest_view {
	int fd;
	char *base;
	uint64_t bytes;
};

/** map_view() - @bytes of @buffer by pages of @page_bytes; @alias_pages of them
 * one after the other on the same memory, or 0
 */
struct guest_view map_view(int buffer, uint64_t bytes, uint64_t page_bytes,
			   unsigned int alias_pages);
void unmap_view(struct guest_view *v);

/** map_code_view() - the same of @bytes, to be executed and not written */
struct guest_view map_code_view(int buffer, uint64_t bytes,
				uint64_t page_bytes);

/**
 * struct touching - what happens between two touches of the same memory
 * @base: memory
 * @n: places
 * @stride: apart
 * @between: what happens; NULL: nothing
 * @view: that @base is of
 */
struct touching {
	char *base;
	unsigned int n;
	uint64_t stride;
	void (*between)(const struct touching *t);
	const struct guest_view *view;
};

/** check_touching() - touch twice; the second time @event happens so often,
 * or up to @slack times more
 */
void check_touching(const char *what, const struct touching *t,
		    enum event event, uint64_t expected, uint64_t slack);

/* walks.c: known sequences in the kernel. */
void check_sets(void);
void check_cycles(void);
void check_long_lists(void);

/* touches.c: known accesses of this program. */
void check_caches(void);
void check_prefetchers(void);

/** switch_prefetchers() - of the module, all of them, and see that they are */
void switch_prefetchers(bool on);

/* fetches.c: known fetches. */
void check_fetches(void);

/* translations.c: the same for TLBs. */

/** check_tlbs() - @giant: 1 GiB of memory, -1: no pages of that size */
void check_tlbs(int giant);
void check_invlpg(void);

#endif
