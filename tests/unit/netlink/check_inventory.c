// SPDX-License-Identifier: GPL-2.0
/* check_inventory.c - attributes: complete, incomplete and damaged messages. */
#include <errno.h>
#include <linux/probe_phys.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/inventory.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

/* What a buffer's message holds, apart from the owner's name. */
static const struct {
	int type;
	bool wide;
	uint64_t value;
} buffer_numbers[] = {
	{ PROBE_PHYS_A_ID, true, UINT64_C(0x100000001) },
	{ PROBE_PHYS_A_OWNER_PID, false, 4711 },
	{ PROBE_PHYS_A_BYTES, true, UINT64_C(1) << 33 },
	{ PROBE_PHYS_A_NODE, false, (uint32_t)-1 },
	{ PROBE_PHYS_A_RUNG, false, PROBE_PHYS_RUNG_CONTIG },
	{ PROBE_PHYS_A_NR_EXTENTS, false, 3 },
	{ PROBE_PHYS_A_PHYS, true, UINT64_C(0x123456789000) },
	{ PROBE_PHYS_A_LARGEST_BYTES, true, UINT64_C(1) << 32 },
	{ PROBE_PHYS_A_NR_VIEWS, false, 2 },
};

#define NUMBERS (sizeof(buffer_numbers) / sizeof(buffer_numbers[0]))

static struct nl_msg *buffer_message(size_t without, const char *comm)
{
	struct nl_msg *message = nlmsg_alloc();

	ck_assert_ptr_nonnull(message);
	ck_assert_ptr_nonnull(nlmsg_put(message, 0, 0, 0x20, 0, 0));
	for (size_t i = 0; i < NUMBERS; i++) {
		if (i == without)
			continue;
		if (buffer_numbers[i].wide)
			nla_put_u64(message, buffer_numbers[i].type,
				    buffer_numbers[i].value);
		else
			nla_put_u32(message, buffer_numbers[i].type,
				    (uint32_t)buffer_numbers[i].value);
	}
	if (comm)
		nla_put_string(message, PROBE_PHYS_A_OWNER_COMM, comm);
	return message;
}

static int parse(struct nl_msg *message, struct nlattr **attributes)
{
	return nlmsg_parse(nlmsg_hdr(message), 0, attributes, PROBE_PHYS_A_MAX,
			   (struct nla_policy *)(uintptr_t)genl_policy());
}

static int take_buffer(struct nl_msg *message, struct inventory_buffer *buffer)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1];
	int error;

	ck_assert_int_eq(parse(message, attributes), 0);
	error = inventory_take(INVENTORY_BUFFER, attributes, buffer);
	nlmsg_free(message);
	return error;
}

START_TEST(buffer_complete)
{
	struct nl_msg *message = buffer_message(NUMBERS, "probe");
	struct inventory_buffer b;

	nla_put_u32(message, PROBE_PHYS_A_WALK_PAGE_BYTES, 2 << 20);
	ck_assert_int_eq(take_buffer(message, &b), 0);
	ck_assert_uint_eq(b.id, UINT64_C(0x100000001));
	ck_assert_uint_eq(b.owner.pid, 4711);
	ck_assert_str_eq(b.owner.comm, "probe");
	ck_assert_uint_eq(b.bytes, UINT64_C(1) << 33);
	ck_assert_int_eq(b.node, -1);
	ck_assert_uint_eq(b.rung, PROBE_PHYS_RUNG_CONTIG);
	ck_assert_uint_eq(b.extent_count, 3);
	ck_assert_uint_eq(b.phys, UINT64_C(0x123456789000));
	ck_assert_uint_eq(b.largest_bytes, UINT64_C(1) << 32);
	ck_assert_uint_eq(b.view_count, 2);
	ck_assert_uint_eq(b.walk_page_bytes, 2 << 20);
}
END_TEST

START_TEST(buffer_lacks_a_number)
{
	struct inventory_buffer b;

	ck_assert_int_eq(take_buffer(buffer_message((size_t)_i, "probe"), &b),
			 -ENODATA);
}
END_TEST

