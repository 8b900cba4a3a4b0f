#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: still.py LOG

Of a QEMU's log of single instructions (-d in_asm,cpu), with all 3072 markers in a row: that
before and behind each the processor's state is the same, except for its place.
"""

import re
import sys

PLACE = re.compile(r"\b(pc +|PC=|RIP=|EIP=)([0-9a-f]+)")


def main(path):
    with open(path, encoding="ascii", errors="replace") as file:
        steps = file.read().split("----------------\n")[1:]
    last, count, kinds = None, 0, set()
    for step in steps:
        text, state = step.split("\n\n", 1)
        place = int(PLACE.search(state)[2], 16)
        state = PLACE.sub("", state)
        if last and (state, place) != last:
            print(f"changed before {text}: {last[0]}, then {state}")
            return 1
        found = re.search(r"0x[0-9a-f]+:  (.{8} +slti +zero,zero,|d2.{6} +movz +xzr, |"
                          r"0f 1f 84 00 .* 4b 57  nopl )", text)
        last = (state, place + (8 if "nopl" in text else 4)) if found else None
        count += bool(found)
        kinds.add(text.split("\n")[-1].split(":  ")[1] if found else "")
    print(f"{count} markers, {len(kinds - {''})} kinds")
    return 0 if count == len(kinds - {""}) == 3 * 1024 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
