#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Scores reports of the tool on a real processor, cell by cell.

A count is compared with what the processor documents (the report's own
"documented"), a latency with what was published of the processor
(processors.json). Each cell of each report is right, undecided or wrong. What
neither states is not scored, and named. Functions here read no file and no
processor, so that test_score.py can put made-up ones.
"""

CACHE_COUNTS = ["ways", "capacity_bytes", "line_bytes", "sets"]
TLB_COUNTS = ["entries", "ways"]
# A published latency is met within the larger of both.
CYCLES, SHARE = 1, 0.08
# In a guest other guests load the same L3, and their loads come first at times: on one
# EPYC of Zen 5, published with 47 cycles, 50 to 51 in one hour and 54 to 59 in the next,
# by a plain chain of loads as well.
OTHERS_LEVEL, OTHERS = 3, 1.25
# CPUID, or sysfs on arm64.
DOCUMENTED = "documented"
# What neither that nor a table of one core can state.
NEVER = ["effective sizes", "inclusion", "index", "CPUs that share a level",
         "nanoseconds", "costs of TLB misses", "coalesced pages", "memory"]
# AMD's codes of associativity stand for classes: least ways and most, by what
# the tool prints of the code (AMD64 Programmer's Manual 3, E.4.4).
AMD_CLASSES = {4: 5, 6: 7, 8: 15, 16: 31, 32: 47, 48: 63, 64: 95, 96: 127}


def page_name(size):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def cache_name(level, kind):
    return f"L{level} {'instruction' if kind == 'instruction' else 'data'}"


def tlb_name(level, kind, page):
    return f"L{level} {kind} TLB {page_name(page)}"


class Expected:
    """One cell: ranges that are right, and who says so."""

    def __init__(self, ranges, source, slack=False):
        self.ranges, self.source, self.slack = ranges, source, slack

    def fits(self, value):
        if isinstance(self.ranges, bool) or isinstance(value, bool):
            return value is self.ranges
        low, high = self.ranges
        if self.slack:
            low -= max(CYCLES, SHARE * low)
            high += max(CYCLES, SHARE * high)
        return low <= value <= high

    def text(self):
        if isinstance(self.ranges, bool):
            return "yes" if self.ranges else "no"
        low, high = self.ranges
        return f"{low}" if low == high else f"{low} to {high}"


def stated_processor(table, identity):
    """The entry of the table for a vendor, family and model, or None."""
    for p in table["processors"]:
        if p["vendor"] != identity.get("vendor"):
            continue
        if p.get("core") and p["core"] != identity.get("core"):
            continue
        if "part" in p:
            if p["part"] == identity.get("part"):
                return p
        elif p["family"] == identity.get("family") and any(
                low <= identity.get("model", -1) <= high
                for low, high in p["models"]):
            return p
    return None


def has_caches_of(report, processor):
    """Whether the documented caches can be those of an entry."""
    for c in report["documented"].get("caches", []):
        known = processor.get("capacity_bytes", {}).get(
            cache_name(c["level"], c["type"]))
        if known and c.get("capacity_bytes") not in (None, *known):
            return False
    return True


def find_processor(table, identity, report):
    """The entry of the table for a processor, or None.

    A hypervisor may state the model of another processor, but documents the
    caches that are there: where these contradict the model, the one entry of
    the vendor that has such caches is taken.
    """
    stated = stated_processor(table, identity)
    if not stated or has_caches_of(report, stated):
        return stated
    others = [p for p in table["processors"]
              if p["vendor"] == identity.get("vendor") and
              p.get("core") in (None, identity.get("core")) and
              "capacity_bytes" in p and has_caches_of(report, p)]
    return others[0] if len(others) == 1 else None


def documented_caches(report, processor):
    """Documented levels, numbered as the core has them."""
    caches = [dict(c) for c in report["documented"].get("caches", [])]
    for hidden in (processor or {}).get("hidden_levels", []):
        if any(c["capacity_bytes"] == hidden["capacity_bytes"]
               for c in caches):
            continue
        for c in caches:
            c["level"] += c["level"] >= hidden["level"]
        caches.append({"level": hidden["level"], "type": "unified"})
    return caches


def expect_caches(report, processor, cells, without):
    for c in documented_caches(report, processor):
        name = cache_name(c["level"], c["type"])
        for key in CACHE_COUNTS:
            value = c.get(key)
            if value:
                cells[f"{name} {key}"] = Expected([value, value], DOCUMENTED)
            else:
                without[f"{name} {key}"] = "not documented here"
        if c["type"] != "instruction" and c.get("capacity_bytes"):
            cells[f"{name} unified"] = Expected(c["type"] == "unified",
                                                DOCUMENTED)


def expect_tlbs(report, identity, cells, without):
    seen = set()
    for t in report["documented"].get("tlbs", []):
        name = tlb_name(t["level"], "data" if t["type"] == "unified"
                        else t["type"], t["page_bytes"])
        for key in TLB_COUNTS:
            cell, value = f"{name} {key}", t.get(key)
            if name in seen:
                cells.pop(cell, None)
                without[cell] = "two arrays are documented"
            elif not value:
                without[cell] = "not documented here"
            else:
                most = value
                if (key == "ways" and t["level"] > 1 and
                        identity.get("vendor") == "AuthenticAMD" and
                        value != t.get("entries")):
                    most = AMD_CLASSES.get(value, value)
                cells[cell] = Expected([value, most], DOCUMENTED)
        seen.add(name)


def expect_latencies(report, processor, cells, without):
    sizes = {c["level"]: c.get("capacity_bytes") or 0
             for c in documented_caches(report, processor)
             if c["type"] != "instruction"}
    levels = set(sizes) | {c["level"] for c in report["caches"]
                           if c["type"] != "instruction"}
    for level in sorted(levels):
        cell = f"{cache_name(level, 'data')} latency_cycles"
        known = (processor or {}).get("latency_cycles", {}).get(str(level))
        if not processor:
            without[cell] = "no processor of processors.json is known to be this"
        elif not known:
            without[cell] = "no figure in core cycles holds for all products"
        elif sizes.get(level, 0) > known.get("most_bytes", 1 << 62):
            without[cell] = "the level is larger than the published one"
        else:
            least, most = known["published"]
            if level >= OTHERS_LEVEL and report["machine"]["virtual_machine"]:
                most = round(OTHERS * most, 1)
            cells[cell] = Expected([least, most], known["source"], True)
    known = (processor or {}).get("tlb_latency_cycles")
    if known:
        cells[f"{tlb_name(2, 'data', 4096)} latency_cycles"] = Expected(
            known["published"], known["source"], True)


def expect_published(processor, cells, without):
    """Stores, and counts that stand before CPUID's."""
    store = processor.get("store", {})
    for key in ("write_allocate", "write_back"):
        for level in store.get(key, []):
            cells[f"{cache_name(level, 'data')} {key}"] = Expected(
                True, store["source"])
    for count in processor.get("counts", []):
        cell, value = count["cell"], count["value"]
        cells.pop(cell, None)
        without.pop(cell, None)
        if value is None:
            without[cell] = count["why"]
        else:
            cells[cell] = Expected([value, value], count["source"])


