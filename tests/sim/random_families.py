# SPDX-License-Identifier: GPL-2.0
"""Families of random machines, each with one kind of level drawn widely.

The rest of such a machine is ordinary, so that what stays open is of that kind.
Half of them have counters and half have none.
"""

KIB = 1024
MIB = KIB * KIB
LINE = 64
PAGE_BYTES = 4 * KIB
HUGE_PAGE_BYTES = 2 * MIB
HIGHEST_BIT = 30
PHYS_BITS = 39
COUNTERS = ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
            "l2_miss", "l3_miss", "dtlb_miss", "stlb_miss", "itlb_miss"]
USUAL_POLICIES = ("lru", "tree-plru", "bit-plru", "nru", "fifo")
FIRST_POLICIES = USUAL_POLICIES + ("random", "mru3plru4", "lru3plru4")
QLRU = ("H11_M1_R0_U0", "H00_M1_R2_U1", "H11_M1_R1_U2", "H21_M2_R0_U0",
        "H00_M1_R0_U1")
LOWER_POLICIES = USUAL_POLICIES + ("random", "lip", "bip", "srrip", "brrip",
                                   "drrip") + QLRU
SLICE_MASKS = (0x1b5f575440, 0x2eb5faa880, 0x3cccc93100)


def is_power_of_two(n):
    return n & (n - 1) == 0


def draw_policy(draw, names, ways, sets=1):
    def impossible(name):
        return (name == "tree-plru" and not is_power_of_two(ways) or
                name.endswith("3plru4") and ways != 12 or
                name == "drrip" and sets < 64)

    name = draw.choice(names)
    while impossible(name):
        name = draw.choice(names)
    if name in QLRU:
        return {"name": "qlru", "variant": name}
    if name in ("random", "bip", "brrip", "drrip"):
        return {"name": name, "seed": draw.randrange(1000)}
    return {"name": name}


def draw_masks(draw, sets, line_bytes):
    """One row for each bit of the index, which no other row has."""
    low = line_bytes.bit_length() - 1
    bits = sets.bit_length() - 1
    return [hex(1 << (low + i) | sum(1 << high
                                     for high in range(low + bits, HIGHEST_BIT)
                                     if draw.random() < 0.35))
            for i in range(bits)]


def cache(level, ways, sets, latency, policy, line=LINE, **more):
    kind = {"kind": "linear" if is_power_of_two(sets) else "modulo"}
    made = {"level": level, "type": "unified" if level > 1 else "data",
            "capacity_bytes": ways * sets * line, "ways": ways,
            "line_bytes": line, "latency_cycles": latency, "index": kind,
            "policy": policy}
    made.update(more)
    return made


def first(draw):
    """An ordinary first level."""
    ways = draw.choice((4, 8, 8, 12))
    return cache(1, ways, 64, draw.choice((3, 4, 5)),
                 draw_policy(draw, ("lru", "tree-plru", "bit-plru"), ways))


def capacity(levels):
    return sum(c["capacity_bytes"] for c in levels)


def drawn_lower(draw, above, names, exponents, inclusion="nine", odd=(1,)):
    """A level of at least twice the one above it; sets are 2^exponent times one
    of odd."""
    level, line = above[-1]["level"] + 1, above[-1]["line_bytes"]
    ways = draw.choice((2, 4, 5, 6, 8, 8, 10, 12, 16, 16, 20, 24))
    least = 2 * above[-1]["capacity_bytes"]
    if inclusion == "inclusive":
        ways = max([ways] + [a["ways"] for a in above])
        least = 2 * capacity(above)
    sets = draw.choice(odd) << draw.randrange(*exponents)
    while ways * sets * line < least:
        sets *= 2
    latency = above[-1]["latency_cycles"] + \
        draw.randrange(*((8, 16) if level == 2 else (20, 40)))
    return cache(level, ways, sets, latency,
                 draw_policy(draw, names, ways, sets), line,
                 inclusion=inclusion)


