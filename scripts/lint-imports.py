#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which folder may include which, and how many files a folder has.

Includes name files from user/lib on (in tests/unit also from there, in user/cmd
the file beside). lint-imports.known lists the includes that are not allowed and
still there, "file header" a line: a new one fails, and so does a line of it that
no longer applies, so that the list only gets shorter.
"""
import collections
import os
import re
import subprocess
import sys

LIB, UNIT, KNOWN = 'user/lib/', 'tests/unit/', 'scripts/lint-imports.known'
MOST_FILES = 25
KIND = r'machine/(native|hugepage|module|sim)/'
FLOOR = 'evset|evict|stride|tlb|behaviour|sharing'

# Files below user/lib that match the first may not include what matches the
# second, except what matches the third.
NEVER = [
    (r'base/', r'', r'base/'),
    (r'sequence/', r'', r'(base|sequence)/'),
    (r'result/', r'', r'(base|result)/'),
    (r'model/', r'(machine|observe|method|report|info|netlink)/', None),
    (r'machine/', r'(observe|method|report|result|info)/', None),
    (r'machine/host/', KIND, None),
    # What runs on this computer rests on native/: memory comes from elsewhere.
    (r'machine/native/', KIND, r'machine/native/'),
    (r'machine/hugepage/', KIND, r'machine/(native|hugepage)/'),
    (r'machine/module/', KIND, r'machine/(native|module)/'),
    (r'machine/sim/', KIND, r'machine/sim/'),
    (r'(observe|method)/', KIND + r'|machine/host/', None),
    (r'(observe|method)/', r'(report|info|netlink)/', None),
    (r'observe/', r'(method|result)/', None),
    (r'report/', r'(method|machine)/', r'machine/description\.h'),
    # Methods, floor by floor.
    (r'method/probe/', r'method/', r'method/probe/'),
    (r'method/level/', r'method/', r'method/(probe|level)/'),
    # Masks from any oracle that answers.
    (r'method/index/', r'method/', r'method/index/'),
    (r'method/(%s)/' % FLOOR, r'method/(levels/|measure\.h)', None),
    *((r'method/%s/' % f, r'method/(%s)/' % FLOOR, r'method/%s/' % f)
      for f in FLOOR.split('|')),
    (r'method/levels/', r'method/measure\.h', None),
    (r'method/evset/oracle/', r'method/evset/', r'method/evset/oracle/'),
    (r'method/evset/minimal/', r'method/evset/',
     r'method/evset/(oracle|minimal)/'),
    (r'method/evset/sort/', r'method/evset/',
     r'method/evset/(oracle|minimal|sort)/'),
    (r'method/evset/count/', r'method/evset/[^/]*$', None),
    # What the methods of other papers say is independent of X-Ray's answers.
    (r'method/(?!amp/|cooper/|baseline/)', r'method/(amp|cooper|baseline)/',
     None),
]
# <header> -> files that may include it
ONLY = {
    r'jansson\.h': r'user/(cmd|lib/(report|model/profile))/',
    r'cairo.*\.h': r'user/lib/report/picture/paint\.c$',
}


def includes(path):
    with open(path, encoding='utf-8') as f:
        return re.findall(r'^\s*#\s*include\s*([<"])([^">]+)', f.read(), re.M)


def never(path, name):
    """Whether a file of user/lib may not include a header of it."""
    return any(re.match(source, path) and re.match(target, name) and
               not (but and re.match(but, name))
               for source, target, but in NEVER)


def main():
    files = subprocess.run(['git', 'ls-files', 'user', UNIT], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    files = [f for f in files if f.endswith(('.c', '.h'))]
    present = set(files)
    wrong, bad = set(), []
    for path in files:
        roots = [LIB] + [UNIT] * path.startswith(UNIT) + \
            [os.path.dirname(path) + '/'] * (not path.startswith((LIB, UNIT)))
        for kind, name in includes(path):
            if kind == '<':
                wrong |= {(path, name) for header, may in ONLY.items()
                          if re.fullmatch(header, name) and
                          not re.match(may, path) and path.startswith('user/')}
            elif '..' in name.split('/') or \
                    not any(root + name in present for root in roots):
                bad.append('%s: "%s" is no path from user/lib' % (path, name))
            elif path.startswith(LIB) and never(path[len(LIB):], name):
                wrong.add((path, name))
    for folder, count in collections.Counter(map(os.path.dirname,
                                                 files)).items():
        if count > MOST_FILES:
            bad.append('%s has %d files (cap %d)' % (folder, count, MOST_FILES))
        if folder.startswith(UNIT) and folder != UNIT + 'kit' and \
                not os.path.isdir(LIB + folder[len(UNIT):]):
            bad.append('%s: no such folder in user/lib' % folder)
    with open(KNOWN, encoding='utf-8') as f:
        lines = [l.split() for l in f if l.strip() and l[0] != '#']
    known = set(map(tuple, lines))
    bad += ['%s may not include %s' % w for w in sorted(wrong - known)]
    bad += ['%s: no longer so, take it out: %s %s' % ((KNOWN,) + k)
            for k in sorted(known - wrong)]
    if len(lines) != len(known):
        bad.append(KNOWN + ': a line stands twice')
    for line in bad:
        print('lint: ' + line)
    print('lint: %d includes that should not be, all known' % len(known)
          if not bad else 'lint: imports are wrong')
    return 1 if bad else 0


sys.exit(main())
