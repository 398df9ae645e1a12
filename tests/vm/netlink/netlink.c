// SPDX-License-Identifier: GPL-2.0
/* netlink.c - the replies of the generic netlink family. */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "kit/nl.h"
#include "kit/walk_help.h"

#define A(name) PROBE_PHYS_A_##name

/* One object found in a dump. */
struct found {
	uint64_t id; /* which one is looked for */
	unsigned int times;
	uint64_t value[PROBE_PHYS_A_MAX + 1];
	bool present[PROBE_PHYS_A_MAX + 1];
	char comm[32];
	uint64_t last; /* highest number seen */
	unsigned int all;
};

static uint64_t number(struct nlattr *attr)
{
	return nla_len(attr) == 8 ? nla_get_u64(attr) : nla_get_u32(attr);
}

static void find(struct nlattr **attrs, void *arg)
{
	struct found *f = arg;

	ck_assert_ptr_nonnull(attrs[A(ID)]);
	f->all++;
	/* In order, so that a continued dump neither skips nor repeats any. */
	ck_assert_uint_gt(nla_get_u64(attrs[A(ID)]), f->last);
	f->last = nla_get_u64(attrs[A(ID)]);
	if (f->last != f->id)
		return;
	f->times++;
	for (int i = 0; i <= PROBE_PHYS_A_MAX; i++) {
		f->present[i] = attrs[i];
		if (attrs[i] && i != A(OWNER_COMM))
			f->value[i] = number(attrs[i]);
	}
	ck_assert_ptr_nonnull(attrs[A(OWNER_COMM)]);
	nla_strlcpy(f->comm, attrs[A(OWNER_COMM)], sizeof(f->comm));
	ck_assert_uint_eq(f->value[A(OWNER_PID)], (uint64_t)getpid());
	ck_assert_str_eq(f->comm, "owner");
}

static struct found dump_for(int cmd, uint64_t id)
{
	struct found f = { .id = id };
	struct t_reply reply = t_nl_ask(cmd, NLM_F_DUMP, find, &f);

	t_same_errno(reply.err, 0);
	return f;
}

static void info(struct nlattr **attrs, void *arg)
{
	struct probe_phys_info *i = arg;

	ck_assert_uint_eq(nla_get_u32(attrs[A(ABI)]), i->abi);
	ck_assert_str_eq(nla_get_string(attrs[A(VERSION)]), i->version);
	ck_assert_uint_eq(nla_get_u64(attrs[A(FEATURES)]), i->features);
	ck_assert_uint_eq(nla_get_u64(attrs[A(PAGE_BYTES)]), i->page_bytes);
	ck_assert_uint_eq(nla_get_u64(attrs[A(PMD_BYTES)]), i->pmd_bytes);
	ck_assert_uint_eq(nla_get_u64(attrs[A(PUD_BYTES)]), i->pud_bytes);
	ck_assert_uint_eq(nla_get_u64(attrs[A(MAX_BUFFER_BYTES)]),
			  i->max_buffer_bytes);
	ck_assert_uint_eq(nla_get_u64(attrs[A(MAX_TOTAL_BYTES)]),
			  i->max_total_bytes);
	ck_assert_uint_eq(nla_get_u64(attrs[A(USED_TOTAL_BYTES)]),
			  i->used_total_bytes);
	ck_assert_uint_eq(nla_get_u64(attrs[A(TICK_HZ)]), i->tick_hz);
}

START_TEST(info_as_the_device_says)
{
	int session = t_session(), buffer = t_buffer(session, T_PAGE, 0);
	struct probe_phys_info i = t_info(session);
	struct t_reply reply = t_nl_ask(PROBE_PHYS_CMD_INFO_GET, 0, info, &i);

	t_same_errno(reply.err, 0);
	ck_assert_uint_eq(reply.messages, 1);
	close(buffer);
}
END_TEST

START_TEST(stats_are_complete)
{
	struct t_stats stats = t_nl_stats();

	for (int i = A(STAT_BUFFERS_CREATED); i <= A(STAT_LATE_SAMPLES); i++)
		ck_assert_msg(stats.present[i], "statistic %d is missing", i);
}
END_TEST

