# SPDX-License-Identifier: GPL-2.0
"""Thirty processors of 2008 to 2024.

Geometry comes from the data file (decoded CPUID dumps, manuals); policies,
indexes and TLBs that it describes in words are written out here.
"""

import json

from .build import (INTEL_COUNTERS, INTEL_SLICES, K, LINEAR, M, any_policy,
                    cache, drrip, hashed, power_of_two, profile, sliced,
                    sliced_by_table, tlbs)

AMD_COUNTERS = ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                "l2_miss", "dtlb_miss", "stlb_miss", "itlb_miss"]
ARM_COUNTERS = ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                "l2_miss", "dtlb_miss", "stlb_miss", "itlb_miss"]

ZEN_L1 = "D1 4K+2M+1G 64/fa,I1 4K+2M+1G 64/fa,"
SKYLAKE_TLBS = ("D1 4K 64/4,D1 2M 32/4,D1 1G 4/4,I1 4K %s/8,I1 2M 8/fa,"
                "U2 4K+2M 1536/12 xor7 mru3plru4,U2 1G 16/4")
ICELAKE_L2 = ",U2 4K 2048/16,U2 2M 1024/8,U2 1G 1024/8"
COVE_TLBS = ("D1 4K %s,D1 2M 32/4,D1 1G 8/fa,I1 4K 256/8,I1 2M 32/8"
             + ICELAKE_L2)
HSW_DUEL = "drrip:512+768*32"
ICL_DUEL = drrip([s + other for row in range(0, 1024, 132)
                  for s in (row, row + 33) for other in (0, 16)])

# The fourth slice mask of a 16-slice processor; not published.
FOURTH_SLICE = 0x1742d5e8c0


def zen_l2(sets):
    return hashed(sets, 64, 10 if sets == 1024 else 11)


