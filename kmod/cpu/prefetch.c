// SPDX-License-Identifier: GPL-2.0
/*
 * prefetch.c - one session at a time switches prefetchers; every CPU gets its
 * own setting back at close, CPU offline, suspend, reboot and unload.
 *
 * Lock order: cpus_read_lock(), then pp_prefetch.lock.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/topology.h>

#include "base/base.h"
#include "cpu/msr.h"
#include "cpu/prefetch.h"

/**
 * struct pp_prefetch_cpu - one CPU
 * @saved: the register before the owner's first SET
 * @valid: @saved was read since there is an owner
 * @changed: the register has been written since, and not restored
 */
struct pp_prefetch_cpu {
	u64 saved;
	bool valid;
	bool changed;
};

/**
 * struct pp_prefetch - the prefetchers of this machine
 * @lock: protects @owner and what @cpus points to
 * @sw: the switch, NULL: none; constant after pp_prefetch_init()
 * @owner: session that made the first SET, compared, never followed
 * @cpus: nr_cpu_ids entries
 * @hotplug: dynamic hotplug state
 */
struct pp_prefetch {
	struct mutex lock; /* owner and cpus */
	const struct pp_msr_switch *sw;
	const struct pp_session *owner;
	struct pp_prefetch_cpu *cpus;
	int hotplug;
};

static struct pp_prefetch pp_prefetch = {
	.lock = __MUTEX_INITIALIZER(pp_prefetch.lock),
};

u32 pp_prefetch_available(void)
{
	const struct pp_msr_switch *sw = pp_prefetch.sw;
	u32 i, mask = 0;

	for (i = 0; sw && i < sw->nr_bits; i++)
		mask |= sw->bits[i].prefetcher;
	return mask;
}

/* The register bits that turn a set of prefetchers off. */
static u64 pp_prefetch_off_bits(u32 prefetchers)
{
	const struct pp_msr_switch *sw = pp_prefetch.sw;
	u64 bits = 0;
	u32 i;

	for (i = 0; i < sw->nr_bits; i++)
		if (sw->bits[i].prefetcher & prefetchers)
			bits |= sw->bits[i].off;
	return bits;
}

static u32 pp_prefetch_enabled(u64 value)
{
	const struct pp_msr_switch *sw = pp_prefetch.sw;
	u32 i, mask = 0;

	for (i = 0; i < sw->nr_bits; i++)
		if (!(value & sw->bits[i].off))
			mask |= sw->bits[i].prefetcher;
	return mask;
}

/*
 * Save the register of a CPU. The threads of a core may share it. Then its
 * value is the original one only before the first write by any of the threads:
 * all are read at once, and a thread that comes online later gets its sibling's
 * value.
 */
static int pp_prefetch_save(int cpu)
{
	struct pp_prefetch_cpu *cpus = pp_prefetch.cpus;
	int sibling, ret;

	if (cpus[cpu].valid)
		return 0;
	for_each_cpu(sibling, topology_sibling_cpumask(cpu)) {
		if (!cpus[sibling].valid)
			continue;
		cpus[cpu].saved = cpus[sibling].saved;
		cpus[cpu].valid = true;
		return 0;
	}
	for_each_cpu(sibling, topology_sibling_cpumask(cpu)) {
		ret = pp_msr_read(sibling, pp_prefetch.sw,
				  &cpus[sibling].saved);
		if (ret)
			return ret;
		cpus[sibling].valid = true;
	}
	return 0;
}

/* Other software may have changed the other bits of the register meanwhile. */
static int pp_prefetch_write_back(int cpu, u64 saved)
{
	u64 own = pp_prefetch_off_bits(PROBE_PHYS_PREFETCH_ALL);
	u64 now;
	int ret;

	ret = pp_msr_read(cpu, pp_prefetch.sw, &now);
	if (ret)
		return ret;
	return pp_msr_write(cpu, pp_prefetch.sw, (now & ~own) | (saved & own));
}

