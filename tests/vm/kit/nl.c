// SPDX-License-Identifier: GPL-2.0
/*
 * nl.c - talk to the module's generic netlink family and see its refusals.
 *
 * Replies are read by hand: libnl neither requests extended acknowledgements nor
 * reports where a datagram ends.
 */
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <sys/socket.h>

#include "kit/nl.h"

struct nl_sock *t_nl_open(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	int one = 1;

	ck_assert_ptr_nonnull(sock);
	ck_assert_int_eq(genl_connect(sock), 0);
	nl_socket_disable_auto_ack(sock);
	ck_assert_int_eq(setsockopt(nl_socket_get_fd(sock), SOL_NETLINK,
				    NETLINK_EXT_ACK, &one, sizeof(one)),
			 0);
	return sock;
}

int t_nl_family(struct nl_sock *sock)
{
	int family = genl_ctrl_resolve(sock, PROBE_PHYS_GENL_NAME);

	ck_assert_msg(family > 0, "no netlink family: %s", nl_geterror(family));
	return family;
}

int t_nl_group(struct nl_sock *sock)
{
	int group = genl_ctrl_resolve_grp(sock, PROBE_PHYS_GENL_NAME,
					  PROBE_PHYS_GENL_GROUP_EVENTS);

	ck_assert_msg(group > 0, "no multicast group: %s", nl_geterror(group));
	return group;
}

struct nl_msg *t_nl_request(struct nl_sock *sock, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	ck_assert_ptr_nonnull(msg);
	ck_assert_ptr_nonnull(genlmsg_put(
		msg, NL_AUTO_PORT, NL_AUTO_SEQ, t_nl_family(sock), 0,
		NLM_F_REQUEST | flags, (uint8_t)cmd, PROBE_PHYS_GENL_VERSION));
	return msg;
}

/* The text among the TLVs of an NLMSG_ERROR or NLMSG_DONE. */
static void read_extack(struct nlmsghdr *hdr, struct t_reply *reply)
{
	size_t fixed = sizeof(int);
	struct nlattr *attr;
	int left;

	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (hdr->nlmsg_type == NLMSG_ERROR) {
		struct nlmsgerr *err = nlmsg_data(hdr);

		fixed = sizeof(*err);
		if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
			fixed += err->msg.nlmsg_len - NLMSG_HDRLEN;
	}
	fixed = NLMSG_ALIGN(fixed);
	left = nlmsg_datalen(hdr) - (int)fixed;
	attr = (void *)((char *)nlmsg_data(hdr) + fixed);
	for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
		if (nla_type(attr) == NLMSGERR_ATTR_MSG)
			nla_strlcpy(reply->text, attr, sizeof(reply->text));
	}
}

/* One message; true when it was the last one. */
static bool read_message(struct nlmsghdr *hdr, struct t_reply *reply,
			 t_reader reader, void *arg)
{
	struct nlattr *attrs[PROBE_PHYS_A_MAX + 1];

	if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE) {
		reply->err = -*(int *)nlmsg_data(hdr);
		read_extack(hdr, reply);
		return true;
	}
	reply->messages++;
	ck_assert_int_eq(genlmsg_parse(hdr, 0, attrs, PROBE_PHYS_A_MAX, NULL),
			 0);
	if (reader)
		reader(attrs, arg);
	return false;
}

struct t_reply t_nl_talk(struct nl_sock *sock, struct nl_msg *msg,
			 t_reader reader, void *arg)
{
	static char buffer[65536] __attribute__((aligned(8)));
	struct t_reply reply = { .err = 0 };
	bool last = false;
	int left;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	ck_assert_int_ge(nl_send_auto(sock, msg), 0);
	nlmsg_free(msg);
	while (!last) {
		unsigned int before = reply.messages;
		struct nlmsghdr *hdr = (void *)buffer;

		left = (int)recv(nl_socket_get_fd(sock), buffer, sizeof(buffer),
				 0);
		ck_assert_int_gt(left, 0);
		for (; nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left))
			last = last || read_message(hdr, &reply, reader, arg);
		reply.datagrams += reply.messages > before;
	}
	return reply;
}

struct t_reply t_nl_ask(int cmd, int flags, t_reader reader, void *arg)
{
	struct nl_sock *sock = t_nl_open();
	struct t_reply reply =
		t_nl_talk(sock, t_nl_request(sock, cmd, flags), reader, arg);

	nl_socket_free(sock);
	return reply;
}

struct t_reply t_nl_ask_id(int cmd, uint64_t id, t_reader reader, void *arg)
{
	struct nl_sock *sock = t_nl_open();
	struct nl_msg *msg = t_nl_request(sock, cmd, 0);
	struct t_reply reply;

	ck_assert_int_eq(nla_put_u64(msg, PROBE_PHYS_A_ID, id), 0);
	reply = t_nl_talk(sock, msg, reader, arg);
	nl_socket_free(sock);
	return reply;
}

static void read_stats(struct nlattr **attrs, void *arg)
{
	struct t_stats *stats = arg;

	for (int i = PROBE_PHYS_A_STAT_BUFFERS_CREATED;
	     i <= PROBE_PHYS_A_STAT_LATE_SAMPLES; i++) {
		stats->present[i] = attrs[i];
		if (attrs[i])
			stats->of[i] = nla_get_u64(attrs[i]);
	}
}

struct t_stats t_nl_stats(void)
{
	struct t_stats stats = { .of = { 0 } };
	struct t_reply reply =
		t_nl_ask(PROBE_PHYS_CMD_STATS_GET, 0, read_stats, &stats);

	t_same_errno(reply.err, 0);
	ck_assert_uint_eq(reply.messages, 1);
	return stats;
}
