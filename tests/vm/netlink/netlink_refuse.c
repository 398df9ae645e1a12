// SPDX-License-Identifier: GPL-2.0
/* netlink_refuse.c - what the family refuses, and that it says why. */
#include <netlink/genl/genl.h>
#include <stdio.h>
#include <sys/wait.h>

#include "kit/nl.h"

#define A(name) PROBE_PHYS_A_##name

static void want(const struct t_reply *reply, int err)
{
	t_same_errno(reply->err, err);
	ck_assert_uint_eq(reply->messages, 0);
}

/* The same, with a text of the module beside the number. */
static void want_text(const struct t_reply *reply, int err)
{
	want(reply, err);
	ck_assert_msg(reply->text[0], "%s without a text", t_errno(err));
}

START_TEST(no_such_buffer)
{
	struct t_reply reply;

	reply = t_nl_ask_id(PROBE_PHYS_CMD_BUFFER_GET, 1ULL << 60, NULL, NULL);
	want_text(&reply, ENOENT);
	reply = t_nl_ask_id(PROBE_PHYS_CMD_BUFFER_GET, 0, NULL, NULL);
	ck_assert_int_ne(reply.err, 0);
	ck_assert_msg(reply.text[0], "no text");
}
END_TEST

/* The number of a view is no buffer's. */
START_TEST(number_of_another_kind)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	T_ARG(view_create, v, .bytes = T_PAGE, .page_bytes = T_PAGE);
	struct t_reply reply;

	t_want(0, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	reply = t_nl_ask_id(PROBE_PHYS_CMD_BUFFER_GET, v.id, NULL, NULL);
	want_text(&reply, ENOENT);
}
END_TEST

START_TEST(buffer_that_went)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	uint64_t id = t_buffer_info(buffer).id;
	struct t_reply reply;

	close(buffer);
	reply = t_nl_ask_id(PROBE_PHYS_CMD_BUFFER_GET, id, NULL, NULL);
	want_text(&reply, ENOENT);
}
END_TEST

START_TEST(number_missing)
{
	struct t_reply reply =
		t_nl_ask(PROBE_PHYS_CMD_BUFFER_GET, 0, NULL, NULL);

	want_text(&reply, EINVAL);
}
END_TEST

/* Dumps take no attribute and no do; the others no dump. */
START_TEST(dump_of_what_is_one)
{
	struct t_reply reply;

	reply = t_nl_ask(PROBE_PHYS_CMD_INFO_GET, NLM_F_DUMP, NULL, NULL);
	want(&reply, EOPNOTSUPP);
	reply = t_nl_ask(PROBE_PHYS_CMD_STATS_GET, NLM_F_DUMP, NULL, NULL);
	want(&reply, EOPNOTSUPP);
}
END_TEST

START_TEST(do_of_what_are_many)
{
	static const int dumps[] = { PROBE_PHYS_CMD_VIEW_GET,
				     PROBE_PHYS_CMD_COUNTERS_GET,
				     PROBE_PHYS_CMD_WALK_GET };

	for (size_t i = 0; i < T_LENGTH(dumps); i++) {
		struct t_reply reply = t_nl_ask(dumps[i], 0, NULL, NULL);

		want(&reply, EOPNOTSUPP);
	}
}
END_TEST

START_TEST(no_such_command)
{
	static const int cmds[] = { PROBE_PHYS_CMD_UNSPEC, PROBE_PHYS_CMD_EVENT,
				    PROBE_PHYS_CMD_MAX + 1, 255 };

	for (size_t i = 0; i < T_LENGTH(cmds); i++) {
		struct t_reply reply = t_nl_ask(cmds[i], 0, NULL, NULL);

		want(&reply, EOPNOTSUPP);
		reply = t_nl_ask(cmds[i], NLM_F_DUMP, NULL, NULL);
		want(&reply, EOPNOTSUPP);
	}
}
END_TEST

/* An attribute that a command does not take, for each command. */
static const struct {
	const char *name;
	int cmd, flags, attr;
} strange[] = {
	{ "info_with_id", PROBE_PHYS_CMD_INFO_GET, 0, A(ID) },
	{ "info_with_abi", PROBE_PHYS_CMD_INFO_GET, 0, A(ABI) },
	{ "stats_with_id", PROBE_PHYS_CMD_STATS_GET, 0, A(ID) },
	{ "buffer_with_phys", PROBE_PHYS_CMD_BUFFER_GET, 0, A(PHYS) },
	{ "buffer_with_unknown", PROBE_PHYS_CMD_BUFFER_GET, 0, A(MAX) + 1 },
	{ "buffer_with_far_unknown", PROBE_PHYS_CMD_BUFFER_GET, 0, 1000 },
	{ "buffer_dump_with_unknown", PROBE_PHYS_CMD_BUFFER_GET, NLM_F_DUMP,
	  A(MAX) + 1 },
	{ "buffer_dump_with_bytes", PROBE_PHYS_CMD_BUFFER_GET, NLM_F_DUMP,
	  A(BYTES) },
	{ "view_dump_with_id", PROBE_PHYS_CMD_VIEW_GET, NLM_F_DUMP, A(ID) },
	{ "counters_dump_with_cpu", PROBE_PHYS_CMD_COUNTERS_GET, NLM_F_DUMP,
	  A(CPU) },
	{ "walk_dump_with_id", PROBE_PHYS_CMD_WALK_GET, NLM_F_DUMP, A(ID) },
};