/* Restore one online CPU. Return: whether it had been changed. */
static bool pp_prefetch_restore_cpu(int cpu)
{
	struct pp_prefetch_cpu *p = &pp_prefetch.cpus[cpu];

	if (!p->changed)
		return false;
	p->changed = false;
	if (pp_prefetch_write_back(cpu, p->saved))
		pr_warn("prefetchers of CPU %d could not be restored\n", cpu);
	return true;
}

static void pp_prefetch_restore_all(void)
{
	int cpu, count = 0;

	lockdep_assert_held(&pp_prefetch.lock);
	for_each_online_cpu(cpu)
		count += pp_prefetch_restore_cpu(cpu);
	if (count)
		pp_event(PROBE_PHYS_EVENT_PREFETCH_RESTORED, NULL, -1, count);
}

/* The owner gives up the prefetchers. */
static void pp_prefetch_disown(void)
{
	unsigned int cpu;

	pp_prefetch_restore_all();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		pp_prefetch.cpus[cpu].valid = false;
	pp_prefetch.owner = NULL;
}

static int pp_prefetch_set(struct pp_session *s,
			   struct probe_phys_prefetch *arg)
{
	u64 before, want, after;
	int ret;

	if (arg->mask & ~arg->available)
		return -EINVAL;
	if (pp_prefetch.owner && pp_prefetch.owner != s)
		return -EBUSY;
	ret = pp_prefetch_save(arg->cpu);
	if (!ret)
		ret = pp_msr_read(arg->cpu, pp_prefetch.sw, &before);
	if (ret)
		goto out;
	want = before & ~pp_prefetch_off_bits(arg->mask);
	want |= pp_prefetch_off_bits(arg->mask & ~arg->enable);
	ret = pp_msr_write(arg->cpu, pp_prefetch.sw, want);
	if (ret)
		goto out;
	pp_prefetch.owner = s;
	pp_prefetch.cpus[arg->cpu].changed = true;
	ret = pp_msr_read(arg->cpu, pp_prefetch.sw, &after);
	if (!ret && after != want)
		arg->state |= PROBE_PHYS_PREFETCH_INEFFECTIVE;
out:
	/* Only an owner's close would drop the saved values. */
	if (!pp_prefetch.owner)
		pp_prefetch_disown();
	return ret;
}

static int pp_prefetch_locked(struct pp_session *s,
			      struct probe_phys_prefetch *arg)
{
	u64 value;
	int ret = 0;

	if (arg->op == PROBE_PHYS_PREFETCH_SET)
		ret = pp_prefetch_set(s, arg);
	if (!ret)
		ret = pp_msr_read(arg->cpu, pp_prefetch.sw, &value);
	if (ret)
		return ret;
	arg->enabled = pp_prefetch_enabled(value);
	if (pp_prefetch.owner == s)
		arg->state |= PROBE_PHYS_PREFETCH_OWNED;
	else if (pp_prefetch.owner)
		arg->state |= PROBE_PHYS_PREFETCH_BUSY;
	return 0;
}

static int pp_prefetch_check(const struct probe_phys_prefetch *arg)
{
	switch (arg->op) {
	case PROBE_PHYS_PREFETCH_QUERY:
		return arg->mask || arg->enable ? -EINVAL : 0;
	case PROBE_PHYS_PREFETCH_SET:
		if (!arg->mask || arg->mask & ~PROBE_PHYS_PREFETCH_ALL ||
		    arg->enable & ~arg->mask)
			return -EINVAL;
		return 0;
	default:
		return -EINVAL;
	}
}

