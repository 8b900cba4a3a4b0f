# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest's threads cost: the same work by 1, 2 and 4 of them.

On two cores threads and the collector take turns, so wall time says little: what counts
is the CPU time that recording adds to each block, and memory.
"""

import json
import os
import statistics
import tempfile

import measure

COUNTS = (1, 2, 4)
TIMES = 40000  # each of so many readings of the kernel's text, over all threads


def added_ns(program, trace, runs, blocks):
    """The median of what recording adds, in ns of CPU time for each block."""
    def once():
        recorded = measure.cost_of(program.command("waymark", trace)).cpu
        return (recorded - measure.cost_of(program.command("none", trace)).cpu) * 1e9

    return statistics.median(once() for _ in range(runs)) / blocks


def row_of(program, runs):
    with tempfile.TemporaryDirectory(prefix="waymark-bench-") as directory:
        trace = os.path.join(directory, "run.wmk")
        bare, _ = measure.peaks_of(program.command("none", trace))
        qemu, collector = measure.peaks_of(program.command("waymark", trace))
        info = [f"{program.setup.build}/waymark", "info", trace, "--format", "json"]
        blocks = json.loads(measure.output_of(info))["blocks"]
        return {"name": program.name, "mblocks": blocks / 1e6,
                "added_ns": added_ns(program, trace, runs, blocks),
                "added_mib": qemu - bare + collector}


def rows_of(make_program, setup):
    """One row for each number of threads; make_program(name, words) starts a guest."""
    rows = []
    for count in COUNTS:
        words = [f"{setup.build}/kernels/threads", str(count), str(TIMES // count)]
        rows.append({"threads": count,
                     **row_of(make_program(f"threads-{count}", words), setup.runs)})
    return rows
