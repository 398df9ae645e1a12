// SPDX-License-Identifier: GPL-2.0
/*
 * sizes.c - how every command treats the struct itself: its size, its tail,
 * its flags, its reserved field, the pointer to it, its number.
 */
#include "kit/commands.h"

static const struct t_command *command;
static struct t_fds fds;
static union {
	uint32_t size;
	uint64_t words[T_PAGE / 4];
	char bytes[2 * T_PAGE];
} arg;

static void begin(int i)
{
	command = &t_commands[i];
	fds = t_all_fds();
}

static void run(void *at, int want, const char *what)
{
	t_run(command, &fds, at, want, what);
}

static void fill(void)
{
	t_fill(command, &fds, &arg, sizeof(arg));
}

START_TEST(first_size)
{
	uint32_t first;

	begin(_i);
	first = t_first_size(command);
	fill();
	arg.size = first;
	memset(arg.bytes + first, 0x7f, 64);
	run(&arg, 0, "first published size");
	/* Nothing is read or written beyond the caller's size. */
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(arg.bytes[first + (uint32_t)i], 0x7f);
	ck_assert_uint_eq(arg.size, first);
}
END_TEST

START_TEST(too_small)
{
	const uint32_t first = t_first_size(&t_commands[_i]);
	const uint32_t small[] = { 0, 1, 4, 7, first - 8, first - 1 };

	begin(_i);
	for (size_t i = 0; i < T_LENGTH(small); i++) {
		fill();
		arg.size = small[i] < first ? small[i] : 0;
		run(&arg, EINVAL, "size too small");
	}
}
END_TEST

START_TEST(too_large)
{
	static const uint32_t large[] = { T_PAGE + 1, 2 * T_PAGE, 1U << 31,
					  UINT32_MAX };

	begin(_i);
	for (size_t i = 0; i < T_LENGTH(large); i++) {
		fill();
		arg.size = large[i];
		run(&arg, EINVAL, "size over a page");
	}
}
END_TEST

START_TEST(newer_with_zeros)
{
	const uint32_t newer[] = { t_commands[_i].size + 1,
				   t_commands[_i].size + 8, 1000, T_PAGE };

	begin(_i);
	for (size_t i = 0; i < T_LENGTH(newer); i++) {
		fill();
		arg.size = newer[i];
		run(&arg, 0, "longer struct, zero tail");
	}
}
END_TEST

START_TEST(newer_with_content)
{
	const uint32_t at[] = { t_commands[_i].size, t_commands[_i].size + 7,
				1000, T_PAGE - 1 };

	begin(_i);
	for (size_t i = 0; i < T_LENGTH(at); i++) {
		fill();
		arg.size = T_PAGE;
		arg.bytes[at[i]] = 1;
		run(&arg, E2BIG, "longer struct, tail not zero");
		ck_assert_uint_eq(t_used(), T_PAGE);
	}
}
END_TEST

START_TEST(unknown_flags)
{
	begin(_i);
	for (int bit = 0; bit < 32; bit++) {
		if (command->known_flags & 1U << bit)
			continue;
		fill();
		((uint32_t *)&arg)[1] = 1U << bit;
		run(&arg, EINVAL, "unknown flag");
	}
}
END_TEST

START_TEST(reserved_not_zero)
{
	begin(_i);
	if (!command->reserved)
		return;
	for (int bit = 0; bit < 32; bit += 31) {
		fill();
		*(uint32_t *)(arg.bytes + command->reserved) = 1U << bit;
		run(&arg, EINVAL, "reserved field not zero");
	}
}
END_TEST

START_TEST(bad_pointers)
{
	static const uintptr_t bad[] = { 0,
					 8,
					 0x10000,
					 0xffff888000000000,
					 0xffffffff81000000,
					 1UL << 60,
					 UINTPTR_MAX - 7 };

	begin(_i);
	for (size_t i = 0; i < T_LENGTH(bad); i++)
		run((void *)bad[i], EFAULT, "bad pointer");
}
END_TEST

/* The struct ends, or its size is, where nothing is mapped any more. */
START_TEST(struct_at_the_edge)
{
	char *page = t_edge_page(), *last;

	begin(_i);
	last = page + T_PAGE - command->size;
	t_fill(command, &fds, last, command->size);
	run(last, 0, "struct at the end of a page");
	t_fill(command, &fds, last, command->size);
	memmove(last + 8, last, command->size - 8);
	run(last + 8, EFAULT, "struct over the end of a page");
	t_fill(command, &fds, last, command->size);
	*(uint32_t *)last = command->size + 8;
	run(last, EFAULT, "tail over the end of a page");
	run(page + T_PAGE - 2, EFAULT, "size over the end of a page");
}
END_TEST