int pp_prefetch_do(struct pp_session *s, struct probe_phys_prefetch *arg)
{
	int ret;

	arg->available = pp_prefetch_available();
	arg->enabled = 0;
	arg->state = 0;
	ret = pp_prefetch_check(arg);
	if (ret)
		return ret;
	/* The CPU must not go offline between the check and the switch. */
	cpus_read_lock();
	mutex_lock(&pp_prefetch.lock);
	if (arg->cpu >= nr_cpu_ids || !cpu_online(arg->cpu))
		ret = -ENXIO;
	else if (!pp_prefetch.sw)
		ret = -EOPNOTSUPP;
	else
		ret = pp_prefetch_locked(s, arg);
	mutex_unlock(&pp_prefetch.lock);
	cpus_read_unlock();
	return ret;
}

void pp_prefetch_release(struct pp_session *s)
{
	if (!pp_prefetch.sw)
		return;
	cpus_read_lock();
	mutex_lock(&pp_prefetch.lock);
	if (pp_prefetch.owner == s)
		pp_prefetch_disown();
	mutex_unlock(&pp_prefetch.lock);
	cpus_read_unlock();
}

/*
 * Runs on the CPU that goes offline. The saved value stays valid: when the CPU
 * comes back, its siblings may still have their prefetchers off.
 */
static int pp_prefetch_cpu_down(unsigned int cpu)
{
	bool restored;

	mutex_lock(&pp_prefetch.lock);
	restored = pp_prefetch_restore_cpu(cpu);
	mutex_unlock(&pp_prefetch.lock);
	if (restored)
		pp_event(PROBE_PHYS_EVENT_PREFETCH_RESTORED, NULL, cpu, 1);
	return 0;
}

static void pp_prefetch_give_back(void)
{
	cpus_read_lock();
	mutex_lock(&pp_prefetch.lock);
	pp_prefetch_restore_all();
	mutex_unlock(&pp_prefetch.lock);
	cpus_read_unlock();
}

static int pp_prefetch_reboot(struct notifier_block *nb, unsigned long event,
			      void *unused)
{
	pp_prefetch_give_back();
	return NOTIFY_DONE;
}

static int pp_prefetch_pm(struct notifier_block *nb, unsigned long event,
			  void *unused)
{
	if (event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE)
		pp_prefetch_give_back();
	return NOTIFY_DONE;
}

static struct notifier_block pp_prefetch_reboot_nb = {
	.notifier_call = pp_prefetch_reboot,
};

static struct notifier_block pp_prefetch_pm_nb = {
	.notifier_call = pp_prefetch_pm,
};

int pp_prefetch_init(void)
{
	const struct pp_msr_switch *sw = pp_msr_find_switch();
	int ret;

	if (!sw)
		return 0;
	pp_prefetch.cpus = kcalloc(nr_cpu_ids, sizeof(*pp_prefetch.cpus),
				   GFP_KERNEL);
	if (!pp_prefetch.cpus)
		return -ENOMEM;
	pp_prefetch.sw = sw;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					"probe_phys/prefetch:online", NULL,
					pp_prefetch_cpu_down);
	if (ret < 0)
		goto out_free;
	pp_prefetch.hotplug = ret;
	ret = register_reboot_notifier(&pp_prefetch_reboot_nb);
	if (ret)
		goto out_hotplug;
	ret = register_pm_notifier(&pp_prefetch_pm_nb);
	if (ret)
		goto out_reboot;
	return 0;

out_reboot:
	unregister_reboot_notifier(&pp_prefetch_reboot_nb);
out_hotplug:
	cpuhp_remove_state_nocalls(pp_prefetch.hotplug);
out_free:
	pp_prefetch.sw = NULL;
	kfree(pp_prefetch.cpus);
	return ret;
}

void pp_prefetch_uninit(void)
{
	if (!pp_prefetch.sw)
		return;
	unregister_pm_notifier(&pp_prefetch_pm_nb);
	unregister_reboot_notifier(&pp_prefetch_reboot_nb);
	cpuhp_remove_state_nocalls(pp_prefetch.hotplug);
	pp_prefetch_give_back();
	pp_prefetch.sw = NULL;
	kfree(pp_prefetch.cpus);
}
