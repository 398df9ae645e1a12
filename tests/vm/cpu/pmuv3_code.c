// SPDX-License-Identifier: GPL-2.0
/* pmuv3_code.c - instructions of a ring of returns, on an arm64 CPU that counts
 * them exactly.
 */
#include "machine/native/mapped_view.h"
/* Behind the others: libcheck has a macro named fail. */
#include "kit/exact.h"
#include "kit/machines.h"

#ifdef __aarch64__

#define RETURNS 40

/* A ring of returns in pages of its own, @bytes of code each. */
static struct mapped_view *open_ring(struct machine *m, uint64_t bytes)
{
	const struct view_request request = { .page_bytes = T_PAGE,
					      .pages = RETURNS,
					      .frames = RETURNS,
					      .executable = true,
					      .code = VIEW_FULL_RETURNS };
	struct view *view = m_view(m, &request);
	const struct walk_plan plan = { .loads = 1, .samples = 1 };
	struct failure f = { .text = "" };
	uint64_t offsets[RETURNS];
	const struct sequence s = { offsets, RETURNS };
	struct sample sample;

	for (uint64_t i = 0; i < RETURNS; i++)
		offsets[i] = i * 7 % RETURNS * T_PAGE + bytes;
	ck_assert_msg(!m->ops->view_walk(view, &s, &plan, &sample, &f), "%s",
		      f.text);
	return (struct mapped_view *)view;
}

static uint64_t go_around(int fd, const struct mapped_view *v, uint64_t rounds)
{
	struct probe_phys_counters_read from = x_take(fd), to;

	returns_run(&v->returns, rounds);
	to = x_take(fd);
	return to.values[0].value - from.values[0].value;
}

/* A call, a load and a return each, in the last one four; then what fills them. */
START_TEST(each_return)
{
	const uint64_t bytes = (uint64_t)VIEW_SLOT_BYTES << _i;
	const uint64_t fill = (bytes - 16) / 4;
	const uint64_t round = RETURNS * (3 + fill) + 1;
	struct machine *m = m_open(T_MIB);
	struct mapped_view *v = open_ring(m, bytes);
	int fd = x_user_group();
	uint64_t least;

	go_around(fd, v, 1);
	least = go_around(fd, v, 1);
	for (uint64_t rounds = 2; rounds < 3000; rounds *= 3)
		ck_assert_uint_eq(go_around(fd, v, rounds) - least,
				  (rounds - 1) * round);
	mapped_view_close(&v->view);
	machine_close(m);
}
END_TEST

Suite *t_suite_pmuv3_code(void)
{
	Suite *suite = suite_create("pmuv3_code");
	TCase *tc = t_case(suite, "pmuv3_code");

	tcase_add_checked_fixture(tc, x_alone, x_together);
	tcase_add_loop_test(tc, each_return, 0, 3);
	return suite;
}
#endif /* __aarch64__ */
