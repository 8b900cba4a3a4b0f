# SPDX-License-Identifier: GPL-2.0-or-later
#
# numbers_of.py FILE: prints how many instructions of its one thread a trace passed, and how
# many it has. FORMAT.md, sections 3.1, 4 and 6.1.

import sys


def numbers(path):
    """How many instructions were passed, as the last STRM says, and how many are there."""
    with open(path, "rb") as file:
        data = file.read()
    at, passed, there = 32, 0, 0
    while at + 32 <= len(data):
        kind, stored = data[at:at + 4], int.from_bytes(data[at + 8:at + 16], "little")
        payload = data[at + 32:at + 32 + stored]
        if kind == b"STRM":
            passed = int.from_bytes(payload[21 + payload[20]:], "little")
        if kind == b"CHNK" and len(payload) == stored:
            there += int.from_bytes(payload[8:16], "little")
        at += 32 + stored
    return passed, there


if __name__ == "__main__":
    print(*numbers(sys.argv[1]))