START_TEST(stats_count)
{
	struct t_stats a = t_nl_stats(), b;
	int session = t_session(), buffer = t_buffer(session, T_PAGE, 0);
	int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	uint64_t offset = 0;
	struct probe_phys_sample sample;
	struct probe_phys_walk w = w_walk(&offset, 1, &sample, 1);

	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	b = t_nl_stats();
#define GREW(stat, by) \
	ck_assert_uint_eq(b.of[A(STAT_##stat)] - a.of[A(STAT_##stat)], by)
	GREW(SESSIONS_OPENED, 1);
	GREW(SESSIONS_CLOSED, 0);
	GREW(BUFFERS_CREATED, 1);
	GREW(BUFFERS_DESTROYED, 0);
	GREW(VIEWS_CREATED, 1);
	GREW(VIEWS_DESTROYED, 0);
	GREW(WALKS_STARTED, 1);
	GREW(WALKS_ENDED, 1);
	GREW(LOADS, 1);
	close(view);
	close(buffer);
	close(session);
	b = t_nl_stats();
	GREW(SESSIONS_CLOSED, 1);
	GREW(BUFFERS_DESTROYED, 1);
	GREW(VIEWS_DESTROYED, 1);
#undef GREW
}
END_TEST

static void check_buffer(const struct found *f, int buffer, uint64_t bytes,
			 uint64_t views)
{
	struct probe_phys_buffer_info i = t_buffer_info(buffer);
	struct probe_phys_extent e = t_extent(buffer, 0);

	ck_assert_uint_eq(f->times, 1);
	ck_assert_uint_eq(f->value[A(BYTES)], bytes);
	ck_assert_uint_eq((uint32_t)f->value[A(NODE)], (uint32_t)i.node);
	ck_assert_uint_eq(f->value[A(RUNG)], i.rung);
	ck_assert_uint_eq(f->value[A(NR_EXTENTS)], i.nr_extents);
	ck_assert_uint_eq(f->value[A(PHYS)], e.phys);
	ck_assert_uint_eq(f->value[A(LARGEST_BYTES)], e.bytes);
	ck_assert_uint_eq(f->value[A(NR_VIEWS)], views);
	ck_assert(f->present[A(WALK_PAGE_BYTES)]);
	ck_assert_uint_ge(f->value[A(WALK_PAGE_BYTES)], T_PAGE);
}

START_TEST(buffer_in_dump)
{
	int buffer;
	struct found f;
	uint64_t id;

	prctl(PR_SET_NAME, "owner");
	buffer = t_buffer(t_session(), 3 * T_PAGE, 0);
	t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	id = t_buffer_info(buffer).id;
	f = dump_for(PROBE_PHYS_CMD_BUFFER_GET, id);
	ck_assert_uint_eq(f.all, 1);
	check_buffer(&f, buffer, 3 * T_PAGE, 1);
}
END_TEST

START_TEST(buffer_by_number)
{
	int session, buffer;
	struct found f = { .all = 0 };
	struct t_reply reply;

	prctl(PR_SET_NAME, "owner");
	session = t_session();
	t_buffer(session, T_PAGE, 0);
	buffer = t_buffer(session, 2 * T_PAGE, 0);
	f.id = t_buffer_info(buffer).id;
	reply = t_nl_ask_id(PROBE_PHYS_CMD_BUFFER_GET, f.id, find, &f);
	t_same_errno(reply.err, 0);
	ck_assert_uint_eq(reply.messages, 1);
	check_buffer(&f, buffer, 2 * T_PAGE, 0);
}
END_TEST

START_TEST(view_in_dump)
{
	int buffer;
	T_ARG(view_create, v, .bytes = T_PAGE, .page_bytes = T_PAGE,
	      .alias_pages = 5);
	struct found f;
	void *at;

	prctl(PR_SET_NAME, "owner");
	buffer = t_buffer(t_session(), T_PAGE, 0);
	t_want(0, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	at = t_map(v.fd, T_PAGE);
	t_map(v.fd, T_PAGE);
	f = dump_for(PROBE_PHYS_CMD_VIEW_GET, v.id);
	ck_assert_uint_eq(f.times, 1);
	ck_assert_uint_eq(f.value[A(BUFFER_ID)], t_buffer_info(buffer).id);
	ck_assert_uint_eq(f.value[A(BYTES)], T_PAGE);
	ck_assert_uint_eq(f.value[A(PAGE_BYTES)], T_PAGE);
	ck_assert_uint_eq(f.value[A(ALIAS_PAGES)], 5);
	ck_assert_uint_eq(f.value[A(NR_MAPPINGS)], 2);
	t_unmap(at, T_PAGE);
	f = dump_for(PROBE_PHYS_CMD_VIEW_GET, v.id);
	ck_assert_uint_eq(f.value[A(NR_MAPPINGS)], 1);
}
END_TEST

START_TEST(counters_in_dump)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { { .type = PERF_TYPE_SOFTWARE },
			  { .type = PERF_TYPE_SOFTWARE, .config = 2 } });
	struct found f;

	prctl(PR_SET_NAME, "owner");
	t_want(0, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	f = dump_for(PROBE_PHYS_CMD_COUNTERS_GET, c.id);
	ck_assert_uint_eq(f.times, 1);
	ck_assert(f.present[A(CPU)]);
	ck_assert_uint_eq(f.value[A(CPU)], 0);
	ck_assert_uint_eq(f.value[A(NR_EVENTS)], 2);
}
END_TEST

static int walk_long(void *arg)
{
	return w_long_walk(*(int *)arg, 1500000000);
}

struct walk_seen {
	uint64_t buffer_id, loads;
	unsigned int times;
};

static void see_walk(struct nlattr **attrs, void *arg)
{
	struct walk_seen *seen = arg;

	seen->times++;
	ck_assert_ptr_nonnull(attrs[A(ID)]);
	ck_assert_uint_eq(nla_get_u64(attrs[A(BUFFER_ID)]), seen->buffer_id);
	ck_assert_uint_gt(nla_get_u32(attrs[A(OWNER_PID)]), 1);
	ck_assert_str_eq(nla_get_string(attrs[A(OWNER_COMM)]), "owner");
	ck_assert_int_lt((int)nla_get_u32(attrs[A(CPU)]), 2);
	ck_assert_uint_eq(nla_get_u32(attrs[A(NR_OFFSETS)]), 4);
	seen->loads = nla_get_u64(attrs[A(LOADS_DONE)]);
}

START_TEST(walk_in_dump)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0), pid;
	struct walk_seen seen = { .buffer_id = t_buffer_info(buffer).id };
	uint64_t first, start = t_now();

	prctl(PR_SET_NAME, "owner");
	pid = t_start(walk_long, &buffer);
	while (!seen.loads && t_now() - start < 1300000000)
		t_nl_ask(PROBE_PHYS_CMD_WALK_GET, NLM_F_DUMP, see_walk, &seen);
	ck_assert_uint_ge(seen.times, 1);
	ck_assert_uint_gt(seen.loads, 0);
	first = seen.loads;
	usleep(100000);
	t_nl_ask(PROBE_PHYS_CMD_WALK_GET, NLM_F_DUMP, see_walk, &seen);
	ck_assert_uint_gt(seen.loads, first);
	t_wait(pid);
	seen.times = 0;
	t_nl_ask(PROBE_PHYS_CMD_WALK_GET, NLM_F_DUMP, see_walk, &seen);
	ck_assert_uint_eq(seen.times, 0);
}
END_TEST

/* More than fits a datagram: none missing, none twice. */
START_TEST(many_buffers)
{
	enum {
		MANY = 500
	};
	struct found f = { .id = 0 };
	struct t_reply reply;
	int session;

	prctl(PR_SET_NAME, "owner");
	session = t_session();
	for (int i = 0; i < MANY; i++)
		f.id = t_buffer_info(t_buffer(session, T_PAGE, 0)).id;
	reply = t_nl_ask(PROBE_PHYS_CMD_BUFFER_GET, NLM_F_DUMP, find, &f);
	t_same_errno(reply.err, 0);
	ck_assert_uint_eq(reply.messages, MANY);
	ck_assert_uint_gt(reply.datagrams, 1);
	ck_assert_uint_eq(f.times, 1);
}
END_TEST

static int come_and_go(void *arg)
{
	int session = t_session();

	while (*(volatile bool *)arg) {
		int buffer = t_buffer(session, T_PAGE, 0);
		int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);

		close(buffer);
		close(view);
	}
	return 0;
}

