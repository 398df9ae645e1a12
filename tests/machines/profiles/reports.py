# SPDX-License-Identifier: GPL-2.0
"""Machines that people report in public: geometry theirs, the rest assumed.

The name says the kind, since nobody has measured one of these with this tool.
"""

from .build import (K, M, cache, hashed, profile, sliced,
                    tlbs)

ARM_COUNTERS = ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                "l2_miss", "l3_miss", "dtlb_miss", "stlb_miss", "itlb_miss"]
COVE_TLBS = ("D1 4K 96/6,D1 2M 32/4,I1 4K 256/8,I1 2M 32/8,"
             "U2 4K+2M 2048/16")

# file: name, caches, TLBs, memory's cycles, more
REPORTS = {
    "two-levels-32b-4way-128k": (
        "two levels of 32 B lines, 16-way L1, L2 of two L1s",
        [cache(1, "I", 64 * K, 16, 32, 3, "tree-plru"),
         cache(1, "D", 64 * K, 16, 32, 3, "tree-plru"),
         cache(2, "U", 128 * K, 4, 32, 16, "lru", inclusion="exclusive")],
        "D1 4K 16/fa,I1 4K 16/fa,U2 4K 64/4", 51,
        {"tlb_cycles": 5, "cycle_ns": 2.0}),
    "l1-24k-6way-l2-512k": (
        "6-way L1 of 24 KiB, a TLB of 16 below which 64 lie",
        [cache(1, "I", 32 * K, 8, 64, 3, "tree-plru"),
         cache(1, "D", 24 * K, 6, 64, 3, "lru"),
         cache(2, "U", 512 * K, 8, 64, 15, "tree-plru")],
        "D1 4K 16/fa,I1 4K 32/fa,D2 4K 64/4", 199, {"cycle_ns": 0.63}),
    "l1-2way-l2-1m-16way": (
        "2-way L1, 16-way L2, 4-way TLB of 512",
        [cache(1, "I", 32 * K, 2, 64, 4, "lru"),
         cache(1, "D", 32 * K, 2, 64, 4, "lru"),
         cache(2, "U", 1 * M, 16, 64, 21, "random")],
        "D1 4K 32/fa,I1 4K 32/fa,U2 4K 512/4", 208,
        {"tlb_cycles": 12, "cycle_ns": 0.59}),
    "l2-2m-inclusive-tlb-40": (
        "TLB of 40 entries, inclusive L2 of 2 MiB",
        [cache(1, "I", 32 * K, 2, 64, 3, "lru"),
         cache(1, "D", 32 * K, 8, 64, 3, "tree-plru"),
         cache(2, "U", 2 * M, 16, 64, 26, "tree-plru",
               inclusion="inclusive")],
        "D1 4K 40/fa,D1 2M 8/fa,I1 4K 32/fa,I1 2M 8/fa,D2 4K 512/4,"
        "D2 2M 256/2,I2 4K 512/4", 260, {"tlb_cycles": 6}),
    "l1-4way-l2-shared-12m": (
        "4-way L1 of 128 sets, L2 of 12 MiB with 16,384 sets",
        [cache(1, "I", 32 * K, 4, 64, 3, "tree-plru"),
         cache(1, "D", 32 * K, 4, 64, 3, "tree-plru"),
         cache(2, "U", 12 * M, 12, 64, 60, "bit-plru")],
        "D1 4K 16/fa,D1 2M 16/fa,I1 4K 16/fa,I1 2M 16/fa,U2 4K+2M 1024/4",
        300, {}),
    "l1-256b-l2-8m-16way": (
        "lines of 256 B, two levels",
        [cache(1, "I", 64 * K, 4, 256, 5, "lru"),
         cache(1, "D", 64 * K, 4, 256, 5, "lru"),
         cache(2, "U", 8 * M, 16, 256, 37, "tree-plru",
               inclusion="inclusive")],
        "D1 4K+2M 16/fa,I1 4K+2M 16/fa,D2 4K+2M 1024/4,I2 4K+2M 1024/4", 260,
        {"tlb_cycles": 7}),
    "l3-10m-20way-128b": (
        "lines of 128 B, 20-way L3 of 10 MiB",
        [cache(1, "I", 32 * K, 8, 128, 4, "lru"),
         cache(1, "D", 32 * K, 8, 128, 4, "lru"),
         cache(2, "U", 512 * K, 8, 128, 15, "lru", inclusion="inclusive"),
         cache(3, "U", 10 * M, 20, 128, 40, "lru")],
        "D1 64K+2M 64/fa,I1 64K+2M 64/fa,U2 64K+2M 1024/4", 300,
        {"page": 64 * K}),
    "l3-64m-16way-128b-below-64b": (
        "L3 of 128 B lines below levels of 64 B",
        [cache(1, "I", 64 * K, 4, 64, 4, "tree-plru"),
         cache(1, "D", 64 * K, 4, 64, 4, "tree-plru"),
         cache(2, "U", 512 * K, 8, 64, 10, "tree-plru"),
         cache(3, "U", 32 * M, 16, 128, 55, "tree-plru")],
        "D1 4K+2M 32/fa,I1 4K+2M 32/fa,U2 4K+2M 1024/4", 330, {}),
    "no-l3-l2-2m-16way": (
        "L2 of 2 MiB below 2-way L1s, no third level",
        [cache(1, "I", 64 * K, 2, 64, 3, "random"),
         cache(1, "D", 64 * K, 2, 64, 3, "random"),
         cache(2, "U", 2 * M, 16, 64, 24, "random")],
        "D1 4K+2M 20/fa,I1 4K+2M 20/fa,U2 4K+2M 1024/4", 280, {}),
    "l2-direct-mapped-tlb": (
        "a second TLB of 512 direct-mapped entries",
        [cache(1, "I", 32 * K, 4, 64, 3, "random"),
         cache(1, "D", 32 * K, 8, 64, 3, "random"),
         cache(2, "U", 2 * M, 16, 64, 21, "random",
               inclusion="inclusive")],
        "D1 4K+2M 40/fa,I1 4K+2M 40/fa,U2 4K+2M 512/1", 240,
        {"tlb_cycles": 9}),
    "l1i-128k-l2-4m-128b-16k-pages": (
        "instruction cache twice the data cache, 128 B lines below 64 B",
        [cache(1, "I", 128 * K, 8, 64, 3, "tree-plru"),
         cache(1, "D", 64 * K, 8, 64, 3, "tree-plru"),
         cache(2, "U", 4 * M, 16, 128, 14, "tree-plru")],
        "D1 16K 128/4,I1 16K 128/4,U2 16K 1024/4", 250, {"page": 16 * K}),
    "l2-4m-shared-16way-slow": (
        "slow L2 of 4 MiB, 8-way L1s",
        [cache(1, "I", 32 * K, 8, 64, 4, "lru"),
         cache(1, "D", 32 * K, 8, 64, 5, "lru"),
         cache(2, "U", 4 * M, 16, 64, 46, "lru", inclusion="inclusive")],
        "D1 4K 128/8,D1 2M 8/fa,I1 4K 128/8,U2 4K 512/8", 230, {}),
    "exclusive-l2-1m-16way-l1-16way": (
        "16-way L1s of 64 KiB, exclusive L2",
        [cache(1, "I", 64 * K, 16, 64, 2, "lru"),
         cache(1, "D", 64 * K, 16, 64, 2, "lru"),
         cache(2, "U", 1 * M, 16, 64, 20, "lru", inclusion="exclusive")],
        "D1 4K 128/8,I1 4K 128/8", 190, {}),
    "l1-16k-4way-l2-2m-l3-8m-64way": (
        "L1 of 16 KiB that writes through, 64-way L3",
        [cache(1, "I", 64 * K, 2, 64, 4, "lru"),
         cache(1, "D", 16 * K, 4, 64, 4, "tree-plru",
               write_back=False),
         cache(2, "U", 2 * M, 16, 64, 20, "tree-plru",
               inclusion="inclusive"),
         cache(3, "U", 8 * M, 64, 64, 60, "tree-plru")],
        "D1 4K+2M 32/fa,I1 4K 48/fa,I1 2M 24/fa,D2 4K+2M 1024/8,"
        "I2 4K 512/4", 220, {}),
    "l2-1m-16way-tlb-64-256-no-l3": (
        "no L3, second TLBs of each page size",
        [cache(1, "I", 32 * K, 8, 64, 4, "tree-plru"),
         cache(1, "D", 32 * K, 8, 64, 4, "tree-plru"),
         cache(2, "U", 1 * M, 16, 64, 17, "tree-plru")],
        "D1 4K+2M 64/8,I1 4K+2M 48/fa,U2 4K 256/8,U2 2M 128/8", 270, {}),
    "l2-512k-16way-utlb-10": (
        "10-entry first TLBs above one of 512",
        [cache(1, "I", 32 * K, 2, 64, 3, "random"),
         cache(1, "D", 32 * K, 4, 64, 3, "random"),
         cache(2, "U", 512 * K, 16, 64, 15, "random")],
        "D1 4K+2M 10/fa,I1 4K+2M 10/fa,U2 4K+2M 512/4", 180,
        {"tlb_cycles": 2}),
    "l3-4m-16way-l2-1536k-12way": (
        "12-way L2 of 1.5 MiB, inclusive L3",
        [cache(1, "I", 32 * K, 8, 64, 3, "tree-plru"),
         cache(1, "D", 32 * K, 8, 64, 3, "tree-plru"),
         cache(2, "U", 1536 * K, 12, 64, 17, "lru"),
         cache(3, "U", 4 * M, 16, 64, 45, "tree-plru")],
        "D1 4K+2M 32/fa,I1 4K+2M 48/fa,U2 4K+2M 1024/4", 220, {}),
    "l3-6m-12way-2-slices-l2-2m": (
        "L3 of 6 MiB in two slices below an L2 of 2 MiB",
        [cache(1, "I", 64 * K, 8, 64, 3, "tree-plru"),
         cache(1, "D", 32 * K, 8, 64, 3, "tree-plru"),
         cache(2, "U", 2 * M, 16, 64, 20, "tree-plru"),
         cache(3, "U", 6 * M, 12, 64, 60, "lru", sliced(2))],
        "D1 4K+2M 48/fa,I1 4K+2M 64/fa,U2 4K+2M 2048/4", 250,
        {"phys_bits": 39}),
    "l2-128k-8way-l3-4m-shared": (
        "L2 of 128 KiB with 32 B lines, L3 of 64 B lines",
        [cache(1, "I", 16 * K, 4, 32, 3, "lru"),
         cache(1, "D", 16 * K, 4, 32, 3, "lru",
               write_back=False, write_allocate=False),
         cache(2, "U", 128 * K, 8, 32, 19, "lru"),
         cache(3, "U", 4 * M, 16, 64, 50, "lru")],
        "D1 8K+4M 128/fa,I1 8K+4M 64/fa", 330, {"page": 8 * K}),
    "l2-2m-8way-l3-36m-18way": (
        "hashed L2, 18-way L3",
        [cache(1, "I", 64 * K, 4, 64, 4, "tree-plru"),
         cache(1, "D", 64 * K, 4, 64, 4, "tree-plru"),
         cache(2, "U", 2 * M, 8, 64, 11, "tree-plru",
               hashed(4096, 64, 12)),
         cache(3, "U", 36 * M, 18, 64, 68, "lru")],
        COVE_TLBS, 380, {}),
}


def reports(_truth):
    """By file."""
    made = {}
    for file, (name, caches, tlb_text, memory, more) in REPORTS.items():
        more = dict(more)
        latency = more.pop("tlb_cycles", 7)
        made["rep-" + file] = profile(
            "Reported: " + name, "public report", caches,
            tlbs(tlb_text, latency), memory,
            assumed="policies, indexes, latencies where not stated",
            counters=ARM_COUNTERS, **more)
    return made
