// SPDX-License-Identifier: GPL-2.0
#include "machine/native/code/pace.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/machine.h"
#include "machine/native/code/code.h"

/* Lines of one set, less than any cache has ways but those of two, where lines so far
 * apart are of several sets.
 */
#define LINES 3
#define APART 4096
/* Far from the lines at which pages begin, which more code has. */
#define OFFSET (APART / 2 + VIEW_CODE_BYTES)
#define BYTES ((size_t)LINES * APART)
/* Rounds until all lines are back, and those of which the length is chosen. */
#define BACK 2
#define FIRST_ROUNDS 32

void pace_open(struct pace *p)
{
	*p = (struct pace){ .pages = NULL };
	if (!returns_available() || returns_begin(&p->ring, LINES))
		return;
	p->pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p->pages == MAP_FAILED)
		p->pages = NULL;
	for (size_t i = 0; p->pages && i < LINES; i++) {
		char *line = p->pages + i * APART + OFFSET;

		returns_write(&p->ring, i, line, line, VIEW_CODE_BYTES);
	}
	if (!p->pages || mprotect(p->pages, BYTES, PROT_READ | PROT_EXEC)) {
		pace_close(p);
		return;
	}
	code_sync(p->pages, BYTES);
	code_serialize();
}

void pace_close(struct pace *p)
{
	if (p->pages)
		munmap(p->pages, BYTES);
	returns_end(&p->ring);
	*p = (struct pace){ .pages = NULL };
}

static double time_rounds(const struct pace *p, const struct timer *timer,
			  uint64_t rounds)
{
	uint64_t start, stop;

	returns_run(&p->ring, BACK);
	start = timer->start(timer);
	returns_run(&p->ring, rounds);
	stop = timer->stop(timer);
	return fmax(0, (double)(stop - start) - timer->info.overhead_ticks);
}

void pace_begin(struct pace *p, const struct timer *timer, double ticks)
{
	double round;

	p->least_now = 0;
	if (p->rounds)
		return;
	round = time_rounds(p, timer, FIRST_ROUNDS) / FIRST_ROUNDS;
	p->rounds = 1 + (uint64_t)(ticks / fmax(round, 1));
}

void pace_end(struct pace *p, bool lacking)
{
	if (lacking && p->least_now > p->least)
		p->least = p->least_now;
}

double pace_read(const struct pace *p, const struct timer *timer)
{
	return time_rounds(p, timer, p->rounds) / (double)(p->rounds * LINES);
}

bool pace_is_best(const struct pace *p, double cycles, double changed)
{
	const double off = (1 + changed) / (1 - changed);

	return !(p->least > 0) || cycles <= p->least * off * off;
}

void pace_note(struct pace *p, double cycles)
{
	if (!(p->least_now > 0) || cycles < p->least_now)
		p->least_now = cycles;
	if (!(p->least > 0) || cycles < p->least)
		p->least = cycles;
}