# name: file, cycle_ns, memory, TLBs, {what: figure}, assumed beyond the
# common ones. Figures: l1, l2, l3 policies; i2, i3 indexes; inc2, inc3.
MODERN = {
    "Nehalem i7-920": (
        "nehalem-i7-920", 0.38, 190,
        "D1 4K 64/4,D1 2M 32/4,I1 4K 64/4,I1 2M 7/fa,U2 4K 512/4",
        {"l3": "bit-plru"}, "caches[3].index"),
    "Westmere i7-980X / X5650": (
        "westmere-x5650", 0.38, 190,
        "D1 4K 64/4,D1 2M 32/4,I1 4K 64/4,I1 2M 7/fa,U2 4K 512/4",
        {"l3": "bit-plru"}, "caches[3].index, caches[2].inclusion"),
    "Sandy Bridge i7-2600": (
        "sandy-bridge-i7-2600", 0.29, 200,
        "D1 4K 64/4,D1 2M 32/4,D1 1G 4/fa,I1 4K 64/4,I1 2M 8/fa,"
        "U2 4K 512/4",
        {"l3": "bit-plru", "i3": sliced(4)},
        "caches[3].policy (MRU_N), caches[3].index, "
        "caches[2].inclusion"),
    "Ivy Bridge i7-3770K": (
        "ivy-bridge-i7-3770k", 0.29, 200,
        "D1 4K 64/4,D1 2M 32/4,I1 4K 64/4,I1 2M 8/fa,U2 4K 512/4",
        {"l3": HSW_DUEL, "i3": sliced(4)},
        "caches[3].policy (as DRRIP), caches[3].index, "
        "caches[2].inclusion"),
    "Haswell i7-4770": (
        "haswell-i7-4770", 0.29, 210,
        "D1 4K 64/4,D1 2M 32/4,D1 1G 4/4,I1 4K 64/8,I1 2M 8/fa,"
        "U2 4K+2M 1024/8",
        {"l3": HSW_DUEL, "i3": sliced(4)},
        "caches[3].policy (as DRRIP), caches[3].index, "
        "caches[2].inclusion"),
    "Broadwell i7-5775C": (
        "broadwell-i7-5775c", 0.3, 240,
        "D1 4K 64/4,D1 2M 32/4,D1 1G 4/4,I1 4K 64/8,I1 2M 8/fa,"
        "U2 4K+2M 1536/6 xor8,U2 1G 16/4",
        {"l3": HSW_DUEL, "i3": sliced(4)},
        "caches[3].policy (as DRRIP), caches[3].index, caches[4], "
        "caches[2].inclusion, tlbs[5].page_bytes"),
    "Skylake i7-6700K": (
        "skylake-i7-6700k", 0.25, 220, SKYLAKE_TLBS % 128,
        {"l2": "qlru:H00_M1_R2_U1", "l3": "qlru:H11_M1_R0_U0",
         "i3": sliced(8)},
        "caches[3].policy (no leaders), tlbs[5].page_bytes"),
    "Coffee Lake i9-9900K": (
        "coffee-lake-i9-9900k", 0.22, 230, SKYLAKE_TLBS % 128,
        {"l2": "qlru:H00_M1_R2_U1", "l3": "qlru:H11_M1_R0_U0",
         "i3": sliced(16, INTEL_SLICES + [FOURTH_SLICE])},
        "caches[3].index (4th mask), caches[2].inclusion, tlbs[2,4], "
        "tlbs[5].page_bytes"),
    "Comet Lake i9-10900K": (
        "comet-lake-i9-10900k", 0.22, 230, SKYLAKE_TLBS % 128,
        {"l2": "qlru:H00_M1_R2_U1", "l3": "qlru:H11_M1_R0_U0",
         "i3": sliced_by_table(10, 256)},
        "caches[3].index, caches[2].inclusion, tlbs[2,4,6], "
        "tlbs[5].page_bytes"),
    "Skylake-X i9-7980XE": (
        "skylake-x-i9-7980xe", 0.29, 280, SKYLAKE_TLBS % 64,
        {"l2": "qlru:H00_M1_R0_U1", "l3": "qlru:H11_M1_R0_U0",
         "i3": sliced_by_table(18, 512)},
        "caches[3].index (no directory), caches[2,3].policy, "
        "caches[].inclusion, tlbs[4], tlbs[5].page_bytes"),
    "Cannon Lake i3-8121U": (
        "cannon-lake-i3-8121u", 0.31, 240, SKYLAKE_TLBS % 128,
        {"l2": "qlru:H00_M1_R0_U1", "l3": HSW_DUEL, "i3": sliced(4)},
        "caches[3].index, caches[3].policy, caches[2].inclusion, "
        "tlbs[2,3,4,6], tlbs[5].page_bytes"),
    "Ice Lake i5-1035G1": (
        "ice-lake-i5-1035g1", 0.28, 250,
        "D1 4K 64/4,D1 2M 32/4,D1 1G 8/fa,I1 4K 128/8,I1 2M 8/fa" +
        ICELAKE_L2,
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1", "l3": ICL_DUEL,
         "i3": sliced(8)},
        "caches[3].policy (as DRRIP), caches[2].inclusion, "
        "tlbs (second level split)"),
    "Tiger Lake i7-1165G7": (
        "tiger-lake-i7-1165g7", 0.25, 270,
        "D1 4K 64/4,D1 2M 32/4,D1 1G 8/fa,I1 4K 128/8,I1 2M 16/8" +
        ICELAKE_L2,
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0", "i3": sliced(8)},
        "caches[3].index, caches[2,3].policy, caches[].inclusion, "
        "tlbs (second level split)"),
    "Rocket Lake i9-11900K": (
        "rocket-lake-i9-11900k", 0.21, 280,
        "D1 4K 64/4,D1 2M 32/4,D1 1G 8/fa,I1 4K 128/8,I1 2M 8/fa" +
        ICELAKE_L2,
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0", "i3": sliced(8)},
        "caches[3].policy, caches[2].inclusion, tlbs[2,3,4,7] "
        "(second level split)"),
    "Golden Cove i9-12900K P": (
        "golden-cove-i9-12900k", 0.2, 350, COVE_TLBS % "96/6",
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0", "i3": sliced_by_table(10, 256)},
        "caches[3].index, caches[].policy, caches[].inclusion, "
        "tlbs[0] (CPUID: 64), tlbs[5,6,7]"),
    "Gracemont (12900K E)": (
        "gracemont-12900k", 0.26, 320,
        "D1 4K+2M 48/fa,D1 1G 8/fa,I1 4K+2M 64/fa,U2 4K+2M 2048/4,"
        "U2 1G 8/fa",
        {"l3": "qlru:H11_M1_R0_U0", "i3": sliced_by_table(10, 256),
         "shared2": [[0, 1, 2, 3]]},
        "caches[3].index, caches[].policy, caches[].inclusion, "
        "tlbs[0,1,2]"),
    "Raptor Cove i7-13700K P": (
        "raptor-cove-i7-13700k", 0.19, 360, COVE_TLBS % "96/6",
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0", "i3": sliced_by_table(10, 256)},
        "caches[3].index, caches[].policy, caches[].inclusion, "
        "tlbs[0] (CPUID: 64), tlbs[2,5,6,7]"),
    "Sapphire Rapids (GLC server)": (
        "sapphire-rapids", 0.29, 380, COVE_TLBS % "96/6",
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0", "i3": sliced_by_table(28, 512)},
        "caches[3].index (28 slices), caches[].policy, caches[].inclusion, "
        "tlbs"),
    "Redwood Cove Ultra 7 155H P": (
        "redwood-cove-ultra7-155h", 0.21, 400, COVE_TLBS % "96/6",
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0"},
        "caches[].policy, caches[].inclusion, tlbs[5,6,7]"),
    "Lion Cove Ultra 9 285H P": (
        "lion-cove-ultra9-285h", 0.19, 420, COVE_TLBS % "128/8",
        {"l1": "lru3plru4", "l2": "qlru:H00_M1_R0_U1",
         "l3": "qlru:H11_M1_R0_U0"},
        "caches[2].ways, caches[].policy, caches[].inclusion, tlbs"),
    "Zen1/Zen+ 1800X, 2700X": (
        "zen1-1800x", 0.27, 280,
        ZEN_L1 + "D2 4K 1024/8,D2 2M 256/2,I2 4K 512/8",
        {"i2": zen_l2(1024)},
        "caches[2].index, caches[].policy, tlbs[2,3] (no skew, "
        "no coalescing)"),
    "Zen2 3700X": (
        "zen2-3700x", 0.23, 310,
        "D1 4K+2M 64/fa,I1 4K+2M 64/fa,D2 4K 2048/8,D2 2M 1024/4,"
        "I2 4K 512/8",
        {"i2": zen_l2(1024)},
        "caches[2].index, caches[].policy, tlbs[2,3].index"),
    "Zen3 5950X": (
        "zen3-5950x", 0.21, 330,
        ZEN_L1 + "D2 4K 2048/8,D2 2M 1024/4,D2 1G 64/fa,I2 4K 512/4,"
        "I2 2M 512/2",
        {"i2": zen_l2(1024)},
        "caches[2].index, caches[].policy, tlbs[2,3].index"),
    "Zen4 7700X": (
        "zen4-7700x", 0.19, 360,
        "D1 4K+2M+1G 72/fa,I1 4K+2M+1G 64/fa,D2 4K 3072/8,D2 2M 2304/6,"
        "D2 1G 64/fa,I2 4K 512/4",
        {"i2": zen_l2(2048)},
        "caches[2].index, caches[].policy, tlbs[2,3] (modulo)"),
    "Zen5 9950X": (
        "zen5-9950x", 0.18, 380,
        "D1 4K+2M+1G 96/fa,I1 4K+2M+1G 64/fa,D2 4K 4096/8,D2 2M 2048/4,"
        "D2 1G 1024/4,I2 4K 2048/4",
        {"l1": "lru3plru4", "i2": zen_l2(1024)},
        "caches[2].index, caches[].policy, tlbs[2,3].index"),
    "Cortex-A72 (BCM2711)": (
        "cortex-a72", 0.67, 160,
        "D1 4K+2M 32/fa,I1 4K+2M 48/fa,U2 4K+2M 1024/4",
        {"l1": "lru", "l2": "srrip", "shared2": [[0, 1, 2, 3]]},
        "caches[2].policy, huge_page_bytes"),
    "Cortex-A76 (Kirin 980)": (
        "cortex-a76", 0.38, 300,
        "D1 4K+2M 48/fa,I1 4K+2M 48/fa,U2 4K+2M 1280/5",
        {"l2": "srrip", "l3": "srrip"},
        "caches[].policy, caches[3].inclusion, "
        "tlbs[].page_bytes (no 16K, 64K, 512M)"),
    "Neoverse N1 (1 MB L2)": (
        "neoverse-n1", 0.4, 280,
        "D1 4K+2M 48/fa,I1 4K+2M 48/fa,U2 4K+2M 1280/5",
        {"l2": "srrip"}, "caches[2].policy, huge_page_bytes (no mesh cache)"),
    "Neoverse V1 (1 MB L2)": (
        "neoverse-v1", 0.38, 290,
        "D1 4K+2M 40/fa,I1 4K+2M 48/fa,U2 4K+2M 2048/8",
        {"l2": "srrip"}, "caches[].policy, caches[2].inclusion, tlbs, "
        "huge_page_bytes"),
    "Apple M1 Firestorm": (
        "apple-m1-firestorm", 0.31, 330,
        "D1 16K+2M 160/fa,I1 16K+2M 192/fa,U2 16K+2M 3072/12",
        {"l2": "lru"},
        "caches[].policy, tlbs[].ways, huge_page_bytes (no SLC)"),
}


