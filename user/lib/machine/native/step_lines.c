// SPDX-License-Identifier: GPL-2.0
#include "machine/native/step_lines.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#define WORD_BYTES 8

/*
 * CLFLUSHOPT waits for no other flush (Intel SDM vol. 2A): of thousands of lines that
 * takes a quarter of the time, in which others that share a cache fill fewer of the
 * ways that become free. glibc knows without CPUID, which a guest waits for.
 */
#ifdef CPU_FEATURE_PRESENT
#define FLUSHES_IN_ANY_ORDER CPU_FEATURE_PRESENT(CLFLUSHOPT)
#else
#define FLUSHES_IN_ANY_ORDER false
#endif

void step_flush(const char *address)
{
#if defined(__x86_64__)
	if (FLUSHES_IN_ANY_ORDER)
		__asm__ volatile("clflushopt %0" : : "m"(*address) : "memory");
	else
		_mm_clflush(address);
#elif defined(__aarch64__)
	__asm__ volatile("dc civac, %0" : : "r"(address) : "memory");
#endif
}

void step_fence(void)
{
#if defined(__x86_64__)
	_mm_mfence();
	_mm_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("dsb sy; isb" : : : "memory");
#endif
}

/* Loads alone are done sooner than everything is. */
static void load_fence(void)
{
#if defined(__x86_64__)
	_mm_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("dsb ld; isb" : : : "memory");
#endif
}

/* How many of the first ones are at equal distances. */
static uint32_t run_length(const uint64_t *offsets, size_t left,
			   int64_t *distance)
{
	uint32_t n = 1;

	*distance = 0;
	if (left < 2)
		return n;
	*distance = ((int64_t)offsets[1] - (int64_t)offsets[0]) / WORD_BYTES;
	/* Further apart than a run can say: the next one begins another. */
	if (*distance > INT32_MAX || *distance < INT32_MIN)
		return n;
	while (n < left && n < UINT32_MAX &&
	       (int64_t)offsets[n] - (int64_t)offsets[n - 1] ==
		       *distance * WORD_BYTES)
		n++;
	return n;
}

static size_t find_runs(const struct sequence *s, struct step_run *runs)
{
	size_t count = 0;

	for (size_t i = 0; i < s->length; i += runs[count++].count) {
		int64_t distance;
		uint32_t n =
			run_length(s->offsets + i, s->length - i, &distance);

		runs[count] = (struct step_run){
			.first = (uint32_t)(s->offsets[i] / WORD_BYTES),
			.distance = n > 1 ? (int32_t)distance : 0,
			.count = n,
		};
	}
	return count;
}

int step_lines_make(struct step_lines *lines, const struct sequence *s,
		    struct failure *f)
{
	struct step_run *fitting;

	*lines = (struct step_lines){ .length = s->length };
	for (size_t i = 0; i < s->length; i++)
		if (s->offsets[i] / WORD_BYTES > UINT32_MAX)
			return fail(
				f, STATUS_FAILED, ERANGE,
				"step: offset %#llx: beyond the 32 GiB that lists can name (give less memory)",
				(unsigned long long)s->offsets[i]);
	lines->runs = calloc(s->length + 1, sizeof(*lines->runs));
	if (!lines->runs)
		return fail_memory(f, "walk");
	lines->count = find_runs(s, lines->runs);
	fitting =
		realloc(lines->runs, (lines->count + 1) * sizeof(*lines->runs));
	if (fitting)
		lines->runs = fitting;
	return 0;
}

void step_lines_free(struct step_lines *lines)
{
	free(lines->runs);
	*lines = (struct step_lines){ 0 };
}

/* The value is not zero: some processors skip writing zeros over zeros. */
static void take(char *at, enum step_kind kind, uint64_t not_zero)
{
	if (kind == STEP_LOAD || kind == STEP_LOAD_TOGETHER) {
		(void)*(volatile uint64_t *)(void *)at;
		if (kind == STEP_LOAD)
			load_fence();
		return;
	}
	/* Together: with a fence after each, lines that no cache has take a
	 * hundred times as long (Zen 3).
	 */
	if (kind == STEP_FLUSH) {
		step_flush(at);
		return;
	}
	*(volatile uint64_t *)(void *)at = not_zero;
	step_fence();
}

void step_lines_take(const struct step_lines *lines, char *base,
		     enum step_kind kind)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct step_run *run = &lines->runs[i];
		char *at = base + (uint64_t)run->first * WORD_BYTES;
		ptrdiff_t distance = (ptrdiff_t)run->distance * WORD_BYTES;

		for (uint32_t n = run->count; n; n--, at += distance)
			take(at, kind, n);
	}
	if (kind == STEP_FLUSH)
		step_fence();
	else if (kind == STEP_LOAD_TOGETHER)
		load_fence();
}
