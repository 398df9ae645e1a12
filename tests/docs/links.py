# SPDX-License-Identifier: GPL-2.0
"""Relative links lead to files that exist, and to headings that they have."""
import os
import re
import sys

from kit import Checks, documents, read


def anchors(path):
    """As forges make them of headings."""
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.S | re.M)
    for heading in re.findall(r"^#+ (.*)", text, flags=re.M):
        word = re.sub(r"[^\w\- ]", "", heading.lower())
        yield word.strip().replace(" ", "-")


def main():
    checks = Checks("links")
    for path in documents():
        text = re.sub(r"^```.*?^```", "", read(path), flags=re.S | re.M)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = os.path.normpath(
                os.path.join(os.path.dirname(path), name)) if name else path
            checks.expect(os.path.exists(target), f"{path}: no {link}")
            if anchor and os.path.isfile(target):
                checks.expect(anchor in anchors(target),
                              f"{path}: no heading for {link}")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
