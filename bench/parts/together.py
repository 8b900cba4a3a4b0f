# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs who keeps all cores busy: two runs at once, on two cores.

The collectors then have no core of their own. A ratio says how much longer the same work
takes, which is throughput over throughput.
"""

import os
import shlex
from contextlib import contextmanager
from dataclasses import replace

import measure

GUESTS = ("lua", "cc1", "stencil")
RUNS = 2


@contextmanager
def two_cores():
    """For us, and so for all that we start."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(all_cores)[-RUNS:]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)


def line_of(command):
    return f"{shlex.join(command.words)} <{shlex.quote(command.stdin)}"


def doubled(way):
    """The same way, of two runs at once; what the second writes is thrown away."""
    def command(setup, guest, out):
        first, second = way.command(setup, guest, out), way.command(setup, guest, f"{out}/2")
        script = (f"mkdir {shlex.quote(out)}/2\n{line_of(second)} &\n{line_of(first)}\n"
                  f"status=$?\nwait $! && rm -r {shlex.quote(out)}/2 && exit $status")
        return measure.Command(["sh", "-c", script], folder=first.folder)

    return replace(way, command=command)


def rows_of(bench):
    with two_cores():
        for guest in bench.few(GUESTS):
            compared = [doubled(way) for way in bench.some("none", "floor", "waymark")]
            rounds = bench.compare(f"together: {guest.name}", guest.full, compared,
                                   bench.setup.few_rounds)
            yield from rounds.rows("together", guest.name)
