# SPDX-License-Identifier: GPL-2.0
"""What the checks of documents share."""
import os
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
os.chdir(ROOT)


def documents():
    """Every *.md of the repository."""
    out = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True).stdout
    return [f for f in out.split("\n") if f and os.path.exists(f)]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Checks:
    """Counts, and prints what is wrong."""

    def __init__(self, name):
        self.name, self.done, self.bad = name, 0, 0

    def expect(self, good, text):
        self.done += 1
        if not good:
            self.bad += 1
            print(f"not ok - {self.name}: {text}")

    def end(self):
        print(f"{'not ok' if self.bad else 'ok'} - {self.name}: "
              f"{self.done - self.bad} of {self.done}")
        return 1 if self.bad or not self.done else 0
