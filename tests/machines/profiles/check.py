# SPDX-License-Identifier: GPL-2.0
"""Is a profile consistent with itself? Shares no code with the C parser."""

import json

from .build import (G, LINEAR, M, bits, held_ways, levels_of, of_type,
                    power_of_two)

TOP = {"schema", "name", "source", "cycle_ns", "phys_bits", "page_bytes",
       "huge_page_bytes", "phys_placement", "caches", "tlbs", "walk",
       "memory", "prefetchers", "counters", "counter_faults", "timer",
       "noise", "virtual_machine", "host_page_bytes",
       "same_set_miss_cycles", "accessed_bits", "walk_caches", "registers",
       "misprediction_cycles", "core_types", "expect"}
CACHE = {"level", "type", "capacity_bytes", "ways", "line_bytes",
         "addressing", "index", "policy", "inclusion", "write_allocate",
         "write_back", "latency_cycles", "same_set_miss_cycles", "shared_by",
         "reserved_lines_per_set", "allocation_mask", "memory_side",
         "core_type"}
TLB = {"level", "type", "page_bytes", "entries", "ways", "index", "policy",
       "latency_cycles", "coalesce_pages", "paired_pages", "inclusion", "core_type"}
WALK = {"level", "entries", "ways", "index", "policy"}
INDEX = {"kind", "masks", "fold", "slices", "slice_masks", "slice_table",
         "slice_block_lines", "slice_permutations", "index"}
POLICY = {"name", "epsilon", "seed", "variant", "leaders", "variants"}
OTHER = {"walk": {"latency_cycles", "touches_caches"},
         "memory": {"latency_cycles"},
         "timer": {"resolution_ns", "overhead_cycles"},
         "noise": {"seed", "jitter_cycles", "tail_probability",
                   "tail_cycles", "interrupts_per_million_loads",
                   "lines_evicted_per_interrupt", "frequency_drift"},
         "registers": {"int", "double", "mmx", "sse"}}
POLICIES = {"lru", "fifo", "tree-plru", "bit-plru", "nru", "random", "lip",
            "bip", "srrip", "brrip", "drrip", "qlru", "lru3plru4",
            "mru3plru4"}
COUNTERS = {"cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
            "l2_miss", "l3_miss", "dtlb_miss", "stlb_miss", "itlb_miss",
            "l1d_write_miss", "l2_write_miss", "l3_write_miss"}
DEFAULT_COUNTERS = COUNTERS - {"instructions", "l1i_miss", "l1d_write_miss",
                               "l2_write_miss", "l3_write_miss"}
FAULTS = {"factor", "per_load", "overhead", "busy"}
PREFETCHERS = {"adjacent-line", "next-line", "stride", "stream"}
NAME_CHARS, SOURCE_CHARS = 127, 255
# What a missing key means, of those that are looked at here.
DEFAULTS = {"phys_bits": 40, "page_bytes": 4096, "tlbs": [],
            "walk": {"latency_cycles": 30},
            "memory": {"latency_cycles": 200},
            "timer": {"resolution_ns": 0.4, "overhead_cycles": 25},
            "noise": {"seed": 1}}
ARRAY_DEFAULTS = {"index": LINEAR, "policy": {"name": "lru"}}


class Inconsistent(Exception):
    """One line: the key's path and what is wrong with it."""


def need(true, path, what):
    if not true:
        raise Inconsistent("%s: %s" % (path, what))


def known(value, keys, path):
    for key in value:
        need(key in keys, path, "unknown key '%s'" % key)


def rank(rows):
    """Rank over GF(2)."""
    basis = []
    for row in rows:
        for pivot in basis:
            row = min(row, row ^ pivot)
        if row:
            basis.append(row)
    return len(basis)


def masks(texts, path):
    for text in texts:
        need(text.startswith("0x"), path, "no hex string")
    return [int(text, 16) for text in texts]


def check_rows(rows, wanted, path):
    need(len(rows) == wanted, path, "%d masks for %d bits" % (len(rows),
                                                              wanted))
    need(rank(rows) == wanted, path, "dependent masks")


