// SPDX-License-Identifier: GPL-2.0
/* events.c - the events that the module multicasts. */
#include <netlink/genl/genl.h>
#include <poll.h>
#include <sys/prctl.h>

#include "kit/nl.h"
#include "kit/walk_help.h"

#define A(name) PROBE_PHYS_A_##name

static struct nl_sock *listen_to_all(void)
{
	struct nl_sock *sock = t_nl_open();

	ck_assert_int_eq(nl_socket_add_memberships(sock, t_nl_group(sock), 0),
			 0);
	nl_socket_disable_seq_check(sock);
	return sock;
}

/* The next event of @kind in @attrs; waits at most two seconds. */
static void next(struct nl_sock *sock, uint32_t kind, struct nlattr **attrs)
{
	static char buffer[8192] __attribute__((aligned(8)));
	struct pollfd poll_fd = { .fd = nl_socket_get_fd(sock),
				  .events = POLLIN };

	for (;;) {
		struct nlmsghdr *hdr = (void *)buffer;

		ck_assert_msg(poll(&poll_fd, 1, 2000) == 1,
			      "no event of kind %u came", kind);
		ck_assert_int_gt(recv(poll_fd.fd, buffer, sizeof(buffer), 0),
				 0);
		ck_assert_int_eq(((struct genlmsghdr *)nlmsg_data(hdr))->cmd,
				 PROBE_PHYS_CMD_EVENT);
		ck_assert_int_eq(genlmsg_parse(hdr, 0, attrs, A(MAX), NULL), 0);
		ck_assert_ptr_nonnull(attrs[A(EVENT_KIND)]);
		if (nla_get_u32(attrs[A(EVENT_KIND)]) == kind)
			return;
	}
}

static void check_buffer_event(struct nlattr **attrs, uint64_t id)
{
	ck_assert_uint_eq(nla_get_u64(attrs[A(ID)]), id);
	ck_assert_uint_eq(nla_get_u32(attrs[A(OWNER_PID)]), (uint32_t)getpid());
	ck_assert_str_eq(nla_get_string(attrs[A(OWNER_COMM)]), "owner");
	ck_assert_uint_eq(nla_get_u64(attrs[A(BYTES)]), 2 * T_PAGE);
}

START_TEST(buffer_comes_and_goes)
{
	struct nlattr *attrs[A(MAX) + 1];
	struct nl_sock *sock = listen_to_all();
	int buffer;
	uint64_t id;

	prctl(PR_SET_NAME, "owner");
	buffer = t_buffer(t_session(), 2 * T_PAGE, 0);
	id = t_buffer_info(buffer).id;
	next(sock, PROBE_PHYS_EVENT_BUFFER_CREATED, attrs);
	check_buffer_event(attrs, id);
	close(buffer);
	next(sock, PROBE_PHYS_EVENT_BUFFER_GONE, attrs);
	check_buffer_event(attrs, id);
}
END_TEST

static int make_and_die(void *arg)
{
	t_buffer(t_session(), 2 * T_PAGE, 0);
	*(volatile char *)arg = 1;
	return 0;
}

/* A process that exits without close causes the same events. */
START_TEST(buffer_of_the_dead)
{
	struct nlattr *attrs[A(MAX) + 1];
	struct nl_sock *sock = listen_to_all();
	uint64_t id;

	t_child(make_and_die, NULL);
	next(sock, PROBE_PHYS_EVENT_BUFFER_CREATED, attrs);
	id = nla_get_u64(attrs[A(ID)]);
	next(sock, PROBE_PHYS_EVENT_BUFFER_GONE, attrs);
	ck_assert_uint_eq(nla_get_u64(attrs[A(ID)]), id);
}
END_TEST

START_TEST(cpu_goes)
{
	struct nlattr *attrs[A(MAX) + 1];
	struct nl_sock *sock = listen_to_all();

	if (t_put("/sys/devices/system/cpu/cpu1/online", "1"))
		t_skip("cpu cannot: only one, or it cannot go offline");
	ck_assert_int_eq(t_put("/sys/devices/system/cpu/cpu1/online", "0"), 0);
	next(sock, PROBE_PHYS_EVENT_CPU_OFFLINE, attrs);
	ck_assert_int_eq((int)nla_get_u32(attrs[A(CPU)]), 1);
	ck_assert_int_eq(t_put("/sys/devices/system/cpu/cpu1/online", "1"), 0);
}
END_TEST

/* A listener that does not read is no reason to wait or to fail. */
START_TEST(deaf_listener)
{
	struct nl_sock *sock = listen_to_all();
	int session = t_session();

	for (int i = 0; i < 2000; i++)
		close(t_buffer(session, T_PAGE, 0));
	nl_socket_free(sock);
}
END_TEST

/* Samples that took too long cause an event with their number. */
START_TEST(walk_disturbed)
{
	static struct probe_phys_sample samples[4096];
	struct nlattr *attrs[A(MAX) + 1];
	struct nl_sock *sock = listen_to_all();
	uint64_t offset = 0, late = 0;
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	struct probe_phys_walk w = w_walk(&offset, 1, samples, 4096);

	w.rounds = 1ULL << 50;
	w.slice_ns = 20000;
	w.budget_ns = 50000000;
	for (int i = 0; i < 20 && !late; i++) {
		t_do(buffer, PROBE_PHYS_IOC_WALK, &w);
		for (uint32_t j = 0; j < w.nr_samples; j++)
			late += !!(samples[j].flags & PROBE_PHYS_SAMPLE_LATE);
	}
	if (!late)
		t_skip("cpu cannot: it was never away");
	next(sock, PROBE_PHYS_EVENT_WALK_DISTURBED, attrs);
	ck_assert_uint_eq(nla_get_u32(attrs[A(OWNER_PID)]), (uint32_t)getpid());
	ck_assert_ptr_nonnull(attrs[A(CPU)]);
	ck_assert_uint_eq(nla_get_u64(attrs[A(COUNT)]), late);
}
END_TEST

/* With fake switches of prefetchers: restoring them causes an event. */
START_TEST(prefetchers_given_back)
{
	struct nlattr *attrs[A(MAX) + 1];
	struct nl_sock *sock = listen_to_all();
	int session = t_session();
	T_ARG(prefetch, p, .op = PROBE_PHYS_PREFETCH_SET,
	      .mask = PROBE_PHYS_PREFETCH_L1_STREAM);

	t_want(0, session, PROBE_PHYS_IOC_PREFETCH, &p);
	close(session);
	next(sock, PROBE_PHYS_EVENT_PREFETCH_RESTORED, attrs);
	ck_assert_uint_eq(nla_get_u64(attrs[A(COUNT)]), 1);
}
END_TEST

Suite *t_suite_events_fake(void)
{
	Suite *suite = suite_create("events_fake");

	tcase_add_test(t_case(suite, "events_fake"), prefetchers_given_back);
	return suite;
}

Suite *t_suite_events(void)
{
	Suite *suite = suite_create("events");
	TCase *tc = t_case(suite, "events");

	tcase_add_test(tc, buffer_comes_and_goes);
	tcase_add_test(tc, buffer_of_the_dead);
	tcase_add_test(tc, cpu_goes);
	tcase_add_test(tc, deaf_listener);
	tcase_add_test(tc, walk_disturbed);
	return suite;
}
