# SPDX-License-Identifier: GPL-2.0
"""Machines on which a textbook method goes wrong, one property each.

They are variations of one plain machine, so that a test which fails on one of
them fails on what its name says.
"""

from .build import (INTEL_COUNTERS, K, M, WRITE_COUNTERS, any_policy, cache,
                    hashed, profile, sliced, sliced_by_table, tlbs, xor)

PLAIN_TLBS = ("D1 4K 64/4,D1 2M 32/4,D1 1G 4/fa,I1 4K 64/8,I1 2M 8/fa,"
              "U2 4K+2M 1024/8")

WALK_TLBS = "D1 4K 64/4,I1 4K 64/8,U2 4K 1024/8"


def l1(total=32 * K, ways=8, line=64, latency=4, replace=None, index=None,
       **more):
    return cache(1, "D", total, ways, line, latency,
                 replace or any_policy(ways), index, **more)


def l2(total=256 * K, ways=8, line=64, latency=12, replace=None, index=None,
       **more):
    return cache(2, "U", total, ways, line, latency,
                 replace or any_policy(ways), index, **more)


def l3(total=2 * M, ways=16, line=64, latency=40, replace=None, index=None,
       **more):
    return cache(3, "U", total, ways, line, latency,
                 replace or any_policy(ways), index, **more)


def plain(name, caches=None, arrays=PLAIN_TLBS, **more):
    more.setdefault("counters", INTEL_COUNTERS)
    more.setdefault("phys_bits", 39)
    memory = more.pop("memory", 200)
    return profile("Adversarial: " + name, "made up", caches or
                   [l1(), l2(), l3()], tlbs(arrays), memory, **more)


NOISE = {"seed": 1, "jitter_cycles": 2, "tail_probability": 0.01,
         "tail_cycles": 500, "interrupts_per_million_loads": 200,
         "lines_evicted_per_interrupt": 256, "frequency_drift": 0.02}


def geometry():
    """Sizes that are no powers of two, and extreme shapes."""
    return {
        "nonpow2-sets": plain("L3 of 3072 sets, modulo",
                              [l1(), l2(), l3(3 * M)]),
        "24way-6m-l2": plain("24-way 6 MiB L2 and no L3",
                             [l1(), l2(6 * M, 24, latency=15)]),
        "12way-3m-l2": plain("12-way 3 MiB L2 and no L3",
                             [l1(), l2(3 * M, 12, latency=14)]),
        "10way-l2": plain("10-way 1280 KiB L2",
                          [l1(), l2(1280 * K, 10, latency=15), l3(4 * M)]),
        "96k-12way-l1": plain("12-way 96 KiB L1",
                              [l1(96 * K, 12), l2(1 * M, 16), l3(4 * M)]),
        "128way-l1": plain("128-way L1",
                           [l1(64 * K, 128, 128), l2(1 * M, 8, 128),
                            l3(4 * M, line=128)]),
        "less-ways-below": plain(
            "128-way L1 over 8-way 8 MiB L2, as the text has Power 3",
            [l1(64 * K, 128, 128, 2, "lru"),
             l2(8 * M, 8, 128, 18, "lru")], counters=[]),
        "direct-mapped-l1": plain("direct-mapped L1",
                                  [l1(16 * K, 1), l2(), l3()]),
        "direct-mapped-l2": plain("direct-mapped L2 below an 8-way L1",
                                  [l1(), l2(512 * K, 1), l3()]),
        "fully-associative-l1": plain("L1 of one set of 32 lines",
                                      [l1(2 * K, 32), l2(), l3()]),
        "one-level": plain("L1 and nothing below", [l1()]),
        "four-levels": plain(
            "four levels",
            [l1(), l2(), l3(), cache(4, "U", 16 * M, 16, 64, 80,
                                     "tree-plru")]),
        "line-per-level": plain(
            "lines of 32, 64 and 128 bytes",
            [l1(16 * K, 4, 32), l2(line=64), l3(line=128)]),
        "l1-way-over-page": plain(
            "L1 of 16 KiB per way, indexed physically, scattered pages",
            [l1(64 * K, 4, addressing="physical"), l2(1 * M), l3(4 * M)],
            phys_placement="random-4k"),
        "l1-virtual-way-over-page": plain(
            "L1 of 16 KiB per way, indexed virtually: aliases",
            [l1(64 * K, 4), l2(1 * M), l3(4 * M)]),
    }


