# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs once: for each block that QEMU translates, and for start and end.

Translation is measured with a program that runs each of its blocks once (kernels/once.c),
so that executing them costs next to nothing, and in the process of the guest alone: the
plugin is given to QEMU by hand and starts its collector, which is no child of QEMU's.
What it adds is compared with the floor plugin, which asks QEMU for a callback of each
block, too, and knows nothing of the block.
"""

import tempfile

import cases
import measure
import rounds
import ways
from rows import row

RUNS, QUICK_RUNS = 20, 6


def by_hand(setup):
    """The guest's process with Waymark's plugin, and without the collector's."""
    path = f"{setup.build}/libwaymark-v{setup.api}.so"
    return ways.plugin("waymark", path, ",out={out}/run.wmk")


def pairs(bench, guest, base, other):
    """Costs of two ways in turn, after one round that warms the caches."""
    found = []
    for _ in range(1 + (QUICK_RUNS if bench.setup.quick else RUNS)):
        with tempfile.TemporaryDirectory(dir=bench.scratch) as out:
            found.append([measure.cost_of(way.command(bench.setup, guest, out),
                                          bench.setup.limit) for way in (base, other)])
    return found[1:]


def new_blocks(bench, guest):
    with tempfile.TemporaryDirectory(dir=bench.scratch) as out:
        measure.cost_of(bench.ways["waymark"].command(bench.setup, guest, out),
                        bench.setup.limit)
        return rounds.facts_of(bench.setup, f"{out}/run.wmk")["known_blocks"]


def translation(bench):
    guest = cases.Invocation([f"{bench.setup.build}/kernels/once"])
    blocks = new_blocks(bench, guest)
    costs = pairs(bench, guest, bench.ways["floor"], by_hand(bench.setup))
    return [(recorded.own_cpu - floor.own_cpu) * 1e6 / blocks for floor, recorded in costs]


def start(bench):
    guest = cases.Invocation([f"{bench.setup.sysroot}/usr/bin/busybox", "true"])
    costs = pairs(bench, guest, bench.ways["none"], bench.ways["waymark"])
    return [(recorded.wall - bare.wall) * 1e3 for bare, recorded in costs]


def rows_of(bench):
    for guest, what, measured in (("once", "translation_us", translation),
                                  ("true", "start_ms", start)):
        if bench.wants(guest):
            found = row("once", guest, "waymark", what, measured(bench))
            bench.say(f"once: {what} {found.median:.2f}")
            yield found
