// SPDX-License-Identifier: GPL-2.0
/* Netlink decoding: well-formed, incomplete and damaged messages. */
#include <errno.h>
#include <linux/probe_phys.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/extack.h"
#include "netlink/inventory.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

/* ---- refusals ---------------------------------------------------------- */

/** struct draft - a message under construction */
struct draft {
	char bytes[512];
	size_t length;
};

static void draft_begin(struct draft *d, uint16_t type, uint16_t flags)
{
	struct nlmsghdr head = { .nlmsg_type = type, .nlmsg_flags = flags };

	memset(d, 0, sizeof(*d));
	memcpy(d->bytes, &head, sizeof(head));
	d->length = NLMSG_HDRLEN;
}

static void draft_add(struct draft *d, const void *bytes, size_t length)
{
	ck_assert_uint_le(d->length + length, sizeof(d->bytes));
	memcpy(d->bytes + d->length, bytes, length);
	d->length += length;
}

static void draft_attribute(struct draft *d, uint16_t type, uint16_t length,
			    const void *payload, size_t payload_length)
{
	struct nlattr head = { .nla_len = length, .nla_type = type };

	draft_add(d, &head, sizeof(head));
	draft_add(d, payload, payload_length);
	d->length = NLA_ALIGN(d->length);
}

static void draft_text(struct draft *d, const char *text)
{
	size_t length = strlen(text) + 1;

	draft_attribute(d, NLMSGERR_ATTR_MSG, (uint16_t)(NLA_HDRLEN + length),
			text, length);
}

/* A copy of exactly @length bytes: a sanitizer sees every byte too far. */
static struct nlmsghdr *draft_end(const struct draft *d, size_t length)
{
	struct nlmsghdr *message = malloc(length);

	ck_assert_ptr_nonnull(message);
	memcpy(message, d->bytes, length);
	message->nlmsg_len = (uint32_t)length;
	return message;
}

static void draft_error(struct draft *d, int error, uint16_t flags,
			uint32_t quoted)
{
	struct nlmsgerr e = { .error = error, .msg.nlmsg_len = quoted };

	draft_begin(d, NLMSG_ERROR, flags);
	draft_add(d, &e, sizeof(e));
}

static int decode(const struct draft *d, struct extack *extack)
{
	struct nlmsghdr *message = draft_end(d, d->length);
	int error = extack_decode_error(message, extack);

	free(message);
	return error;
}

