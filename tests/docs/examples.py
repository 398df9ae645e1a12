# SPDX-License-Identifier: GPL-2.0
"""Examples run, and print what the page shows.

A block that begins with "```sh run" is run from the root of the checkout, with
build/ in PATH; "exit=N" behind it is the exit status that is right. A block
"```text output" right behind has lines of what it prints, in order; "..." stands
for any lines, or for the rest of one. "long" behind "run" keeps an example of
many seconds for DOCS_LONG=1. examples.py [FILE...] runs those of some files.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from kit import Checks, documents, read

BLOCK = re.compile(r"^```sh run([^\n]*)\n(.*?)^```\n"
                   r"(?:\s*```text output\n(.*?)^```)?", re.S | re.M)
# A simulation takes some seconds on an idle computer, a long one some minutes.
SECONDS, SECONDS_LONG = 300, 1800


def fits(line, seen):
    if line.endswith("..."):
        return seen.startswith(line[:-3].rstrip())
    return seen == line


def missing(wanted, printed):
    """The first line that is not there, in order."""
    lines = iter([l.rstrip() for l in printed.split("\n")])
    for want in wanted.split("\n"):
        want = want.rstrip()
        if want in ("", "..."):
            continue
        if not any(fits(want, seen) for seen in lines):
            return want
    return None


def run(example):
    path, options, script, wanted = example
    status = int((re.search(r"exit=(\d+)", options) or [0, 0])[1])
    limit = SECONDS_LONG if "long" in options else SECONDS
    with tempfile.TemporaryDirectory() as scratch:
        env = dict(os.environ, TMPDIR=scratch,
                   PATH=os.path.abspath("build") + ":" + os.environ["PATH"])
        try:
            p = subprocess.run(["bash", "-euo", "pipefail", "-c", script],
                               env=env, text=True, timeout=limit,
                               capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return f"{path}: takes more than {limit} s: {script}"
    if p.returncode != status:
        return (f"{path}: exit status {p.returncode}, not {status}: {script}"
                f"{p.stderr}")
    lost = missing(wanted or "", p.stdout + p.stderr)
    return lost and f"{path}: does not print '{lost}': {script}"


def main():
    checks = Checks("examples")
    found = [(path, *m.groups())
             for path in sys.argv[1:] or documents()
             for m in BLOCK.finditer(read(path))]
    examples = [e for e in found
                if os.environ.get("DOCS_LONG") or "long" not in e[1]]
    if len(examples) < len(found):
        print(f"examples: {len(found) - len(examples)} left out"
              " (DOCS_LONG=1 runs them)", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for wrong in pool.map(run, examples):
            checks.expect(not wrong, wrong)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
