#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""No circle of calls between files, nor between folders.

A file uses another one when it names a function or a variable that the other
defines for others to see (universal-ctags says which those are). Files that use
each other, directly or around, are one circle: none of them can be read, tested
or replaced without all the others.

lint-circles.known lists what is still in a circle, a file or a folder a line: a
new one fails, and so does a line of it that no longer applies, so that the list
only gets shorter.
"""
import collections
import json
import os
import re
import subprocess
import sys

KNOWN = 'scripts/lint-circles.known'
PARTS = [('user',), ('kmod',)]
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def sources(part):
    files = subprocess.run(['git', 'ls-files', *part], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    return [f for f in files if f.endswith('.c') and os.path.exists(f)]


def definitions(files):
    """name -> file, of what other files may use."""
    tags = subprocess.run(
        ['ctags', '--output-format=json', '--languages=C', '--kinds-C=fv',
         '--fields=+l', '-L', '-', '-f', '-'], input='\n'.join(files),
        check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in tags.splitlines():
        tag = json.loads(line)
        if not tag.get('file') and tag['name'] != 'main':
            found[tag['name']] = tag['path']
    return found


def uses(files, found):
    """file -> files that it uses, each with a name as evidence."""
    edges = collections.defaultdict(dict)
    for path in files:
        with open(path, encoding='utf-8') as f:
            text = NOISE.sub(' ', f.read())
        # A field of that name is no use of it.
        for name in set(re.findall(r'(?<![.>\w])[A-Za-z_]\w*', text)):
            other = found.get(name)
            if other and other != path:
                edges[path].setdefault(other, name)
    return edges


def circles(edges):
    """Strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, out = {}, {}, [], []
    sys.setrecursionlimit(10000)

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                out.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(edges):
        if v not in index:
            visit(v)
    return out


def folders(edges):
    up = collections.defaultdict(dict)
    for path, others in edges.items():
        for other, name in others.items():
            a, b = os.path.dirname(path), os.path.dirname(other)
            if a != b:
                up[a].setdefault(b, '%s (%s uses %s)' % (
                    name, os.path.basename(path), os.path.basename(other)))
    return up


def show(kind, circle, edges):
    print('lint: circle of %d %s' % (len(circle), kind))
    for v in circle:
        for w in circle:
            if w in edges.get(v, {}):
                print('lint:   %s -> %s: %s' % (v, w, edges[v][w]))


def main():
    with open(KNOWN, encoding='utf-8') as f:
        known = {l.strip() for l in f if l.strip() and l[0] != '#'}
    inside, bad = set(), False
    for part in PARTS:
        files = sources(part)
        edges = uses(files, definitions(files))
        for kind, graph in ('files', edges), ('folders', folders(edges)):
            for circle in circles(graph):
                inside |= set(circle)
                if not set(circle) <= known or '--all' in sys.argv:
                    show(kind, circle, graph)
                    bad |= not set(circle) <= known
    for line in sorted(known - inside):
        print('lint: %s: no longer in a circle, take it out: %s' %
              (KNOWN, line))
        bad = True
    print('lint: calls go in circles' if bad else
          'lint: %d files and folders in circles, all known' % len(inside))
    return 1 if bad else 0


sys.exit(main())
