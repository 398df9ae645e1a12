// SPDX-License-Identifier: GPL-2.0
/*
 * prefetch_fake.c - ownership and restoration of prefetchers, on the module
 * built with PROBE_PHYS_FAKE_MSR, whose switches are words of memory that
 * begin as 0x20 (a bit that is not the module's).
 */
#include <signal.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "machine/module/module.h"
/* Behind the others: libcheck has a macro named fail. */
#include "kit/t.h"

#define FAKE "/sys/module/probe_phys/parameters/fake_msr_"
#define BEFORE 0x20

static unsigned long word(int cpu)
{
	char *text = t_file(FAKE "values"), *at = text;
	unsigned long value = 0;

	ck_assert_ptr_nonnull(text);
	for (int i = 0; i <= cpu; i++)
		value = strtoul(at, &at, 16);
	free(text);
	return value;
}

static struct probe_phys_prefetch query(int session, uint32_t cpu)
{
	T_ARG(prefetch, p, .op = PROBE_PHYS_PREFETCH_QUERY, .cpu = cpu);

	t_want(0, session, PROBE_PHYS_IOC_PREFETCH, &p);
	return p;
}

static struct probe_phys_prefetch set(int session, uint32_t cpu, uint32_t mask,
				      uint32_t enable)
{
	T_ARG(prefetch, p, .op = PROBE_PHYS_PREFETCH_SET, .cpu = cpu,
	      .mask = mask, .enable = enable);

	t_want(0, session, PROBE_PHYS_IOC_PREFETCH, &p);
	return p;
}

