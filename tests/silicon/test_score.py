#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""The scorer on made-up reports, and whether processors.json is well formed."""
import copy
import json
import os
import sys
import unittest

import score

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "processors.json"), encoding="utf-8") as file:
    TABLE = json.load(file)
ZEN3 = {"vendor": "AuthenticAMD", "family": 25, "model": 1}
LION_COVE = {"vendor": "GenuineIntel", "family": 6, "model": 189,
             "core": "cpu_core"}
UNKNOWN = {"vendor": "GenuineIntel", "family": 6, "model": 42}


def measured(value):
    return {"value": value, "status": "measured"}


def cache(level, kind, ways, capacity, latency):
    return {"level": level, "type": kind, "ways": measured(ways),
            "capacity_bytes": measured(capacity),
            "line_bytes": measured(64),
            "sets": measured(capacity // 64 // ways),
            "latency_cycles": measured(latency),
            "write_allocate": measured(True),
            "unified": measured(level > 1)}


def documented(level, kind, ways, capacity):
    return {"level": level, "type": kind, "ways": ways,
            "capacity_bytes": capacity, "line_bytes": 64,
            "sets": capacity // 64 // ways if ways else None}


def report(seed=1):
    """Zen 3, all right but for TLBs, which are undecided."""
    undecided = {"value": None, "status": "undecided", "reason": "noise"}
    return {
        "conditions": {"seed": seed},
        "machine": {"virtual_machine": False},
        "caches": [cache(1, "data", 8, 32768, 4.02),
                   cache(2, "data", 8, 524288, 12.3)],
        "tlbs": [{"level": 2, "type": "data", "page_bytes": 4096,
                  "entries": undecided, "ways": undecided,
                  "latency_cycles": undecided}],
        "documented": {
            "caches": [documented(1, "data", 8, 32768),
                       documented(2, "unified", 8, 524288)],
            "tlbs": [{"level": 2, "type": "data", "page_bytes": 4096,
                      "entries": 2048, "ways": 8}]}}


def row(result, cell):
    return next(r for r in result["cells"] if r["cell"] == cell)


def why(result, cell):
    return next((n["why"] for n in result["not_scored"]
                 if n["cell"] == cell), None)


class Score(unittest.TestCase):
    def wrong(self, result):
        return [r["cell"] for r in result["cells"] if r["wrong"]]

    def test_right_and_undecided(self):
        result = score.score([report(1), report(2)], ZEN3, TABLE)
        self.assertEqual(self.wrong(result), [])
        self.assertEqual(row(result, "L2 data latency_cycles")["right"], 2)
        self.assertEqual(row(result, "L1 data write_allocate")["right"], 2)
        r = row(result, "L2 data TLB 4 KiB entries")
        self.assertEqual((r["undecided"], r["reasons"]), (2, ["noise"]))

    def test_one_wrong_count(self):
        bad = report(7)
        bad["caches"][1]["ways"] = measured(7)
        result = score.score([report(), bad], ZEN3, TABLE)
        self.assertEqual(self.wrong(result), ["L2 data ways"])
        r = row(result, "L2 data ways")
        self.assertEqual(r["wrong_values"], [{"value": 7, "seed": 7}])
        self.assertIn("not ok: L2 data ways: 7 instead of 8 (--seed 7)",
                      score.table_lines(result))

    def test_latency_within_a_cycle_or_eight_percent(self):
        for latency, right in ((10.9, False), (11.1, True), (12.9, True),
                               (13.2, False), (15.1, False)):
            r = report()
            r["caches"][1]["latency_cycles"] = measured(latency)
            result = score.score([r], ZEN3, TABLE)
            self.assertEqual(self.wrong(result) == [], right, latency)

    def test_others_slow_down_l3_in_a_guest(self):
        for latency, guest, right in ((46, False, True), (46, True, True),
                                      (56, False, False), (56, True, True),
                                      (70, True, False), (40, True, False)):
            r = report()
            r["machine"]["virtual_machine"] = guest
            r["caches"].append(cache(3, "data", 16, 1 << 25, latency))
            result = score.score([r], ZEN3, TABLE)
            self.assertEqual(
                "L3 data latency_cycles" not in self.wrong(result), right,
                (latency, guest))

    def test_value_that_is_not_measured_is_undecided(self):
        r = report()
        r["caches"][0]["ways"] = {"value": 4, "status": "undecided"}
        result = score.score([r], ZEN3, TABLE)
        self.assertEqual(self.wrong(result), [])

    def test_truth_value(self):
        r = report()
        r["caches"][0]["write_allocate"] = measured(False)
        r["caches"][1]["unified"] = measured(False)
        result = score.score([r], ZEN3, TABLE)
        self.assertEqual(self.wrong(result), ["L1 data write_allocate",
                                              "L2 data unified"])

    def test_what_cpuid_does_not_state(self):
        r = report()
        r["documented"]["caches"][1]["ways"] = None
        r["documented"]["tlbs"] = []
        r["caches"].append(cache(3, "data", 16, 1 << 25, 90))
        result = score.score([r], UNKNOWN, TABLE)
        self.assertEqual(self.wrong(result), [])
        self.assertEqual(why(result, "L2 data ways"),
                         "not documented here")
        self.assertEqual(why(result, "L3 data ways"),
                         "neither documented nor in the table")

    def test_unknown_processor(self):
        r = report()
        r["caches"][1]["latency_cycles"] = measured(99)
        result = score.score([r], UNKNOWN, TABLE)
        self.assertIsNone(result["processor"])
        self.assertEqual(self.wrong(result), [])
        self.assertIn("no processor", why(result, "L2 data latency_cycles"))

    def test_hypervisor_states_another_model(self):
        r = report()
        r["caches"] = [cache(1, "data", 12, 49152, 5.0),
                       cache(2, "data", 16, 2097152, 15.9)]
        r["documented"]["caches"] = [
            documented(1, "data", 12, 49152),
            documented(1, "instruction", 16, 65536),
            documented(2, "unified", 16, 2097152)]
        rocket_lake = {"vendor": "GenuineIntel", "family": 6, "model": 167}
        result = score.score([r], rocket_lake, TABLE)
        self.assertEqual(result["processor"], "Redwood Cove server")
        self.assertTrue(result["hidden_model"])
        self.assertEqual(self.wrong(result), [])
        self.assertEqual(row(result, "L2 data latency_cycles")["right"], 1)

    def test_hidden_model_of_two_processors(self):
        r = report()
        r["documented"]["caches"] = [documented(1, "data", 8, 32768),
                                     documented(2, "unified", 8, 524288)]
        zen5 = {"vendor": "AuthenticAMD", "family": 26, "model": 2}
        result = score.score([r], zen5, TABLE)
        self.assertIsNone(result["processor"])
        self.assertIsNotNone(why(result, "L2 data latency_cycles"))

    def test_level_that_is_missing(self):
        r = report()
        del r["caches"][1]
        result = score.score([r], ZEN3, TABLE)
        self.assertEqual(row(result, "L2 data ways")["undecided"], 1)

    def test_class_of_ways_of_amd(self):
        for ways, right in ((8, True), (12, True), (16, False), (4, False)):
            r = report()
            r["tlbs"][0]["ways"] = measured(ways)
            result = score.score([r], ZEN3, TABLE)
            self.assertEqual(self.wrong(result) == [], right, ways)

    def test_published_count_before_cpuid(self):
        r = report()
        zen5 = dict(ZEN3, family=26, model=2)
        r["documented"]["caches"] = [documented(1, "data", 12, 49152),
                                     documented(2, "unified", 16, 1048576)]
        r["caches"][0] = cache(1, "data", 12, 49152, 4)
        r["caches"][1] = cache(2, "data", 16, 1048576, 14)
        r["documented"]["tlbs"][0]["entries"] = 128
        r["tlbs"][0]["entries"] = measured(4096)
        r["tlbs"][0]["ways"] = measured(3)
        result = score.score([r], zen5, TABLE)
        self.assertEqual(self.wrong(result), [])
        self.assertEqual(row(result, "L2 data TLB 4 KiB entries")["right"], 1)
        self.assertIn("guide", why(result, "L2 data TLB 4 KiB ways"))

    def test_two_arrays(self):
        r = report()
        r["documented"]["tlbs"] *= 2
        r["tlbs"][0]["entries"] = measured(4096)
        result = score.score([r], UNKNOWN, TABLE)
        self.assertEqual(self.wrong(result), [])
        self.assertEqual(why(result, "L2 data TLB 4 KiB entries"),
                         "two arrays are documented")

    def test_unified_tlb(self):
        r = report()
        r["documented"]["tlbs"][0]["type"] = "unified"
        r["tlbs"][0].update(type="unified", entries=measured(1024))
        result = score.score([r], ZEN3, TABLE)
        self.assertEqual(self.wrong(result), ["L2 data TLB 4 KiB entries"])

    def test_hidden_level(self):
        r = report()
        r["caches"] = [cache(1, "data", 12, 49152, 4),
                       cache(2, "data", 12, 196608, 9),
                       cache(3, "data", 10, 2621440, 17)]
        r["documented"]["caches"] = [documented(1, "data", 12, 49152),
                                     documented(2, "unified", 10, 2621440)]
        for _ in range(2):
            result = score.score([r], LION_COVE, TABLE)
            self.assertEqual(self.wrong(result), [])
            self.assertEqual(row(result, "L3 data ways")["right"], 1)
            # The same where CPUID has it.
            r["documented"]["caches"] = [
                documented(1, "data", 12, 49152),
                documented(2, "unified", 12, 196608),
                documented(3, "unified", 10, 2621440)]

    def test_efficiency_core_is_not_in_the_table(self):
        atom = dict(LION_COVE, core="cpu_atom")
        self.assertIsNone(score.find_processor(TABLE, atom, report()))
        self.assertIsNone(score.find_processor(
            TABLE, dict(LION_COVE, core=None), report()))

    def test_larger_level_than_published(self):
        r = report()
        r["documented"]["caches"][1] = documented(2, "unified", 8, 1 << 20)
        r["documented"]["caches"].append(documented(3, "unified", 16,
                                                    96 << 20))
        zen4 = dict(ZEN3, model=97)
        result = score.score([r], zen4, TABLE)
        self.assertIn("larger", why(result, "L3 data latency_cycles"))

    def test_reports_are_not_changed(self):
        r = report()
        before = copy.deepcopy(r)
        score.score([r], LION_COVE, TABLE)
        self.assertEqual(r, before)


class Table(unittest.TestCase):
    def test_sources(self):
        for p in TABLE["processors"]:
            cited = [k["source"] for k in p["latency_cycles"].values()]
            cited += [p[k]["source"] for k in ("tlb_latency_cycles", "store")
                      if k in p]
            for text in cited:
                for source in text.split(", "):
                    self.assertIn(source, TABLE["sources"], p["name"])
            for c in p.get("counts", []):
                if c["value"] is None:
                    self.assertTrue(c["why"])
                else:
                    self.assertIn(c["source"], TABLE["sources"], p["name"])
        for source in TABLE["sources"].values():
            self.assertIn(source["read"], ("page", "quoted", "no"))

    def test_ranges(self):
        for p in TABLE["processors"]:
            for k in p["latency_cycles"].values():
                low, high = k["published"]
                self.assertLessEqual(low, high, p["name"])

    def test_models_belong_to_one_entry(self):
        seen = set()
        for p in TABLE["processors"]:
            keys = ([(p["vendor"], p["part"])] if "part" in p else
                    [(p["vendor"], p["family"], m)
                     for low, high in p["models"]
                     for m in range(low, high + 1)])
            self.assertFalse(seen & set(keys), p["name"])
            seen |= set(keys)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=0)
    bad = len(program.result.failures) + len(program.result.errors)
    print(f"scorer: {program.result.testsRun - bad} passed, {bad} failed, "
          "0 skipped")
    sys.exit(bad != 0)
