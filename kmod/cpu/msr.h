/* SPDX-License-Identifier: GPL-2.0 */
/*
 * msr.h - the one register per CPU that switches prefetchers, and access to it.
 * msr_fake.c stands in for msr.c in tests.
 */
#ifndef PP_MSR_H
#define PP_MSR_H

#include <linux/types.h>

/**
 * struct pp_msr_bit - one prefetcher
 * @prefetcher: PROBE_PHYS_PREFETCH_* bit
 * @off: bit of the register that turns it off
 */
struct pp_msr_bit {
	u32 prefetcher;
	u64 off;
};

/**
 * struct pp_msr_switch - a documented switch
 * @msr: number of the register
 * @nr_bits: length of @bits
 * @bits: prefetchers
 */
struct pp_msr_switch {
	u32 msr;
	u32 nr_bits;
	const struct pp_msr_bit *bits;
};

/** pp_msr_find_switch() - the switch of this CPU model, or NULL */
const struct pp_msr_switch *pp_msr_find_switch(void);

/**
 * pp_msr_read() - read the register of an online CPU
 * @cpu: the CPU
 * @sw: the register
 * @value: (out) content of the register
 *
 * Context: process or the CPU itself. Return: 0 or -EIO.
 */
int pp_msr_read(int cpu, const struct pp_msr_switch *sw, u64 *value);

/** pp_msr_write() - write it; see pp_msr_read() */
int pp_msr_write(int cpu, const struct pp_msr_switch *sw, u64 value);

#endif /* PP_MSR_H */
