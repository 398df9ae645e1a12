// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz.c - good arguments with a few bytes made wrong, for some seconds. Any
 * answer will do; what may not happen is seen in the kernel log and in what is
 * left behind.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kit/commands.h"

#define SECONDS 4

static union {
	char bytes[2 * T_PAGE];
	uint64_t words[1];
} arg;

static unsigned int seed;

static unsigned int any(unsigned int below)
{
	return (unsigned int)rand_r(&seed) % below;
}

static void spoil(uint32_t size)
{
	static const uint64_t values[] = {
		0,	    1,		7,	    8,		4095,
		4096,	    T_PMD,	1U << 31,   UINT32_MAX, 1ULL << 32,
		1ULL << 62, 1ULL << 63, UINT64_MAX, -4096ULL,
	};

	for (unsigned int n = 1 + any(3); n > 0; n--) {
		uint32_t at = any(size);

		switch (any(3)) {
		case 0:
			arg.bytes[at] = (char)any(256);
			break;
		case 1:
			arg.bytes[at] ^= (char)(1U << any(8));
			break;
		default:
			memcpy(arg.bytes + (at & ~7U),
			       &values[any(T_LENGTH(values))], 8);
		}
	}
}

/* Keep one call from taking all the time, or all the memory, there is. */
static void bound(const struct t_command *c)
{
	struct probe_phys_buffer_create *create = (void *)&arg;
	struct probe_phys_walk *walk = (void *)&arg;

	if (c->cmd == PROBE_PHYS_IOC_WALK)
		walk->budget_ns = 1000000;
	if (c->cmd == PROBE_PHYS_IOC_BUFFER_CREATE &&
	    create->bytes < 1ULL << 40)
		create->bytes %= 8 * T_MIB;
}

START_TEST(spoiled_arguments)
{
	const char *text = getenv("PROBE_PHYS_VM_SEED");
	const struct t_command *c = &t_commands[_i];
	uint64_t end = t_now() + SECONDS * 1000000000ULL / t_nr_commands;
	struct t_fds fds = t_all_fds();
	unsigned long calls = 0, good = 0;

	seed = (text ? (unsigned int)atoi(text) : 1) + (unsigned int)_i;
	while (t_now() < end) {
		t_fill(c, &fds, &arg, sizeof(arg));
		spoil(c->size);
		bound(c);
		calls++;
		if (t_do(fds.of[c->kind], c->cmd, &arg))
			continue;
		good++;
		/* Closes only returned descriptors: 0 to 2 are the runner's. */
		if (c->made && *(int *)(arg.bytes + c->made) > 2)
			close(*(int *)(arg.bytes + c->made));
	}
	ck_assert_uint_gt(calls, 0);
	ck_assert_uint_ge(calls, good);
	ck_assert_uint_eq(t_used(), T_PAGE);
}
END_TEST

Suite *t_suite_fuzz(void)
{
	Suite *suite = suite_create("fuzz");

	for (int i = 0; i < (int)t_nr_commands; i++)
		tcase_add_loop_test(t_case(suite, t_commands[i].name),
				    spoiled_arguments, i, i + 1);
	return suite;
}
