# SPDX-License-Identifier: GPL-2.0
"""Parts of a profile, and the answers that follow from them."""

K = 1024
M = 1024 * K
G = 1024 * M

PAGES = {"4K": 4 * K, "8K": 8 * K, "16K": 16 * K, "32K": 32 * K,
         "64K": 64 * K, "2M": 2 * M, "4M": 4 * M, "1G": G}
TYPES = {"D": "data", "I": "instruction", "U": "unified"}

LINEAR = {"kind": "linear"}

# Slice bits of Intel's client processors, after Maurice et al.
INTEL_SLICES = [0x1b5f575440, 0x2eb5faa880, 0x3cccc93100]

# Events that an Intel processor has.
INTEL_COUNTERS = ["cycles", "instructions", "loads", "l1d_miss", "l1i_miss",
                  "l2_miss", "l3_miss", "dtlb_miss", "stlb_miss", "itlb_miss"]
WRITE_COUNTERS = ["l1d_write_miss", "l2_write_miss", "l3_write_miss"]


def power_of_two(n):
    return n > 0 and n & (n - 1) == 0


def bits(n):
    """log2 of a power of two."""
    return n.bit_length() - 1


def hexed(masks):
    return ["%#x" % mask for mask in masks]


def policy(text):
    """'qlru:H11_M1_R0_U0', 'bip:0.0625', 'lru' as an object."""
    if isinstance(text, dict):
        return text
    name, _, detail = text.partition(":")
    if name == "qlru":
        return {"name": name, "variant": detail}
    if name == "drrip":
        sets, _, variants = detail.partition(":")
        return drrip(leaders(sets), variants)
    if name in ("bip", "brrip"):
        return {"name": name, "epsilon": float(detail), "seed": 1}
    if name == "random":
        return {"name": name, "seed": 1}
    return {"name": name}


def drrip(sets, variants=""):
    """'H11_M1_R0_U0,H11_MR31_R0_U0': what the leaders play; else RRIP."""
    duel = {"name": "drrip", "seed": 1, "leaders": sets}
    if variants:
        duel["variants"] = variants.split(",")
    return duel


def leaders(text):
    """'512+768*32': 32 sets from 512 and from 768, in turns."""
    first, _, rest = text.partition("+")
    second, _, count = rest.partition("*")
    pairs = ([int(first) + i, int(second) + i] for i in range(int(count)))
    return [s for pair in pairs for s in pair]


def any_policy(ways):
    """A plausible policy where nobody has published one."""
    return "tree-plru" if ways > 1 and power_of_two(ways) else "lru"


def xor(masks):
    return {"kind": "xor", "masks": hexed(masks)}


def hashed(sets, line, *shifts):
    """Each bit of the set is XORed with the ones 'shifts' above it."""
    low = bits(line)
    return xor([sum(1 << low + bit + s for s in (0,) + shifts)
                for bit in range(bits(sets))])


def sliced(slices, masks=None):
    masks = masks or INTEL_SLICES[:bits(slices)]
    return {"kind": "sliced", "slices": slices, "slice_masks": hexed(masks),
            "index": LINEAR}


def sliced_by_table(slices, block, phys_bits=39, line=64):
    """A base sequence and, for each bit above its block, a permutation, as
    McCalpin describes the server processors' hash.

    The contents are arbitrary but repeatable: each slice occurs equally often
    within one, and the bits above the inner index reach every entry.
    """
    state = 0x9e3779b97f4a7c15 + slices

    def draw(limit):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % limit

    table = [i % slices for i in range(block)]
    for i in range(block - 1, 0, -1):
        j = draw(i + 1)
        table[i], table[j] = table[j], table[i]
    first = bits(line) + bits(block)
    permutations = {str(bit): 1 + draw(block - 1)
                    for bit in range(first, phys_bits)}
    return {"kind": "sliced", "slices": slices, "slice_block_lines": block,
            "slice_table": table, "slice_permutations": permutations,
            "index": LINEAR}


def cache(level, kind, size, ways, line, latency, replace, index=None, **more):
    """One cache; an index that nobody gave is linear, or modulo where the
    number of sets is no power of two."""
    if index is None:
        sets = size // (ways * line)
        index = LINEAR if power_of_two(sets) else {"kind": "modulo"}
    made = {"level": level, "type": TYPES[kind], "capacity_bytes": size,
            "ways": ways, "line_bytes": line, "latency_cycles": latency,
            "index": index, "policy": policy(replace)}
    made.update(more)
    return made


