// SPDX-License-Identifier: GPL-2.0
/* check_hypervisor.c - guests, and boards that look like them. */
#include <string.h>

#include "kit/treekit.h"
#include "machine/host/hypervisor.h"
#include "suites.h"

#define DMI "/sys/class/dmi/id/"
#define TREE "/proc/device-tree/"
#define FACP "/sys/firmware/acpi/tables/FACP"
#define FILES 3

/* FADT_ARM_FLAGS as of the ACPI specification, behind zeros. */
#define FLAGS_AT 129

struct file {
	const char *path;
	const char *text;
};

static const struct {
	const char *name;
	enum hypervisor wanted;
	struct file files[FILES];
	unsigned char arm_flags;
} boards[] = {
	{ "nothing at all", HYPERVISOR_UNKNOWN, { { 0 } }, 0 },
	{ "KVM, device tree",
	  HYPERVISOR_SEEN,
	  { { TREE "compatible", "linux,dummy-virt" } },
	  0 },
	{ "Xen, device tree",
	  HYPERVISOR_SEEN,
	  { { TREE "hypervisor/compatible", "xen,xen-4.17" },
	    { TREE "psci/method", "smc" } },
	  0 },
	{ "a node without a name",
	  HYPERVISOR_SEEN,
	  { { TREE "hypervisor/reg", "x" } },
	  0 },
	{ "a guest whose board is unknown",
	  HYPERVISOR_SEEN,
	  { { TREE "compatible", "some,board" },
	    { TREE "psci/method", "hvc" } },
	  0 },
	{ "a board",
	  HYPERVISOR_NONE,
	  { { TREE "compatible", "some,board" },
	    { TREE "psci/method", "smc" } },
	  0 },
	{ "a board without PSCI",
	  HYPERVISOR_UNKNOWN,
	  { { TREE "compatible", "raspberrypi,4-model-b" } },
	  0 },
	{ "a guest with ACPI", HYPERVISOR_SEEN, { { 0 } }, 3 },
	{ "a server with ACPI", HYPERVISOR_NONE, { { 0 } }, 1 },
	{ "ACPI without PSCI", HYPERVISOR_UNKNOWN, { { 0 } }, 4 },
	{ "EC2",
	  HYPERVISOR_SEEN,
	  { { DMI "sys_vendor", "Amazon EC2" },
	    { DMI "product_name", "m6g.large" } },
	  1 },
	{ "EC2 without a hypervisor",
	  HYPERVISOR_NONE,
	  { { DMI "sys_vendor", "Amazon EC2" },
	    { DMI "product_name", "m6g.metal" } },
	  1 },
	{ "QEMU with firmware",
	  HYPERVISOR_SEEN,
	  { { DMI "sys_vendor", "QEMU" },
	    { DMI "product_name", "QEMU Virtual Machine" } },
	  1 },
	{ "Azure",
	  HYPERVISOR_SEEN,
	  { { DMI "sys_vendor", "Microsoft Corporation" },
	    { DMI "product_name", "Virtual Machine" } },
	  1 },
	{ "a laptop of the same vendor",
	  HYPERVISOR_NONE,
	  { { DMI "sys_vendor", "Microsoft Corporation" },
	    { DMI "product_name", "Surface Pro X" } },
	  1 },
	{ "Google's cloud",
	  HYPERVISOR_SEEN,
	  { { DMI "sys_vendor", "Google" },
	    { DMI "product_name", "Google Compute Engine" } },
	  1 },
};

START_TEST(guests_and_boards)
{
	char top[] = TREEKIT_NAME, name[64] = "";
	unsigned char table[FLAGS_AT + 2] = { 0 };
	enum hypervisor found;

	treekit_make(top);
	for (size_t i = 0; i < FILES && boards[_i].files[i].path; i++)
		/* A device tree's strings end with their zero. */
		treekit_put(top, boards[_i].files[i].path,
			    boards[_i].files[i].text,
			    strlen(boards[_i].files[i].text) + 1);
	table[FLAGS_AT] = boards[_i].arm_flags;
	if (boards[_i].arm_flags)
		treekit_put(top, FACP, table, sizeof(table));
	found = hypervisor_of_firmware(top, name, sizeof(name));
	treekit_drop(top);
	ck_assert_msg(found == boards[_i].wanted, "%s: %d instead of %d (%s)",
		      boards[_i].name, found, boards[_i].wanted, name);
	ck_assert_int_eq(found == HYPERVISOR_SEEN, name[0] != '\0');
}
END_TEST

/* A table that is too short says nothing. */
START_TEST(short_tables)
{
	static const unsigned char table[FLAGS_AT] = { 0 };
	char top[] = TREEKIT_NAME, name[64];
	enum hypervisor found;

	treekit_make(top);
	treekit_put(top, FACP, table, sizeof(table));
	found = hypervisor_of_firmware(top, name, sizeof(name));
	treekit_drop(top);
	ck_assert_int_eq(found, HYPERVISOR_UNKNOWN);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("firmware");

	tcase_add_loop_test(t, guests_and_boards, 0,
			    sizeof(boards) / sizeof(boards[0]));
	tcase_add_test(t, short_tables);
	suite_add_tcase(suite, t);
	return suite;
}
