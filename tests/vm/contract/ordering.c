// SPDX-License-Identifier: GPL-2.0
/*
 * ordering.c - which error wins when several are due: ENOTTY, EPERM, EFAULT,
 * EINVAL (size), E2BIG, EINVAL (flags, reserved), then what a command adds.
 */
#include <linux/perf_event.h>

#include "kit/commands.h"

static union {
	uint32_t size;
	uint32_t words[2];
	uint64_t align;
	char bytes[2 * T_PAGE];
} arg;

/* On every command: each error hides those that come after it. */
START_TEST(common)
{
	const struct t_command *c = &t_commands[_i];
	struct t_fds fds = t_all_fds();

	/* Size before tail and flags. */
	t_fill(c, &fds, &arg, sizeof(arg));
	arg.size = T_PAGE + 1;
	arg.words[1] = 1U << 31;
	arg.bytes[c->size] = 1;
	t_run(c, &fds, &arg, EINVAL, "size and tail");
	arg.size = t_first_size(c) - 1;
	t_run(c, &fds, &arg, EINVAL, "size and flags");
	/* Tail before flags. */
	arg.size = T_PAGE;
	t_run(c, &fds, &arg, E2BIG, "tail and flags");
	arg.bytes[c->size] = 0;
	t_run(c, &fds, &arg, EINVAL, "flags");
	/* Fault before everything that is in the struct. */
	t_run(c, &fds, NULL, EFAULT, "no struct");
}
END_TEST

struct poor {
	const struct t_command *c;
	const struct t_fds *fds;
	int wrong;
};

static int run_poor(void *at)
{
	struct poor *p = at;
	int got;

	t_drop_root();
	got = t_do(p->fds->of[p->wrong], p->c->cmd, NULL);
	if (got != ENOTTY)
		return 1;
	got = t_do(p->fds->of[p->c->kind], p->c->cmd, NULL);
	return got == EPERM ? 0 : 2;
}

/* Privileges before the struct is looked at, but after the command. */
START_TEST(privileges)
{
	struct t_fds fds = t_all_fds();
	struct poor p = { .c = &t_commands[_i],
			  .fds = &fds,
			  .wrong = (t_commands[_i].kind + 1) % T_KINDS };
	int status = t_child(run_poor, &p);

	ck_assert_msg(status == 0, "%s: %s", p.c->name,
		      status == T_EXITED(1) ? "not ENOTTY" : "not EPERM");
}
END_TEST

START_TEST(range_order)
{
	int buffer = t_buffer(t_session(), 16 * T_PAGE, 0);
	T_ARG(view_create, v, .offset = -T_PAGE, .bytes = 2 * T_PAGE + 8,
	      .page_bytes = T_PAGE);

	/* Alignment before overflow before the end. */
	t_want(EINVAL, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	v.bytes = 0;
	t_want(EINVAL, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	v.bytes = 2 * T_PAGE;
	t_want(EOVERFLOW, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	v.offset = 17 * T_PAGE;
	t_want(ERANGE, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
}
END_TEST

START_TEST(buffer_create_order)
{
	T_ARG(buffer_create, c, .bytes = 1ULL << 62, .min_bytes = 1ULL << 62,
	      .align_bytes = 3, .node = -2, .flags = 2);
	int session = t_session();

	t_want(EINVAL, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.flags = 0;
	t_want(EINVAL, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.align_bytes = 0;
	t_want(EINVAL, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.node = PROBE_PHYS_NODE_ANY;
	/* The caps before memory is looked for. */
	t_want(ENOSPC, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
}
END_TEST

START_TEST(walk_order)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	T_ARG(walk, w, .nr_offsets = 0, .cpu = 4095, .counters_fd = 999,
	      .max_samples = 1, .rounds = 1);

	/* What the struct says, then the CPU, then what it points to. */
	t_want(EINVAL, buffer, PROBE_PHYS_IOC_WALK, &w);
	w.nr_offsets = 1;
	t_want(ENXIO, buffer, PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

START_TEST(counters_order)
{
	T_ARG(counters_create, c, .nr_events = 1, .cpu = 4095,
	      .events = { { .type = 0x7fffffff, .flags = 1U << 31 } });
	int session = t_session();

	t_want(EINVAL, session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	c.events[0].flags = 0;
	t_want(ENXIO, session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	c.cpu = 0;
	t_want(ENOENT, session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
}
END_TEST

START_TEST(prefetch_order)
{
	T_ARG(prefetch, p, .op = 9, .cpu = 4095);
	int session = t_session();

	t_want(EINVAL, session, PROBE_PHYS_IOC_PREFETCH, &p);
	p.op = PROBE_PHYS_PREFETCH_QUERY;
	t_want(ENXIO, session, PROBE_PHYS_IOC_PREFETCH, &p);
}
END_TEST

Suite *t_suite_ordering(void)
{
	Suite *suite = suite_create("ordering");
	TCase *tc = t_case(suite, "ordering");

	tcase_add_test(tc, range_order);
	tcase_add_test(tc, buffer_create_order);
	tcase_add_test(tc, walk_order);
	tcase_add_test(tc, counters_order);
	tcase_add_test(tc, prefetch_order);
	for (int i = 0; i < (int)t_nr_commands; i++) {
		tc = t_case(suite, t_commands[i].name);
		tcase_add_loop_test(tc, common, i, i + 1);
		tcase_add_loop_test(tc, privileges, i, i + 1);
	}
	return suite;
}
