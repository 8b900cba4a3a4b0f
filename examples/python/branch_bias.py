#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""branch_bias.py TRACE [N]: the N (20) branches that are hardest to predict statically.

A branch that goes the same way each time costs nothing once it is known. One that goes each
way half of the time costs most: min(taken, not taken) is how often the better of the two
static predictions is wrong.

The sequence of blocks is read in bulk. Two blocks in a row say which way the branch at
the end of the first one went: control is at the next address, or elsewhere. The last branch of each
run, one of some thousands, is left out; Stream.branches() has them all, one by one.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy
import waymark


def block_ends(trace: waymark.Trace) -> tuple[Any, Any, Any]:
    """By block id: whether it ends in a conditional branch, and the next address."""
    n = trace.summary.known_blocks + 1
    branches = numpy.zeros(n, bool)
    starts, ends = numpy.zeros(n, numpy.uint64), numpy.zeros(n, numpy.uint64)
    for block_id in range(1, n):
        block = trace.block(block_id)
        starts[block_id] = block.address
        ends[block_id] = block.address + len(block.code)
        if block.sizes:
            last = trace.insn(block_id, len(block.sizes) - 1)
            branches[block_id] = last.flow == waymark.FLOW_BRANCH
    return branches, starts, ends


def outcomes(trace: waymark.Trace) -> tuple[Any, Any]:
    """How often each block's branch was taken, and was not: two arrays by block id."""
    branches, starts, ends = block_ends(trace)
    taken = numpy.zeros(len(branches), numpy.int64)
    not_taken = taken.copy()
    for stream in trace.streams:
        for run in stream.runs():
            first, second = run.ids[:-1], run.ids[1:]
            is_branch = branches[first]
            went_on = ends[first] == starts[second]
            taken += numpy.bincount(first[is_branch & ~went_on], minlength=len(taken))
            not_taken += numpy.bincount(first[is_branch & went_on], minlength=len(taken))
    return taken, not_taken


def main(path: str, n: int = 20) -> None:
    with waymark.open(path) as trace:
        taken, not_taken = outcomes(trace)
        names = trace.names()
        wrong = numpy.minimum(taken, not_taken)
        print("     wrong       taken   not taken  branch")
        for block_id in numpy.argsort(-wrong, kind="stable")[:n]:
            if not wrong[block_id]:
                break
            address = trace.block(block_id).addresses[-1]
            place = names.place(0, address, block_id)
            print(f"{wrong[block_id]:10,}  {taken[block_id]:10,}  "
                  f"{not_taken[block_id]:10,}  {place.name}+{place.offset:#x}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
