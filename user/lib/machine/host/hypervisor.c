// SPDX-License-Identifier: GPL-2.0
#include "machine/host/hypervisor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/text.h"

/* Of CPUID leaf 1, register c. */
#define HYPERVISOR_BIT (1U << 31)
#define HYPERVISOR_LEAF 0x40000000

/* Fixed ACPI Description Table: "ARM boot architecture flags". */
#define FADT_ARM_FLAGS 129
#define FADT_PSCI 1
#define FADT_PSCI_BY_HVC 2

#if defined(__x86_64__)
/* It calls itself something: 12 bytes. */
enum hypervisor hypervisor_of_processor(char *name, size_t size)
{
	unsigned int a, b, c, d, words[3];
	char raw[sizeof(words) + 1] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d))
		return HYPERVISOR_UNKNOWN;
	if (!(c & HYPERVISOR_BIT))
		return HYPERVISOR_NONE;
	__cpuid(HYPERVISOR_LEAF, a, words[0], words[1], words[2]);
	memcpy(raw, words, sizeof(words));
	text_printable(name, size, raw);
	return HYPERVISOR_SEEN;
}
#else
enum hypervisor hypervisor_of_processor(char *name, size_t size)
{
	(void)name;
	(void)size;
	return HYPERVISOR_UNKNOWN;
}
#endif

static bool has_node(const char *root, char *name, size_t size)
{
	static const char *const paths[] = {
		"/proc/device-tree/hypervisor/compatible",
		"/sys/hypervisor/type",
	};
	char line[64], node[512];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!text_read_at(line, sizeof(line), "%s%s", root, paths[i])) {
			text_printable(name, size, line);
			return true;
		}
	snprintf(node, sizeof(node), "%s/proc/device-tree/hypervisor", root);
	if (access(node, F_OK))
		return false;
	snprintf(name, size, "device tree");
	return true;
}

static bool begins_with(const char *line, const char *prefix)
{
	return !strncmp(line, prefix, strlen(prefix));
}

/* Boards that no hardware has. Microsoft and Google make hardware, too, and
 * Amazon lets some of it as it is.
 */
static bool is_made_up(const char *line)
{
	static const char *const prefixes[] = { "QEMU",
						"KVM",
						"VMware",
						"VMW",
						"Xen",
						"innotek",
						"VirtualBox",
						"Bochs",
						"Parallels",
						"BHYVE",
						"OpenStack",
						"KubeVirt",
						"Amazon EC2",
						"Hyper-V",
						"Apple Virtualization",
						"Alibaba Cloud",
						"Virtual Machine",
						"Google Compute Engine",
						"linux,dummy-virt" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (begins_with(line, prefixes[i]))
			return true;
	return false;
}

/* Its vendor is the same as of virtual machines. */
static bool is_cloud_metal(const char *root)
{
	char line[128];

	return !text_read_at(line, sizeof(line),
			     "%s/sys/class/dmi/id/sys_vendor", root) &&
	       begins_with(line, "Amazon EC2") &&
	       !text_read_at(line, sizeof(line),
			     "%s/sys/class/dmi/id/product_name", root) &&
	       strstr(line, ".metal");
}

static enum hypervisor of_board(const char *root, char *name, size_t size)
{
	static const char *const paths[] = {
		"/sys/class/dmi/id/product_name",
		"/sys/class/dmi/id/sys_vendor",
		"/sys/class/dmi/id/board_vendor",
		"/sys/class/dmi/id/bios_vendor",
		"/sys/class/dmi/id/product_version",
		"/proc/device-tree/compatible",
	};
	char line[128];

	if (is_cloud_metal(root))
		return HYPERVISOR_NONE;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!text_read_at(line, sizeof(line), "%s%s", root, paths[i]) &&
		    is_made_up(line)) {
			text_printable(name, size, line);
			return HYPERVISOR_SEEN;
		}
	return HYPERVISOR_UNKNOWN;
}

static enum hypervisor by_conduit(bool hvc, char *name, size_t size)
{
	if (!hvc)
		return HYPERVISOR_NONE;
	snprintf(name, size, "firmware is called by hvc");
	return HYPERVISOR_SEEN;
}

static enum hypervisor of_firmware_table(const char *root, char *name,
					 size_t size)
{
	unsigned char table[FADT_ARM_FLAGS + 1];
	char path[512];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/firmware/acpi/tables/FACP", root);
	file = fopen(path, "re");
	if (!file)
		return HYPERVISOR_UNKNOWN;
	length = fread(table, 1, sizeof(table), file);
	fclose(file);
	if (length < sizeof(table) || !(table[FADT_ARM_FLAGS] & FADT_PSCI))
		return HYPERVISOR_UNKNOWN;
	return by_conduit(table[FADT_ARM_FLAGS] & FADT_PSCI_BY_HVC, name, size);
}

enum hypervisor hypervisor_of_firmware(const char *root, char *name,
				       size_t size)
{
	enum hypervisor board;
	char method[8];

	if (has_node(root, name, size))
		return HYPERVISOR_SEEN;
	board = of_board(root, name, size);
	if (board != HYPERVISOR_UNKNOWN)
		return board;
	if (!text_read_at(method, sizeof(method),
			  "%s/proc/device-tree/psci/method", root))
		return by_conduit(!strcmp(method, "hvc"), name, size);
	return of_firmware_table(root, name, size);
}

enum hypervisor hypervisor_find(char *name, size_t size)
{
	enum hypervisor found;

	name[0] = '\0';
	found = hypervisor_of_processor(name, size);
	return found == HYPERVISOR_UNKNOWN ?
		       hypervisor_of_firmware("", name, size) :
		       found;
}
