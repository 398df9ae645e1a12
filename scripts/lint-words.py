#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Refuse the words of lint-words.list.

lint-words.py [--code] [FILE...]

Checks the documents: every *.md and the man page, without code and quoted
output. With --code also comments and strings of user/, kmod/, tests/ and
include/.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "lint-words.list")
CODE = re.compile(r"^(user|kmod|tests|include)/.*\.[ch]$")
PROSE = re.compile(r"\.md$|\.[1-8]$")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'
                   r"'(?:\\.|[^'\\\n])*'", re.S)


def blank(text):
    """The same lines without anything on them."""
    return "\n" * text.count("\n")


def of_markdown(text):
    text = re.sub(r"^( *)(```+).*?^\1\2 *$", lambda m: blank(m.group()),
                  text, flags=re.S | re.M)
    text = re.sub(r"`[^`]*`", lambda m: blank(m.group()), text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def of_manual(text):
    text = re.sub(r"^\.Bd .*?^\.Ed", lambda m: blank(m.group()), text,
                  flags=re.S | re.M)
    return re.sub(r"\\\(lq.*?\\\(rq", "", text)


def of_code(text):
    """Comments and strings where they are, the rest as blanks."""
    out, at = [], 0
    for m in TOKEN.finditer(text):
        out.append(blank(text[at:m.start()]))
        if m.group()[0] != "'" and not includes(text, m.start()):
            out.append(" " + re.sub(r"(?m)^\s*\*", " ", m.group()) + " ")
        at = m.end()
    return "".join(out) + blank(text[at:])


def includes(text, at):
    line = text[text.rfind("\n", 0, at) + 1:at]
    return line.lstrip().startswith("#include")


def words():
    rules = []
    with open(LIST, encoding="utf-8") as f:
        for line in f:
            if line.strip() and line[0] != "#":
                pattern, instead = line.rstrip("\n").split("\t")
                rules.append((re.compile(pattern, re.I), instead))
    return rules


def finds(path, rules):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if path.endswith(".md"):
        text = of_markdown(text)
    elif PROSE.search(path):
        text = of_manual(text)
    else:
        text = of_code(text)
    for rule, instead in rules:
        for m in rule.finditer(re.sub(r"\n[ \t*]*(?=\w)", "\n", text)):
            yield text_line(text, m), " ".join(m.group().split()), instead


def text_line(text, m):
    return m.string.count("\n", 0, m.start()) + 1


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    code = "--code" in sys.argv
    os.chdir(os.path.join(HERE, ".."))
    files = args or subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout.split("\n")
    rules, bad = words(), 0
    for path in sorted(set(files)):
        if not os.path.exists(path) or not (
                PROSE.search(path) or code and CODE.search(path)):
            continue
        for line, word, instead in finds(path, rules):
            print(f"{path}:{line}: '{word}' ({instead})")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
