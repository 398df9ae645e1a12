// SPDX-License-Identifier: GPL-2.0
/* processor.c - CPUs, clocks and the hypervisor below them. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "info/capability.h"
#include "machine/host/hypervisor.h"
#include "machine/native/native.h"
#include "machine/native/timer.h"

static void say_range(struct capability *c, int first, int last, bool more)
{
	if (first == last)
		capability_detail(c, "%s%d", more ? "," : "", first);
	else
		capability_detail(c, "%s%d-%d", more ? "," : "", first, last);
}

static void say_set(struct capability *c, const cpu_set_t *set)
{
	bool more = false;
	int first = -1;

	for (int cpu = 0; cpu <= CPU_SETSIZE; cpu++) {
		bool in = cpu < CPU_SETSIZE && CPU_ISSET(cpu, set);

		if (in && first < 0)
			first = cpu;
		if (in || first < 0)
			continue;
		say_range(c, first, cpu - 1, more);
		more = true;
		first = -1;
	}
}

static void cpus(struct capability_list *list, int cpu)
{
	struct capability *c = capability_add(list, "CPUs", CAPABILITY_YES);
	char online[160];
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0) {
		c->state = CAPABILITY_UNKNOWN;
		capability_detail(c, "which may be used: %s", strerror(errno));
		return;
	}
	say_set(c, &allowed);
	capability_detail(c, " may be used");
	capability_fact(c, "allowed", (uint64_t)CPU_COUNT(&allowed));
	if (!text_read("/sys/devices/system/cpu/online", online,
		       sizeof(online)))
		capability_detail(c, ", %s are online", online);
	if (cpu >= 0 && (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed))) {
		c->state = CAPABILITY_NO;
		capability_detail(c, "; --cpu %d is none of them", cpu);
		capability_remedy(c, "choose another with --cpu");
	}
}

static void timers(struct capability_list *list, int cpu)
{
	struct timer_trial trials[TIMER_MAX_CANDIDATES];
	struct capability *c;
	size_t count;
	int pinned = native_pin(cpu, NULL);

	if (pinned < 0) {
		c = capability_add(list, "timer", CAPABILITY_UNKNOWN);
		capability_detail(c, "not tried: cannot run on that CPU");
		return;
	}
	count = timer_try_all(trials);
	for (size_t i = 0; i < count; i++) {
		const struct timer_info *info = &trials[i].timer.info;

		c = capability_add(list, "timer",
				   trials[i].usable ? CAPABILITY_YES :
						      CAPABILITY_NO);
		if (trials[i].usable)
			capability_detail(
				c,
				"%s on CPU %d: %.4g ticks per ns, resolution %.4g, overhead %.4g ticks",
				info->name, pinned, info->ticks_per_ns,
				info->resolution_ticks, info->overhead_ticks);
		else
			capability_detail(c, "%s: %s", info->name,
					  trials[i].reason);
		timer_release(&trials[i].timer);
	}
}

static void bare_metal(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "bare metal", CAPABILITY_NO);
	char name[64] = "";
	enum hypervisor found = hypervisor_find(name, sizeof(name));

	/* An emulator may hide from the processor. */
	if (found == HYPERVISOR_NONE &&
	    hypervisor_of_firmware("", name, sizeof(name)) == HYPERVISOR_SEEN)
		found = HYPERVISOR_SEEN;
	switch (found) {
	case HYPERVISOR_SEEN:
		capability_detail(
			c,
			"virtual machine (%s): physical addresses are guest-physical, what backs them is unknown",
			name[0] ? name : "unnamed");
		capability_remedy(c,
				  "measure on the host for physical results");
		break;
	case HYPERVISOR_UNKNOWN:
		c->state = CAPABILITY_UNKNOWN;
		capability_detail(
			c,
			"unknown whether there is a hypervisor: taken for a virtual machine");
		capability_remedy(c, "load probe_phys.ko, which knows");
		break;
	default:
		c->state = CAPABILITY_YES;
		capability_detail(c, "no sign of a hypervisor");
	}
}

void capability_processor(struct capability_list *list, int cpu)
{
	cpus(list, cpu);
	bare_metal(list);
	timers(list, cpu);
}