def tlb(text, latency=7):
    """'U2 4K+2M 1536/12 xor7 mru3plru4' as an object; '64/fa' is fully
    associative, and 'of:big' belongs to a core type."""
    where, pages, size, *rest = text.split()
    entries, ways = size.split("/")
    entries = int(entries)
    ways = entries if ways == "fa" else int(ways)
    index = LINEAR if power_of_two(entries // ways) else {"kind": "modulo"}
    replace = any_policy(ways)
    owner = {}
    for word in rest:
        if word.startswith("of:"):
            owner = {"core_type": word[3:]}
        elif word.startswith("xor"):
            index = {"kind": "xor", "fold": int(word[3:])}
        else:
            replace = word
    level = int(where[1])
    return {"level": level, "type": TYPES[where[0]],
            "page_bytes": [PAGES[p] for p in pages.split("+")],
            "entries": entries, "ways": ways, "index": index,
            "policy": policy(replace),
            "latency_cycles": 0 if level == 1 else latency} | owner


def tlbs(text, latency=7):
    return [tlb(part, latency) for part in text.split(",")]


def profile(name, source, caches, tlbs, memory, **more):
    """A whole machine. 'assumed' names the figures that no source gives."""
    assumed = more.pop("assumed", "")
    page = more.pop("page", 4 * K)
    cycle = more.pop("cycle_ns", 0.5)
    walk = more.pop("walk", 30)
    counters = more.pop("counters", [])
    huge = sorted({p for t in tlbs for p in t["page_bytes"]
                   if t["level"] == 1 and t["type"] != "instruction"
                   and p >= max(2 * M, 2 * page)})
    made = {"schema": 1, "name": name,
            "source": source + ("; assumed: " + assumed if assumed else ""),
            "cycle_ns": cycle, "phys_bits": more.pop("phys_bits", 36),
            "page_bytes": page, "huge_page_bytes": huge}
    if "phys_placement" in more:
        made["phys_placement"] = more.pop("phys_placement")
    made["caches"] = caches
    made["tlbs"] = tlbs
    made["walk"] = {"latency_cycles": walk,
                    "touches_caches": more.pop("touches_caches", False)}
    made["memory"] = {"latency_cycles": memory}
    made["counters"] = counters
    if "counter_faults" in more:
        made["counter_faults"] = more.pop("counter_faults")
    made["timer"] = more.pop("timer", {"resolution_ns": cycle,
                                       "overhead_cycles": 25})
    made["noise"] = more.pop("noise", {"seed": 1})
    made.update(more)
    # Without --cpu the last CPU is measured: its type needs no answers apart.
    for kind in made.get("core_types", [])[:-1]:
        kind["expect"] = expect(of_type(made, kind))
    made["expect"] = expect(of_type(made, (made.get("core_types") or
                                           [{"name": None}])[-1]))
    return made


def of_type(made, kind):
    """The machine that a CPU of a core type sees."""
    seen = dict(made)
    for part in ("caches", "tlbs"):
        seen[part] = [one for one in made[part]
                      if one.get("core_type", kind["name"]) == kind["name"]]
    seen["expect"] = kind.get("expect", made.get("expect"))
    return seen


def value(what):
    return {"value": what}


def reach(caches):
    """Bytes that each data cache of 'caches' and those above it hold."""
    total, result = 0, []
    for c in caches:
        own = c["capacity_bytes"]
        total = own + total if c.get("inclusion") == "exclusive" else own
        result.append(total)
    return result


def index_name(index):
    if index["kind"] in ("xor", "sliced"):
        return "hashed"
    return index["kind"]


def held_ways(c):
    """Ways of each set that no line of a program takes."""
    mask = c.get("allocation_mask")
    if mask:
        return c["ways"] - bin(int(mask, 16)).count("1")
    return c.get("reserved_lines_per_set", 0)


def expect_cache(c, total, plain):
    """The answer about one cache; 'plain': no hash from here upwards."""
    span = c["capacity_bytes"] // c["ways"]
    reserved = held_ways(c)
    answer = {"level": c["level"], "type": c["type"]}
    if not reserved:
        answer["ways"] = value(c["ways"])
        answer["capacity_bytes"] = value(c["capacity_bytes"])
    answer["line_bytes"] = value(c["line_bytes"])
    answer["sets"] = value(span // c["line_bytes"])
    if c["type"] != "instruction":
        answer["latency_cycles"] = value(c["latency_cycles"])
    answer["index"] = value(index_name(c["index"]))
    if reserved:
        answer["effective_ways"] = value(c["ways"] - reserved)
        answer["effective_capacity_bytes"] = \
            value(span * (c["ways"] - reserved))
    elif c.get("inclusion") == "exclusive":
        if plain and total % span == 0:
            answer["effective_ways"] = value(total // span)
        answer["effective_capacity_bytes"] = value(total)
    return answer


def expect_tlb(t, page):
    answer = {"level": t["level"], "type": t["type"], "page_bytes": page,
              "entries": value(t["entries"]), "ways": value(t["ways"])}
    if t["level"] > 1:
        answer["latency_cycles"] = value(t["latency_cycles"])
    return answer


WALK_LEVELS = ("pde", "pdpte", "pml4e")


def levels_of(walk_cache):
    """One level, or a list of those that share it."""
    level = walk_cache["level"]
    return [level] if isinstance(level, str) else level


def expect(made):
    """What a correct measurement of a profile says."""
    data = [c for c in made["caches"] if c["type"] != "instruction"]
    totals, caches, plain = iter(reach(data)), [], True
    for c in made["caches"]:
        plain = plain and index_name(c["index"]) != "hashed"
        total = 0 if c["type"] == "instruction" else next(totals)
        caches.append(expect_cache(c, total, plain))
    # A hypervisor that maps with small pages leaves no large translations,
    # and no way to see what the caches are indexed with.
    split = made.get("host_page_bytes", 0)
    if split:
        for answer in caches[1:]:
            answer.pop("index")
    pages = [p for p in [made["page_bytes"]] + made["huge_page_bytes"]
             if not split or p <= split]
    answers = [expect_tlb(t, page) for t in made["tlbs"]
               for page in t["page_bytes"] if page in pages]
    told = {"caches": caches, "tlbs": answers, "memory": {}}
    # Flushed lines come from a memory-side cache, which no program can empty.
    if not made["caches"][-1].get("memory_side"):
        latency = value(made["memory"]["latency_cycles"])
        told["memory"]["latency_cycles"] = latency
    if made.get("accessed_bits"):
        kept = {level: c["entries"] for c in made.get("walk_caches", [])
                for level in levels_of(c)}
        told["walk_caches"] = [{"level": level,
                                "entries": value(kept.get(level, 0))}
                               for level in WALK_LEVELS]
    usable = {kind: value(count) for kind, count in
              made.get("registers", {}).items() if count}
    if usable:
        told["registers"] = usable
    return told
