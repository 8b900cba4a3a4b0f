# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording without traps has more than a witness: the ends of blocks that trapped.

usage: machine_unseen.py WITNESS INSNS BLOCKS HANDLER

WITNESS has the addresses of all instructions that began, 8 bytes each; INSNS and BLOCKS are
what `waymark insns` and `blocks` list as CSV, HANDLER is where all traps lead. Each block must
be what the witness saw next, or its beginning, and then the handler. Prints how many
instructions the trace has too many, and in how many blocks.
"""
import array
import csv
import sys

seen = array.array("Q")
with open(sys.argv[1], "rb") as file:
    seen.frombytes(file.read())
handler = int(sys.argv[4], 0)
with open(sys.argv[2]) as file:
    recorded = [int(row["address"], 0) for row in csv.DictReader(file)]
with open(sys.argv[3]) as file:
    sizes = [int(row["insns"]) for row in csv.DictReader(file)]
assert sum(sizes) == len(recorded), (sum(sizes), len(recorded))

at = first = blocks = 0
for n, size in enumerate(sizes):
    block = recorded[first:first + size]
    first += size
    began = 0
    while began < size and at < len(seen) and seen[at] == block[began]:
        began += 1
        at += 1
    if began == size:
        continue
    assert began, f"block {n} at {block[0]:#x} has not begun"
    assert at == len(seen) or seen[at] == handler, \
        f"block {n} at {block[0]:#x} was left for {seen[at]:#x}"
    blocks += 1
assert at == len(seen), f"{len(seen) - at} instructions are missing"
print(len(recorded) - len(seen), "instructions too many in", blocks, "blocks")