def mean(latency):
    """'26-31', '~70', '9 (fastest)' as one figure of whole cycles."""
    plain = latency.lstrip("~").split(" ")[0].split("-")
    return round(sum(float(p) for p in plain) / len(plain))


def inclusion(text):
    if "non-inclusive" in text:
        return "nine"
    if "inclusive" in text:
        return "inclusive"
    return "exclusive" if text.startswith("victim") else "nine"


def instruction(text, latency):
    """'32K/4w/128': capacity, ways, sets."""
    capacity, ways, sets = text.split("/")
    capacity, ways = int(capacity[:-1]) * K, int(ways[:-1])
    return cache(1, "I", capacity, ways, capacity // (ways * int(sets)),
                 latency, any_policy(ways))


def lower(level, figures, chosen):
    """The entry of level 2 or 3, with what the data file leaves open."""
    key, more = str(level), {}
    found = inclusion(figures["incl"])
    if found != "nine":
        more["inclusion"] = found
    if "shared" + key in chosen:
        more["shared_by"] = chosen["shared" + key]
    index = chosen.get("i" + key)
    if index is None and not power_of_two(figures["sets"]):
        index = {"kind": "modulo"}
    return cache(level, "U", figures["kb"] * K, figures["ways"],
                 figures["line"], mean(figures["lat"]),
                 chosen.get("l" + key, any_policy(figures["ways"])),
                 index or LINEAR, **more)


