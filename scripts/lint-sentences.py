#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How long the sentences of documents are: 20 words on average at most.

lint-sentences.py [FILE...]     (default: every *.md and the man page)

Prints words per sentence of each file. Code, quoted output, tables and
headings are no sentences; an item of a list is one.
"""
import os
import re
import subprocess
import sys

MOST = 20


def paragraphs(text):
    text = re.sub(r"^( *)(```+).*?^\1\2 *$", "\n", text, flags=re.S | re.M)
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    lines = []
    for line in text.split("\n"):
        if re.match(r"^( {4,}\S|\s*\||#|<)", line):
            line = ""
        if re.match(r"^\s*([-*]|\d+\.)\s", line):
            lines.append("")
            line = re.sub(r"^\s*([-*]|\d+\.)\s", "", line)
        lines.append(line)
    return re.split(r"\n\s*\n", "\n".join(lines))


def of_manual(text):
    text = re.sub(r"^\.Bd .*?^\.Ed", "", text, flags=re.S | re.M)
    out = []
    for line in text.split("\n"):
        m = re.match(r"^\.(\w+|\\\")\s*(.*)", line)
        if not m:
            out.append(line)
        elif m.group(1) in ("Sh", "Pp", "Bl", "El", "It", "Nd", "Op", '\\"'):
            out.append("")
        else:
            out.append(re.sub(r"\b(Ns|No|Ar|Cm|Fl|Va|Pa|Dq|Pq|Sq|Em)\b", "",
                              m.group(2)) or "x")
    return "\n".join(out)


def sentences(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not path.endswith(".md"):
        text = of_manual(text[text.find(".Sh DESCRIPTION"):])
    for p in paragraphs(text):
        for s in re.split(r"(?<=[.!?;])[)\"”]*\s+", " ".join(p.split())):
            n = len(re.findall(r"[\w'’/.-]*\w[\w'’/.-]*", s))
            if n > 2:
                yield n


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = sys.argv[1:] or [
        f for f in subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "*.md", "*.8"],
            check=True, capture_output=True, text=True).stdout.split("\n")
        if f and os.path.exists(f)]
    bad = 0
    for path in files:
        lengths = list(sentences(path))
        if not lengths:
            continue
        mean = sum(lengths) / len(lengths)
        over = mean > MOST
        bad += over
        print(f"{path}: {mean:.1f} words a sentence ({len(lengths)})"
              + (f": more than {MOST}" if over else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