START_TEST(strange_attribute)
{
	struct nl_sock *sock = t_nl_open();
	struct nl_msg *msg =
		t_nl_request(sock, strange[_i].cmd, strange[_i].flags);
	struct t_reply reply;

	if (!strange[_i].flags && strange[_i].cmd == PROBE_PHYS_CMD_BUFFER_GET)
		nla_put_u64(msg, A(ID), 1);
	nla_put_u64(msg, strange[_i].attr, 1);
	reply = t_nl_talk(sock, msg, NULL, NULL);
	want_text(&reply, EINVAL);
}
END_TEST

/* A number of the wrong width is refused, not read in part. */
START_TEST(short_and_long_numbers)
{
	static const int widths[] = { 0, 1, 4, 7, 9, 16 };
	static const char zeros[16];

	for (size_t i = 0; i < T_LENGTH(widths); i++) {
		struct nl_sock *sock = t_nl_open();
		struct nl_msg *msg =
			t_nl_request(sock, PROBE_PHYS_CMD_BUFFER_GET, 0);
		struct t_reply reply;

		ck_assert_int_eq(nla_put(msg, A(ID), widths[i], zeros), 0);
		reply = t_nl_talk(sock, msg, NULL, NULL);
		ck_assert_msg(reply.err == EINVAL || reply.err == ERANGE,
			      "%d bytes: %s", widths[i], t_errno(reply.err));
		ck_assert_msg(reply.text[0], "no text");
		nl_socket_free(sock);
	}
}
END_TEST

/* Messages whose lengths lie. */
START_TEST(torn_attribute)
{
	struct nl_sock *sock = t_nl_open();
	struct nl_msg *msg = t_nl_request(sock, PROBE_PHYS_CMD_BUFFER_GET, 0);
	struct nlattr *attr;
	struct t_reply reply;

	nla_put_u64(msg, A(ID), 1);
	attr = genlmsg_attrdata(nlmsg_data(nlmsg_hdr(msg)), 0);
	attr->nla_len = 200;
	reply = t_nl_talk(sock, msg, NULL, NULL);
	want(&reply, EINVAL);
}
END_TEST

/* Run in a child without privileges: report err and text by exit status. */
static int ask_unprivileged(void *arg)
{
	const int *cmd = arg;
	struct t_reply reply;

	t_drop_root();
	reply = t_nl_ask(cmd[0], cmd[1], NULL, NULL);
	if (reply.err != EPERM || reply.messages)
		return 1 + (reply.err & 0x3f);
	return reply.text[0] ? 0 : 100;
}

static int unprivileged[][2] = {
	{ PROBE_PHYS_CMD_INFO_GET, 0 },
	{ PROBE_PHYS_CMD_STATS_GET, 0 },
	{ PROBE_PHYS_CMD_BUFFER_GET, 0 },
	{ PROBE_PHYS_CMD_BUFFER_GET, NLM_F_DUMP },
	{ PROBE_PHYS_CMD_VIEW_GET, NLM_F_DUMP },
	{ PROBE_PHYS_CMD_COUNTERS_GET, NLM_F_DUMP },
	{ PROBE_PHYS_CMD_WALK_GET, NLM_F_DUMP },
};

START_TEST(unprivileged_is_refused)
{
	int status;

	/* Missing ID is looked at before privileges: give it a full request. */
	if (unprivileged[_i][0] == PROBE_PHYS_CMD_BUFFER_GET &&
	    !unprivileged[_i][1])
		return;
	status = t_child(ask_unprivileged, unprivileged[_i]);
	ck_assert_msg(status == 0,
		      "command %d: status %#x (100: no text, else errno + 1)",
		      unprivileged[_i][0], status);
}
END_TEST

static int join_unprivileged(void *arg)
{
	struct nl_sock *sock;
	int group;

	(void)arg;
	t_drop_root();
	sock = t_nl_open();
	group = t_nl_group(sock);
	return nl_socket_add_memberships(sock, group, 0) ? 0 : 1;
}

START_TEST(unprivileged_cannot_listen)
{
	ck_assert_int_eq(t_child(join_unprivileged, NULL), 0);
}
END_TEST

Suite *t_suite_netlink_refuse(void)
{
	Suite *suite = suite_create("netlink_refuse");
	TCase *tc = t_case(suite, "netlink_refuse");

	tcase_add_test(tc, no_such_buffer);
	tcase_add_test(tc, number_of_another_kind);
	tcase_add_test(tc, buffer_that_went);
	tcase_add_test(tc, number_missing);
	tcase_add_test(tc, dump_of_what_is_one);
	tcase_add_test(tc, do_of_what_are_many);
	tcase_add_test(tc, no_such_command);
	tcase_add_test(tc, short_and_long_numbers);
	tcase_add_test(tc, torn_attribute);
	tcase_add_loop_test(tc, unprivileged_is_refused, 0,
			    T_LENGTH(unprivileged));
	tcase_add_test(tc, unprivileged_cannot_listen);
	for (size_t i = 0; i < T_LENGTH(strange); i++)
		tcase_add_loop_test(t_case(suite, strange[i].name),
				    strange_attribute, (int)i, (int)i + 1);
	return suite;
}
