// SPDX-License-Identifier: GPL-2.0
/*
 * msr_fake.c - test double for msr.c: every CPU has an Intel-like switch that
 * is a word of memory. Each word starts as 0x20, a bit that the module does
 * not own, so that a test can see it preserved and restored.
 *
 * Module parameters: fake_msr_ineffective (writable) makes writes go nowhere
 * without an error; fake_msr_values lists the words, in hex, separated by spaces,
 * one per possible CPU. A number written to it replaces the bits of each word
 * that belong to no prefetcher, as other software would.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>
#include <linux/threads.h>

#include <uapi/linux/probe_phys.h>

#include "cpu/msr.h"

/* The bits that turn prefetchers off. */
#define PP_FAKE_BITS	0xfULL

static const struct pp_msr_bit pp_msr_fake_bits[] = {
	{ PROBE_PHYS_PREFETCH_L2_STREAM, BIT_ULL(0) },
	{ PROBE_PHYS_PREFETCH_L2_ADJACENT, BIT_ULL(1) },
	{ PROBE_PHYS_PREFETCH_L1_STREAM, BIT_ULL(2) },
	{ PROBE_PHYS_PREFETCH_L1_STRIDE, BIT_ULL(3) },
};

static const struct pp_msr_switch pp_msr_fake = {
	.nr_bits = ARRAY_SIZE(pp_msr_fake_bits),
	.bits = pp_msr_fake_bits,
};

static u64 pp_msr_fake_words[NR_CPUS] = { [0 ... NR_CPUS - 1] = 0x20 };

static bool fake_msr_ineffective;
module_param(fake_msr_ineffective, bool, 0644);
MODULE_PARM_DESC(fake_msr_ineffective, "Test only: lose writes to the switch");

static int pp_msr_fake_show(char *buffer, const struct kernel_param *kp)
{
	int cpu, len = 0;

	for_each_possible_cpu(cpu)
		len += sysfs_emit_at(buffer, len, "%s%llx", len ? " " : "",
				     READ_ONCE(pp_msr_fake_words[cpu]));
	return len + sysfs_emit_at(buffer, len, "\n");
}

static int pp_msr_fake_store(const char *text, const struct kernel_param *kp)
{
	u64 value;
	int cpu, ret;

	ret = kstrtou64(text, 16, &value);
	if (ret)
		return ret;
	for_each_possible_cpu(cpu)
		WRITE_ONCE(pp_msr_fake_words[cpu],
			   (pp_msr_fake_words[cpu] & PP_FAKE_BITS) |
			   (value & ~PP_FAKE_BITS));
	return 0;
}

static const struct kernel_param_ops pp_msr_fake_ops = {
	.get = pp_msr_fake_show,
	.set = pp_msr_fake_store,
};

module_param_cb(fake_msr_values, &pp_msr_fake_ops, NULL, 0644);
MODULE_PARM_DESC(fake_msr_values, "Test only: the switch of each CPU");

const struct pp_msr_switch *pp_msr_find_switch(void)
{
	return &pp_msr_fake;
}

int pp_msr_read(int cpu, const struct pp_msr_switch *sw, u64 *value)
{
	*value = READ_ONCE(pp_msr_fake_words[cpu]);
	return 0;
}

int pp_msr_write(int cpu, const struct pp_msr_switch *sw, u64 value)
{
	if (!READ_ONCE(fake_msr_ineffective))
		WRITE_ONCE(pp_msr_fake_words[cpu], value);
	return 0;
}
