# SPDX-License-Identifier: GPL-2.0
"""The systems of X-Ray, AMP and Cooper-Sandoval.

Figures come from the papers' tables; what stands in this file is what the
papers leave open, and each profile says so in "source".
"""

import csv

from .build import K, any_policy, cache, profile, tlbs

XRAY_TLBS = "U1 4K+2M 64/fa"

# name in the tables: file, cycle_ns, page, TLBs, memory where none was
# measured, {level: what a level lacks}, assumed beyond cycle_ns and policies
XRAY = {
    "Pentium 4": ("pentium4", 0.5, 4 * K, "D1 4K+2M 64/fa", {}, ""),
    "Itanium 2": ("itanium2", 0.77, 16 * K,
                  "D1 16K+2M 32/fa,D2 16K+2M 128/fa", {}, "tlbs"),
    "Athlon MP": ("athlon-mp", 0.6, 4 * K,
                  "D1 4K+2M 40/fa,D2 4K+2M 256/4",
                  {2: {"inclusion": "exclusive"}}, "tlbs"),
    "Opteron 240": ("opteron240", 0.7, 4 * K,
                    "D1 4K+2M 32/fa,D2 4K+2M 512/4",
                    {2: {"inclusion": "exclusive"}}, "tlbs"),
    "UltraSPARC IIIi": ("ultrasparc-iiii", 0.94, 8 * K,
                        "D1 8K+4M 16/fa,D2 8K+4M 512/2", {2: {"ways": 4}},
                        "caches[1].ways, tlbs"),
    "R12000": ("r12000", 3.3, 16 * K, "U1 16K+2M 64/fa", {2: {"ways": 2}},
               "caches[1].ways, tlbs"),
    "Power 3": ("power3", 2.67, 4 * K, "D1 4K+2M 256/2", {2: {"ways": 8}},
                "tlbs"),
}
XRAY_NOTES = {
    "UltraSPARC IIIi": " (memory: Calibrator)",
    "R12000": " (memory: Calibrator)",
    "Power 3": " (L2 ways: text; memory: Calibrator)",
    "Athlon MP": " (exclusive L2: text)",
    "Opteron 240": " (exclusive L2: text)",
    "Pentium 4": " (dTLB: text)",
}


def rows(path):
    with open(path, newline="", encoding="utf-8") as table:
        return [row for row in csv.reader(
            line for line in table if not line.startswith("#")) if row]


def number(text):
    """A figure, or None for what a table leaves open."""
    try:
        return int(text)
    except ValueError:
        return None


def xray_registers(path):
    """Registers that a compiler can use; the measured figure."""
    found = {}
    for name, *kinds in rows(path):
        usable = [number(kind.partition("/")[0]) or 0 for kind in kinds]
        found[name] = dict(zip(("int", "double", "mmx", "sse"), usable))
    return found


def xray_figures(path):
    """{system: {(level, parameter): figure}}; what the paper measured stands
    in where the actual one is not documented, then Calibrator's."""
    found = {}
    for system, level, parameter, _, *columns in rows(path):
        figures = [number(c) for c in columns[:3]]
        best = next((f for f in figures if f is not None), None)
        found.setdefault(system, {})[level, parameter] = best
    return found


def xray(truth):
    registers = xray_registers(truth / "xray_registers.csv")
    made = {}
    for system, figures in xray_figures(truth / "xray_table2.csv").items():
        file, cycle, page, arrays, lacks, assumed = XRAY[system]
        caches = []
        for level in (1, 2, 3):
            get = lambda parameter: figures.get(("L%d" % level, parameter))
            if not get("capacity"):
                continue
            more = dict(lacks.get(level, {}))
            ways = get("ways") or more["ways"]
            more.pop("ways", None)
            caches.append(cache(level, "D" if level == 1 else "U",
                                get("capacity") * K, ways, get("line"),
                                get("latency"), "lru", **more))
        assumed = ", ".join(filter(None, (
            "cycle_ns", assumed, "caches[].policy, huge_page_bytes, walk, "
            "timer")))
        made["xray-" + file] = profile(
            "X-Ray: " + system, "X-Ray, Tables 1-3" +
            XRAY_NOTES.get(system, ""), caches, tlbs(arrays),
            figures["memory", "latency"], cycle_ns=cycle, page=page,
            assumed=assumed, registers=registers[system])
    made["xray-pentium3"] = pentium3()
    return made


def pentium3():
    caches = [cache(1, "D", 16 * K, 4, 32, 3, "lru"),
              cache(2, "U", 256 * K, 8, 32, 7, "lru")]
    return profile("X-Ray: Pentium III", "X-Ray, section 6 (dTLB)", caches,
                   tlbs("D1 4K 64/4,D1 4M 8/4"), 120, cycle_ns=1,
                   assumed="all but tlbs[0]",
                   registers={"int": 5, "double": 8, "mmx": 8, "sse": 8})


