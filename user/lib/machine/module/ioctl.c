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

#define COMMAND(name, how, code)                                 \
	int module_##name(int fd, struct probe_phys_##name *arg) \
	{                                                        \
		arg->size = sizeof(*arg);                        \
		return how(fd, PROBE_PHYS_IOC_##code, arg);      \
	}

COMMAND(info, again, INFO)
COMMAND(flush_all, again, FLUSH_ALL)
COMMAND(prefetch, once, PREFETCH)
COMMAND(buffer_create, once, BUFFER_CREATE)
COMMAND(counters_create, once, COUNTERS_CREATE)
COMMAND(buffer_info, again, BUFFER_INFO)
COMMAND(buffer_extents, once, BUFFER_EXTENTS)
COMMAND(buffer_flush, again, BUFFER_FLUSH)
COMMAND(view_create, once, VIEW_CREATE)
COMMAND(walk, once, WALK)
COMMAND(view_resolve, again, VIEW_RESOLVE)
COMMAND(view_flush, again, VIEW_FLUSH)
COMMAND(view_accessed, again, VIEW_ACCESSED)
COMMAND(counters_control, again, COUNTERS_CONTROL)
COMMAND(counters_read, again, COUNTERS_READ)
