// SPDX-License-Identifier: GPL-2.0
/* msr.c - which CPUs have a documented prefetcher switch, and access to it. */
#include <linux/errno.h>
#include <linux/kernel.h>

#include <uapi/linux/probe_phys.h>

#include "compat.h"
#include "cpu/msr.h"

#ifdef CONFIG_X86

#include <asm/cpufeature.h>
#include <asm/processor.h>

/*
 * MSR_MISC_FEATURE_CONTROL: Intel, "Disclosure of Hardware Prefetcher Control
 * on Some Intel Processors", and SDM volume 4 for later models.
 */
static const struct pp_msr_bit pp_msr_intel_bits[] = {
	{ PROBE_PHYS_PREFETCH_L2_STREAM, BIT_ULL(0) },
	{ PROBE_PHYS_PREFETCH_L2_ADJACENT, BIT_ULL(1) },
	{ PROBE_PHYS_PREFETCH_L1_STREAM, BIT_ULL(2) },
	{ PROBE_PHYS_PREFETCH_L1_STRIDE, BIT_ULL(3) },
};

static const struct pp_msr_switch pp_msr_intel = {
	.msr = 0x1a4,
	.nr_bits = ARRAY_SIZE(pp_msr_intel_bits),
	.bits = pp_msr_intel_bits,
};

/*
 * Family 6 models with these four bits. Atoms and the hybrid parts, whose
 * small cores give the bits another meaning, are left out on purpose.
 */
static const u8 pp_msr_intel_models[] = {
	0x1a, 0x1e, 0x1f, 0x2e,			/* Nehalem */
	0x25, 0x2c, 0x2f,			/* Westmere */
	0x2a, 0x2d,				/* Sandy Bridge */
	0x3a, 0x3e,				/* Ivy Bridge */
	0x3c, 0x3f, 0x45, 0x46,			/* Haswell */
	0x3d, 0x47, 0x4f, 0x56,			/* Broadwell */
	0x4e, 0x55, 0x5e,			/* Skylake, Cascade Lake */
	0x8e, 0x9e,				/* Kaby Lake, Coffee Lake */
	0xa5, 0xa6,				/* Comet Lake */
	0x66,					/* Cannon Lake */
	0x6a, 0x6c, 0x7d, 0x7e,			/* Ice Lake */
	0x8c, 0x8d,				/* Tiger Lake */
	0xa7,					/* Rocket Lake */
	0x8f, 0xcf,				/* Sapphire, Emerald Rapids */
};

/*
 * AMD PPR for family 19h and later, "Prefetch Control". The register exists
 * where CPUID 8000_0021h says so.
 */
#define PP_AMD_LEAF		0x80000021
#define PP_AMD_PREFETCH_CTL	BIT(13)

static const struct pp_msr_bit pp_msr_amd_bits[] = {
	{ PROBE_PHYS_PREFETCH_L1_STREAM, BIT_ULL(0) },
	{ PROBE_PHYS_PREFETCH_L1_STRIDE, BIT_ULL(1) },
	{ PROBE_PHYS_PREFETCH_L1_REGION, BIT_ULL(2) },
	{ PROBE_PHYS_PREFETCH_L2_STREAM, BIT_ULL(3) },
	{ PROBE_PHYS_PREFETCH_L2_UPDOWN, BIT_ULL(5) },
};

static const struct pp_msr_switch pp_msr_amd = {
	.msr = 0xc0000108,
	.nr_bits = ARRAY_SIZE(pp_msr_amd_bits),
	.bits = pp_msr_amd_bits,
};

static bool pp_msr_is_intel(const struct cpuinfo_x86 *c)
{
	size_t i;

	if (c->x86_vendor != X86_VENDOR_INTEL || c->x86 != 6)
		return false;
	for (i = 0; i < ARRAY_SIZE(pp_msr_intel_models); i++)
		if (c->x86_model == pp_msr_intel_models[i])
			return true;
	return false;
}

static bool pp_msr_is_amd(const struct cpuinfo_x86 *c)
{
	return c->x86_vendor == X86_VENDOR_AMD &&
	       cpuid_eax(0x80000000) >= PP_AMD_LEAF &&
	       cpuid_eax(PP_AMD_LEAF) & PP_AMD_PREFETCH_CTL;
}

const struct pp_msr_switch *pp_msr_find_switch(void)
{
	if (pp_msr_is_intel(&boot_cpu_data))
		return &pp_msr_intel;
	if (pp_msr_is_amd(&boot_cpu_data))
		return &pp_msr_amd;
	return NULL;
}

int pp_msr_read(int cpu, const struct pp_msr_switch *sw, u64 *value)
{
	return pp_rdmsr_safe_on_cpu(cpu, sw->msr, value) ? -EIO : 0;
}

int pp_msr_write(int cpu, const struct pp_msr_switch *sw, u64 value)
{
	return pp_wrmsr_safe_on_cpu(cpu, sw->msr, value) ? -EIO : 0;
}

#else /* !CONFIG_X86 */

const struct pp_msr_switch *pp_msr_find_switch(void)
{
	return NULL;
}

int pp_msr_read(int cpu, const struct pp_msr_switch *sw, u64 *value)
{
	return -EIO;
}

int pp_msr_write(int cpu, const struct pp_msr_switch *sw, u64 value)
{
	return -EIO;
}

#endif /* CONFIG_X86 */
