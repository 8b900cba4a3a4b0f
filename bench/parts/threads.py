# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest's threads cost: the same work by 1, 2 and 4 of them.

On two cores threads and the collector take turns, so wall time says little: what counts
is the CPU time that recording adds to each block, and memory.
"""

import cases

COUNTS = (1, 2, 4)
TIMES = 40000  # each of so many readings of the kernel's text, over all threads


def rows_of(bench):
    if not bench.wants("threads"):
        return
    for count in COUNTS:
        guest = cases.Invocation([f"{bench.setup.build}/kernels/threads", str(count),
                                  str(TIMES // count)])
        rounds = bench.compare(f"threads: {count}", guest, bench.some("none", "waymark"),
                               bench.setup.few_rounds)
        yield from rounds.rows("threads", "threads", count)
