// SPDX-License-Identifier: GPL-2.0
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const event_names[EVENTS] = { "cycles",  "loads",	  "l1d_miss",
					  "l2_miss", "dtlb_miss", "l1i_miss" };
struct guest guest;

static char pmu[128] = "/sys/bus/event_source/devices/";
static unsigned int tests;

/* --- TAP ------------------------------------------------------------------ */

void check(bool good, const char *format, ...)
{
	va_list list;

	printf("%sok %u - ", good ? "" : "not ", ++tests);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	fflush(stdout);
}

void skip(const char *what)
{
	printf("ok %u # SKIP %s\n", ++tests, what);
	fflush(stdout);
}

void need(bool good, const char *what)
{
	if (good)
		return;
	check(false, "%s: %s", what, strerror(errno));
	exit(1);
}

void plan(void)
{
	printf("1..%u\n", tests);
}

/* --- counters ------------------------------------------------------------- */

static unsigned long long read_number(const char *path, const char *before)
{
	unsigned long long number = 0;
	char text[64] = "", *at;
	FILE *file = fopen(path, "r");

	need(file && fgets(text, sizeof(text), file), path);
	fclose(file);
	at = strstr(text, before);
	need(at, text);
	number = strtoull(at + strlen(before), NULL, 0);
	return number;
}

/* A file of the PMU. */
static const char *pmu_file(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", pmu, name);
	return path;
}

void control(bool on)
{
	FILE *file = fopen(pmu_file("cpus"), "w");

	need(file, pmu_file("cpus"));
	fprintf(file, "%u", on ? 1U << guest.cpu : 0);
	need(!fclose(file), pmu_file("cpus"));
}

static void open_counters(void)
{
	struct probe_phys_counters_create group = { .size = sizeof(group) };
	char event[64];

	group.cpu = (__u32)guest.cpu;
	group.nr_events = EVENTS;
	for (int i = 0; i < EVENTS; i++) {
		snprintf(event, sizeof(event), "events/%s", event_names[i]);
		group.events[i].type = (__u32)read_number(pmu_file("type"), "");
		group.events[i].config = read_number(pmu_file(event), "event=");
	}
	need(!ioctl(guest.session, PROBE_PHYS_IOC_COUNTERS_CREATE, &group),
	     "counters");
	guest.counters = group.fd;
}

uint64_t count(enum event event)
{
	struct probe_phys_counters_read read = { .size = sizeof(read) };

	need(!ioctl(guest.counters, PROBE_PHYS_IOC_COUNTERS_READ, &read),
	     "read");
	return read.values[event].value;
}

/* --- memory --------------------------------------------------------------- */

static int buffer_of(uint64_t bytes, uint64_t align)
{
	struct probe_phys_buffer_create create = {
		.size = sizeof(create),
		.bytes = bytes,
		.min_bytes = bytes,
		.min_extent_bytes = bytes,
		.align_bytes = align,
		.node = PROBE_PHYS_NODE_ANY,
	};

	if (ioctl(guest.session, PROBE_PHYS_IOC_BUFFER_CREATE, &create))
		return -1;
	return create.fd;
}

int giant_buffer(void)
{
	struct probe_phys_buffer_create create = {
		.size = sizeof(create),
		.bytes = GIB,
		.min_bytes = GIB,
		.min_extent_bytes = GIB,
		.align_bytes = GIB,
		.node = PROBE_PHYS_NODE_ANY,
		.rungs = PROBE_PHYS_RUNG_IMPORT,
	};
	char *page;

	if (!guest.info.pud_bytes)
		return -1;
	page = mmap(NULL, GIB, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
			    30 << MAP_HUGE_SHIFT,
		    -1, 0);
	need(page != MAP_FAILED, "page of 1 GiB");
	create.import_addr = (uintptr_t)page;
	need(!ioctl(guest.session, PROBE_PHYS_IOC_BUFFER_CREATE, &create),
	     "buffer of 1 GiB");
	return create.fd;
}

static struct guest_view map(int buffer, struct probe_phys_view_create *create,
			     int prot)
{
	uint64_t pages = create->alias_pages;
	struct guest_view v = { .bytes = pages ? pages * create->page_bytes :
						 create->bytes };

	create->size = sizeof(*create);
	need(!ioctl(buffer, PROBE_PHYS_IOC_VIEW_CREATE, create), "view");
	v.fd = create->fd;
	v.base = mmap(NULL, v.bytes, prot, MAP_SHARED, v.fd, 0);
	need(v.base != MAP_FAILED, "mmap of a view");
	return v;
}

struct guest_view map_view(int buffer, uint64_t bytes, uint64_t page_bytes,
			   unsigned int alias_pages)
{
	struct probe_phys_view_create create = { .bytes = bytes,
						 .page_bytes = page_bytes,
						 .alias_pages = alias_pages };

	return map(buffer, &create, PROT_READ | PROT_WRITE);
}

struct guest_view map_code_view(int buffer, uint64_t bytes, uint64_t page_bytes)
{
	struct probe_phys_view_create create = { .flags = PROBE_PHYS_VIEW_EXEC,
						 .bytes = bytes,
						 .page_bytes = page_bytes };

	return map(buffer, &create, PROT_READ | PROT_EXEC);
}

void unmap_view(struct guest_view *v)
{
	munmap(v->base, v->bytes);
	close(v->fd);
}

void open_guest(int cpu, const char *name)
{
	guest.cpu = cpu;
	strncat(pmu, name, 32);
	guest.session = open(PROBE_PHYS_DEVICE, O_RDWR);
	need(guest.session >= 0, PROBE_PHYS_DEVICE);
	guest.info.size = sizeof(guest.info);
	need(!ioctl(guest.session, PROBE_PHYS_IOC_INFO, &guest.info), "info");
	guest.buffer = buffer_of(BUFFER_BYTES, 2 * MIB);
	need(guest.buffer >= 0, "buffer");
	open_counters();
}