START_TEST(error_with_text)
{
	struct extack extack;
	struct draft d;
	uint32_t offset = 20;

	draft_error(&d, -EPERM, NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_text(&d, "not allowed");
	draft_attribute(&d, NLMSGERR_ATTR_OFFS, NLA_HDRLEN + sizeof(offset),
			&offset, sizeof(offset));
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_int_eq(extack.error, -EPERM);
	ck_assert_str_eq(extack.text, "not allowed");
	ck_assert_uint_eq(extack.attribute_offset, 20);
}
END_TEST

START_TEST(error_behind_quoted_request)
{
	const char payload[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct extack extack;
	struct draft d;

	draft_error(&d, -EINVAL, NLM_F_ACK_TLVS,
		    NLMSG_HDRLEN + sizeof(payload));
	draft_add(&d, payload, sizeof(payload));
	draft_text(&d, "bad attribute");
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_str_eq(extack.text, "bad attribute");
}
END_TEST

START_TEST(error_without_flag_has_no_text)
{
	struct extack extack;
	struct draft d;

	draft_error(&d, -EINVAL, NLM_F_CAPPED, NLMSG_HDRLEN);
	draft_text(&d, "to be ignored");
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_int_eq(extack.error, -EINVAL);
	ck_assert_str_eq(extack.text, "");
}
END_TEST

START_TEST(error_zero_is_an_acknowledgement)
{
	struct extack extack;
	struct draft d;

	draft_error(&d, 0, NLM_F_CAPPED, NLMSG_HDRLEN);
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_int_eq(extack.error, 0);
}
END_TEST

START_TEST(error_that_is_none_is_refused)
{
	static const int wrong[] = { 1, 4096, -4096, INT32_MIN, INT32_MAX };
	struct extack extack;
	struct draft d;

	draft_error(&d, wrong[_i], NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_text(&d, "text");
	ck_assert_int_eq(decode(&d, &extack), -EBADMSG);
	ck_assert_int_eq(extack.error, -EBADMSG);
	ck_assert_str_eq(extack.text, "");
}
END_TEST

START_TEST(error_with_wrong_quoted_length)
{
	static const uint32_t wrong[] = { 0, NLMSG_HDRLEN - 1, 400,
					  UINT32_MAX };
	struct extack extack;
	struct draft d;

	draft_error(&d, -EINVAL, NLM_F_ACK_TLVS, wrong[_i]);
	draft_text(&d, "text");
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_int_eq(extack.error, -EINVAL);
	ck_assert_str_eq(extack.text, "");
}
END_TEST

START_TEST(attribute_with_wrong_length)
{
	static const uint16_t wrong[] = { 0, 1, NLA_HDRLEN - 1, 100, 65535 };
	struct extack extack;
	struct draft d;

	draft_error(&d, -EINVAL, NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_attribute(&d, NLMSGERR_ATTR_MSG, wrong[_i], "text", 5);
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_str_eq(extack.text, "");
}
END_TEST

START_TEST(offset_with_wrong_length)
{
	struct extack extack;
	struct draft d;

	draft_error(&d, -EINVAL, NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_attribute(&d, NLMSGERR_ATTR_OFFS, NLA_HDRLEN + 2, "ab", 2);
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_uint_eq(extack.attribute_offset, 0);
}
END_TEST

START_TEST(text_without_terminator)
{
	struct extack extack;
	struct draft d;

	draft_error(&d, -EINVAL, NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_attribute(&d, NLMSGERR_ATTR_MSG, NLA_HDRLEN + 8, "unending", 8);
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_str_eq(extack.text, "unending");
}
END_TEST

START_TEST(text_is_made_printable_and_cut)
{
	char longest[320];
	struct extack extack;
	struct draft d;

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	longest[0] = '\033';
	draft_error(&d, -EINVAL, NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_text(&d, longest);
	ck_assert_int_eq(decode(&d, &extack), 0);
	ck_assert_uint_eq(strlen(extack.text), sizeof(extack.text) - 1);
	ck_assert_int_eq(extack.text[0], '?');
}
END_TEST

START_TEST(error_cut_anywhere)
{
	struct draft d;

	draft_error(&d, -EPERM, NLM_F_ACK_TLVS | NLM_F_CAPPED, 20);
	draft_text(&d, "not allowed");
	for (size_t length = NLMSG_HDRLEN; length < d.length; length++) {
		struct nlmsghdr *message = draft_end(&d, length);
		struct extack extack;
		int error = extack_decode_error(message, &extack);

		free(message);
		if (length < NLMSG_LENGTH(sizeof(struct nlmsgerr)))
			ck_assert_int_eq(error, -EBADMSG);
		else
			ck_assert_int_eq(error, 0);
		ck_assert_uint_lt(strlen(extack.text), sizeof(extack.text));
	}
}
END_TEST

START_TEST(done_with_error_and_text)
{
	struct nlmsghdr *message;
	struct extack extack;
	int error = -EPERM;
	struct draft d;

	draft_begin(&d, NLMSG_DONE, NLM_F_ACK_TLVS);
	draft_add(&d, &error, sizeof(error));
	draft_text(&d, "no dump for you");
	message = draft_end(&d, d.length);
	ck_assert_int_eq(extack_decode_done(message, &extack), 0);
	free(message);
	ck_assert_int_eq(extack.error, -EPERM);
	ck_assert_str_eq(extack.text, "no dump for you");
}
END_TEST

START_TEST(done_without_code)
{
	struct nlmsghdr *message;
	struct extack extack;
	struct draft d;

	draft_begin(&d, NLMSG_DONE, 0);
	message = draft_end(&d, d.length);
	ck_assert_int_eq(extack_decode_done(message, &extack), 0);
	free(message);
	ck_assert_int_eq(extack.error, 0);
}
END_TEST

/* ---- attributes -------------------------------------------------------- */

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

Suite *make_netlink_suite(void)
{
	Suite *suite = suite_create("netlink");
	TCase *refusals = tcase_create("refusals");
	TCase *attributes = tcase_create("attributes");

	tcase_add_test(refusals, error_with_text);
	tcase_add_test(refusals, error_behind_quoted_request);
	tcase_add_test(refusals, error_without_flag_has_no_text);
	tcase_add_test(refusals, error_zero_is_an_acknowledgement);
	tcase_add_loop_test(refusals, error_that_is_none_is_refused, 0, 5);
	tcase_add_loop_test(refusals, error_with_wrong_quoted_length, 0, 4);
	tcase_add_loop_test(refusals, attribute_with_wrong_length, 0, 5);
	tcase_add_test(refusals, offset_with_wrong_length);
	tcase_add_test(refusals, text_without_terminator);
	tcase_add_test(refusals, text_is_made_printable_and_cut);
	tcase_add_test(refusals, error_cut_anywhere);
	tcase_add_test(refusals, done_with_error_and_text);
	tcase_add_test(refusals, done_without_code);
	suite_add_tcase(suite, refusals);

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