# system: file, MHz, latencies of L1, L2 and memory, L1D's write policy, L2 or
# TLBs that have no counter there, counters, assumed
AMP = {
    "P5-133": ("p5-133", 133, (1, 8, 30), {"write_allocate": False},
               {"L2": ("32", "256K", "1")},
               ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                "dtlb_miss", "itlb_miss"], "caches[2]"),
    "PPro-200": ("ppro-200", 200, (3, 7, 60), {},
                 {"DTLB": ("4K", "64", "4")},
                 ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                  "l2_miss", "itlb_miss"], "tlbs[1]"),
    "PII-233": ("pii-233", 233, (3, 14, 70), {},
                {"DTLB": ("4K", "64", "4")},
                ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                 "l2_miss", "itlb_miss"], "tlbs[1]"),
    "USparc-I": ("ultrasparc-i", 167, (2, 8, 42),
                 {"write_allocate": False, "write_back": False},
                 {"ITLB": ("8K", "64", "64"), "DTLB": ("8K", "64", "64")},
                 ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                  "l2_miss", "l1d_write_miss"],
                 "caches[1].write_back, tlbs, counter_faults.l1d_miss.per_load"),
    "R10K-225": ("r10k-225", 225, (2, 10, 75), {}, {},
                 ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                  "l2_miss", "dtlb_miss", "itlb_miss"], ""),
}


# "More read misses than there actually were data reads."
ERRATA = {"USparc-I": {"counter_faults": {"l1d_miss": {"per_load": 1.2}}}}


def amp_tlbs(table):
    """A unified array is listed on both sides."""
    side = {name: "%s %s/%s" % table[name] for name in ("ITLB", "DTLB")}
    large = "+4M" if "/64" in side["DTLB"] else "+2M"
    side = {name: text.replace(" ", large + " ") for name, text in
            side.items()}
    if side["ITLB"] == side["DTLB"] and table["DTLB"][0] == "32K":
        return tlbs("U1 " + side["DTLB"])
    return tlbs("I1 %s,D1 %s" % (side["ITLB"], side["DTLB"]))


def size(text):
    return int(text.rstrip("K")) * (K if text.endswith("K") else 1)


def amp(truth):
    tables, made = {}, {}
    for system, structure, *figures in rows(truth / "amp_table1.csv"):
        if "N/C" in figures:
            figures = AMP[system][4][structure]
        tables.setdefault(system, {})[structure] = tuple(figures)
    for system, table in tables.items():
        file, mhz, latency, write, _, counters, assumed = AMP[system]
        shape = {name: (size(total), int(ways), int(line))
                 for name, (line, total, ways) in table.items()
                 if "TLB" not in name}
        caches = [cache(1, "I", *shape["L1I"], latency[0], "lru"),
                  cache(1, "D", *shape["L1D"], latency[0], "lru", **write),
                  cache(2, "U", *shape["L2"], latency[1], "lru")]
        assumed = ", ".join(filter(None, (
            assumed, "caches[].latency_cycles, caches[].policy, "
            "tlbs[].policy, huge_page_bytes, memory, walk, timer")))
        made["amp-" + file] = profile(
            "AMP: " + system, "AMP, Table 1", caches, amp_tlbs(table),
            latency[2], cycle_ns=round(1000 / mhz, 2),
            page=size(table["DTLB"][0]), counters=counters,
            assumed=assumed, **ERRATA.get(system, {}))
    return made


OPTERON = {"inclusion": "exclusive"}
PAIR = [{"kind": "adjacent-line", "level": 2, "switchable": True}]