def expectations(report, identity, table):
    """Cells by name, and why others have none."""
    processor = find_processor(table, identity, report)
    cells, without = {}, {}
    expect_caches(report, processor, cells, without)
    expect_tlbs(report, identity, cells, without)
    expect_latencies(report, processor, cells, without)
    if processor:
        expect_published(processor, cells, without)
    return cells, without


def answers(report):
    """What a report says, by cell: parameters."""
    found = {}
    for c in report["caches"]:
        name = cache_name(c["level"], c["type"])
        for key in CACHE_COUNTS + ["latency_cycles", "write_allocate",
                                   "write_back", "unified"]:
            if key in c:
                found[f"{name} {key}"] = c[key]
    for t in report["tlbs"]:
        for kind in (["data", "instruction"] if t["type"] == "unified"
                     else [t["type"]]):
            name = tlb_name(t["level"], kind, t["page_bytes"])
            for key in TLB_COUNTS + ["latency_cycles"]:
                found[f"{name} {key}"] = t[key]
    return found


def order(item):
    """Caches before TLBs, then by level and kind; keys stay in their order."""
    name, _, _ = item[0].rpartition(" ")
    return " TLB " in name, name


def score(reports, identity, table):
    """The score of all cells; reports of one processor."""
    cells, without, rows = {}, {}, {}
    for report in reports:
        now, missing = expectations(report, identity, table)
        cells.update(now)
        without.update(missing)
    for cell, expected in sorted(cells.items(), key=order):
        row = {"cell": cell, "expected": expected.text(),
               "source": expected.source, "right": 0, "undecided": 0,
               "wrong": 0, "wrong_values": [], "reasons": []}
        for report in reports:
            p = answers(report).get(cell, {})
            if p.get("value") is None or p.get("status") != "measured":
                row["undecided"] += 1
                why = p.get("reason", "the report has no such cell")
                if why not in row["reasons"]:
                    row["reasons"].append(why)
            elif expected.fits(p["value"]):
                row["right"] += 1
            else:
                row["wrong"] += 1
                row["wrong_values"].append(
                    {"value": p["value"],
                     "seed": report["conditions"]["seed"]})
        rows[cell] = row
    for report in reports:
        for cell, p in answers(report).items():
            if cell not in rows and p.get("value") is not None:
                without.setdefault(cell, "neither documented nor in the table")
    stated = stated_processor(table, identity)
    processor = find_processor(table, identity, reports[0])
    return {"schema": 1, "identity": identity,
            "processor": processor["name"] if processor else None,
            "hidden_model": stated is not processor,
            "reports": len(reports), "cells": list(rows.values()),
            "not_scored": [{"cell": c, "why": w}
                           for c, w in without.items() if c not in rows],
            "never_scored": NEVER}


def table_lines(result):
    """The score as lines of text."""
    yield f"{'cell':42} {'right':>5} {'undecided':>9} {'wrong':>5}  expected"
    for r in result["cells"]:
        yield (f"{r['cell']:42} {r['right']:5} {r['undecided']:9} "
               f"{r['wrong']:5}  {r['expected']} ({r['source']})")
    by_reason = {}
    for n in result["not_scored"]:
        by_reason.setdefault(n["why"], []).append(n["cell"])
    for why, cells in by_reason.items():
        yield f"not scored: {why}: {', '.join(cells)}"
    yield f"not scored: nothing to compare with: {', '.join(NEVER)}"
    for r in result["cells"]:
        for w in r["wrong_values"]:
            yield (f"not ok: {r['cell']}: {w['value']} instead of "
                   f"{r['expected']} (--seed {w['seed']})")