def set_rows(index, sets, low, path):
    """The masks of the index of one array of 'sets' sets, or None."""
    kind = index["kind"]
    if kind == "modulo":
        return None
    need(power_of_two(sets), path, "%d sets by kind '%s'" % (sets, kind))
    if kind == "linear":
        return [1 << low + bit for bit in range(bits(sets))]
    need(kind == "xor", path, "kind '%s'" % kind)
    if "fold" in index:
        need(1 << index["fold"] == sets, path, "fold of another size")
        return None
    rows = masks(index["masks"], path)
    check_rows(rows, bits(sets), path)
    return rows


def check_slices(index, sets, low, phys_bits, path):
    slices = index["slices"]
    need(sets % slices == 0, path, "sets do not divide into slices")
    inner = set_rows(index["index"], sets // slices, low, path + ".index")
    if "slice_masks" in index:
        need(power_of_two(slices), path, "masks for %d slices" % slices)
        rows = masks(index["slice_masks"], path + ".slice_masks")
        check_rows(rows, bits(slices), path + ".slice_masks")
        need(inner is None or rank(rows + inner) == len(rows) + len(inner),
             path, "slice masks depend on the inner index")
        check_reach(rows, phys_bits, path)
        return
    table, block = index["slice_table"], index["slice_block_lines"]
    need(len(table) == block and power_of_two(block), path, "table size")
    need(set(table) == set(range(slices)), path, "a slice without lines")
    span = low + bits(block)
    values = []
    for bit, value in index["slice_permutations"].items():
        need(span <= int(bit) < phys_bits, path, "permutation of bit " + bit)
        need(0 <= value < block, path, "permutation beyond the table")
        if int(bit) >= low + bits(sets // slices):
            values.append(value)
    # Whatever set of a slice: some line of each slice falls into it.
    need(rank(values) == bits(block), path, "permutations do not reach all")


def check_reach(rows, limit, path):
    for row in rows:
        need(row >> limit == 0, path, "mask above the address")


def check_index(index, sets, low, limit, path):
    known(index, INDEX, path)
    if index["kind"] == "sliced":
        check_slices(index, sets, low, limit, path)
        return
    rows = set_rows(index, sets, low, path)
    if rows is not None:
        check_reach(rows, limit, path)


def even(mask, ways):
    """Does each node of a tree have as many ways in both halves, or one half?"""
    if ways == 1:
        return True
    half = ways // 2
    low, high = mask & (1 << half) - 1, mask >> half
    return (not low or not high or
            bin(low).count("1") == bin(high).count("1")) and \
        even(low, half) and even(high, half)


def check_policy(policy, ways, sets, path):
    known(policy, POLICY, path)
    name = policy["name"]
    need(name in POLICIES, path, "policy '%s'" % name)
    if name in ("lru3plru4", "mru3plru4"):
        need(ways == 12, path, "%s has 12 ways" % name)
    if name == "tree-plru":
        # A clamped tree never chooses some ways: no textbook's machine.
        need(power_of_two(ways), path, "tree of %d ways" % ways)
    chosen = policy.get("leaders", [])
    need(len(set(chosen)) == len(chosen), path, "a leader twice")
    need(all(0 <= s < sets for s in chosen), path, "a leader beyond the sets")


def check_cache(cache, phys_bits, path):
    known(cache, CACHE, path)
    ways, line = cache["ways"], cache["line_bytes"]
    need(ways > 0 and power_of_two(line), path, "ways or line")
    sets = cache["capacity_bytes"] // (ways * line)
    need(ways * line * sets == cache["capacity_bytes"],
         path + ".capacity_bytes", "not ways x line x sets")
    check_index(cache["index"], sets, bits(line), phys_bits, path + ".index")
    check_policy(cache["policy"], ways, sets, path + ".policy")
    need(cache.get("reserved_lines_per_set", 0) < ways, path, "all reserved")
    mask = int(cache.get("allocation_mask", "0x1"), 16)
    need(0 < mask < 1 << ways, path, "mask of no ways, or of others")
    # As many lines as ways that are walked cyclically miss in an uneven one.
    need(cache["policy"]["name"] != "tree-plru" or even(mask, ways), path,
         "mask of an uneven tree")
    need(0 <= cache.get("same_set_miss_cycles", 0) <= 1e6, path,
         "same_set_miss_cycles out of range")
    cpus = [cpu for group in cache.get("shared_by", []) for cpu in group]
    need(len(set(cpus)) == len(cpus), path + ".shared_by", "a CPU twice")


def check_caches(profile):
    caches = profile["caches"]
    seen, last = set(), {}
    for i, cache in enumerate(caches):
        path = "caches[%d]" % i
        check_cache(cache, profile["phys_bits"], path)
        key = (cache["level"], cache["type"])
        need(key not in seen, path, "level twice")
        seen.add(key)
        need(i == 0 or cache["level"] >= caches[i - 1]["level"], path,
             "level out of order")
        for side in ("data", "instruction"):
            if cache["type"] in (side, "unified"):
                level, latency, line = last.get(side, (0, 0, 0))
                need(cache["level"] == level + 1 or
                     side == "instruction", path, "level missing")
                need(cache["latency_cycles"] > latency, path,
                     "no slower than the level above")
                need(cache["line_bytes"] >= line or side == "instruction",
                     path, "shorter line than the level above")
                last[side] = (cache["level"], cache["latency_cycles"],
                              cache["line_bytes"])
    for i, cache in enumerate(caches):
        need(not cache.get("memory_side") or i == len(caches) - 1,
             "caches[%d]" % i, "a level below a memory-side cache")
    need(profile["memory"]["latency_cycles"] > caches[-1]["latency_cycles"],
         "memory.latency_cycles", "faster than the last level")


def check_tlbs(profile):
    pages = {profile["page_bytes"]} | set(profile["huge_page_bytes"])
    covered, seen = set(), set()
    for i, tlb in enumerate(profile["tlbs"]):
        path = "tlbs[%d]" % i
        known(tlb, TLB, path)
        entries, ways = tlb["entries"], tlb["ways"]
        need(entries % ways == 0, path + ".entries", "not ways x sets")
        check_index(tlb["index"], entries // ways, 0, 52, path + ".index")
        check_policy(tlb["policy"], ways, entries // ways, path + ".policy")
        for page in tlb["page_bytes"]:
            need(power_of_two(page), path + ".page_bytes", "no power of two")
            sides = ("data", "instruction") if tlb["type"] == "unified" else \
                (tlb["type"],)
            for side in sides:
                key = (tlb["level"], side, page)
                need(key not in seen, path, "two arrays for one page size")
                seen.add(key)
                if side == "data":
                    covered.add(page)
    need(pages <= covered, "tlbs", "a page size without an array")


def check_walk_caches(profile):
    caches = profile.get("walk_caches", [])
    for i, cache in enumerate(caches):
        path = "walk_caches[%d]" % i
        known(cache, WALK, path)
        entries, ways = cache["entries"], cache["ways"]
        need(entries % ways == 0, path + ".entries", "not ways x sets")
        check_index(cache["index"], entries // ways, 0, 52, path + ".index")
        check_policy(cache["policy"], ways, entries // ways, path + ".policy")
    levels = [level for cache in caches for level in levels_of(cache)]
    need(len(set(levels)) == len(levels), "walk_caches", "a level twice")
    kept = {level: cache["entries"] for cache in caches
            for level in levels_of(cache)}
    for answer in profile["expect"].get("walk_caches", []):
        need(answer["entries"]["value"] == kept.get(answer["level"], 0),
             "expect.walk_caches", "not the machine's")


def complete(profile):
    """The same with the defaults of what is missing; 'expect' has none."""
    made = DEFAULTS | profile
    if made["page_bytes"] == 4096:
        made.setdefault("huge_page_bytes", [2 * M, G])
    made.setdefault("huge_page_bytes", [])
    made["counters"] = made.get("counters", sorted(DEFAULT_COUNTERS))
    for part in ("caches", "tlbs", "walk_caches"):
        made[part] = [ARRAY_DEFAULTS | one for one in made.get(part, [])]
    for tlb in made["tlbs"]:
        tlb.setdefault("page_bytes", [made["page_bytes"]])
    return made


def find(answers, **wanted):
    found = [a for a in answers
             if all(a.get(k) == v for k, v in wanted.items())]
    return found[0] if len(found) == 1 else None


def check_expect(profile):
    """Answers that contradict the machine they stand beside."""
    answers = profile["expect"]
    for i, cache in enumerate(profile["caches"]):
        path = "expect.caches[%d]" % i
        answer = find(answers["caches"], level=cache["level"],
                      type=cache["type"])
        need(answer is not None, path, "no answer")
        for key in ("ways", "capacity_bytes", "line_bytes",
                    "latency_cycles"):
            need(answer.get(key, {}).get("value", cache[key]) == cache[key],
                 path + "." + key, "not the machine's")
        sets = cache["capacity_bytes"] // cache["ways"] // cache["line_bytes"]
        need(answer["sets"]["value"] == sets, path + ".sets", "not its sets")
        need("effective_ways" in answer or "effective_capacity_bytes" in
             answer or (cache.get("inclusion") != "exclusive" and
                        not held_ways(cache)),
             path, "no effective values")
    for answer in answers["tlbs"]:
        path = "expect.tlbs"
        array = [t for t in profile["tlbs"]
                 if t["level"] == answer["level"] and
                 t["type"] == answer["type"] and
                 answer["page_bytes"] in t["page_bytes"]]
        need(len(array) == 1, path, "no such array")
        for key in ("entries", "ways"):
            need(answer[key]["value"] == array[0][key], path + "." + key,
                 "not the machine's")
    latency = profile["memory"]["latency_cycles"]
    need(answers["memory"].get("latency_cycles", {}).get("value", latency) ==
         latency, "expect.memory", "not its")


def check_profile(profile):
    known(profile, TOP, "profile")
    for key in ("name", "source", "caches", "expect"):
        need(key in profile, key, "missing")
    profile = complete(profile)
    for key, keys in OTHER.items():
        known(profile.get(key, {}), keys, key)
    need(len(profile["name"].encode()) <= NAME_CHARS, "name", "too long")
    need(len(profile["source"].encode()) <= SOURCE_CHARS, "source",
         "too long: %d" % len(profile["source"]))
    need(set(profile["counters"]) <= COUNTERS, "counters", "unknown")
    for counter, fault in profile.get("counter_faults", {}).items():
        path = "counter_faults." + counter
        need(counter in profile["counters"], path, "no such counter here")
        need(set(fault) <= FAULTS, path, "unknown key")
    for prefetcher in profile.get("prefetchers", []):
        known(prefetcher, {"kind", "level", "switchable"}, "prefetchers")
        need(prefetcher["kind"] in PREFETCHERS, "prefetchers", "unknown")
    types = profile.get("core_types", [{"name": None, "cpus": [0]}])
    cpus = sorted(cpu for kind in types for cpu in kind["cpus"])
    need(cpus == list(range(len(cpus))), "core_types", "a CPU twice or none")
    for kind in types:
        known(kind, {"name", "cpus", "expect"}, "core_types")
        seen = of_type(profile, kind)
        check_caches(seen)
        check_tlbs(seen)
        check_expect(seen)
    check_walk_caches(profile)


def check_directory(where):
    """Print what is wrong with each file; return how many are."""
    names, wrong = {}, 0
    files = sorted(where.glob("**/*.json"))
    for path in files:
        try:
            profile = json.loads(path.read_text(encoding="utf-8"))
            check_profile(profile)
            other = names.setdefault(profile["name"], path.name)
            need(other == path.name, "name", "also that of " + other)
        except (Inconsistent, KeyError, ValueError) as error:
            print("%s: %s" % (path.name, error))
            wrong += 1
    print("%d profiles, %d wrong" % (len(files), wrong))
    return wrong
