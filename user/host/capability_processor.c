// SPDX-License-Identifier: GPL-2.0
/* capability_processor.c - CPUs, clocks and what lies below them. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../machine/chase.h"
#include "../observe/timer.h"
#include "capability.h"
#include "text.h"

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
	int pinned = chase_pin(cpu, NULL);

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

#if defined(__x86_64__)
/* What the hypervisor calls itself: 12 bytes of CPUID leaf 4000_0000h. */
static bool hypervisor(char *name, size_t size)
{
	unsigned int eax, words[3];
	char raw[sizeof(words) + 1] = "";

	if (!chase_in_virtual_machine())
		return false;
	__cpuid(0x40000000, eax, words[0], words[1], words[2]);
	memcpy(raw, words, sizeof(words));
	text_printable(name, size, raw);
	return true;
}
#else
static bool hypervisor(char *name, size_t size)
{
	static const char *const paths[] = {
		"/proc/device-tree/hypervisor/compatible",
		"/sys/hypervisor/type",
	};
	char line[64];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!text_read(paths[i], line, sizeof(line))) {
			text_printable(name, size, line);
			return true;
		}
	return false;
}
#endif

static bool emulated_board(char *name, size_t size)
{
	static const char *const makers[] = { "QEMU", "KVM", "VMware",
					      "Xen",  "EC2", "innotek" };
	char line[64];

	if (text_read("/sys/class/dmi/id/sys_vendor", line, sizeof(line)))
		return false;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strstr(line, makers[i])) {
			text_printable(name, size, line);
			return true;
		}
	return false;
}

static void bare_metal(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "bare metal", CAPABILITY_NO);
	char name[64] = "";

	if (hypervisor(name, sizeof(name)) ||
	    emulated_board(name, sizeof(name))) {
		capability_detail(
			c,
			"virtual machine (%s): physical addresses are guest-physical, what backs them is unknown",
			name[0] ? name : "unnamed");
		capability_remedy(c,
				  "measure on the host for physical results");
		return;
	}
	c->state = CAPABILITY_YES;
	capability_detail(c, "nothing tells of a hypervisor");
}

void capability_processor(struct capability_list *list, int cpu)
{
	cpus(list, cpu);
	bare_metal(list);
	timers(list, cpu);
}
