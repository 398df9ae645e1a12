// SPDX-License-Identifier: GPL-2.0
/* open_machine.c - open the machine that the options select, and let signals
 * interrupt its measurements.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "machine/host/resctrl_shares.h"
#include "machine/hugepage/hugepage.h"
#include "machine/module/module.h"
#include "machine/sim/sim.h"
#include "method/probe/tuning.h"

#define WANTED_BYTES (UINT64_C(512) << 20)
#define GUEST_LIMIT_S 60

/* The signal handler sets it; measurements read it. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	/* No SA_RESTART; a second signal kills. */
	action.sa_flags = (int)SA_RESETHAND;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Other guests share the caches of a guest, so a search may never end: it gets
 * a limit.
 */
static double limit_of(const struct machine *m, const struct options *options)
{
	if (options->limit_s >= 0)
		return options->limit_s;
	return m->virtual_machine && options->machine != MACHINE_SIM ?
		       GUEST_LIMIT_S :
		       0;
}

/* The first signal ends the measurement, a second one kills. */
void cmd_begin(struct prober *p, struct machine *m,
	       const struct options *options)
{
	prober_begin(p, m, options->seed);
	p->stop = &interrupted;
	p->by = options->decide_by;
	p->limit_s = limit_of(m, options);
	if (options->limit_s < 0 && !(p->limit_s > 0))
		p->most_accesses = TIME_LIMIT_ACCESSES;
}

static struct machine *open_real(const struct options *options,
				 const struct machine_request *request,
				 struct failure *f)
{
	struct failure why_not = { .text = "" };
	struct machine *m;

	if (options->machine == MACHINE_MODULE)
		return machine_open_module(request, f);
	if (options->machine == MACHINE_HUGEPAGE)
		return machine_open_hugepage(request, f);
	m = machine_open_module(request, &why_not);
	if (m)
		return m;
	m = machine_open_hugepage(request, f);
	if (m)
		machine_note(m, "hugepage machine: %s", why_not.text);
	return m;
}

struct machine *cmd_open_machine(const struct options *options,
				 struct failure *f)
{
	struct machine_request request = { .cpu = options->cpu,
					   .bytes = WANTED_BYTES,
					   .seed = options->seed,
					   .prefetch = options->prefetch };
	struct machine *m;

	memcpy(request.events, options->events, sizeof(request.events));
	catch_interrupts();
	if (options->machine == MACHINE_SIM)
		return machine_open_sim(options->profile, &request, f);
	m = open_real(options, &request, f);
	if (m)
		shares_note(m, "");
	return m;
}

void cmd_read_documents(struct documented *d, const struct machine *m)
{
	char sysfs[64];

	snprintf(sysfs, sizeof(sysfs), "/sys/devices/system/cpu/cpu%d", m->cpu);
	documented_read(d, sysfs, "/proc/cpuinfo");
}
