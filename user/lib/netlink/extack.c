// SPDX-License-Identifier: GPL-2.0
#include "netlink/extack.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

#define LARGEST_ERRNO 4095

static void take_text(const char *bytes, size_t length, struct extack *extack)
{
	char copy[sizeof(extack->text)];

	/* A text without its terminator ends with its attribute. */
	length = strnlen(bytes, length);
	if (length >= sizeof(copy))
		length = sizeof(copy) - 1;
	memcpy(copy, bytes, length);
	copy[length] = '\0';
	text_printable(extack->text, sizeof(extack->text), copy);
}

static void take_attribute(const struct nlattr *head, const char *payload,
			   struct extack *extack)
{
	size_t length = head->nla_len - NLA_HDRLEN;

	switch (head->nla_type & NLA_TYPE_MASK) {
	case NLMSGERR_ATTR_MSG:
		take_text(payload, length, extack);
		break;
	case NLMSGERR_ATTR_OFFS:
		if (length == sizeof(extack->attribute_offset))
			memcpy(&extack->attribute_offset, payload, length);
		break;
	}
}

static void walk_attributes(const char *at, size_t left, struct extack *extack)
{
	struct nlattr head;

	while (left >= NLA_HDRLEN) {
		size_t step;

		memcpy(&head, at, sizeof(head));
		if (head.nla_len < NLA_HDRLEN || head.nla_len > left)
			return;
		take_attribute(&head, at + NLA_HDRLEN, extack);
		step = NLA_ALIGN(head.nla_len);
		if (step > left)
			return;
		at += step;
		left -= step;
	}
}

static int take_error(int error, struct extack *extack)
{
	extack->error = error;
	if (error <= 0 && error >= -LARGEST_ERRNO)
		return 0;
	extack->error = -EBADMSG;
	return -EBADMSG;
}

/* The attributes stand @skip bytes into the payload of @message. */
static void take_rest(const struct nlmsghdr *message, size_t skip,
		      struct extack *extack)
{
	size_t payload = message->nlmsg_len - NLMSG_HDRLEN;

	if ((message->nlmsg_flags & NLM_F_ACK_TLVS) && skip < payload)
		walk_attributes((const char *)message + NLMSG_HDRLEN + skip,
				payload - skip, extack);
}

int extack_decode_error(const struct nlmsghdr *message, struct extack *extack)
{
	struct nlmsgerr e;
	size_t skip = sizeof(e);

	memset(extack, 0, sizeof(*extack));
	if (message->nlmsg_len < NLMSG_LENGTH(sizeof(e))) {
		extack->error = -EBADMSG;
		return -EBADMSG;
	}
	memcpy(&e, (const char *)message + NLMSG_HDRLEN, sizeof(e));
	if (take_error(e.error, extack))
		return -EBADMSG;
	/* Unless it was cut off, the whole request is quoted first. */
	if (!(message->nlmsg_flags & NLM_F_CAPPED)) {
		if (e.msg.nlmsg_len < NLMSG_HDRLEN ||
		    e.msg.nlmsg_len > message->nlmsg_len)
			return 0;
		skip += NLMSG_ALIGN(e.msg.nlmsg_len) - NLMSG_HDRLEN;
	}
	take_rest(message, skip, extack);
	return 0;
}

int extack_decode_done(const struct nlmsghdr *message, struct extack *extack)
{
	int error;

	memset(extack, 0, sizeof(*extack));
	if (message->nlmsg_len < NLMSG_HDRLEN) {
		extack->error = -EBADMSG;
		return -EBADMSG;
	}
	/* Kernels before 2.6 ended dumps without a code. */
	if (message->nlmsg_len < NLMSG_LENGTH(sizeof(error)))
		return 0;
	memcpy(&error, (const char *)message + NLMSG_HDRLEN, sizeof(error));
	if (take_error(error, extack))
		return -EBADMSG;
	take_rest(message, sizeof(error), extack);
	return 0;
}
