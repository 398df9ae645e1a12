// SPDX-License-Identifier: GPL-2.0
/* disturb.c - SMI counts and clock ratios around the slices of a walk. */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "compat.h"
#include "walk/disturb.h"

/* Nominal cycles below which the ratio of a slice is mostly rounding. */
#define PP_MIN_MPERF		20000
/* The ratio of two undisturbed slices differs by less, in permille. */
#define PP_CLOCK_NOISE		20

#ifdef CONFIG_X86

#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/processor.h>

/*
 * MSR_SMI_COUNT: Intel SDM volume 4, architectural neighbourhood of all family
 * 6 models since Nehalem. Hypervisors make its value up.
 */
static bool pp_disturb_has_smi(void)
{
	u64 value;

	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL &&
	       boot_cpu_data.x86 == 6 &&
	       !boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	       !pp_rdmsr_safe(MSR_SMI_COUNT, &value);
}

static bool pp_disturb_has_freq(void)
{
	u64 value;

	return boot_cpu_has(X86_FEATURE_APERFMPERF) &&
	       !pp_rdmsr_safe(MSR_IA32_APERF, &value) &&
	       !pp_rdmsr_safe(MSR_IA32_MPERF, &value);
}

static u64 pp_disturb_msr(u32 msr)
{
	u64 value = 0;

	pp_rdmsr_safe(msr, &value);
	return value;
}

#else /* !CONFIG_X86 */

#define MSR_SMI_COUNT		0
#define MSR_IA32_APERF		0
#define MSR_IA32_MPERF		0

static bool pp_disturb_has_smi(void)
{
	return false;
}

static bool pp_disturb_has_freq(void)
{
	return false;
}

static u64 pp_disturb_msr(u32 msr)
{
	return 0;
}

#endif /* CONFIG_X86 */

void pp_disturb_init(struct pp_disturb *d)
{
	memset(d, 0, sizeof(*d));
	d->has_smi = pp_disturb_has_smi();
	d->has_freq = pp_disturb_has_freq();
	d->min_permille = U32_MAX;
}

void pp_disturb_begin(struct pp_disturb *d)
{
	if (d->has_smi)
		d->smi = pp_disturb_msr(MSR_SMI_COUNT);
	if (d->has_freq) {
		d->aperf = pp_disturb_msr(MSR_IA32_APERF);
		d->mperf = pp_disturb_msr(MSR_IA32_MPERF);
	}
}

bool pp_disturb_end(struct pp_disturb *d)
{
	if (d->has_freq) {
		u64 mperf = pp_disturb_msr(MSR_IA32_MPERF) - d->mperf;
		u64 aperf = pp_disturb_msr(MSR_IA32_APERF) - d->aperf;

		if (mperf >= PP_MIN_MPERF) {
			u32 permille = div64_u64(aperf * 1000, mperf);

			d->min_permille = min(d->min_permille, permille);
			d->max_permille = max(d->max_permille, permille);
		}
	}
	return d->has_smi && pp_disturb_msr(MSR_SMI_COUNT) != d->smi;
}

u32 pp_disturb_clock(const struct pp_disturb *d)
{
	u32 moved;

	if (d->max_permille <= d->min_permille)
		return 0;
	moved = d->max_permille - d->min_permille;
	return moved > PP_CLOCK_NOISE ? moved : 0;
}
