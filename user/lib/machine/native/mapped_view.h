/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mapped_view.h - views of the machines that are real: how they are walked,
 * whatever made the mapping.
 *
 * A view is closed before its machine. Closing it after the machine does no
 * harm, as it holds all that it needs; walking it then does.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_MAPPED_VIEW_H
#define PROBE_PHYS_MACHINE_NATIVE_MAPPED_VIEW_H

#include <sys/types.h>

#include "machine/host/page_watch.h"
#include "machine/machine.h"
#include "machine/native/code/returns.h"
#include "machine/native/code/pace.h"
#include "machine/native/timer.h"

struct chase_meter;
struct touch_orders;

/**
 * struct mapped_view - virtual pages of this process
 * @view: what methods see
 * @timer: clock of the samples
 * @base: page 0
 * @frames: frame 0, the frames one after the other, where they can be written
 *          without the view's translations; @base: executable views, nowhere
 *          else, so that the pages change between writable and executable;
 *          NULL: data, nowhere else
 * @mapped: mapping of the view, @mapped_bytes long; NULL: the memory belongs to
 *          the machine
 * @own_frames: @frames is to be unmapped as well
 * @meter: counters around the samples of a walk, NULL: none
 * @fd: file that is mapped, -1: none
 * @touch: file that touches pages before they are walked, -1: not needed
 * @first: executable: first slot of the last walk, if it was one of jumps;
 *         NULL: none
 * @returns: the last walk, if it was one of returns
 * @pace: of full returns that are timed at one frequency
 * @touched: a bit for each page that was, NULL: not needed
 * @child: process that touches pages, killed when the view is closed; 0: none
 * @smaps: file that shows its accessed bits, -1: none
 * @orders: what it is to do, @orders_bytes long, shared with it
 * @present: sum over the offsets that it can touch
 * @watch: of pages that may change their size; all zero: they do not
 */
struct mapped_view {
	struct view view;
	const struct timer *timer;
	char *base;
	char *frames;
	char *mapped;
	uint64_t mapped_bytes;
	bool own_frames;
	const struct chase_meter *meter;
	int fd;
	int touch;
	const char *first;
	struct returns returns;
	struct pace pace;
	uint64_t *touched;
	pid_t child;
	int smaps;
	struct touch_orders *orders;
	size_t orders_bytes;
	uint64_t present;
	struct page_watch watch;
};

/**
 * mapped_view_new() - a view without pages
 *
 * Refuses what the machine does not offer (-EOPNOTSUPP) and what makes no
 * sense (-EINVAL). Return: 0, released with mapped_view_close(); or -errno
 * with @f set.
 */
int mapped_view_new(struct machine *m, const struct timer *timer,
		    const struct view_request *request,
		    struct mapped_view **view, struct failure *f);

/** mapped_view_bytes() - length of all pages */
uint64_t mapped_view_bytes(const struct mapped_view *v);

/** mapped_view_frame_bytes() - length of all frames */
uint64_t mapped_view_frame_bytes(const struct mapped_view *v);

/** mapped_view_again() - once through what was last walked in an executable
 * view
 */
void mapped_view_again(const struct view *view);

/** mapped_view_close() - struct machine_ops.view_close */
void mapped_view_close(struct view *view);

#endif
