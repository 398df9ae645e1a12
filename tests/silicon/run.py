#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Runs the tool on this computer and prints how its answers score.

SILICON_RUNS=N measurements (20), with the seeds from PROBE_PHYS_SEED (1) on;
SILICON_BUSY=1 keeps one other CPU busy meanwhile. Each cell is right, undecided or wrong
(score.py); a wrong one fails. The result is written to build/silicon.json, the reports to
build/silicon/SEED.json.
"""
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys

import score

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# A measurement takes some seconds, one on a busy computer a minute or two.
SECONDS = 900


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""


def in_list(cpu, cpus):
    """Whether a list as of sysfs, "0-3,8", has a CPU."""
    for part in filter(None, cpus.strip().split(",")):
        low, _, high = part.partition("-")
        if int(low) <= cpu <= int(high or low):
            return True
    return False


def identity(cpu):
    """Vendor, family and model, or implementer and part, of a CPU."""
    blocks = [dict(re.findall(r"^(.*?)\s*: (.*)$", b, re.M))
              for b in read("/proc/cpuinfo").split("\n\n")]
    block = next((b for b in blocks if b.get("processor") == str(cpu)), {})
    core = next((kind for kind in ("cpu_core", "cpu_atom") if
                 in_list(cpu, read(f"/sys/devices/{kind}/cpus"))), None)
    if "vendor_id" in block:
        return {"vendor": block["vendor_id"], "core": core,
                "family": int(block["cpu family"]),
                "model": int(block["model"]),
                "name": block.get("model name", "")}
    return {"vendor": block.get("CPU implementer", ""), "core": core,
            "part": block.get("CPU part", "")}


def measure(seed):
    """A report, or None."""
    try:
        p = subprocess.run(["build/probe-phys", "--json", "--seed", str(seed)],
                           stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"not ok: --seed {seed}: more than {SECONDS} s")
        return None
    if p.returncode:
        print(f"not ok: --seed {seed}: exit status {p.returncode}: "
              f"{p.stderr.strip()}")
        return None
    with open(f"build/silicon/{seed}.json", "w", encoding="utf-8") as f:
        f.write(p.stdout)
    return json.loads(p.stdout)


@contextlib.contextmanager
def busy_cpu(wanted):
    """A process that computes on the first CPU; the tool takes the last one."""
    cpus = sorted(os.sched_getaffinity(0))
    if not wanted or len(cpus) < 2:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", f"""
import os
os.sched_setaffinity(0, [{cpus[0]}])
while os.getppid() == {os.getpid()}:
    bytearray(1 << 22).find(1)
"""]) as process:
        try:
            yield
        finally:
            process.kill()


def costs(reports):
    """Medians of what each group of parameters cost."""
    groups = {}
    for report in reports:
        for c in report["costs"]:
            groups.setdefault(c["group"], []).append(c)
    return [{"group": g, **{key: statistics.median(c[key] for c in of)
                            for key in ("seconds", "accesses", "tests")}}
            for g, of in groups.items()]


def main():
    os.chdir(ROOT)
    os.makedirs("build/silicon", exist_ok=True)
    first = int(os.environ.get("PROBE_PHYS_SEED", "1"))
    runs = int(os.environ.get("SILICON_RUNS", "20"))
    table = json.loads(read("tests/silicon/processors.json"))
    busy = os.getloadavg()[0]
    with busy_cpu(os.environ.get("SILICON_BUSY") == "1"):
        reports = [measure(first + i) for i in range(runs)]
    failed = reports.count(None)
    reports = [r for r in reports if r]
    if not reports:
        print("silicon: 0 passed, 1 failed, 0 skipped")
        return 1
    result = score.score(reports, identity(reports[0]["machine"]["cpu"]),
                         table)
    seconds = [r["conditions"]["seconds"] for r in reports]
    result["seconds"] = {"median": statistics.median(seconds),
                         "most": max(seconds)}
    result["costs"] = costs(reports)
    result["load_before"] = busy
    result["virtual_machine"] = reports[0]["machine"]["virtual_machine"]
    with open("build/silicon.json", "w", encoding="utf-8") as f:
        json.dump(result, f, indent=2)
    known = ", ".join(f"{k} {v}" for k, v in result["identity"].items() if v)
    hidden = (", another model by its caches" if result["hidden_model"]
              else "")
    print(f"{known}: {result['processor'] or 'not known'}{hidden}; "
          f"{len(reports)} measurements of {result['seconds']['median']:.1f} "
          f"s, at most {max(seconds):.1f} s; load {busy:.1f} before")
    print("\n".join(score.table_lines(result)))
    for c in result["costs"]:
        print(f"cost of {c['group']}: {c['seconds']:.2f} s, "
              f"{c['accesses'] / 1e6:.1f} million accesses, "
              f"{c['tests']:.0f} tests")
    wrong = sum(1 for r in result["cells"] if r["wrong"])
    print(f"silicon: {len(result['cells']) - wrong} passed, "
          f"{wrong + failed} failed, 0 skipped")
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
