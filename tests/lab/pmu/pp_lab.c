// SPDX-License-Identifier: GPL-2.0
/*
 * pp_lab.c - a PMU for the virtual lab, for tests only: its counters are those
 * of the model in QEMU's plugin, reached through BAR 2 of an ivshmem device.
 *
 * It comes up as a PMU named pp_lab with named events. With raw=1 it takes the
 * place of the CPU's own (PERF_TYPE_RAW) where there is none. Writing a mask
 * of CPUs to the file "cpus" of the PMU's device has these modelled from now
 * on; 0 ends it. With slots=N it has N counters a CPU, and what does not fit
 * does not count.
 *
 * The emulator knows nothing of the register that switches prefetchers: it
 * drops a write, which the plugin sees, and reads as 0. A read through the
 * kernel gets the value that the plugin saw.
 */
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#include "bar.h"

#define LAB_VENDOR 0x1af4
#define LAB_DEVICE 0x1110
#define LAB_BAR 2

static bool raw;
module_param(raw, bool, 0444);
MODULE_PARM_DESC(raw, "be the CPU's own PMU (where it has none)");

static unsigned int slots;
module_param(slots, uint, 0444);
MODULE_PARM_DESC(slots, "counters of a CPU; 0: no limit");

static struct lab_bar *lab;

/* Counters taken, by CPU: perf adds and deletes with interrupts off there. */
static unsigned int taken[LAB_BAR_CPUS];

/*
 * The plugin answers the store before the next instruction. Only the first
 * store on a CPU can stay without an answer (it is not instrumented).
 */
static u64 pp_lab_now(u64 config)
{
	struct lab_cpu *cpu = &lab->cpu[smp_processor_id()];

	WRITE_ONCE(cpu->request, cpu->request + 1);
	return READ_ONCE(cpu->values[config]);
}

static void pp_lab_read(struct perf_event *event)
{
	u64 now = pp_lab_now(event->hw.config);
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void pp_lab_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, pp_lab_now(event->hw.config));
	event->hw.state = 0;
}

static void pp_lab_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	pp_lab_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int pp_lab_add(struct perf_event *event, int flags)
{
	unsigned int *mine = &taken[smp_processor_id()];

	if (slots && *mine >= slots)
		return -EAGAIN;
	++*mine;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		pp_lab_start(event, flags);
	return 0;
}

static void pp_lab_del(struct perf_event *event, int flags)
{
	pp_lab_stop(event, flags);
	taken[smp_processor_id()]--;
}

static int pp_lab_event_init(struct perf_event *event);

/* --- what sysfs shows ------------------------------------------------------ */

PMU_FORMAT_ATTR(event, "config:0-7");

static struct attribute *pp_lab_format[] = { &format_attr_event.attr, NULL };

static ssize_t pp_lab_event_show(struct device *dev,
				 struct device_attribute *attr, char *page)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%llx\n", event->id);
}

/* Numbers are those of enum profile_counter. */
#define LAB_EVENT(name, number) \
	PMU_EVENT_ATTR(name, lab_event_##name, number, pp_lab_event_show)
LAB_EVENT(cycles, 0);
LAB_EVENT(loads, 1);
LAB_EVENT(l1d_miss, 2);
LAB_EVENT(l2_miss, 3);
LAB_EVENT(l3_miss, 4);
LAB_EVENT(dtlb_miss, 5);
LAB_EVENT(stlb_miss, 6);
LAB_EVENT(itlb_miss, 7);
LAB_EVENT(l1i_miss, 8);
LAB_EVENT(instructions, 9);
LAB_EVENT(l1d_write_miss, 10);
LAB_EVENT(l2_write_miss, 11);
LAB_EVENT(l3_write_miss, 12);

static struct attribute *pp_lab_events[] = {
	&lab_event_cycles.attr.attr,	     &lab_event_loads.attr.attr,
	&lab_event_l1d_miss.attr.attr,	     &lab_event_l2_miss.attr.attr,
	&lab_event_l3_miss.attr.attr,	     &lab_event_dtlb_miss.attr.attr,
	&lab_event_stlb_miss.attr.attr,	     &lab_event_itlb_miss.attr.attr,
	&lab_event_l1i_miss.attr.attr,	     &lab_event_instructions.attr.attr,
	&lab_event_l1d_write_miss.attr.attr, &lab_event_l2_write_miss.attr.attr,
	&lab_event_l3_write_miss.attr.attr,  NULL
};

/* Only what the modelled machine counts is there. */
static umode_t pp_lab_event_visible(struct kobject *kobj,
				    struct attribute *attr, int index)
{
	return lab->counters >> index & 1 ? attr->mode : 0;
}

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	return sysfs_emit(page, "0x%llx\n", READ_ONCE(lab->cpus));
}

static ssize_t cpus_store(struct device *dev, struct device_attribute *attr,
			  const char *text, size_t size)
{
	u64 cpus;
	int error = kstrtou64(text, 0, &cpus);

	if (error)
		return error;
	WRITE_ONCE(lab->cpus, cpus);
	return size;
}
static DEVICE_ATTR_RW(cpus);

static struct attribute *pp_lab_control[] = { &dev_attr_cpus.attr, NULL };

