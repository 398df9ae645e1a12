/* SPDX-License-Identifier: GPL-2.0 */
/*
 * view.h - views of the module's memory, proven entry by entry: some
 * when the view is opened, others when they are walked for the first time.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_VIEW_H
#define PROBE_PHYS_MACHINE_MODULE_VIEW_H

#include <linux/probe_phys.h>

#include "machine/machine.h"
#include "machine/native/timer.h"

/**
 * struct module_mapping - a view of the module, mapped
 * @view: its descriptor, -1: none
 * @base: address of page 0, NULL: not mapped
 * @phys: physical address of frame 0; the frames are consecutive
 * @shape: pages, their size, frames; executable: they cannot be written
 */
struct module_mapping {
	int view;
	char *base;
	uint64_t phys;
	struct view_request shape;
	uint64_t align;
};

/**
 * module_mapping_make() - make a view of a buffer and map it
 * @mapping: (in) phys, shape and align; (out) view and base; module_mapping_end() on
 *           error, too
 * @buffer: descriptor
 * @alias_pages: as in struct probe_phys_view_create; 0: each frame once, in
 *               order
 *
 * Return: 0 or -errno of the module or of mmap().
 */
int module_mapping_make(struct module_mapping *mapping, int buffer,
			uint32_t alias_pages);

/** module_mapping_end() - unmap it and close its view; one without either is
 * allowed
 */
void module_mapping_end(struct module_mapping *mapping);

/**
 * module_mapping_prove() - check that every page is there, with the wanted size
 * and frame
 *
 * Return: 0; -EFAULT when one cannot be touched, -EPROTO when one is wrong, or
 * another -errno.
 */
int module_mapping_prove(const struct module_mapping *mapping);

/**
 * struct module_memory - memory of which views are made
 * @buffer: descriptor
 * @base: where the buffer is mapped, writable
 */
struct module_memory {
	int buffer;
	char *base;
};

/** module_views() - fill machine.view_*: the views that are possible */
void module_views(struct machine *m, const struct probe_phys_info *info);

/** module_view_open() - struct machine_ops.view_open */
int module_view_open(struct machine *m, const struct timer *timer,
		     const struct module_memory *memory,
		     const struct view_request *request, struct view **view,
		     struct failure *f);

/** module_view_walk() - struct machine_ops.view_walk */
int module_view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f);

/**
 * module_view_prove() - map and check those pages of a walk that are not mapped yet
 * Return: 0, or -errno with @f set. Offsets beyond the view are left alone.
 */
int module_view_prove(struct view *view, const struct sequence *s,
		      struct failure *f);

/** module_view_touch() - struct machine_ops.view_touch, by VIEW_ACCESSED */
int module_view_touch(struct view *view, const struct touch_plan *plan,
		      struct touch_answer *answer, struct failure *f);

/** module_view_touch_tables() - struct machine_ops.view_touch_tables */
int module_view_touch_tables(struct view *view, const struct touch_plan *plan,
			     uint64_t table_bytes, struct touch_answer *answer,
			     struct failure *f);

#endif