def indexes():
    """Hashes and slices."""
    return {
        "sliced-l3-8": plain(
            "L3 in 8 slices by Intel's masks",
            [l1(), l2(), l3(8 * M, index=sliced(8))]),
        "sliced-l3-10": plain(
            "L3 in 10 slices by table, not linear over GF(2)",
            [l1(), l2(), l3(5 * M, index=sliced_by_table(10, 128))]),
        "hashed-l2": plain(
            "L2 with an XOR index of three bits per set bit",
            [l1(), l2(1 * M, index=hashed(2048, 64, 11, 17)), l3(4 * M)]),
        "hashed-small-l2": plain(
            "the same of a small L2 and no L3, which takes less time",
            [l1(16 * K, 4), l2(128 * K, index=hashed(256, 64, 8, 14))]),
        "hash-gap-brrip-l2": plain(
            "small BRRIP L2 whose hash leaves out one bit, exclusive L3",
            [l1(), l2(64 * K, replace="brrip:0.03125",
                      index=hashed(128, 64, 8)),
             l3(1 * M, 8, inclusion="exclusive")]),
        "hashed-l1": plain(
            "L1 with an XOR index inside 16 KiB",
            [l1(16 * K, 4, index=xor([0x1040, 0x2080, 0x100, 0x200, 0x400,
                                      0x800])), l2(), l3()]),
        "nuca": plain(
            "1 MiB L3 region near, 7 MiB far",
            [l1(), l2(128 * K), l3(1 * M, 8, latency=20),
             cache(4, "U", 7 * M, 14, 64, 60, "lru",
                   inclusion="exclusive")]),
        "random-4k": plain("4 KiB frames in random places",
                           phys_placement="random-4k"),
        "random-2m": plain("2 MiB frames in random places",
                           [l1(), l2(), l3(8 * M)],
                           phys_placement="random-2m"),
    }


def contents():
    """Who holds what: inclusion, writes, sharing, reservations."""
    return {
        "exclusive-l2": plain(
            "exclusive L2 below a 2-way L1",
            [l1(64 * K, 2, latency=3), l2(512 * K, 16, latency=15,
                                          inclusion="exclusive")]),
        "exclusive-l3": plain(
            "L3 that gets L2's victims",
            [l1(), l2(512 * K), l3(4 * M, inclusion="exclusive")]),
        "inclusive-l3": plain(
            "L3 that takes its victims from L1 and L2 too",
            [l1(), l2(), l3(inclusion="inclusive")]),
        "write-through-l1": plain(
            "L1 that writes through and does not allocate",
            [l1(16 * K, 4, write_allocate=False, write_back=False), l2(),
             l3()]),
        "no-write-allocate": plain(
            "L1 that writes back but does not allocate on stores",
            [l1(write_allocate=False), l2(), l3()]),
        "reserved-l3": plain(
            "12-way L3 with 4 ways given to others",
            [l1(), l2(), l3(3 * M, 12, replace="lru",
                            reserved_lines_per_set=4)]),
        "kernel-lines-l2": plain(
            "one line of each L2 set always taken",
            [l1(), l2(512 * K, 8, replace="lru",
                      reserved_lines_per_set=1), l3()]),
        "shared-l2": plain(
            "L2 shared by pairs of four CPUs, L3 by all",
            [l1(), l2(shared_by=[[0, 1], [2, 3]]),
             l3(shared_by=[[0, 1, 2, 3]])]),
    }


def policies():
    """Replacement that misses only now and then, or not as LRU does."""
    return {
        "qlru-h00-l2": plain(
            "4-way QLRU_H00 L2", [l1(), l2(256 * K, 4,
                                           replace="qlru:H00_M1_R2_U1"),
                                  l3(replace="qlru:H11_M1_R0_U0")]),
        "bit-plru": plain("bit-PLRU everywhere",
                          [l1(replace="bit-plru"), l2(replace="bit-plru"),
                           l3(replace="bit-plru")]),
        "nru": plain("NRU in L2 and L3", [l1(), l2(replace="nru"),
                                          l3(replace="nru")]),
        "fifo": plain("FIFO everywhere", [l1(replace="fifo"),
                                          l2(replace="fifo"),
                                          l3(replace="fifo")]),
        "random": plain("random replacement in L1 and L2",
                        [l1(16 * K, 4, replace="random"),
                         l2(replace="random"), l3()]),
        "random-16way": plain("random replacement in a 16-way L3",
                              [l1(), l2(), l3(replace="random")]),
        "srrip": plain("SRRIP in L2 and L3", [l1(), l2(replace="srrip"),
                                              l3(replace="srrip")]),
        "bip": plain("bimodal insertion in L2 and L3",
                     [l1(), l2(replace="bip:0.03125"),
                      l3(replace="bip:0.0625")]),
        "brrip": plain("BRRIP in L3",
                       [l1(), l2(), l3(replace="brrip:0.03125")]),
        "lip": plain("LRU insertion in L2", [l1(), l2(replace="lip"), l3()]),
        "qlru-mr31": plain(
            "L3 that inserts at age 1 once in 16",
            [l1(), l2(), l3(replace="qlru:H11_MR31_R0_U0")]),
        "drrip-leaders": plain(
            "dueling L3 with two runs of leader sets",
            [l1(), l2(), l3(4 * M, replace="drrip:512+768*32")]),
        "duel-ivy-bridge-l2": plain(
            "L2 that duels like an L3 of Ivy Bridge",
            [l1(), l2(1 * M, 16, replace="drrip:512+768*64:"
                      "H11_M1_R1_U2,H11_MR31_R1_U2")]),
        "duel-haswell-l2": plain(
            "L2 that duels like an L3 of Haswell",
            [l1(), l2(1 * M, 16, replace="drrip:512+768*64:"
                      "H11_M1_R0_U0,H11_MR31_R0_U0")]),
        "lru3plru4-l1": plain("12-way L1 of three trees",
                              [l1(48 * K, 12, replace="lru3plru4"),
                               l2(512 * K, replace="qlru:H00_M1_R0_U1"),
                               l3(3 * M, 12)]),
    }