def draw_l1(draw):
    """Any first level above an ordinary second one."""
    line = draw.choice((16, 32, 64, 64, 128))
    ways = draw.choice((1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64))
    sets = 1 << draw.randrange(4, 10)
    while ways * sets * line > 256 * KIB:
        sets //= 2
    l1 = cache(1, ways, sets, draw.choice((1, 2, 3, 4, 5)),
               draw_policy(draw, FIRST_POLICIES, ways), line)
    below = 1024
    while 16 * below * line < 4 * l1["capacity_bytes"]:
        below *= 2
    return [l1, cache(2, 16, below, l1["latency_cycles"] + 10, {"name": "lru"},
                      line)]


def draw_linear(draw):
    caches = [first(draw)]
    for level in range(2, draw.choice((2, 3, 3)) + 1):
        caches.append(drawn_lower(
            draw, caches, USUAL_POLICIES, (7, 11) if level == 2 else (9, 14),
            draw.choice(("nine", "nine", "inclusive"))))
    return caches


def draw_modulo(draw):
    """Sets that are no power of two: in the last level."""
    caches = [first(draw)]
    if draw.random() < 0.6:
        caches.append(drawn_lower(draw, caches, USUAL_POLICIES, (7, 11)))
    caches.append(drawn_lower(draw, caches, USUAL_POLICIES, (6, 13),
                              odd=(3, 3, 5, 7, 9, 11, 15)))
    return caches


def draw_exclusive(draw):
    """One level or two that take victims, as small as the one above, too."""
    caches = [first(draw)]
    levels = draw.choice((2, 3))
    for level in range(2, levels + 1):
        exclusive = level == levels or draw.random() < 0.5
        caches.append(drawn_lower(
            draw, caches, USUAL_POLICIES, (7, 11) if level == 2 else (9, 13),
            "exclusive" if exclusive else "nine"))
    if levels == 2 and draw.random() < 0.25:
        l1, l2 = caches
        sets = l1["capacity_bytes"] // l2["line_bytes"] // 16
        if is_power_of_two(sets):
            l2.update(ways=16, capacity_bytes=16 * sets * LINE,
                      policy={"name": "lru"})
    return caches


def draw_policy_levels(draw):
    """Any policy that is known, in both lower levels."""
    caches = [first(draw)]
    for level in (2, 3):
        caches.append(drawn_lower(draw, caches, LOWER_POLICIES,
                                  (7, 11) if level == 2 else (9, 13)))
    return caches


def slice_table(draw, slices, block):
    table = [i % slices for i in range(block)]
    draw.shuffle(table)
    low = (LINE * block).bit_length() - 1
    return {"slice_block_lines": block, "slice_table": table,
            "slice_permutations": {str(bit): 1 + draw.randrange(block - 1)
                                   for bit in range(low, PHYS_BITS)}}


def draw_sliced(draw):
    """A last level in slices below a linear one."""
    caches = [first(draw)]
    caches.append(drawn_lower(draw, caches, USUAL_POLICIES, (8, 11)))
    slices = draw.choice((2, 4, 8, 3, 6, 10, 12))
    ways = draw.choice((8, 12, 16, 20))
    sets = 512
    while ways * sets * slices * LINE < 2 * caches[-1]["capacity_bytes"]:
        sets *= 2
    index = {"kind": "sliced", "slices": slices, "index": {"kind": "linear"}}
    if is_power_of_two(slices):
        index["slice_masks"] = [
            hex(m) for m in SLICE_MASKS[:slices.bit_length() - 1]]
    else:
        index.update(slice_table(draw, slices, 128))
    latency = caches[-1]["latency_cycles"] + draw.randrange(20, 40)
    caches.append(cache(3, ways, sets * slices, latency,
                        draw_policy(draw, ("lru", "tree-plru", "bit-plru"),
                                    ways),
                        index=index,
                        inclusion=draw.choice(("nine", "inclusive"))))
    caches[-1]["ways"] = max(ways, *(c["ways"] for c in caches[:-1])) \
        if caches[-1]["inclusion"] == "inclusive" else ways
    made = caches[-1]
    made["capacity_bytes"] = made["ways"] * sets * slices * LINE
    if not is_power_of_two(made["ways"]):
        made["policy"] = {"name": "lru"}
    return caches


