// SPDX-License-Identifier: GPL-2.0
#include "machine/module/ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

int module_open(void)
{
	int fd = open(PROBE_PHYS_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* For commands whose outputs may overwrite inputs, or that make something. */
static int once(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) < 0 ? -errno : 0;
}

static int again(int fd, unsigned long command, void *arg)
{
	int error;

	do {
		error = once(fd, command, arg);
	} while (error == -EINTR);
	return error;
}

int module_info(int session, struct probe_phys_info *arg)
{
	arg->size = sizeof(*arg);
	return again(session, PROBE_PHYS_IOC_INFO, arg);
}

int module_flush_all(int session, struct probe_phys_flush_all *arg)
{
	arg->size = sizeof(*arg);
	return again(session, PROBE_PHYS_IOC_FLUSH_ALL, arg);
}

int module_prefetch(int session, struct probe_phys_prefetch *arg)
{
	arg->size = sizeof(*arg);
	return once(session, PROBE_PHYS_IOC_PREFETCH, arg);
}

int module_buffer_create(int session, struct probe_phys_buffer_create *arg)
{
	arg->size = sizeof(*arg);
	return once(session, PROBE_PHYS_IOC_BUFFER_CREATE, arg);
}

int module_counters_create(int session, struct probe_phys_counters_create *arg)
{
	arg->size = sizeof(*arg);
	return once(session, PROBE_PHYS_IOC_COUNTERS_CREATE, arg);
}

int module_buffer_info(int buffer, struct probe_phys_buffer_info *arg)
{
	arg->size = sizeof(*arg);
	return again(buffer, PROBE_PHYS_IOC_BUFFER_INFO, arg);
}

int module_buffer_extents(int buffer, struct probe_phys_buffer_extents *arg)
{
	arg->size = sizeof(*arg);
	return once(buffer, PROBE_PHYS_IOC_BUFFER_EXTENTS, arg);
}

int module_buffer_flush(int buffer, struct probe_phys_buffer_flush *arg)
{
	arg->size = sizeof(*arg);
	return again(buffer, PROBE_PHYS_IOC_BUFFER_FLUSH, arg);
}

int module_view_create(int buffer, struct probe_phys_view_create *arg)
{
	arg->size = sizeof(*arg);
	return once(buffer, PROBE_PHYS_IOC_VIEW_CREATE, arg);
}

int module_walk(int buffer, struct probe_phys_walk *arg)
{
	arg->size = sizeof(*arg);
	return once(buffer, PROBE_PHYS_IOC_WALK, arg);
}

int module_view_resolve(int view, struct probe_phys_view_resolve *arg)
{
	arg->size = sizeof(*arg);
	return again(view, PROBE_PHYS_IOC_VIEW_RESOLVE, arg);
}

int module_view_flush(int view, struct probe_phys_view_flush *arg)
{
	arg->size = sizeof(*arg);
	return again(view, PROBE_PHYS_IOC_VIEW_FLUSH, arg);
}

int module_counters_control(int counters,
			    struct probe_phys_counters_control *arg)
{
	arg->size = sizeof(*arg);
	return again(counters, PROBE_PHYS_IOC_COUNTERS_CONTROL, arg);
}

int module_counters_read(int counters, struct probe_phys_counters_read *arg)
{
	arg->size = sizeof(*arg);
	return again(counters, PROBE_PHYS_IOC_COUNTERS_READ, arg);
}
