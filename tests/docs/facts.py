# SPDX-License-Identifier: GPL-2.0
"""Pages name what the code has: fields, keys, ioctls, commands, options."""
import glob
import json
import re
import subprocess
import sys
import tempfile

from kit import Checks, documents, read

SIM = ["build/probe-phys", "--seed", "1", "--json", "--machine"]
MACHINES = "sim:tests/machines/"
RUNS = [
    ("modern-nehalem-i7-920.json", []),
    ("adv-hashed-small-l2.json", ["--only", "caches"]),
    ("amp-r10k-225.json", ["--method", "xray,amp"]),
    ("adv-lying-counters.json", ["counters"]),
    ("modern-nehalem-i7-920.json", ["query", "A B A?"]),
    ("adv-hashed-small-l2.json", ["verify", "--pairs", "50"]),
    ("xray-itanium2.json", ["--only", "caches", "compare", "--method",
                            "xray,breaking-cache"]),
]
# Names that depend on the run: counters of verdicts, facts, methods.
FREE = {"facts", "values", "verdicts"}


def output(*command):
    return subprocess.run(command, check=False, capture_output=True,
                          text=True).stdout


def fields(node):
    """Names of all members, but for those whose names are data."""
    if isinstance(node, dict):
        for key, child in node.items():
            yield key
            if key in FREE and isinstance(child, dict):
                for grandchild in child.values():
                    yield from fields(grandchild)
            else:
                yield from fields(child)
    elif isinstance(node, list):
        for child in node:
            yield from fields(child)


def quoted(page):
    text = re.sub(r"^```.*?^```", "", read(page), flags=re.S | re.M)
    return set(re.findall(r"`([^`\n]+)`", text))


def sources(pattern):
    return "\n".join(read(f) for f in
                     glob.glob(pattern, recursive=True))


def check_json(checks):
    page = quoted("docs/json.md")
    documents = [output(*SIM, MACHINES + name, *rest) for name, rest in RUNS]
    documents += [output("build/probe-phys", "info", "--json"),
                  output("build/probe-phys", "--json", "--machine", "module"),
                  output("build/probe-phys", "profile", "check", "--json",
                         "tests/machines/adv-hashed-small-l2.json")]
    names = set()
    for text in documents:
        checks.expect(text, "a run prints no document")
        names |= set(fields(json.loads(text or "{}")))
    for name in sorted(names):
        checks.expect(name in page, f"docs/json.md: no field {name}")
    code = sources("user/**/*.c")
    for name in sorted(n for n in page if re.fullmatch(r"[a-z][a-z_0-9-]*", n)):
        checks.expect(f'"{name}"' in code,
                      f"docs/json.md: '{name}' is in no source")


def check_profile(checks):
    code = sources("user/lib/model/profile/*.c")
    keys = set(re.findall(r'value_member\([^,]+,\s*"(\w+)"', code))
    for table in re.findall(r"keys\[\] = \{(.*?)\}", code, flags=re.S):
        keys |= set(re.findall(r'"(\w+)"', table))
    for table in re.findall(r"(?:names|kinds|words)\[\] = \{(.*?)\}", code,
                            flags=re.S):
        keys |= set(re.findall(r'"([\w-]+)"', table))
    page = quoted("docs/machine-profile.md")
    for key in sorted(keys):
        checks.expect(key in page, f"docs/machine-profile.md: no key {key}")
    words = code + sources("user/lib/model/policy/*.c")
    for word in sorted(w for w in page if re.fullmatch(r"[a-z][a-z_0-9-]*", w)):
        checks.expect(f'"{word}"' in words,
                      f"docs/machine-profile.md: '{word}' is in no source")


def check_paths(checks):
    """Files and folders that pages name exist."""
    tops = {f.split("/")[0] for f in output("git", "ls-files").split("\n")
            if "/" in f}
    for page in documents():
        for word in sorted(quoted(page)):
            for root in ("", "user/lib/"):
                top = (root + word).split("/")[0]
                if not re.fullmatch(r"[\w./*-]+", word) or top not in tops:
                    continue
                if root and not re.match(r"(base|result|sequence|model|"
                                         r"machine|observe|method|report|"
                                         r"cmd|info|netlink)/", word):
                    continue
                if "/" in word:
                    folder, _, name = word.rpartition("/")
                    suite = f"tests/unit/{folder}/check_{name}.c"
                    checks.expect(glob.glob(root + word) or
                                  glob.glob("user/" + word) or
                                  glob.glob(suite),
                                  f"{page}: no {word}")


def check_figures(checks):
    """Pictures that the tool draws are those that it draws now."""
    with tempfile.NamedTemporaryFile(suffix=".svg") as out:
        output("build/probe-phys", "profile", "check", f"--svg={out.name}",
               "tests/machines/adv-hashed-small-l2.json")
        checks.expect(read(out.name) ==
                      read("docs/figures/small-hashed-l2.svg"),
                      "docs/figures/small-hashed-l2.svg is another picture")


def check_module(checks):
    header = read("include/uapi/linux/probe_phys.h")
    page = read("docs/module.md")
    for name in sorted(set(re.findall(
            r"\bPROBE_PHYS_(?:IOC|CMD|EVENT)_[A-Z_]+\b", header))):
        short = re.sub(r"PROBE_PHYS_(IOC_|CMD_|EVENT_)?", "", name)
        if not re.search(r"UNSPEC|MAX|MAGIC|EXCLUDE|^EVENT$", short):
            checks.expect(re.search(rf"\b{short}\b", page),
                          f"docs/module.md: no {name}")
    for name in set(re.findall(r"\bPROBE_PHYS_[A-Z_]+\b", page)):
        checks.expect(name in header, f"docs/module.md: no {name} in uapi")
    for name in re.findall(r"module_param\((\w+)", sources("kmod/**/*.c")):
        if not name.startswith("fake"):
            checks.expect(f"`{name}`" in page,
                          f"docs/module.md: no parameter {name}")


def check_commands(checks):
    pages = [("README.md", read("README.md")),
             ("user/probe-phys.8", read("user/probe-phys.8"))]
    text = output("build/probe-phys", "--help")
    commands = re.findall(r"^  ([a-z]+)  ", text, flags=re.M)
    checks.expect(len(commands) > 5, "--help lists no commands")
    for command in commands:
        for name, page in pages:
            checks.expect(command == "measure" or
                          re.search(rf"\b{command}\b", page),
                          f"{name}: no command {command}")
    options = set()
    for command in [""] + commands:
        options |= set(re.findall(
            r"--([a-z-]+)", output("build/probe-phys", *command.split(),
                                   "--help")))
    for option in sorted(options - {"usage"}):
        checks.expect(f"-{option}" in pages[1][1],
                      f"user/probe-phys.8: no option --{option}")


def main():
    checks = Checks("facts")
    check_json(checks)
    check_profile(checks)
    check_figures(checks)
    check_paths(checks)
    check_module(checks)
    check_commands(checks)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
