/* SPDX-License-Identifier: GPL-2.0 */
/* clock.h - the time-stamp counter of this CPU. */
#ifndef PP_CLOCK_H
#define PP_CLOCK_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "compat.h"

#ifdef CONFIG_X86
#include <asm/barrier.h>
#include <asm/tsc.h>
#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>
#include <asm/barrier.h>
#endif

/**
 * pp_clock_khz() - ticks per millisecond as the kernel knows them
 * Return: never 0. Where the kernel does not know, 1 GHz is a safe guess: CPUs
 * tick faster, so a time converted to ticks is too short, not too long.
 */
static inline u32 pp_clock_khz(void)
{
	u32 khz = div_u64(pp_tick_hz(), 1000);

	return khz ?: 1000000;
}

/** pp_clock_from_ns() - nanoseconds in ticks; @ns up to a second */
static inline u64 pp_clock_from_ns(u32 ns)
{
	return div_u64((u64)ns * pp_clock_khz(), NSEC_PER_MSEC);
}

/** pp_clock_look() - now, roughly: loads around it are not delayed */
static __always_inline u64 pp_clock_look(void)
{
#ifdef CONFIG_X86
	return rdtsc();
#elif defined(CONFIG_ARM64)
	return read_sysreg(cntvct_el0);
#endif
}

/** pp_clock_begin() - now; no load behind it starts earlier */
static __always_inline u64 pp_clock_begin(void)
{
	u64 now;

#ifdef CONFIG_X86
	now = rdtsc_ordered();
	rmb(); /* LFENCE: loads behind it wait until the TSC has been read */
#elif defined(CONFIG_ARM64)
	isb();
	now = read_sysreg(cntvct_el0);
	isb();
#endif
	return now;
}

/** pp_clock_end() - now; each load before it has its data */
static __always_inline u64 pp_clock_end(void)
{
#ifdef CONFIG_X86
	return rdtsc_ordered();
#elif defined(CONFIG_ARM64)
	dsb(ld);
	return pp_clock_begin();
#endif
}

#endif /* PP_CLOCK_H */