START_TEST(query_changes_nothing)
{
	struct probe_phys_prefetch p = query(t_session(), 0);

	ck_assert_uint_eq(p.available, PROBE_PHYS_PREFETCH_L1_STREAM |
					       PROBE_PHYS_PREFETCH_L1_STRIDE |
					       PROBE_PHYS_PREFETCH_L2_STREAM |
					       PROBE_PHYS_PREFETCH_L2_ADJACENT);
	ck_assert_uint_eq(p.enabled, p.available);
	ck_assert_uint_eq(p.state, 0);
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

START_TEST(off_on_and_back)
{
	int session = t_session();
	uint32_t all = query(session, 0).available;
	struct probe_phys_prefetch p = set(session, 0, all, 0);

	ck_assert_uint_eq(p.enabled, 0);
	ck_assert_uint_eq(p.state, PROBE_PHYS_PREFETCH_OWNED);
	ck_assert_uint_eq(word(0), BEFORE | 0xf);
	p = set(session, 0, PROBE_PHYS_PREFETCH_L2_STREAM,
		PROBE_PHYS_PREFETCH_L2_STREAM);
	ck_assert_uint_eq(p.enabled, PROBE_PHYS_PREFETCH_L2_STREAM);
	ck_assert_uint_eq(word(0), BEFORE | 0xe);
	close(session);
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

START_TEST(one_prefetcher_alone)
{
	int session = t_session();
	uint32_t all = query(session, 0).available;

	for (uint32_t bit = 1; bit <= PROBE_PHYS_PREFETCH_ALL; bit <<= 1) {
		if (!(all & bit))
			continue;
		ck_assert_uint_eq(set(session, 0, bit, 0).enabled, all & ~bit);
		ck_assert_uint_eq(set(session, 0, bit, bit).enabled, all);
	}
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

START_TEST(not_available)
{
	T_ARG(prefetch, p, .op = PROBE_PHYS_PREFETCH_SET,
	      .mask = PROBE_PHYS_PREFETCH_L2_UPDOWN);

	t_want(EINVAL, t_session(), PROBE_PHYS_IOC_PREFETCH, &p);
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

START_TEST(other_session_is_refused)
{
	int owner = t_session(), other = t_session();
	T_ARG(prefetch, p, .op = PROBE_PHYS_PREFETCH_SET, .mask = 1);

	set(owner, 0, 1, 0);
	/* Of every CPU, not only of the one that was switched. */
	t_want(EBUSY, other, PROBE_PHYS_IOC_PREFETCH, &p);
	p.cpu = 1;
	t_want(EBUSY, other, PROBE_PHYS_IOC_PREFETCH, &p);
	ck_assert_uint_eq(query(other, 0).state, PROBE_PHYS_PREFETCH_BUSY);
	ck_assert_uint_eq(query(owner, 0).state, PROBE_PHYS_PREFETCH_OWNED);
	close(owner);
	ck_assert_uint_eq(query(other, 0).state, 0);
	set(other, 0, 1, 0);
	close(other);
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

START_TEST(ineffective_is_seen)
{
	int session = t_session();
	struct probe_phys_prefetch p;

	ck_assert_int_eq(t_put(FAKE "ineffective", "1"), 0);
	p = set(session, 0, PROBE_PHYS_PREFETCH_L2_STREAM, 0);
	ck_assert_uint_eq(t_put(FAKE "ineffective", "0"), 0);
	ck_assert_uint_eq(p.state & PROBE_PHYS_PREFETCH_INEFFECTIVE,
			  PROBE_PHYS_PREFETCH_INEFFECTIVE);
	ck_assert_uint_eq(p.enabled, p.available);
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

static int set_and_wait(void *arg)
{
	(void)arg;
	int session = t_session();

	set(session, 0, 1, 0);
	set(session, 1, 0xf & query(session, 1).available, 0);
	pause();
	return 0;
}

START_TEST(restored_after_kill)
{
	int pid = t_start(set_and_wait, NULL);
	uint64_t start = t_now();

	while (word(1) == BEFORE && t_now() - start < 5000000000)
		usleep(1000);
	ck_assert_uint_ne(word(1), BEFORE);
	kill(pid, SIGKILL);
	t_wait(pid);
	ck_assert_uint_eq(word(0), BEFORE);
	ck_assert_uint_eq(word(1), BEFORE);
}
END_TEST

/* A buffer of the session keeps its account, not its prefetchers. */
START_TEST(restored_while_a_buffer_lives)
{
	int session = t_session(), buffer = t_buffer(session, T_PAGE, 0);

	set(session, 0, 1, 0);
	close(session);
	ck_assert_uint_eq(word(0), BEFORE);
	close(buffer);
}
END_TEST

START_TEST(restored_before_offline)
{
	int session = t_session();
	T_ARG(prefetch, p, .op = PROBE_PHYS_PREFETCH_QUERY, .cpu = 1);

	if (t_put("/sys/devices/system/cpu/cpu1/online", "1"))
		t_skip("cpu cannot: only one, or it cannot go offline");
	set(session, 1, 1, 0);
	set(session, 0, 1, 0);
	ck_assert_int_eq(t_put("/sys/devices/system/cpu/cpu1/online", "0"), 0);
	ck_assert_uint_eq(word(1), BEFORE);
	t_want(ENXIO, session, PROBE_PHYS_IOC_PREFETCH, &p);
	ck_assert_int_eq(t_put("/sys/devices/system/cpu/cpu1/online", "1"), 0);
	ck_assert_uint_eq(word(1), BEFORE);
	ck_assert_uint_ne(word(0), BEFORE);
	set(session, 1, 1, 0);
	close(session);
	ck_assert_uint_eq(word(0), BEFORE);
	ck_assert_uint_eq(word(1), BEFORE);
}
END_TEST

/* Where the clock is steady; see machine_views.c. */
static struct machine *open_on_cpu1(void)
{
	const struct machine_request request = { .cpu = 1, .bytes = 4 * T_MIB };
	struct machine *m = NULL;
	struct failure f;

	if (t_put("/sys/devices/system/cpu/cpu1/online", "1"))
		t_skip("cpu cannot: only one, or it cannot go offline");
	for (int tries = 0; !m && tries < 20; tries++) {
		f = (struct failure){ .text = "" };
		m = machine_open_module(&request, &f);
		if (!m && f.status == STATUS_UNAVAILABLE)
			usleep(500000);
	}
	ck_assert_msg(m != NULL, "%s", f.text);
	ck_assert_uint_eq(m->prefetchers.off_count, 4);
	ck_assert_uint_eq(word(1), BEFORE | 0xf);
	return m;
}

static int walk_twice(struct machine *m, struct sample *samples,
		      struct failure *f)
{
	uint64_t offsets[] = { 0, 4096 };
	const struct sequence s = { offsets, T_LENGTH(offsets) };
	const struct walk_plan plan = { .loads = 100, .samples = 2 };

	*f = (struct failure){ .text = "" };
	return m->ops->walk(m, &s, &plan, samples, f);
}

static void give_back_cpu1(void)
{
	ck_assert_int_eq(t_put("/sys/devices/system/cpu/cpu1/online", "0"), 0);
	ck_assert_int_eq(t_put("/sys/devices/system/cpu/cpu1/online", "1"), 0);
	ck_assert_uint_eq(word(1), BEFORE);
}

/* The tool's machine sees that they came on, and takes nothing from then. */
START_TEST(tool_sees_them_back)
{
	struct machine *m = open_on_cpu1();
	struct sample samples[2];
	struct failure f;
	size_t notes = m->note_count;

	ck_assert_msg(!walk_twice(m, samples, &f), "%s", f.text);
	ck_assert_uint_eq(m->note_count, notes);
	give_back_cpu1();
	ck_assert_msg(!walk_twice(m, samples, &f), "%s", f.text);
	ck_assert(samples[0].disturbed);
	ck_assert(samples[1].disturbed);
	ck_assert_uint_eq(m->note_count, notes + 1);
	ck_assert_uint_eq(word(1), BEFORE | 0xf);
	machine_close(m);
	ck_assert_uint_eq(word(1), BEFORE);
}
END_TEST

START_TEST(tool_cannot_have_them_off_again)
{
	struct machine *m = open_on_cpu1();
	struct sample samples[2];
	struct failure f;
	int error;

	give_back_cpu1();
	ck_assert_int_eq(t_put(FAKE "ineffective", "1"), 0);
	error = walk_twice(m, samples, &f);
	ck_assert_int_eq(t_put(FAKE "ineffective", "0"), 0);
	ck_assert_int_eq(error, -EIO);
	ck_assert_str_ne(f.text, "");
	machine_close(m);
}
END_TEST

START_TEST(restores_its_own_bits_only)
{
	int session = t_session();

	set(session, 0, PROBE_PHYS_PREFETCH_L2_STREAM, 0);
	ck_assert_int_eq(t_put(FAKE "values", "60"), 0);
	close(session);
	ck_assert_uint_eq(word(0), 0x60);
	ck_assert_int_eq(t_put(FAKE "values", "20"), 0);
	ck_assert_uint_eq(word(0), BEFORE);
}
END_TEST

Suite *t_suite_prefetch_fake(void)
{
	Suite *suite = suite_create("prefetch_fake");
	TCase *tc = t_case(suite, "prefetch_fake");

	tcase_add_test(tc, query_changes_nothing);
	tcase_add_test(tc, off_on_and_back);
	tcase_add_test(tc, one_prefetcher_alone);
	tcase_add_test(tc, not_available);
	tcase_add_test(tc, other_session_is_refused);
	tcase_add_test(tc, ineffective_is_seen);
	tcase_add_test(tc, restored_after_kill);
	tcase_add_test(tc, restored_while_a_buffer_lives);
	tcase_add_test(tc, restored_before_offline);
	tcase_add_test(tc, restores_its_own_bits_only);
	tcase_add_test(tc, tool_sees_them_back);
	tcase_add_test(tc, tool_cannot_have_them_off_again);
	return suite;
}
