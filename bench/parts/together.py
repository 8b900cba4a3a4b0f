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
TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def core_of(processor, topology):
    """What all threads of its core have in common; its own number where nobody says."""
    try:
        with open(topology.format(processor), encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return str(processor)


def chosen(processors, n, topology=TOPOLOGY):
    """The last n of different cores; of fewer cores, as many more threads of these."""
    last_first = sorted(processors, reverse=True)
    cores = {}
    for processor in last_first:
        cores.setdefault(core_of(processor, topology), processor)
    firsts = list(cores.values())
    return set((firsts + [one for one in last_first if one not in firsts])[:n])


@contextmanager
def two_cores():
    """For us, and so for all that we start. Two threads of one core would be one core and a
    bit."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, chosen(all_cores, RUNS))
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
