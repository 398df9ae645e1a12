// SPDX-License-Identifier: GPL-2.0
/* memory.c - huge pages and physical addresses in user space. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "info/capability.h"

#define POOLS "/sys/kernel/mm/hugepages/"
#define THP "/sys/kernel/mm/transparent_hugepage/enabled"

/* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)

static void pool(struct capability_list *list, const char *name,
		 unsigned int kib)
{
	struct capability *c = capability_add(list, name, CAPABILITY_NO);
	uint64_t total, available;
	char path[128];

	snprintf(path, sizeof(path), POOLS "hugepages-%ukB/nr_hugepages", kib);
	if (text_read_number(path, &total)) {
		capability_detail(c, "this kernel or CPU has no such pages");
		return;
	}
	snprintf(path, sizeof(path), POOLS "hugepages-%ukB/free_hugepages",
		 kib);
	if (text_read_number(path, &available)) {
		c->state = CAPABILITY_UNKNOWN;
		capability_detail(c, "%s cannot be read", path);
		return;
	}
	capability_detail(c, "%" PRIu64 " of %" PRIu64 " pages are free",
			  available, total);
	capability_fact(c, "pages", total);
	capability_fact(c, "free_pages", available);
	if (available)
		c->state = CAPABILITY_YES;
	else
		capability_remedy(c,
				  "echo N > " POOLS
				  "hugepages-%ukB/nr_hugepages",
				  kib);
}

static void transparent(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "transparent pages", CAPABILITY_NO);
	char line[96], mode[32];
	int error = text_read(THP, line, sizeof(line));

	if (error) {
		capability_detail(c, "%s: %s", THP, strerror(-error));
		return;
	}
	if (text_bracketed(line, mode, sizeof(mode))) {
		c->state = CAPABILITY_UNKNOWN;
		capability_detail(c, "cannot understand '%s'", line);
		return;
	}
	capability_detail(c, "enabled: %s", mode);
	if (strcmp(mode, "never"))
		c->state = CAPABILITY_YES;
	else
		capability_remedy(c, "echo madvise > " THP);
}

/* The entry of the page that @address is in; it has been written to. */
static int pagemap_entry(const void *address, uint64_t *entry)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t page = (uintptr_t)address / (uint64_t)sysconf(_SC_PAGESIZE);
	ssize_t got;
	int error;

	if (fd < 0)
		return -errno;
	got = pread(fd, entry, sizeof(*entry), (off_t)(page * sizeof(*entry)));
	error = got < 0 ? -errno : got == sizeof(*entry) ? 0 : -EIO;
	close(fd);
	return error;
}

static void pagemap(struct capability_list *list)
{
	struct capability *c = capability_add(list, "pagemap", CAPABILITY_NO);
	volatile char here = 1;
	uint64_t entry = 0;
	int error = pagemap_entry((const void *)&here, &entry);

	if (error) {
		capability_detail(c, "/proc/self/pagemap: %s",
				  strerror(-error));
		return;
	}
	if (entry & PAGEMAP_PRESENT && entry & PAGEMAP_FRAME) {
		c->state = CAPABILITY_YES;
		capability_detail(
			c, "physical addresses of own pages can be read");
		return;
	}
	capability_detail(c, "the kernel hides physical addresses");
	capability_remedy(c, "run as root (CAP_SYS_ADMIN)");
}

void capability_memory(struct capability_list *list)
{
	pool(list, "1 GiB pages", 1U << 20);
	pool(list, "2 MiB pages", 2U << 10);
	transparent(list);
	pagemap(list);
}