def translation():
    """TLBs, walks, virtual machines."""
    return {
        "walks-in-caches": plain("page walks that load through the caches",
                                 touches_caches=True, walk=20),
        "vm-splintered": plain(
            "virtual machine on 4 KiB host pages", virtual_machine=True,
            host_page_bytes=4 * K, counters=[], walk=60),
        "vm-2m-host": plain(
            "virtual machine on 2 MiB host pages", virtual_machine=True,
            host_page_bytes=2 * M, counters=[], walk=60),
        "coalescing-tlb": with_coalescing(plain(
            "TLB entries for 4 contiguous pages in L1 and 8 in L2", None,
            "D1 4K 64/fa,D1 2M 32/4,D2 4K 1024/8,D2 2M 256/4")),
        "shared-page-sizes": plain(
            "one array per level for all page sizes", None,
            "D1 4K+2M+1G 64/fa,U2 4K+2M+1G 1536/12 xor7 mru3plru4"),
        "page-size-ways": plain(
            "ways and hash that depend on the page size", None,
            "D1 4K+2M+1G 64/fa,D2 4K 1024/8 xor7,D2 2M 256/2 xor7"),
        "tlb-nonpow2": plain("TLBs of 384 and 256 sets", None,
                             "D1 4K+2M 72/fa,D2 4K 3072/8,D2 2M 1280/5"),
        "direct-mapped-tlb": plain("TLBs with 1 and 2 ways", None,
                                   "D1 4K+2M 32/1,U2 4K+2M 256/2"),
        "random-tlb": plain("TLBs with random replacement", None,
                            "D1 4K+2M 64/fa random,U2 4K+2M 512/4 random"),
        "small-tlb": plain("TLB of 10 entries below a big one", None,
                           "D1 4K+2M 10/fa,U2 4K+2M 512/4"),
        "huge-second-tlb": without_huge_answers(plain(
            "huge pages in the second TLB level alone", None,
            "D1 4K 32/fa,I1 4K 64/8,U2 4K 512/4,U2 2M 32/4",
            huge_page_bytes=[2 * M])),
        "small-dtlb-walks": plain(
            "walks in each load of what gets past a 16-way L2 of 4 KiB ways",
            [l1(4 * K, 4, latency=3), l2(64 * K, 16), l3(1 * M, latency=35)],
            "D1 4K 32/fa,I1 4K 64/8", walk=25, counters=[],
            huge_page_bytes=[]),
        "accessed-split": plain(
            "accessed bits; last TLBs of data and of code, hashed", None,
            "D1 4K 64/fa,I1 4K 64/8,D2 4K 2048/8 xor8,I2 4K 512/4 xor7",
            accessed_bits=True, counters=[], huge_page_bytes=[]),
        "accessed-unified": plain(
            "accessed bits; one hashed last TLB of 16 ways", None,
            "D1 4K 96/6,I1 4K 256/8,U2 4K 2048/16 xor7",
            accessed_bits=True, counters=[], huge_page_bytes=[]),
        "walk-cache": walk_caches(
            "a fully associative cache of page walks", WALK_TLBS,
            {"pde": (32, 32, "linear", "lru")}),
        "walk-cache-two": walk_caches(
            "caches of page walks at two levels, huge pages",
            "D1 4K 64/4,D1 2M 32/4,I1 4K 64/8,U2 4K+2M 1024/8",
            {"pde": (32, 4, "linear", "tree-plru"),
             "pdpte": (4, 4, "linear", "random")}),
        "walk-cache-small-ways": walk_caches(
            "a cache of page walks of 2 ways, and sets no power of two",
            WALK_TLBS, {"pde": (24, 2, "modulo", "lru")}),
        "walk-cache-shared": walk_caches(
            "a cache of page walks that all levels share, huge pages",
            "D1 4K 64/4,D1 2M 32/4,I1 4K 64/8,U2 4K+2M 1024/8",
            {("pde", "pdpte", "pml4e"): (24, 24, "linear", "lru")}),
        "walk-cache-big-tlb": walk_caches(
            "a cache of page walks below a TLB that has all pages",
            "D1 4K 64/4,I1 4K 64/8,U2 4K 16384/8",
            {"pde": (32, 32, "linear", "lru")}),
        "one-tlb-level": plain("one unified TLB level, slow walks", None,
                               "U1 4K+2M 64/fa", walk=120),
    }