def draw_hashed(draw):
    """A linear level below one with a hashed index."""
    l1 = first(draw)
    ways = draw.choice((4, 8, 8, 10, 16))
    sets = 1 << draw.randrange(9, 12)
    while ways * sets * LINE < 2 * l1["capacity_bytes"]:
        sets *= 2
    masks = {"kind": "xor", "masks": draw_masks(draw, sets, LINE)}
    l2 = cache(2, ways, sets, l1["latency_cycles"] + 10,
               draw_policy(draw, USUAL_POLICIES, ways), index=masks,
               inclusion="nine")
    return [l1, l2, drawn_lower(draw, [l1, l2], USUAL_POLICIES, (10, 14))]


def tlb(level, kind, pages, ways, sets, latency, policy):
    return {"level": level, "type": kind, "page_bytes": pages,
            "entries": ways * sets, "ways": ways, "index": {"kind": "linear"},
            "policy": policy, "latency_cycles": latency}


def usual_tlbs():
    plru = {"name": "tree-plru"}
    small, huge = [PAGE_BYTES], [HUGE_PAGE_BYTES]
    return [tlb(1, "data", small, 4, 16, 0, plru),
            tlb(1, "data", huge, 4, 8, 0, plru),
            tlb(1, "instruction", small, 8, 8, 0, plru),
            tlb(1, "instruction", huge, 8, 1, 0, plru),
            tlb(2, "unified", small + huge, 8, 128, 7, plru)]


def drawn_tlb(draw, level, kind, pages):
    names = ("lru", "tree-plru", "fifo", "random", "bit-plru")
    ways = draw.choice((1, 2, 4, 4, 6, 8) if level == 1 else (4, 5, 6, 8, 12))
    sets = 1 << draw.randrange(*((2, 5) if level == 1 else (5, 8)))
    if level == 1 and draw.random() < 0.4:
        ways, sets = draw.choice((16, 32, 48, 64)), 1
    return tlb(level, kind, pages, ways, sets,
               draw.choice((5, 7, 9)) if level == 2 else 0,
               draw_policy(draw, names, ways))


def drawn_tlbs(draw):
    both = [PAGE_BYTES, HUGE_PAGE_BYTES]
    tlbs = []
    for kind in ("data", "instruction"):
        sizes = [both] if draw.random() < 0.4 else [[p] for p in both]
        tlbs += [drawn_tlb(draw, 1, kind, pages) for pages in sizes]
    if draw.random() < 0.7:
        kind = draw.choice(("unified", "unified", "data"))
        tlbs.append(drawn_tlb(draw, 2, kind,
                              draw.choice(([PAGE_BYTES], both))))
    return tlbs


def draw_tlb_caches(draw):
    l1 = first(draw)
    return [l1, cache(2, 8, 1024, l1["latency_cycles"] + 10,
                      {"name": "tree-plru"}, inclusion="nine")]


CACHES = {"l1": draw_l1, "linear": draw_linear, "modulo": draw_modulo,
          "exclusive": draw_exclusive, "tlb": draw_tlb_caches,
          "sliced": draw_sliced, "policy": draw_policy_levels,
          "hashed": draw_hashed}


def draw_family(draw, family):
    """The parts of a machine that a family draws."""
    caches = CACHES[family](draw)
    levels = caches[-1]["level"]
    counters = [c for c in COUNTERS if levels == 3 or c != "l3_miss"]
    code = cache(1, 8, 64, caches[0]["latency_cycles"], {"name": "tree-plru"},
                 type="instruction")
    return {"caches": caches[:1] + [code] + caches[1:],
            "tlbs": drawn_tlbs(draw) if family == "tlb" else usual_tlbs(),
            "counters": counters if draw.random() < 0.5 else []}
