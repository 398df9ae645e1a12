// SPDX-License-Identifier: GPL-2.0
/* part.c - which cases of a long matrix are done, and how many are left out */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kit/part.h"

/* What this_check says of the cases of one check. */
#define DONE 1
#define LEFT_OUT 2
#define SKIPPED 4

/* Up to this part all slow checks are done. */
#define SLOW_FROM 16

/*
 * libcheck runs each check in a process of its own, which dies with the check.
 * The counts are in memory that all of them share; what this check has done so
 * far is in memory of its own.
 */
static struct part_count *counts;
static int this_check;

uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void add(unsigned long *count, long n)
{
	__atomic_add_fetch(count, (unsigned long)n, __ATOMIC_RELAXED);
}

/*
 * A check that has left cases out and done others is shortened, not left out.
 */
static void note(bool is_done)
{
	const int before = this_check;

	if (this_check & SKIPPED)
		return;
	this_check |= is_done ? DONE : LEFT_OUT;
	if (!counts || this_check == before)
		return;
	if (this_check == LEFT_OUT)
		add(&counts->left_out, 1);
	if (before == LEFT_OUT)
		add(&counts->left_out, -1);
	if (this_check == (DONE | LEFT_OUT))
		add(&counts->shortened, 1);
}

void cannot_do(const char *what, const char *why, ...)
{
	va_list args;

	printf("SKIP %s: ", what);
	va_start(args, why);
	vprintf(why, args);
	va_end(args);
	putchar('\n');
	if (!counts || this_check & SKIPPED)
		return;
	if (this_check == LEFT_OUT)
		add(&counts->left_out, -1);
	if (this_check == (DONE | LEFT_OUT))
		add(&counts->shortened, -1);
	this_check |= SKIPPED;
	add(&counts->skipped, 1);
}

const struct part_count *part_count_begin(void)
{
	void *shared = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return NULL;
	counts = shared;
	return counts;
}

static bool is_turn(unsigned long i, unsigned long parts)
{
	unsigned long turn = from_environment(
		"PROBE_PHYS_TURN", from_environment("PROBE_PHYS_SEED", 0));
	bool is_done = parts < 2 || (i + turn) % parts == 0;

	note(is_done);
	return is_done;
}

bool is_in_part_of(int i, unsigned long count)
{
	unsigned long parts = from_environment("PROBE_PHYS_PART", 1);

	return is_turn((unsigned long)i, parts < count ? parts : count);
}

bool is_in_part(int i)
{
	return is_in_part_of(i, ULONG_MAX);
}

bool is_wanted(bool wanted)
{
	if (!wanted)
		note(false);
	return wanted;
}

bool is_slow_in_part(const char *name, int i)
{
	unsigned long parts = from_environment("PROBE_PHYS_PART", 1);
	unsigned long number = (unsigned long)i;

	/* Checks of different names are done in different turns. */
	while (*name)
		number = number * 31 + (unsigned char)*name++;
	return is_turn(number % (1U << 20), parts / SLOW_FROM);
}

unsigned int part_step(unsigned int most)
{
	unsigned long parts = from_environment("PROBE_PHYS_PART", 1);
	unsigned int step = parts < 1	 ? 1 :
			    parts < most ? (unsigned int)parts :
					   most;

	/* Some repetitions are done and, unless the step is 1, some are not. */
	note(true);
	if (step > 1)
		note(false);
	return step;
}