def walk_caches(name, arrays, kept):
    """Accessed bits show them. By level: entries, ways, index, policy."""
    made = [{"level": level if isinstance(level, str) else list(level),
             "entries": entries, "ways": ways, "index": {"kind": index},
             "policy": {"name": policy}}
            for level, (entries, ways, index, policy) in kept.items()]
    more = {} if "2M" in arrays else {"huge_page_bytes": []}
    return plain("accessed bits; " + name, [l1(), l2()], arrays,
                 accessed_bits=True, walk_caches=made, counters=[], **more)


def without_huge_answers(made):
    """Nothing tells an array of the second level from one of the first there."""
    made["expect"]["tlbs"] = [answer for answer in made["expect"]["tlbs"]
                              if answer["page_bytes"] < 2 * M]
    return made


def with_coalescing(made):
    made["tlbs"][0]["coalesce_pages"] = 4
    made["tlbs"][2]["coalesce_pages"] = 8
    return made


def prefetch(*kinds, switchable):
    levels = {"adjacent-line": 2, "stream": 2, "next-line": 1, "stride": 1}
    return [{"kind": kind, "level": levels[kind], "switchable": switchable}
            for kind in kinds]


def disturbance():
    """Prefetchers, clocks, noise."""
    every = ("adjacent-line", "stream", "next-line", "stride")
    return {
        "adjacent-line-fixed": plain(
            "adjacent-line prefetcher without a switch",
            prefetchers=prefetch("adjacent-line", switchable=False)),
        "stream-fixed": plain(
            "stream prefetcher without a switch",
            prefetchers=prefetch("stream", switchable=False)),
        "next-line-fixed": plain(
            "next-line and stride prefetchers without a switch",
            prefetchers=prefetch("next-line", "stride", switchable=False)),
        "prefetchers-switchable": plain(
            "all four prefetchers, each with a switch",
            prefetchers=prefetch(*every, switchable=True)),
        "timer-40ns": plain(
            "clock of 25 MHz and no counters", counters=[],
            timer={"resolution_ns": 40, "overhead_cycles": 60}),
        "no-counters": plain("no counters at all", counters=[]),
        "cycles-only": plain("counters of cycles and loads only",
                             counters=["cycles", "loads"]),
        "dead-counter": plain(
            "L2 counter that stands still, L3's that others have half the "
            "time", counter_faults={"l2_miss": {"factor": 0},
                                    "l3_miss": {"busy": 0.5}}),
        "lying-counters": plain(
            "counters of half, twice or every load, and their overhead",
            counters=INTEL_COUNTERS + WRITE_COUNTERS,
            counter_faults={"l1d_miss": {"per_load": 1.2},
                            "l2_miss": {"factor": 0.5},
                            "l3_miss": {"overhead": 7},
                            "dtlb_miss": {"factor": 2},
                            "l2_write_miss": {"factor": 0}}),
        "noise-heavy": plain("heavy noise, with counters", noise=NOISE),
        "noise-heavy-time": plain("heavy noise, time only", counters=[],
                                  noise=NOISE),
        "interrupts": plain(
            "interrupts that take many lines each",
            noise={"seed": 1, "interrupts_per_million_loads": 1000,
                   "lines_evicted_per_interrupt": 128}),
        "frequency-drift": plain(
            "frequency that drifts by a tenth, time only", counters=[],
            noise={"seed": 1, "frequency_drift": 0.1}),
        "same-set-misses": plain(
            "misses of one set right after each other take longer",
            [l1(same_set_miss_cycles=3.4), l2(same_set_miss_cycles=6), l3()]),
        "same-set-misses-time": plain(
            "the same, time only", counters=[],
            caches=[l1(same_set_miss_cycles=2), l2(), l3()]),
        "same-set-misses-hashed": plain(
            "the same below a hashed L2 of 16 ways, time only", counters=[],
            caches=[l1(48 * K, 12, same_set_miss_cycles=6),
                    l2(1 * M, 16, latency=14, index=hashed(1024, 64, 10)),
                    l3(8 * M)]),
        "flat-latencies": plain(
            "levels one cycle apart, time only",
            [l1(latency=4), l2(latency=5), l3(latency=6)], memory=60,
            counters=[]),
    }


def adversarial(_truth):
    made = {}
    for group in (geometry, indexes, contents, policies, translation,
                  disturbance):
        for name, machine in group().items():
            made["adv-" + name] = machine
    return made
