# SPDX-License-Identifier: GPL-2.0
"""JSON laid out to be read: what fits on a line stands on one line."""

import json

WIDTH = 80


def flat(value):
    if isinstance(value, dict):
        inside = ", ".join("%s: %s" % (json.dumps(k), flat(v))
                           for k, v in value.items())
        return "{ %s }" % inside if inside else "{ }"
    if isinstance(value, list):
        inside = ", ".join(flat(v) for v in value)
        return "[%s]" % inside
    return json.dumps(value, ensure_ascii=False)


def filled(pieces, indent):
    """Comma-separated pieces, as many to a line as fit."""
    lines, line = [], ""
    for i, piece in enumerate(pieces):
        piece += "," if i + 1 < len(pieces) else ""
        if line and indent + len(line) + 1 + len(piece) > WIDTH:
            lines.append(line)
            line = piece
        else:
            line = line + " " + piece if line else piece
    return lines + [line]


def indented(pieces, indent, brackets, fill):
    pad = " " * (indent + 2)
    lines = filled(pieces, indent + 2) if fill else \
        [p + "," for p in pieces[:-1]] + pieces[-1:]
    return brackets[0] + "\n" + "\n".join(pad + line for line in lines) + \
        "\n" + " " * indent + brackets[1]


def render(value, indent=0, taken=0):
    """'value' starting at a column: 'indent' of its line plus 'taken'."""
    text = flat(value)
    if indent + taken + len(text) < WIDTH or \
       not isinstance(value, (dict, list)):
        return text
    if isinstance(value, list):
        small = not any(isinstance(v, (dict, list)) for v in value)
        return indented([render(v, indent + 2) for v in value], indent, "[]",
                        small)
    pieces = []
    for k, v in value.items():
        key = json.dumps(k) + ": "
        pieces.append(key + render(v, indent + 2, len(key)))
    return indented(pieces, indent, "{}",
                    indent > 0 and all("\n" not in p and
                                       indent + len(p) + 3 < WIDTH
                                       for p in pieces))


def document(profile):
    """A whole file; the top level has one key to a line."""
    pieces = []
    for k, v in profile.items():
        key = json.dumps(k) + ": "
        pieces.append(key + render(v, 2, len(key)))
    return indented(pieces, 0, "{}", False) + "\n"
