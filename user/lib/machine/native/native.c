// SPDX-License-Identifier: GPL-2.0
#include "machine/native/native.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine/host/cpu.h"
#include "machine/host/pauses.h"
#include "machine/native/chase_loop.h"
#include "machine/native/registers/registers.h"

/* No clock tick of a kernel comes as often as a fifth of that. */
#define MANY_PAUSES 5000

static void list_others(struct machine *m, int cpu)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t allowed;
	int own = cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	for (int i = 0; own < 0 && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(CPU_SETSIZE - 1 - i, &allowed))
			own = CPU_SETSIZE - 1 - i;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (i != own && CPU_ISSET(i, &allowed) &&
		    m->other_count < MACHINE_OTHERS)
			m->others[m->other_count++] = i;
	if (online > (long)m->other_count + 1)
		m->unusable_cpus = (size_t)online - m->other_count - 1;
}

int native_pin(int cpu, struct failure *f)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return fail(f, STATUS_FAILED, errno,
			    "pin: %s (more CPUs than this build can name)",
			    strerror(errno));
	if (cpu < 0)
		for (int i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &allowed))
				cpu = i;
	if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed))
		return fail(
			f, STATUS_FAILED, EINVAL,
			"pin: CPU %d: offline or not allowed for this process (choose another with --cpu)",
			cpu);
	if (!cpu_move_to(cpu))
		return fail(f, STATUS_FAILED, errno,
			    "pin: CPU %d: %s (choose another with --cpu)", cpu,
			    strerror(errno));
	return cpu;
}

/* What lasts longer than the time between two pauses is seldom left alone. */
static void note_pauses(struct machine *m)
{
	const struct pauses found = pauses_measure();

	if (found.per_second < MANY_PAUSES)
		return;
	machine_note(
		m,
		"this CPU stops %.0f times a second for %.1f us (a hypervisor or firmware): what takes more than %.0f us, as large TLBs do, may be undecided",
		found.per_second, found.mean_ns / 1e3, 1e6 / found.per_second);
}

int native_open(struct native *n, int cpu, struct failure *f)
{
	struct machine *m = &n->machine;
	int error;

	list_others(m, cpu);
	m->cpu = native_pin(cpu, f);
	if (m->cpu < 0)
		return m->cpu;
	error = timer_choose(&n->timer, f);
	m->timer = n->timer.info;
	m->neon = REGISTERS_NEON;
	m->times_each = true;
	m->flushes_lines = CHASE_FLUSHES;
	if (!error)
		note_pauses(m);
	return error;
}

void native_close(struct native *n)
{
	timer_release(&n->timer);
	free(n->machine.region.extents);
	free(n);
}

double native_add_chain(struct machine *m, unsigned int adds)
{
	return timer_add_chain(&native_of(m)->timer, adds);
}

double native_register_chain(struct machine *m, enum register_type type,
			     unsigned int variables)
{
	return registers_chain(&native_of(m)->timer, type, variables);
}

void native_pause(struct machine *m, unsigned int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000,
				       .tv_nsec = (long)(ms % 1000) * 1000000 };

	(void)m;
	/* A signal may cut it short, which does no harm. */
	nanosleep(&time, NULL);
}

double native_clock_ns(const struct machine *m)
{
	struct timespec now;

	(void)m;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}
