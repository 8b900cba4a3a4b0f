# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares `waymark bytecodes`, on standard input, with what sys.monitoring reported of a
thread: function, offset and line of each instruction, in order.

sys.monitoring does not report what comes before a function's first line; the witness's own
callback is not monitored.
"""
import sys

PROLOGUE = {"RESUME", "RETURN_GENERATOR", "COPY_FREE_VARS", "MAKE_CELL"}


def listed():
    created = {}  # by function and file: where its prologue ends
    rows = []
    for line in sys.stdin:
        insn, offset, opcode, rest = line.rstrip("\n").split(None, 3)
        name, where = (rest + "  ").split("  ")[:2]
        key = name, where.rsplit(":", 1)[0]
        offset = offset.rstrip("~")
        if opcode == "RETURN_GENERATOR":
            created[key] = str(int(offset) + 2)
            # From CPython 3.15 on a generator expression takes its iterator before.
            while rows and rows[-1][0] == name and int(rows[-1][1]) < int(offset):
                rows.pop()
        if opcode in PROLOGUE or created.get(key) == offset or name == "on_instruction":
            continue
        rows.append((name, offset, where.rpartition(":")[2], opcode))
    return rows


def monitored(path):
    with open(path) as opened:
        for line in opened:
            name, file, offset, number = line.rstrip("\n").split("\t")
            yield name, offset, number


def common(want, places, at):
    """How many of these two are the same, from `at` on."""
    same = 0
    while same < len(want) and places[at + same:at + same + 1] == [want[same]]:
        same += 1
    return same


def main():
    want = list(monitored(sys.argv[1]))
    got = listed()
    places = [row[:3] for row in got]
    same, start = max((common(want, places, at), at) for at in range(len(places))
                      if places[at] == want[0])
    if same == len(want):
        print(f"the same {same}")
    else:
        print(f"differs after {same}: {want[same - 2:same + 3]}, not "
              f"{got[start + same - 2:start + same + 3]}")


main()
