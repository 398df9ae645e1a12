# SPDX-License-Identifier: GPL-2.0
"""The list of all profiles."""

from .build import G, K, M

HEAD = """\
# Machines whose truth is known

One JSON file per machine: its memory hierarchy, complete enough to simulate,
and under `expect` the part of `probe-phys --json` that a correct measurement
prints. `probe-phys --machine sim:FILE` measures one; the virtual lab runs on
the same files.

* `xray-*`, `amp-*`, `cs-*`: the systems of the papers, from their tables.
* `modern-*`: processors of 2008 to 2024, from CPUID dumps and manuals; most
  cache latencies are typical published ones, the middle of a range.
* `adv-*`: made up, each with one property that defeats a textbook method.
* `rep-*`: geometries from public reports, each unlike those of the others.
* `long/*`: levels so large that a run takes minutes, for `check.sh --full`.

**assumed**: figures that no source gives and that were chosen to be plausible
are listed at the end of `source` after "assumed:". A path stands for all that
is below it, an empty subscript for every entry. They are as true of the
simulated machine as any other figure, and `expect` holds them; they are no
statement about the processor of that name.

What `expect` says:

* An array is found by `level` and `type` (and `page_bytes`). A value that is
  left out may come out in any way: the instruction caches' latencies; ways
  and capacity where lines are reserved for others, or a mask keeps new lines
  from some ways (a program sees only `effective_ways`); large pages and indexes in a virtual machine on small
  host pages; the latency of memory behind a cache that belongs to it, from
  which flushed lines come.
* `effective_capacity_bytes` of an exclusive level is its own capacity and
  that of the levels whose victims it takes; `effective_ways` is that over the
  bytes per way, as in X-Ray's Table 2 (18 and 17 ways), and is left out where
  it is no whole number.
* `index` is `linear`, `modulo` (line number modulo sets that are no power of
  two) or `hashed`.

A policy `drrip` may have `variants`, two of QLRU: the leaders in even places
of `leaders` play the first, those in odd places the second, the other sets
what misses less; without it SRRIP duels with BRRIP.

`same_set_miss_cycles` of a cache is what a miss takes longer right after a
miss of the same set of that cache, and 0 where it is missing; a hit, or a miss
of another set, between the two ends it. Zen 3's L1 takes 3.4 to 4 cycles
longer. Beside `caches`, it is that of the first level that holds data.

`core_types` are types of cores: `expect` of a type is the answer of its CPUs,
that of the document of the last type, which is measured without `--cpu`.

`walk_caches` are caches of page walks: `entries` and `ways` of a `level`
(`pde`, `pdpte`, `pml4e`), or of an array of levels that share one. Where
accessed bits can be read, `expect` has the entries of all three, 0 where there
is no such cache; `docs/machine-profile.md` says what a walk does.

`counters` may also name `l1d_write_miss`, `l2_write_miss` and `l3_write_miss`,
which count stores that miss (the others count loads and stores), and
`counter_faults` says by name how far a counter is from the truth: it counts
`factor` times what happened (1; 0: it is dead), `per_load` more for each load
and `overhead` more whenever it is read, and does not run in the share `busy`
of the samples, since others have it. The lab has the first two.

The files are made by `make-profiles.py TRUTH` from the tables of the papers;
change the script, not the files. `make-profiles.py --check DIRECTORY` proves
that each file is consistent with itself.
"""

GROUPS = (("xray", "X-Ray"), ("amp", "AMP"), ("cs", "Cooper-Sandoval"),
          ("modern", "Modern processors"), ("adv", "Adversarial"),
          ("rep", "Reported"))


# Each is there for one property.
PROPERTY = ("adv-", "rep-")


def amount(n):
    for unit, letter in ((G, "G"), (M, "M"), (K, "K")):
        if n % unit == 0:
            return "%d%s" % (n // unit, letter)
    return str(n)


def describe(cache):
    name = "L%d%s" % (cache["level"], {"data": "d", "instruction": "i",
                                       "unified": ""}[cache["type"]])
    marks = [cache["policy"]["name"]]
    if cache["policy"].get("variant"):
        marks[0] += " " + cache["policy"]["variant"]
    index = cache["index"]
    if index["kind"] != "linear":
        marks.append(index["kind"])
    if "slices" in index:
        marks[-1] = "%d slices" % index["slices"]
    if cache.get("inclusion"):
        marks.append(cache["inclusion"])
    return "%s %s %dw %dB @%g (%s)" % (
        name, amount(cache["capacity_bytes"]), cache["ways"],
        cache["line_bytes"], cache["latency_cycles"], ", ".join(marks))


def line(file, profile):
    name = profile["name"].partition(": ")
    name = name[2] or name[0]
    if file.startswith(PROPERTY):
        return "| [%s](%s.json) | %s |" % (file, file, name)
    caches = "; ".join(describe(c) for c in profile["caches"]
                       if c["type"] != "instruction")
    return "| [%s](%s.json) | %s | %s |" % (file, file, name, caches)


def readme(profiles):
    parts = [HEAD]
    for prefix, title in GROUPS:
        members = sorted(f for f in profiles if f.startswith(prefix + "-"))
        head = "\n| file | property |\n|---|---|\n" \
            if prefix + "-" in PROPERTY else \
            "\n| file | machine | data side |\n|---|---|---|\n"
        parts.append("\n## %s (%d)\n%s" % (title, len(members), head))
        parts.append("".join(line(f, profiles[f]) + "\n" for f in members))
    return "".join(parts)