static const struct attribute_group pp_lab_format_group = {
	.name = "format",
	.attrs = pp_lab_format,
};

static const struct attribute_group pp_lab_events_group = {
	.name = "events",
	.attrs = pp_lab_events,
	.is_visible = pp_lab_event_visible,
};

static const struct attribute_group pp_lab_control_group = {
	.attrs = pp_lab_control,
};

static const struct attribute_group *pp_lab_groups[] = {
	&pp_lab_format_group, &pp_lab_events_group, &pp_lab_control_group, NULL
};

static struct pmu pp_lab_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.capabilities = PERF_PMU_CAP_NO_INTERRUPT,
	.attr_groups = pp_lab_groups,
	.event_init = pp_lab_event_init,
	.add = pp_lab_add,
	.del = pp_lab_del,
	.start = pp_lab_start,
	.stop = pp_lab_stop,
	.read = pp_lab_read,
};

/* Generic events, for raw=1; -1: the machine has nothing like it. */
static int pp_lab_generic(u64 config)
{
	switch (config) {
	case PERF_COUNT_HW_CPU_CYCLES:
		return 0;
	case PERF_COUNT_HW_INSTRUCTIONS:
		return 9;
	default:
		return -1;
	}
}

static int pp_lab_event_init(struct perf_event *event)
{
	u64 number = event->attr.config;

	if (raw && event->attr.type == PERF_TYPE_HARDWARE)
		number = pp_lab_generic(number);
	else if (event->attr.type != pp_lab_pmu.type)
		return -ENOENT;
	if (event->attr.sample_period)
		return -EOPNOTSUPP;
	if (number >= LAB_BAR_VALUES || !(lab->counters >> number & 1))
		return -ENOENT;
	event->hw.config = number;
	return 0;
}

/* --- the prefetcher switch ------------------------------------------------- */

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define LAB_MSR_READ "rdmsrl_safe_on_cpu"
#else
#define LAB_MSR_READ "rdmsrq_safe_on_cpu"
#endif

struct pp_lab_msr_read {
	unsigned int cpu;
	u64 *value;
};

/* int LAB_MSR_READ(unsigned int cpu, u32 msr, u64 *value) */
static int pp_lab_msr_entry(struct kretprobe_instance *instance,
			    struct pt_regs *regs)
{
	struct pp_lab_msr_read *read = (void *)instance->data;

	read->cpu = regs_get_kernel_argument(regs, 0);
	read->value = (u64 *)regs_get_kernel_argument(regs, 2);
	/* 1: let this one go. */
	return (u32)regs_get_kernel_argument(regs, 1) != LAB_MSR_PREFETCH;
}

NOKPROBE_SYMBOL(pp_lab_msr_entry);

static int pp_lab_msr_return(struct kretprobe_instance *instance,
			     struct pt_regs *regs)
{
	struct pp_lab_msr_read *read = (void *)instance->data;

	if (!regs_return_value(regs) && read->cpu < LAB_BAR_CPUS)
		*read->value = READ_ONCE(lab->cpu[read->cpu].prefetch);
	return 0;
}

NOKPROBE_SYMBOL(pp_lab_msr_return);

static struct kretprobe pp_lab_msr = {
	.kp.symbol_name = LAB_MSR_READ,
	.entry_handler = pp_lab_msr_entry,
	.handler = pp_lab_msr_return,
	.data_size = sizeof(struct pp_lab_msr_read),
};

/* --- coming and going ------------------------------------------------------ */

static int pp_lab_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
	int error = pcim_enable_device(dev);

	if (error)
		return error;
	lab = devm_memremap(&dev->dev, pci_resource_start(dev, LAB_BAR),
			    pci_resource_len(dev, LAB_BAR), MEMREMAP_WB);
	if (IS_ERR(lab))
		return PTR_ERR(lab);
	if (lab->magic != LAB_BAR_MAGIC) {
		dev_err(&dev->dev, "no plugin behind the BAR\n");
		return -ENODEV;
	}
	error = register_kretprobe(&pp_lab_msr);
	if (error)
		return error;
	error = perf_pmu_register(&pp_lab_pmu, raw ? "cpu" : "pp_lab",
				  raw ? PERF_TYPE_RAW : -1);
	if (error)
		unregister_kretprobe(&pp_lab_msr);
	return error;
}

static void pp_lab_remove(struct pci_dev *dev)
{
	WRITE_ONCE(lab->cpus, 0);
	perf_pmu_unregister(&pp_lab_pmu);
	unregister_kretprobe(&pp_lab_msr);
}

static const struct pci_device_id pp_lab_ids[] = {
	{ PCI_DEVICE(LAB_VENDOR, LAB_DEVICE) }, {}
};
MODULE_DEVICE_TABLE(pci, pp_lab_ids);

static struct pci_driver pp_lab_driver = {
	.name = "pp_lab",
	.id_table = pp_lab_ids,
	.probe = pp_lab_probe,
	.remove = pp_lab_remove,
};
module_pci_driver(pp_lab_driver);

MODULE_DESCRIPTION("PMU of the virtual lab (tests only)");
MODULE_LICENSE("GPL");
