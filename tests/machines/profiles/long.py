# SPDX-License-Identifier: GPL-2.0
"""Machines that take minutes: they are measured by the long tests alone."""

from .build import INTEL_COUNTERS, K, M, cache, profile, sliced_by_table, tlbs

PHYS_BITS = 42


def long(_truth):
    """By file; their directory is 'long'."""
    return {
        "long/odd-sliced-l3-108m": profile(
            "Long: 12-way 108 MiB L3 in 36 slices", "public report",
            [cache(1, "D", 32 * K, 8, 64, 4, "tree-plru"),
             cache(2, "U", 4 * M, 16, 64, 20, "tree-plru"),
             cache(3, "U", 108 * M, 12, 64, 110, "lru",
                   sliced_by_table(36, 512, PHYS_BITS))],
            tlbs("D1 4K 64/4,D1 2M 32/4,I1 4K 64/8,I1 2M 8/fa,"
                 "U2 4K+2M 1024/8"), 400,
            counters=INTEL_COUNTERS, phys_bits=PHYS_BITS, cycle_ns=0.33),
    }
