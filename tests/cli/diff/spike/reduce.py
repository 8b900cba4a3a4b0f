#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
reduce.py - make a log of Spike's small enough to be kept: stdin to stdout

Lines of the proxy kernel's code that are further than KEPT lines from anything else (code
of the program, a trap, a return from one) are left out; of a commit of the program what it
wrote is left out. Waymark reads neither.
"""
import re
import sys

KEPT = 40
PROGRAM_END = 0x80000000  # the program is below, the kernel is not, in these logs

INSN = re.compile(r"core +\d+: (?:(\d) )?0x([0-9a-f]+) \((0x[0-9a-f]+)\)")


def is_kernel(line):
    found = INSN.match(line)
    if not found:
        return line.startswith("core   0: >>>>")
    return int(found[2], 16) >= PROGRAM_END and found[3] not in ("0x10200073", "0x30200073")


def shorten(line):
    found = INSN.match(line)
    return found[0] + "\n" if found and found[1] == "0" else line


def flush(run):
    kept = run if len(run) <= 2 * KEPT else run[:KEPT] + run[-KEPT:]
    sys.stdout.writelines(kept)
    run.clear()


def main():
    run = []
    for line in sys.stdin:
        if is_kernel(line):
            run.append(line)
            continue
        flush(run)
        sys.stdout.write(shorten(line))
    flush(run)


main()
