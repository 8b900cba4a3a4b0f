#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds lines of execlog with registers that Waymark wrote against the plugin's own.

usage: execlog.py THEIRS MINE

Lines are equal but for two things. What the kernel changed, in lines of calls, is in theirs
alone. And a register whose value is not known before may be in mine alone, when it was
written and did not change: its value is then what theirs had last, or 0.
"""

import sys

CALLS = ('"ecall', '"svc ', '"syscall')


def parts(line):
    """A line without its registers, and these."""
    words = line.rstrip("\n").split(", ")
    registers = dict(word.split(" -> ") for word in words if " -> " in word)
    return [word for word in words if " -> " not in word], registers


def main():
    last, lines, registers, unknown = {}, 0, 0, 0
    with open(sys.argv[1], encoding="ascii") as theirs, open(sys.argv[2], encoding="ascii") as mine:
        for its, own in zip(theirs, mine, strict=True):
            lines += 1
            line, wanted = parts(its)
            other, got = parts(own)
            last.update(wanted)
            if any(word.startswith(CALLS) for word in line):
                wanted = got
            more = {name: value for name, value in got.items() if name not in wanted}
            if line != other or any(got.get(name) != value for name, value in wanted.items()) \
                    or any(int(last.get(name, value if name == "sp" else "0x0"), 16) !=
                           int(value, 16) for name, value in more.items()):
                print(f"line {lines}:\n{its}{own}", end="")
                return 1
            registers += len(got)
            unknown += len(more)
    print(f"{lines} lines, {registers} registers, of which {unknown} did not change")
    return 0


if __name__ == "__main__":
    sys.exit(main())
