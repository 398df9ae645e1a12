// SPDX-License-Identifier: GPL-2.0
/*
 * lockdown.c - under lockdown nothing but INFO works, also on descriptors that
 * were opened before. Locks the kernel down itself, so it comes last.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "kit/commands.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

static struct t_fds fds;
static union {
	char bytes[T_PAGE];
	uint64_t align;
} arg;

/* Once, in the process that all tests are forked from. */
static void lock_down(void)
{
	fds = t_all_fds();
	t_put(LOCKDOWN, "integrity");
}

static void need_lockdown(void)
{
	char *text = t_file(LOCKDOWN);
	bool locked = text && (strstr(text, "[integrity]") ||
			       strstr(text, "[confidentiality]"));

	free(text);
	if (!locked)
		t_skip("kernel cannot be locked down");
}

START_TEST(open_is_refused)
{
	need_lockdown();
	t_same_errno(t_fails(open(PROBE_PHYS_DEVICE, O_RDWR)), EPERM);
}
END_TEST

START_TEST(command_is_refused)
{
	const struct t_command *c = &t_commands[_i];
	bool info = c->cmd == PROBE_PHYS_IOC_INFO;

	need_lockdown();
	/* Not t_fill(): the mapping was not inherited by this process. */
	memset(&arg, 0, sizeof(arg));
	*(uint32_t *)&arg = c->size;
	c->fill(&arg, &fds);
	t_run(c, &fds, &arg, info ? 0 : EPERM, "locked down");
	t_run(c, &fds, NULL, info ? EFAULT : EPERM, "locked down, no struct");
	ck_assert_int_eq(t_do(fds.of[(c->kind + 1) % T_KINDS], c->cmd, &arg),
			 ENOTTY);
}
END_TEST

START_TEST(counters_under_confidentiality)
{
	T_ARG(counters_read, r, .flags = 0);

	need_lockdown();
	ck_assert_int_eq(t_put(LOCKDOWN, "confidentiality"), 0);
	t_want(EPERM, fds.of[T_COUNTERS], PROBE_PHYS_IOC_COUNTERS_READ, &r);
	t_want(EPERM, fds.of[T_COUNTERS], PROBE_PHYS_IOC_COUNTERS_READ, NULL);
}
END_TEST

Suite *t_suite_lockdown(void)
{
	Suite *suite = suite_create("lockdown");
	TCase *tc = t_case(suite, "lockdown");

	tcase_add_unchecked_fixture(tc, lock_down, NULL);
	tcase_add_test(tc, open_is_refused);
	tcase_add_loop_test(tc, command_is_refused, 0, (int)t_nr_commands);
	tcase_add_test(tc, counters_under_confidentiality);
	return suite;
}
