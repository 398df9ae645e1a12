#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make the machine profiles, or check them.

    make-profiles.py TRUTH [DIRECTORY]     write all profiles and README.md
    make-profiles.py --check DIRECTORY     is each file consistent with itself?

TRUTH is the directory of the papers' tables and of modern_profiles.json.
"""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True

from profiles.adversarial import adversarial  # noqa: E402
from profiles.check import check_directory  # noqa: E402
from profiles.layout import document  # noqa: E402
from profiles.long import long  # noqa: E402
from profiles.modern import modern  # noqa: E402
from profiles.parts import parts  # noqa: E402
from profiles.papers import amp, cooper, xray  # noqa: E402
from profiles.readme import readme  # noqa: E402
from profiles.reports import reports  # noqa: E402


def make(truth, where):
    made = {}
    for family in (xray, amp, cooper, modern, adversarial, parts, reports,
                   long):
        made.update(family(truth))
    for file, profile in made.items():
        path = where / (file + ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(document(profile), encoding="utf-8")
    written = len(made)
    # Some were written by hand.
    for path in sorted(where.glob("*.json")):
        made.setdefault(path.stem,
                        json.loads(path.read_text(encoding="utf-8")))
    (where / "README.md").write_text(readme(made), encoding="utf-8")
    print("%d profiles, %d by hand" % (written, len(made) - written))


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", metavar="DIRECTORY", type=pathlib.Path)
    parser.add_argument("truth", nargs="?", type=pathlib.Path)
    parser.add_argument("directory", nargs="?", type=pathlib.Path,
                        default=here)
    options = parser.parse_args()
    if options.check:
        return 1 if check_directory(options.check) else 0
    if not options.truth:
        parser.error("TRUTH is missing")
    make(options.truth, options.directory)
    return 1 if check_directory(options.directory) else 0


if __name__ == "__main__":
    sys.exit(main())