def hierarchy(entry, chosen):
    l1, l3 = entry["l1d"], entry["l3"]
    latency = mean(l1["lat"])
    physical = "PIPT" in l1["index"]
    more = {"addressing": "physical"} if physical else {}
    caches = [instruction(entry["l1i"], latency),
              cache(1, "D", l1["kb"] * K, l1["ways"], l1["line"], latency,
                    chosen.get("l1", any_policy(l1["ways"])), **more),
              lower(2, entry["l2"], chosen)]
    if l3:
        caches.append(lower(3, l3, chosen))
    name = entry["name"]
    if name.startswith("Sapphire"):
        caches.append(cache(3, "U", 28 * 15 * 2048 * 64, 15, 64, 114,
                            chosen["l3"], chosen["i3"]))
    if name.startswith("Broadwell"):
        caches.append(cache(4, "U", 128 * M, 16, 64, 140, "tree-plru",
                            inclusion="exclusive"))
    if name.startswith("Lion Cove"):
        for c in caches[2:]:
            c["level"] += 1
        caches.insert(2, cache(2, "D", 192 * K, 12, 64, 9, "lru"))
    return caches


def counters(entry, caches):
    """What a processor of its kind can count."""
    if entry["name"].startswith("Zen"):
        return AMD_COUNTERS
    if entry["name"].startswith(("Cortex", "Neoverse", "Apple")):
        return ARM_COUNTERS
    deep = any(c["level"] == 3 for c in caches)
    return [c for c in INTEL_COUNTERS if deep or c != "l3_miss"]


def sources(tags):
    """'V:libcpuid,m': "V:" was read at its source, "m" only recalled."""
    names = {"m": "recalled", "libcpuid": "libcpuid's CPUID dumps"}
    plain = [tag.removeprefix("V:") for tag in tags.split(",")]
    return ", ".join(names.get(tag, tag) for tag in plain)


def registers(name):
    if name.startswith(("Cortex", "Neoverse", "Apple")):
        return {"int": 31, "double": 32, "mmx": 0, "sse": 0}
    return {"int": 16, "double": 16, "mmx": 8, "sse": 16}


def misses_of_a_set(name):
    """What a miss of the first level takes longer right after one of its set:
    seen on a Zen 3 (15.4 to 16 cycles instead of 12) and a Zen 4 (17.1
    instead of 14), not on a Zen 5, assumed for the others."""
    return {"same_set_miss_cycles": 4} if name.startswith("Zen") else {}


def misses_assumed(name):
    seen = name.startswith(("Zen3", "Zen4"))
    return ", same_set_miss_cycles" if misses_of_a_set(name) and not seen \
        else ""


def modern(truth):
    with open(truth / "modern_profiles.json", encoding="utf-8") as data:
        entries = json.load(data)
    made = {}
    for entry in entries:
        name = entry["name"]
        file, cycle, memory, arrays, chosen, assumed = MODERN[name]
        caches = hierarchy(entry, chosen)
        arm = counters(entry, caches) is ARM_COUNTERS
        timer = {"resolution_ns": 40 if arm else cycle, "overhead_cycles": 25}
        made["modern-" + file] = profile(
            name, sources(entry["ref"]), caches,
            tlbs(arrays), memory, cycle_ns=cycle,
            page=16 * K if name.startswith("Apple") else 4 * K,
            phys_bits=39, counters=counters(entry, caches), timer=timer,
            registers=registers(name), **misses_of_a_set(name),
            assumed=assumed + misses_assumed(name) +
            ", cycle_ns, memory, walk, timer, "
            "tlbs[].policy, tlbs[].latency_cycles")
    return made
