// SPDX-License-Identifier: GPL-2.0
/* privileges.c - capabilities, checked on every call. */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kit/commands.h"

/* Become uid 1000 with nothing but the capabilities in @caps; for children. */
static void keep_only(uint64_t caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = (uint32_t)caps, .permitted = (uint32_t)caps },
		{ .effective = (uint32_t)(caps >> 32),
		  .permitted = (uint32_t)(caps >> 32) }
	};

	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	    setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000) ||
	    syscall(SYS_capset, &head, data))
		_exit(99);
}

#define CAP(name) (1ULL << CAP_##name)

static int open_as_nobody(void *arg)
{
	(void)arg;
	t_drop_root();
	return t_fails(open(PROBE_PHYS_DEVICE, O_RDWR));
}

START_TEST(others_cannot_open)
{
	ck_assert_int_eq(t_child(open_as_nobody, NULL), T_EXITED(EACCES));
}
END_TEST

/* The file mode allows it, so the capability decides. */
static int open_with(void *arg)
{
	keep_only(*(uint64_t *)arg);
	return t_fails(open(PROBE_PHYS_DEVICE, O_RDWR));
}

START_TEST(mode_is_not_enough)
{
	uint64_t caps = CAP(DAC_OVERRIDE) | CAP(SYS_RAWIO) | CAP(PERFMON);

	ck_assert_int_eq(t_child(open_with, &caps), T_EXITED(EPERM));
	caps |= CAP(SYS_ADMIN);
	ck_assert_int_eq(t_child(open_with, &caps), 0);
}
END_TEST

struct passed {
	const struct t_command *c;
	const struct t_fds *fds;
	uint64_t caps;
};

static union {
	char bytes[T_PAGE];
	uint64_t align;
} argument;

static int use_passed(void *at)
{
	struct passed *p = at;

	keep_only(p->caps);
	return t_do(p->fds->of[p->c->kind], p->c->cmd, &argument);
}

static int as(int i, uint64_t caps)
{
	struct t_fds fds = t_all_fds();
	struct passed p = { .c = &t_commands[i], .fds = &fds, .caps = caps };

	t_fill(p.c, &fds, &argument, sizeof(argument));
	return t_child(use_passed, &p) >> 8;
}

static bool is(int i, unsigned long cmd)
{
	return t_commands[i].cmd == cmd;
}

/* Counters can be had with less, prefetchers need more. */
static bool is_counters(int i)
{
	return is(i, PROBE_PHYS_IOC_COUNTERS_CREATE) ||
	       is(i, PROBE_PHYS_IOC_COUNTERS_CONTROL) ||
	       is(i, PROBE_PHYS_IOC_COUNTERS_READ);
}

START_TEST(passed_to_nobody)
{
	t_same_errno(as(_i, 0), EPERM);
}
END_TEST

START_TEST(passed_to_perfmon)
{
	t_same_errno(as(_i, CAP(PERFMON)), is_counters(_i) ? 0 : EPERM);
}
END_TEST

START_TEST(passed_to_admin)
{
	int err = as(_i, CAP(SYS_ADMIN));

	if (is(_i, PROBE_PHYS_IOC_PREFETCH)) {
		t_same_errno(err, EPERM);
		return;
	}
	if (is(_i, PROBE_PHYS_IOC_FLUSH_ALL)) {
		t_same_errno(err, T_FLUSH_ALL);
		return;
	}
	/* The mapping of the view is not inherited, so nothing is there. */
	t_same_errno(err, is(_i, PROBE_PHYS_IOC_VIEW_RESOLVE) ||
					  is(_i, PROBE_PHYS_IOC_VIEW_ACCESSED) ?
				  EINVAL :
				  0);
}
END_TEST

START_TEST(passed_to_rawio)
{
	int err = as(_i, CAP(SYS_RAWIO));

	if (is(_i, PROBE_PHYS_IOC_PREFETCH))
		ck_assert_msg(!err || err == EOPNOTSUPP, "gave %s",
			      t_errno(err));
	else
		t_same_errno(err, EPERM);
}
END_TEST

/* All capabilities of a namespace of one's own are none here. */
static int use_in_namespace(void *at)
{
	struct passed *p = at;

	t_drop_root();
	if (unshare(CLONE_NEWUSER))
		return 98;
	return t_do(p->fds->of[p->c->kind], p->c->cmd, &argument);
}

START_TEST(passed_into_user_namespace)
{
	struct t_fds fds = t_all_fds();
	struct passed p = { .c = &t_commands[_i], .fds = &fds };
	int err;

	t_fill(p.c, &fds, &argument, sizeof(argument));
	err = t_child(use_in_namespace, &p) >> 8;
	if (err == 98)
		t_skip("kernel cannot make user namespaces for users");
	t_same_errno(err, EPERM);
}
END_TEST

Suite *t_suite_privileges(void)
{
	Suite *suite = suite_create("privileges");
	TCase *tc = t_case(suite, "privileges");

	tcase_add_test(tc, others_cannot_open);
	tcase_add_test(tc, mode_is_not_enough);
	for (int i = 0; i < (int)t_nr_commands; i++) {
		tc = t_case(suite, t_commands[i].name);
		tcase_add_loop_test(tc, passed_to_nobody, i, i + 1);
		tcase_add_loop_test(tc, passed_to_perfmon, i, i + 1);
		tcase_add_loop_test(tc, passed_to_admin, i, i + 1);
		tcase_add_loop_test(tc, passed_to_rawio, i, i + 1);
		tcase_add_loop_test(tc, passed_into_user_namespace, i, i + 1);
	}
	return suite;
}