/* When the outputs cannot be written, nothing was made. */
START_TEST(read_only_struct)
{
	char *page = t_edge_page();

	begin(_i);
	if (!command->writes)
		return;
	t_fill(command, &fds, page, T_PAGE);
	ck_assert_int_eq(mprotect(page, T_PAGE, PROT_READ), 0);
	if (command->needs &&
	    t_do(fds.of[command->kind], command->cmd, page) == EOPNOTSUPP)
		return;
	run(page, EFAULT, "read-only struct");
	ck_assert_uint_eq(t_used(), T_PAGE);
	ck_assert_uint_eq(t_buffer_info(fds.of[T_BUFFER]).nr_views, 1);
}
END_TEST

/* A command of another kind of descriptor is none. */
START_TEST(wrong_descriptor)
{
	begin(_i);
	for (int kind = 0; kind < T_KINDS; kind++) {
		if (kind == (int)command->kind)
			continue;
		fill();
		ck_assert_msg(t_do(fds.of[kind], command->cmd, &arg) == ENOTTY,
			      "%s on kind %d", command->name, kind);
		ck_assert_int_eq(t_do(fds.of[kind], command->cmd, NULL),
				 ENOTTY);
	}
}
END_TEST

/* The number grows with the struct: only its type and number count. */
START_TEST(size_bits_do_not_count)
{
	struct t_command other;

	begin(_i);
	other = *command;
	other.cmd = _IOC(_IOC_READ | _IOC_WRITE, PROBE_PHYS_IOC_MAGIC,
			 _IOC_NR(command->cmd), command->size + 64);
	command = &other;
	fill();
	run(&arg, 0, "number of a newer struct");
	fill();
	arg.size += 64;
	run(&arg, 0, "number and size of a newer struct");
}
END_TEST

START_TEST(no_such_command)
{
	begin(0);
	for (int kind = 0; kind < T_KINDS; kind++) {
		for (unsigned int nr = 0; nr < 256; nr++) {
			bool known = false;

			for (size_t i = 0; i < t_nr_commands; i++)
				known |= _IOC_NR(t_commands[i].cmd) == nr;
			if (known)
				continue;
			ck_assert_int_eq(t_do(fds.of[kind],
					      _IOC(_IOC_READ | _IOC_WRITE,
						   PROBE_PHYS_IOC_MAGIC, nr,
						   16),
					      &arg),
					 ENOTTY);
		}
		ck_assert_int_eq(t_do(fds.of[kind], _IOWR('x', 0, int), &arg),
				 ENOTTY);
		ck_assert_int_eq(t_do(fds.of[kind], 0, &arg), ENOTTY);
		ck_assert_int_eq(t_do(fds.of[kind], 0x5401 /* TCGETS */, &arg),
				 ENOTTY);
	}
}
END_TEST

/* No room for another descriptor: nothing is made and nothing leaks. */
START_TEST(no_descriptors_left)
{
	int last = 0, next;

	begin(_i);
	if (!command->made)
		return;
	while ((next = dup(0)) >= 0)
		last = next;
	ck_assert_int_eq(errno, EMFILE);
	fill();
	run(&arg, EMFILE, "no descriptor left");
	close(last);
	fill();
	run(&arg, 0, "one descriptor left");
	close(last - 1);
	ck_assert_uint_eq(t_used(), T_PAGE);
}
END_TEST

Suite *t_suite_sizes(void)
{
	Suite *suite = suite_create("sizes");

	tcase_add_test(t_case(suite, "any"), no_such_command);
	for (int i = 0; i < (int)t_nr_commands; i++) {
		TCase *tc = t_case(suite, t_commands[i].name);

		tcase_add_loop_test(tc, first_size, i, i + 1);
		tcase_add_loop_test(tc, too_small, i, i + 1);
		tcase_add_loop_test(tc, too_large, i, i + 1);
		tcase_add_loop_test(tc, newer_with_zeros, i, i + 1);
		tcase_add_loop_test(tc, newer_with_content, i, i + 1);
		tcase_add_loop_test(tc, unknown_flags, i, i + 1);
		tcase_add_loop_test(tc, reserved_not_zero, i, i + 1);
		tcase_add_loop_test(tc, bad_pointers, i, i + 1);
		tcase_add_loop_test(tc, struct_at_the_edge, i, i + 1);
		tcase_add_loop_test(tc, read_only_struct, i, i + 1);
		tcase_add_loop_test(tc, wrong_descriptor, i, i + 1);
		tcase_add_loop_test(tc, size_bits_do_not_count, i, i + 1);
		tcase_add_loop_test(tc, no_descriptors_left, i, i + 1);
	}
	return suite;
}
