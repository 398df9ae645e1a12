// SPDX-License-Identifier: GPL-2.0
/* counters.c - events that perf can count on this computer. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "info/capability.h"
#include "machine/module/event_library.h"

#define PMUS "/sys/bus/event_source/devices"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static void pmus(struct capability_list *list)
{
	struct capability *c = capability_add(list, "perf PMUs", CAPABILITY_NO);
	DIR *directory = opendir(PMUS);
	struct dirent *entry;
	uint64_t count = 0;

	if (!directory) {
		capability_detail(c, "%s: %s", PMUS, strerror(errno));
		return;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		capability_detail(c, "%s%s", count++ ? ", " : "",
				  entry->d_name);
	}
	closedir(directory);
	capability_fact(c, "pmus", count);
	if (count)
		c->state = CAPABILITY_YES;
	else
		capability_detail(c, "none");
}

static void paranoid(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "perf paranoid", CAPABILITY_NO);
	char line[32];
	int64_t level;
	int error = text_read(PARANOID, line, sizeof(line));

	if (error) {
		capability_detail(c, "%s: %s", PARANOID, strerror(-error));
		return;
	}
	if (text_signed(line, &level)) {
		c->state = CAPABILITY_UNKNOWN;
		capability_detail(c, "cannot understand '%s'", line);
		return;
	}
	/* It does not bind processes with CAP_PERFMON (perf-security.rst). */
	c->state = CAPABILITY_YES;
	capability_detail(c, "perf_event_paranoid is %" PRId64 "%s", level,
			  level > 2 ? ": only privileged users may count" :
			  level > 1 ? ": others may count user space alone" :
				      "");
}

static int open_cycles(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Cycles counted over a little work, 0 when the counter never ran. */
static uint64_t try_cycles(int fd)
{
	struct {
		uint64_t value, enabled, running;
	} now = { 0, 0, 0 };

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (volatile unsigned int i = 0; i < 100000;)
		i = i + 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &now, sizeof(now)) != sizeof(now) || !now.running)
		return 0;
	return now.value;
}

static void cycles(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "cycle counter", CAPABILITY_NO);
	int fd = open_cycles();

	if (fd >= 0) {
		if (try_cycles(fd)) {
			c->state = CAPABILITY_YES;
			capability_detail(c, "perf counts cycles");
		} else {
			capability_detail(
				c,
				"perf accepts the event, but it does not count");
		}
		close(fd);
		return;
	}
	capability_detail(c, "perf: %s", strerror(-fd));
	if (fd == -EACCES || fd == -EPERM)
		capability_remedy(c, "run as root (CAP_PERFMON)");
	else if (fd == -ENOENT || fd == -ENODEV || fd == -EOPNOTSUPP)
		capability_remedy(
			c,
			"there is no CPU PMU; in a virtual machine the host has to pass one on");
}

static void names(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "event names", CAPABILITY_YES);

	if (event_library_there()) {
		capability_detail(
			c,
			"as in manuals, through libpfm4, and as PMU/EVENT/ in %s",
			PMUS);
		return;
	}
	c->state = CAPABILITY_NO;
	capability_detail(
		c,
		"built without libpfm4: not as in manuals, only as PMU/EVENT/ in %s",
		PMUS);
	capability_remedy(c, "install libpfm4-dev and build again");
}

void capability_counters(struct capability_list *list)
{
	pmus(list);
	paranoid(list);
	cycles(list);
	names(list);
}