/* Dumps of what is made and destroyed meanwhile. */
START_TEST(dump_while_objects_go)
{
	static const int dumps[] = {
		PROBE_PHYS_CMD_BUFFER_GET,
		PROBE_PHYS_CMD_VIEW_GET,
		PROBE_PHYS_CMD_COUNTERS_GET,
		PROBE_PHYS_CMD_WALK_GET,
	};
	bool forever = true;
	int session = t_session(), pid;

	for (int i = 0; i < 200; i++)
		t_buffer(session, T_PAGE, 0);
	pid = t_start(come_and_go, &forever);
	for (int i = 0; i < 200; i++) {
		struct t_reply reply =
			t_nl_ask(dumps[i % 4], NLM_F_DUMP, NULL, NULL);

		t_same_errno(reply.err, 0);
		if (i % 4 == 0)
			ck_assert_uint_ge(reply.messages, 200);
	}
	kill(pid, SIGKILL);
	t_wait(pid);
}
END_TEST

START_TEST(empty_dumps)
{
	static const int dumps[] = {
		PROBE_PHYS_CMD_BUFFER_GET,
		PROBE_PHYS_CMD_VIEW_GET,
		PROBE_PHYS_CMD_COUNTERS_GET,
		PROBE_PHYS_CMD_WALK_GET,
	};

	for (size_t i = 0; i < T_LENGTH(dumps); i++) {
		struct t_reply reply =
			t_nl_ask(dumps[i], NLM_F_DUMP, NULL, NULL);

		t_same_errno(reply.err, 0);
		ck_assert_uint_eq(reply.messages, 0);
	}
}
END_TEST

Suite *t_suite_netlink(void)
{
	Suite *suite = suite_create("netlink");
	TCase *tc = t_case(suite, "netlink");

	tcase_add_test(tc, info_as_the_device_says);
	tcase_add_test(tc, stats_are_complete);
	tcase_add_test(tc, stats_count);
	tcase_add_test(tc, buffer_in_dump);
	tcase_add_test(tc, buffer_by_number);
	tcase_add_test(tc, view_in_dump);
	tcase_add_test(tc, counters_in_dump);
	tcase_add_test(tc, walk_in_dump);
	tcase_add_test(tc, many_buffers);
	tcase_add_test(tc, empty_dumps);
	tcase_add_test(tc, dump_while_objects_go);
	return suite;
}
