// SPDX-License-Identifier: GPL-2.0
/* check_extack.c - refusals: well-formed, incomplete and damaged messages. */
#include <errno.h>
#include <netlink/attr.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/extack.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

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

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *refusals = tcase_create("refusals");

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
	return suite;
}
