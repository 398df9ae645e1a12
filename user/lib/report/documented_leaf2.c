// SPDX-License-Identifier: GPL-2.0
/*
 * documented_leaf2.c - TLBs by the descriptors of CPUID leaf 2, in which Intel's
 * processors before leaf 0x18 list them, Nehalem to Cascade Lake.
 *
 * Source: Intel SDM, volume 2A, CPUID, "Encoding of CPUID Leaf 2 Descriptors".
 * Descriptors of older processors do not state the level.
 */
#include "report/documented.h"

#define KIB4 (UINT64_C(4) << 10)
#define MIB2 (UINT64_C(2) << 20)
#define GIB1 (UINT64_C(1) << 30)

static const struct {
	unsigned int byte;
	struct documented_tlb tlb;
} descriptors[] = {
	{ 0x03, { 1, "data", KIB4, 64, 4 } },
	{ 0x55, { 1, "instruction", MIB2, 7, 7 } },
	{ 0x5a, { 1, "data", MIB2, 32, 4 } },
	{ 0x63, { 1, "data", MIB2, 32, 4 } },
	{ 0x63, { 1, "data", GIB1, 4, 4 } },
	{ 0x76, { 1, "instruction", MIB2, 8, 8 } },
	{ 0xb2, { 1, "instruction", KIB4, 64, 4 } },
	{ 0xb5, { 1, "instruction", KIB4, 64, 8 } },
	{ 0xb6, { 1, "instruction", KIB4, 128, 8 } },
	{ 0xc1, { 2, "unified", KIB4, 1024, 8 } },
	{ 0xc1, { 2, "unified", MIB2, 1024, 8 } },
	{ 0xc3, { 2, "unified", KIB4, 1536, 6 } },
	{ 0xc3, { 2, "unified", MIB2, 1536, 6 } },
	{ 0xc3, { 2, "unified", GIB1, 16, 4 } },
	{ 0xca, { 2, "unified", KIB4, 512, 4 } },
};

const struct documented_tlb *documented_descriptor(unsigned int byte, size_t at)
{
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]);
	     i++)
		if (descriptors[i].byte == byte && !at--)
			return &descriptors[i].tlb;
	return NULL;
}
