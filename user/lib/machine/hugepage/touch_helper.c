// SPDX-License-Identifier: GPL-2.0
#include "machine/hugepage/touch_helper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "machine/host/cpu.h"
#include "machine/hugepage/touch_child.h"

/*
 * Loops until bits are cleared where a helper is too slow, some 100 us. One that is so
 * MOST_SLOW times more often than not has no CPU of its own.
 */
#define PATIENCE (1 << 14)
#define MOST_SLOW 16
/* Waking it takes some 100 us, so it sleeps only after as many loops without work. */
#define MOST_LOOPS (1 << 20)

enum turn {
	RESTS,
	SLEEPS,
	SHALL_CLEAR,
	CLEARS,
};

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void rest(struct touch_orders *o)
{
	(void)o;
	relax();
}

static bool take_turn(struct touch_orders *o, int from, int to)
{
	return atomic_compare_exchange_strong(&o->turn, &from, to);
}

/* Until there has been no work for a while. */
static void help(struct touch_orders *o, int clear)
{
	for (int i = 0; i < MOST_LOOPS || !take_turn(o, RESTS, SLEEPS); i++) {
		relax();
		if (atomic_load(&o->turn) != SHALL_CLEAR ||
		    !take_turn(o, SHALL_CLEAR, CLEARS))
			continue;
		o->cleared = pwrite(clear, TOUCH_CLEAR_ANONYMOUS, 1, 0) == 1;
		atomic_store(&o->turn, RESTS);
		i = 0;
	}
}

static void __attribute__((noreturn))
run(struct touch_orders *o, pid_t of, int wake)
{
	char path[64], byte;
	int clear;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(path, sizeof(path), "/proc/%ld/clear_refs", (long)of);
	clear = open(path, O_WRONLY | O_CLOEXEC);
	if (getppid() != of || clear < 0 || !cpu_move_to(o->helper_cpu))
		_exit(1);
	while (read(wake, &byte, 1) == 1)
		help(o, clear);
	_exit(0);
}

void touch_helper_start(struct touch_orders *o)
{
	const pid_t self = getpid();
	int ends[2];
	pid_t helper;

	if (o->helper_cpu < 0)
		return;
	if (pipe2(ends, O_CLOEXEC)) {
		o->helper_cpu = -1;
		return;
	}
	/* A helper that has ended never clears. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	atomic_store(&o->turn, SLEEPS);
	helper = fork();
	if (!helper) {
		close(ends[1]);
		run(o, self, ends[0]);
	}
	close(ends[0]);
	o->wake = ends[1];
	if (helper < 0)
		o->helper_cpu = -1;
}

void touch_helper_wake(struct touch_orders *o)
{
	if (o->helper_cpu >= 0 && take_turn(o, SLEEPS, RESTS) &&
	    write(o->wake, "", 1) != 1)
		o->helper_cpu = -1;
}

/* About as long as a round of a set and what clears the array above takes. */
#define LOOPS_OF_WAIT 64

bool touch_helper_clear(struct touch_orders *o,
			void (*wait)(struct touch_orders *o))
{
	const int step = wait ? LOOPS_OF_WAIT : 1;

	/* It may have fallen asleep again. */
	if (o->helper_cpu < 0 || !take_turn(o, RESTS, SHALL_CLEAR))
		return false;
	if (!wait)
		wait = rest;
	for (int i = 0; i < PATIENCE && atomic_load(&o->turn) == SHALL_CLEAR;
	     i += step)
		wait(o);
	if (take_turn(o, SHALL_CLEAR, RESTS)) {
		if (++o->slow == MOST_SLOW)
			o->helper_cpu = -1;
		return false;
	}
	while (atomic_load(&o->turn) == CLEARS)
		wait(o);
	o->slow -= o->slow > 0;
	return o->cleared;
}