# system: file, cycle_ns, page, memory, {level: what the table lacks},
# TLBs of the reaches in table 2, assumed beyond the common ones
COOPER = {
    "AMD Opteron 2360 SE Barcelona": (
        "barcelona", 0.4, 4, 250, {2: OPTERON, 3: OPTERON},
        "D1 4K+2M 48/fa,D2 4K+2M 512/4", "caches[].inclusion"),
    "AMD Opteron 275": (
        "opteron275", 0.45, 4, 180, {2: OPTERON},
        "D1 4K+2M 32/fa,D2 4K+2M 512/4", "caches[].inclusion"),
    "AMD Opteron 6168 Magny-Cours": (
        "magny-cours", 0.53, 4, 240,
        {2: dict(OPTERON, ways=16), 3: dict(OPTERON, ways=48)},
        "D1 4K+2M 48/fa,D2 4K+2M 512/4", "caches[].inclusion, "
        "caches[1,2].ways"),
    "AMD Phenom 9750 Agena": (
        "agena", 0.42, 4, 230, {2: OPTERON, 3: OPTERON},
        "D1 4K+2M 48/fa,D2 4K+2M 512/4", "caches[].inclusion"),
    "ARM926EJ-S": (
        "arm926ej-s", 0.8, 4, 60, {2: {"ways": 4}},
        "D1 4K+2M 8/fa,D2 4K+2M 56/2", "caches[1].ways, "
        "tlbs (the two parts as levels)"),
    "IBM Cell (PS3)": (
        "cell", 0.31, 4, 400, {1: {"ways": 4}, 2: {"ways": 8}},
        "D1 4K+2M 64/2,D2 4K+2M 1024/4", "caches[1].ways"),
    "IBM POWER7": (
        "power7", 0.27, 64, 300, {}, "D1 64K+2M 64/fa,D2 64K+2M 512/4",
        "caches[2,3] (L3 as a near "
        "and a far region)"),
    "Intel Core 2 Duo T5600 Merom": (
        "merom", 0.55, 4, 180, {}, "D1 4K+2M 16/4,D2 4K+2M 256/4",
        "prefetchers"),
    "Intel Itanium 2 900 McKinley": (
        "mckinley", 1.11, 64, 200, {2: {"ways": 8}, 3: {"ways": 12}},
        "D1 64K+2M 32/fa,D2 64K+2M 128/fa", "caches[1,2].ways"),
    "Intel Itanium 2 9040 Montecito": (
        "montecito", 0.63, 16, 220, {}, "D1 16K+2M 32/fa,D2 16K+2M 128/fa",
        ""),
    "Intel Pentium 4": (
        "pentium4", 0.33, 4, 350, {2: {"ways": 8}}, "D1 4K+2M 64/fa",
        "caches[1].ways, prefetchers"),
    "Intel Xeon E5420 Harpertown": (
        "e5420", 0.4, 4, 240, {}, "D1 4K+2M 16/4,D2 4K+2M 256/4",
        "prefetchers"),
    "Intel Xeon E5440 Harpertown": (
        "e5440", 0.35, 4, 260, {}, "D1 4K+2M 16/4,D2 4K+2M 256/4", ""),
    "Intel Xeon E5530 Nehalem": (
        "e5530", 0.42, 4, 190, {}, "D1 4K 64/4,D1 2M 32/4,D2 4K 512/4", ""),
    "Intel Xeon E7330 Tigerton": (
        "e7330", 0.42, 4, 260, {}, "D1 4K+2M 16/4,D2 4K+2M 256/4",
        "prefetchers"),
    "Intel Xeon X3220 Kentsfield": (
        "x3220", 0.42, 4, 200, {2: {"ways": 16}},
        "D1 4K+2M 16/4,D2 4K+2M 256/4", "caches[1].ways"),
    "Intel Xeon X5660 Westmere": (
        "x5660", 0.36, 4, 200, {}, "D1 4K 64/4,D1 2M 32/4,D2 4K 512/4", ""),
    "PowerPC 7455 G4": ("g4", 1, 4, 110, {}, "D1 4K+2M 128/2", ""),
    "PowerPC 750 G3": ("g3", 2, 4, 60, {}, "D1 4K+2M 128/2", ""),
    "Sun UltraSPARC T1": (
        "ultrasparc-t1", 1, 8, 110, {}, "D1 8K+4M 64/fa", ""),
}


def power7_l3(line):
    """32 MiB in eight regions: the near one is a level of its own."""
    return [cache(3, "U", 4096 * K, 8, line, 15, "tree-plru"),
            cache(4, "U", 28672 * K, 56, line, 51, "lru", **OPTERON)]


def cooper_caches(system, figures):
    caches = []
    lacks = COOPER[system][4]
    for level, (line, ways, capacity, latency) in sorted(figures.items()):
        if system == "IBM POWER7" and level > 2:
            continue
        more = dict(lacks.get(level, {}))
        ways = ways or more["ways"]
        more.pop("ways", None)
        kind = "D" if level == 1 else "U"
        caches.append(cache(level, kind, capacity * K, ways, line, latency,
                            any_policy(ways), **more))
    return caches + (power7_l3(128) if system == "IBM POWER7" else [])


def cooper(truth):
    figures, doubled, made = {}, set(), {}
    for row in rows(truth / "cooper_sandoval_table1.csv"):
        system, level = row[0], int(row[1])
        line, measured, ways, _, capacity, _, latency = map(number, row[2:9])
        figures.setdefault(system, {})[level] = (line, ways, capacity,
                                                 latency)
        if line and measured and measured > line and level == 2:
            doubled.add(system)
    for system, levels in figures.items():
        file, cycle, page, memory, _, arrays, assumed = COOPER[system]
        assumed = ", ".join(filter(None, (
            assumed, "cycle_ns, caches[].policy, tlbs[].ways, "
            "tlbs[].latency_cycles, huge_page_bytes, memory, walk, timer")))
        more = {"prefetchers": PAIR} if system in doubled else {}
        made["cs-" + file] = profile(
            "Cooper-Sandoval: " + system, "Cooper-Sandoval, Tables I and II",
            cooper_caches(system, levels), tlbs(arrays), memory,
            cycle_ns=cycle, page=page * K, assumed=assumed, **more)
    return made
