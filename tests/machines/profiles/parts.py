# SPDX-License-Identifier: GPL-2.0
"""Machines with a part that most do not have, one each."""

from .adversarial import l1, l2, l3, plain
from .build import INTEL_COUNTERS, K, M, cache


def with_pairs(made):
    for array in made["tlbs"]:
        array["paired_pages"] = True
    return made


def parts(_truth):
    """By file."""
    made = {
        "way-masks": plain(
            "new lines take 8 of 16 ways of a tree in L2, 12 of 16 in L3",
            [l1(), l2(1 * M, 16, latency=14, allocation_mask="0x0f0f"),
             l3(4 * M, 16, replace="lru", allocation_mask="0xfff0")]),
        "paired-pages": with_pairs(plain(
            "TLB entries of an even and an odd page each",
            arrays="D1 4K 16/fa,I1 4K 16/fa,U2 4K 64/4")),
        "memory-side": plain(
            "direct-mapped cache of memory, which no flush reaches",
            [l1(), l2(), l3(8 * M, 1, latency=120, memory_side=True)],
            counters=[c for c in INTEL_COUNTERS if c != "l3_miss"],
            memory=250),
        "line-per-side": plain(
            "lines of 32 bytes for data, 128 for code and in L2",
            [cache(1, "I", 32 * K, 4, 128, 4, "tree-plru"),
             l1(16 * K, 4, 32), l2(line=128), l3(line=128)]),
        "line-below-code": plain(
            "lines of 128 bytes for code above 64 in L2",
            [cache(1, "I", 32 * K, 4, 128, 4, "tree-plru"), l1(), l2(),
             l3()]),
        "two-core-types": plain(
            "two types of cores, big ones first, four small ones share an L2",
            [l1(48 * K, 12, latency=5, replace="lru", core_type="big"),
             l1(latency=3, core_type="small"),
             l2(1280 * K, 10, latency=15, core_type="big"),
             l2(2 * M, 16, latency=20, core_type="small",
                shared_by=[[2, 3, 4, 5]]),
             l3(12 * M, 12, latency=60, replace="lru",
                shared_by=[[0, 1, 2, 3, 4, 5]])],
            core_types=[{"name": "big", "cpus": [0, 1]},
                        {"name": "small", "cpus": [2, 3, 4, 5]}],
            arrays="D1 4K 96/6 of:big,D1 2M 32/4 of:big,D1 4K 32/fa of:small,"
            "D1 2M 16/4 of:small,I1 4K 64/8,I1 2M 8/fa,"
            "U2 4K+2M 2048/16 of:big,U2 4K+2M 1024/4 of:small"),
    }
    return {"adv-" + name: machine for name, machine in made.items()}
