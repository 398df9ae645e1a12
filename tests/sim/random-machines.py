#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Make profiles of machines that nobody has thought of.

    random-machines.py SEED COUNT DIRECTORY [FAMILY...]

Each is one that could be built: an inclusive level has the ways of each level
above it and twice their capacity, others twice the capacity of the next one
above. Of the family "mixed" everything else is drawn: line sizes, ways, sets,
policies, inclusion, hashes, TLBs, walks through the caches, counters,
prefetchers, noise, placement. The other families (random_families.py) draw one
kind of level. Machines are of the families in turn; without any, all mixed.
A file is named after seed, number and family, so that it can be made again.
"""

import json
import pathlib
import random
import sys

import random_families as families
from random_families import (COUNTERS, HUGE_PAGE_BYTES, PAGE_BYTES, QLRU,
                             draw_masks, draw_policy)

FIRST_POLICIES = ("lru", "tree-plru", "tree-plru", "bit-plru", "nru", "fifo")
LOWER_POLICIES = ("lru", "fifo", "tree-plru", "bit-plru", "nru", "random",
                  "lip", "bip", "srrip", "brrip") + QLRU
TLB_POLICIES = ("lru", "tree-plru", "fifo", "random", "bit-plru")


def draw_lower(draw, above, level, latency):
    """A level below those above it."""
    line_bytes = above[0]["line_bytes"]
    inclusion = draw.choice(("nine", "nine", "inclusive", "exclusive"))
    ways = draw.choice((4, 6, 8, 8, 10, 12, 16, 16, 20))
    least = 2 * above[-1]["capacity_bytes"]
    if inclusion == "inclusive":
        ways = max([ways] + [a["ways"] for a in above])
        least = 2 * sum(a["capacity_bytes"] for a in above)
    sets = 1 << draw.randrange(*((7, 11) if level == 2 else (9, 13)))
    while ways * sets * line_bytes < least:
        sets *= 2
    index = {"kind": "linear"}
    if draw.random() < 0.3:
        index = {"kind": "xor", "masks": draw_masks(draw, sets, line_bytes)}
    return {"level": level, "type": "unified",
            "capacity_bytes": ways * sets * line_bytes, "ways": ways,
            "line_bytes": line_bytes, "latency_cycles": latency,
            "index": index, "inclusion": inclusion,
            "policy": draw_policy(draw, LOWER_POLICIES, ways)}


def draw_caches(draw):
    line_bytes = draw.choice((64,) * 6 + (32, 128))
    ways = draw.choice((2, 4, 8, 8, 12))
    latency = draw.choice((3, 4, 5))
    caches = [{"level": 1, "type": "data", "capacity_bytes": ways * PAGE_BYTES,
               "ways": ways, "line_bytes": line_bytes,
               "latency_cycles": latency, "index": {"kind": "linear"},
               "policy": draw_policy(draw, FIRST_POLICIES, ways)}]
    latency += draw.randrange(8, 16)
    for level in range(2, draw.choice((2, 3, 3)) + 1):
        caches.append(draw_lower(draw, caches, level, latency))
        latency += draw.randrange(20, 40)
    if draw.random() < 0.7:
        code = dict(caches[0], type="instruction")
        del code["policy"]
        caches.insert(1, code)
    return caches, latency


def draw_tlb(draw, level, kind, page_bytes, latency):
    ways = draw.choice((1, 2, 4, 4, 6, 8) if level == 1 else (4, 6, 8, 12))
    sets = 1 << draw.randrange(*((2, 5) if level == 1 else (5, 8)))
    if level == 1 and draw.random() < 0.4:
        ways, sets = draw.choice((16, 32, 48, 64)), 1
    return {"level": level, "type": kind, "page_bytes": page_bytes,
            "entries": ways * sets, "ways": ways, "index": {"kind": "linear"},
            "policy": draw_policy(draw, TLB_POLICIES, ways),
            "latency_cycles": latency}


def draw_tlbs(draw):
    both = [PAGE_BYTES, HUGE_PAGE_BYTES]
    tlbs = []
    for kind in ("data", "instruction"):
        sizes = [both] if draw.random() < 0.5 else [[p] for p in both]
        tlbs += [draw_tlb(draw, 1, kind, pages, 0) for pages in sizes]
    if draw.random() < 0.7:
        kind = draw.choice(("unified", "unified", "data"))
        tlbs.append(draw_tlb(draw, 2, kind, draw.choice(([PAGE_BYTES], both)),
                             draw.choice((5, 7, 9))))
    return tlbs


def draw_conditions(draw):
    """Noise, prefetchers, scattered pages: each now and then."""
    more = {}
    if draw.random() < 0.3:
        more["noise"] = {"seed": draw.randrange(1000),
                         "jitter_cycles": draw.choice((2, 10, 20)),
                         "tail_probability": 0.01, "tail_cycles": 2000,
                         "interrupts_per_million_loads":
                             draw.choice((0, 10, 50)),
                         "lines_evicted_per_interrupt": 16}
    if draw.random() < 0.2:
        kind = draw.choice(("adjacent-line", "next-line", "stride", "stream"))
        more["prefetchers"] = [{"kind": kind, "level": draw.choice((1, 2))}]
    if draw.random() < 0.25:
        more["phys_placement"] = "random-2m"
    return more


def expect_cache(cache):
    sets = cache["capacity_bytes"] // cache["ways"] // cache["line_bytes"]
    told = {key: {"value": cache[key]}
            for key in ("ways", "capacity_bytes", "line_bytes")}
    told["sets"] = {"value": sets}
    if cache["type"] != "instruction":
        kind = cache["index"]["kind"]
        told["latency_cycles"] = {"value": cache["latency_cycles"]}
        told["index"] = {
            "value": "hashed" if kind in ("xor", "sliced") else kind}
    if "inclusion" in cache:
        told["inclusion"] = {"value": cache["inclusion"]}
    return dict({"level": cache["level"], "type": cache["type"]}, **told)


def expect_tlb(tlb):
    return [{"level": tlb["level"], "type": tlb["type"], "page_bytes": pages,
             "entries": {"value": tlb["entries"]},
             "ways": {"value": tlb["ways"]}} for pages in tlb["page_bytes"]]


def draw_mixed(draw):
    caches, latency = draw_caches(draw)
    tlbs = draw_tlbs(draw)
    memory = latency + draw.randrange(80, 200)
    levels = caches[-1]["level"]
    counters = [c for c in COUNTERS if draw.random() < 0.85 and
                (levels == 3 or c != "l3_miss")]
    walk = {"latency_cycles": draw.choice((20, 30, 60)),
            "touches_caches": draw.random() < 0.5}
    parts = {"caches": caches, "tlbs": tlbs, "walk": walk,
             "memory": {"latency_cycles": memory}, "counters": counters}
    return dict(parts, **draw_conditions(draw))


def draw_of(draw, family):
    parts = families.draw_family(draw, family)
    latency = parts["caches"][-1]["latency_cycles"]
    return dict(parts, walk={"latency_cycles": draw.choice((20, 30, 60)),
                             "touches_caches": False},
                memory={"latency_cycles": latency + draw.randrange(80, 200)})


def draw_machine(seed, number, family):
    name = "%d/%d" % (seed, number)
    mixed = family == "mixed"
    draw = random.Random(name if mixed else "%s/%s" % (name, family))
    machine = {
        "schema": 1, "name": "Random machine %s, %s" % (name, family),
        "source": "drawn by random-machines.py", "cycle_ns": 0.5,
        "phys_bits": families.PHYS_BITS, "page_bytes": PAGE_BYTES,
        "huge_page_bytes": [HUGE_PAGE_BYTES],
        "timer": {"resolution_ns": 0.5, "overhead_cycles": 25}}
    machine.update(draw_mixed(draw) if mixed else draw_of(draw, family))
    machine["expect"] = {
        "caches": [expect_cache(c) for c in machine["caches"]],
        "tlbs": [e for t in machine["tlbs"] for e in expect_tlb(t)],
        "memory": {"latency_cycles":
                   {"value": machine["memory"]["latency_cycles"]}}}
    return machine


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    where = pathlib.Path(sys.argv[3])
    drawn = sys.argv[4:] or ["mixed"]
    unknown = set(drawn) - set(families.CACHES) - {"mixed"}
    if unknown:
        sys.exit("random-machines.py: no family %s" % ", ".join(unknown))
    for number in range(count):
        family = drawn[number % len(drawn)]
        path = where / ("random-%d-%d-%s.json" % (seed, number, family))
        text = json.dumps(draw_machine(seed, number, family), indent=1)
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
