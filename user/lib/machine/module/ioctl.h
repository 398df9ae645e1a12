/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ioctl.h - one function per command of /dev/probe_phys.
 *
 * Each sets the size field, makes one call and returns 0 or -errno, nothing
 * else: <linux/probe_phys.h> documents the arguments. Commands that
 * change nothing are repeated when a signal interrupts them.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_IOCTL_H
#define PROBE_PHYS_MACHINE_MODULE_IOCTL_H

#include <linux/probe_phys.h>

/** module_open() - make a session; Return: a descriptor or -errno */
int module_open(void);

/* On a session. */
int module_info(int session, struct probe_phys_info *arg);
int module_flush_all(int session, struct probe_phys_flush_all *arg);
int module_prefetch(int session, struct probe_phys_prefetch *arg);
int module_buffer_create(int session, struct probe_phys_buffer_create *arg);
int module_counters_create(int session, struct probe_phys_counters_create *arg);

/* On a buffer. */
int module_buffer_info(int buffer, struct probe_phys_buffer_info *arg);
int module_buffer_extents(int buffer, struct probe_phys_buffer_extents *arg);
int module_buffer_flush(int buffer, struct probe_phys_buffer_flush *arg);
int module_view_create(int buffer, struct probe_phys_view_create *arg);
int module_walk(int buffer, struct probe_phys_walk *arg);

/* On a view. */
int module_view_resolve(int view, struct probe_phys_view_resolve *arg);
int module_view_flush(int view, struct probe_phys_view_flush *arg);
int module_view_accessed(int view, struct probe_phys_view_accessed *arg);

/* On a counter group. */
int module_counters_control(int counters,
			    struct probe_phys_counters_control *arg);
int module_counters_read(int counters, struct probe_phys_counters_read *arg);

#endif
