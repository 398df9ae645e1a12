// SPDX-License-Identifier: GPL-2.0
/*
 * fetches.c - lines of code that lie in one set of exact.json's instruction cache:
 * the rings of mispredicted returns that the tool walks.
 */
#include "guest.h"
#include "machine/native/code/code.h"
#include "machine/native/code/returns.h"

/* Of exact.json. */
#define WAYS 8
#define WAY_BYTES 4096
#define LINE_BYTES 64

#define MOST (2 * WAYS)
#define ROUNDS 200
/* A busy host may add stray misses. */
#define TRIALS 9
/* What is around a ring, the kernel's code, differs by some lines. */
#define SLACK (ROUNDS / 4)

/* @n elements a way apart. */
static void write_ring(struct returns *r, size_t n, char *write, char *run)
{
	need(!returns_begin(r, n), "ring");
	for (size_t i = 0; i < n; i++)
		returns_write(r, i, write + i * WAY_BYTES, run + i * WAY_BYTES,
			      LINE_BYTES);
	code_sync(run, n * WAY_BYTES);
	code_serialize();
	returns_run(r, 4);
}

/* The least that going around costs, with what is around it. */
static uint64_t least_misses(const struct returns *r, uint64_t rounds)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIALS; i++) {
		uint64_t before = count(L1I), misses;

		returns_run(r, rounds);
		misses = count(L1I) - before;
		if (misses < least)
			least = misses;
	}
	return least;
}

/* LRU: what fits never misses, one line more and all do. */
void check_fetches(void)
{
	struct guest_view data = map_view(guest.buffer, BUFFER_BYTES, 4096, 0);
	struct guest_view code =
		map_code_view(guest.buffer, BUFFER_BYTES, 4096);

	for (size_t n = WAYS / 2; n <= MOST; n += n < WAYS ? WAYS / 2 : 1) {
		uint64_t expected = n > WAYS ? n * ROUNDS : 0;
		struct returns ring;
		uint64_t got;

		write_ring(&ring, n, data.base, code.base);
		got = least_misses(&ring, 1 + ROUNDS) - least_misses(&ring, 1);
		returns_end(&ring);
		check(got + SLACK >= expected && got <= expected + SLACK,
		      "fetches of %zu lines of a set: %llu of %llu miss", n,
		      (unsigned long long)got,
		      (unsigned long long)(n * ROUNDS));
	}
	unmap_view(&code);
	unmap_view(&data);
}
