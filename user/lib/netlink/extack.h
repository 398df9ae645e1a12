/* SPDX-License-Identifier: GPL-2.0 */
/*
 * extack.h - the kernel's text about a refusal.
 *
 * libnl (3.7) neither requests these texts nor reads them. Pure functions on
 * bytes that are not trusted to be well formed.
 */
#ifndef PROBE_PHYS_NETLINK_EXTACK_H
#define PROBE_PHYS_NETLINK_EXTACK_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct extack - a decoded refusal
 * @error: 0 or -errno
 * @text: the kernel's words, printable, empty when it gave none
 * @attribute_offset: where in the request the bad attribute stood, 0: unknown
 */
struct extack {
	int error;
	char text[256];
	uint32_t attribute_offset;
};

/**
 * extack_decode_error() - read an NLMSG_ERROR message
 * @message: all nlmsg_len bytes of it can be read
 * Return: 0, or -EBADMSG when it is too short or its error is not one; what
 * could be read is in @extack. A damaged text is left out, not an error.
 */
int extack_decode_error(const struct nlmsghdr *message, struct extack *extack);

/** extack_decode_done() - the same for NLMSG_DONE, which ends a dump */
int extack_decode_done(const struct nlmsghdr *message, struct extack *extack);

#endif
