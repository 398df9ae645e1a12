#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draw a curve of "probe-phys --json compare" with characters.

plot-curve.py [NAME] < REPORT.json      (NAME of the curve, default: C(k))

One column is a quarter of a doubling of the axis, one row a quarter of a
doubling of the latency; "|" marks the end of a level that was found.
"""
import json
import math
import sys

ROWS = 16


def size(n):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return f"{n:g} {unit}"
        n /= 1024
    return f"{n:g} TiB"


def find(report, name):
    for method in report["methods"]:
        for curve in method["curves"] or []:
            if curve["name"] == name:
                return curve
    sys.exit(f"plot-curve: no curve {name}")


def main():
    curve = find(json.load(sys.stdin), (sys.argv[1:] or ["C(k)"])[0])
    points = [(math.log2(x), math.log2(max(y, 1e-9)))
              for x, y in curve["points"]]
    left, right = points[0][0], points[-1][0]
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    columns = round(4 * (right - left)) + 1
    step = max((high - low) / (ROWS - 1), 1e-9)
    cells = [[" "] * columns for _ in range(ROWS)]
    for level in curve["levels"] or []:
        at = round(4 * (math.log2(level["end"]) - left))
        for row in cells:
            if 0 <= at < columns:
                row[at] = "|"
    for x, y in points:
        cells[round((high - y) / step)][round(4 * (x - left))] = "*"
    for i, row in enumerate(cells):
        print(f"{2 ** (high - i * step):7.1f} {''.join(row).rstrip()}")
    print("cycles  " + "".join("^" if i % 8 == 0 else " "
                              for i in range(columns)).rstrip())
    print(("        " + "".join(
        f"{size(2 ** (left + i / 4)):<16}" for i in range(0, columns, 16))).rstrip())


if __name__ == "__main__":
    main()