START_TEST(buffer_lacks_the_name)
{
	struct inventory_buffer b;

	ck_assert_int_eq(take_buffer(buffer_message(NUMBERS, NULL), &b),
			 -ENODATA);
}
END_TEST

START_TEST(name_is_made_printable)
{
	struct inventory_buffer b;

	ck_assert_int_eq(
		take_buffer(buffer_message(NUMBERS, "a\033[2J\xff\n"), &b), 0);
	ck_assert_str_eq(b.owner.comm, "a?[2J??");
}
END_TEST

START_TEST(narrow_number_is_refused)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1];
	struct nl_msg *message = buffer_message(0, "probe");

	nla_put_u32(message, PROBE_PHYS_A_ID, 1);
	ck_assert_int_lt(parse(message, attributes), 0);
	nlmsg_free(message);
}
END_TEST

START_TEST(unterminated_name_is_refused)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1];
	struct nl_msg *message = buffer_message(NUMBERS, NULL);

	nla_put(message, PROBE_PHYS_A_OWNER_COMM, 4, "name");
	ck_assert_int_lt(parse(message, attributes), 0);
	nlmsg_free(message);
}
END_TEST

START_TEST(unknown_attribute_is_skipped)
{
	struct nl_msg *message = buffer_message(NUMBERS, "probe");
	struct inventory_buffer b;

	nla_put_u64(message, PROBE_PHYS_A_MAX + 7, 1);
	ck_assert_int_eq(take_buffer(message, &b), 0);
}
END_TEST

START_TEST(event_says_what_it_has)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1];
	struct nl_msg *message = nlmsg_alloc();
	struct inventory_event e;

	nlmsg_put(message, 0, 0, 0x20, 0, 0);
	nla_put_u32(message, PROBE_PHYS_A_EVENT_KIND,
		    PROBE_PHYS_EVENT_FREQUENCY);
	nla_put_s32(message, PROBE_PHYS_A_CPU, 5);
	nla_put_u64(message, PROBE_PHYS_A_COUNT, 12);
	ck_assert_int_eq(parse(message, attributes), 0);
	ck_assert_int_eq(inventory_take(INVENTORY_EVENT, attributes, &e), 0);
	nlmsg_free(message);
	ck_assert_uint_eq(e.kind, PROBE_PHYS_EVENT_FREQUENCY);
	ck_assert(e.has_cpu && e.has_count);
	ck_assert(!e.has_id && !e.has_owner && !e.has_bytes);
	ck_assert_int_eq(e.cpu, 5);
	ck_assert_uint_eq(e.count, 12);
}
END_TEST

START_TEST(event_without_kind)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1] = { NULL };
	struct inventory_event e;

	ck_assert_int_eq(inventory_take(INVENTORY_EVENT, attributes, &e),
			 -ENODATA);
}
END_TEST

START_TEST(empty_messages)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1] = { NULL };
	enum inventory_kind kind = (enum inventory_kind)_i;
	void *item = malloc(inventory_bytes(kind));

	ck_assert_ptr_nonnull(item);
	ck_assert_int_eq(inventory_take(kind, attributes, item), -ENODATA);
	free(item);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *attributes = tcase_create("attributes");

	tcase_add_test(attributes, buffer_complete);
	tcase_add_loop_test(attributes, buffer_lacks_a_number, 0, NUMBERS);
	tcase_add_test(attributes, buffer_lacks_the_name);
	tcase_add_test(attributes, name_is_made_printable);
	tcase_add_test(attributes, narrow_number_is_refused);
	tcase_add_test(attributes, unterminated_name_is_refused);
	tcase_add_test(attributes, unknown_attribute_is_skipped);
	tcase_add_test(attributes, event_says_what_it_has);
	tcase_add_test(attributes, event_without_kind);
	tcase_add_loop_test(attributes, empty_messages, INVENTORY_INFO,
			    INVENTORY_EVENT + 1);
	suite_add_tcase(suite, attributes);
	return suite;
}
