#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""working_set.py TRACE [ACCESSES]: how much memory each part of a run touches.

The trace was recorded with --mem. For every ACCESSES (1,000,000) loads and stores of a
thread: how many distinct cache lines of 64 bytes and pages of 4 KiB they touched, and how
many of the lines the part before had not touched.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator

import numpy
import waymark


def parts(stream: waymark.Stream, size: int) -> Iterator[Any]:
    """The addresses of `size` accesses after another; the last part has fewer."""
    waiting: list[Any] = []
    n = 0
    for run in stream.runs():
        accesses = run.accesses
        memory = accesses["kind"] <= waymark.ACCESS_STORE
        waiting.append(accesses["address"][memory])
        n += len(waiting[-1])
        while n >= size:
            whole = numpy.concatenate(waiting)
            yield whole[:size]
            waiting, n = [whole[size:]], n - size
    if n:
        yield numpy.concatenate(waiting)


def main(path: str, size: int = 1_000_000) -> None:
    with waymark.open(path) as trace:
        if "values" not in trace.meta:
            sys.exit(f"{path} has no memory accesses: record it with --mem")
        for stream in trace.streams:
            print(f"thread {stream.index} {stream.name}")
            print("  accesses      lines  new lines      pages")
            before = numpy.zeros(0, numpy.uint64)
            for addresses in parts(stream, size):
                lines = numpy.unique(addresses >> numpy.uint64(6))
                pages = numpy.unique(addresses >> numpy.uint64(12))
                new = numpy.setdiff1d(lines, before, assume_unique=True)
                print(f"{len(addresses):10,} {len(lines):10,} {len(new):10,} "
                      f"{len(pages):10,}")
                before = lines


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
