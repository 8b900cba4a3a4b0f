# SPDX-License-Identifier: GPL-2.0-or-later
"""What is done with a trace: encoding and decoding a block of it (bench/codec.c), the
counting pass that `waymark cfg` needs, on one core, and `waymark info`."""

import json

import measure
import rounds
from rows import row

INFO_RUNS = 5
CFG_RUNS = 3
CFG_GUESTS, QUICK_GUESTS = ("python",), ("lua",)


def info_s(bench, trace):
    command = measure.Command([f"{bench.setup.build}/waymark", "info", trace])
    return [measure.cost_of(command, bench.setup.limit).wall for _ in range(INFO_RUNS)]


def cfg_minsns(bench, trace):
    """Million instructions a second and core."""
    insns = rounds.facts_of(bench.setup, trace)["instructions"]
    command = measure.Command([f"{bench.setup.build}/waymark", "cfg", "-j", "1", trace])
    costs = [measure.cost_of(command, bench.setup.limit) for _ in range(CFG_RUNS)]
    return [insns / 1e6 / cost.cpu for cost in costs]


def rows_of(bench):
    counted = bench.few(QUICK_GUESTS if bench.setup.quick else CFG_GUESTS)
    for guest in bench.guests:
        trace = bench.trace_of(guest)
        if not trace:
            continue
        told = json.loads(measure.output_of([f"{bench.setup.build}/bench/waymark-codec",
                                             trace, f"{trace}.again"]))
        for name, figure in told.items():
            yield row("codec", guest.name, "waymark", name, figure)
        yield row("codec", guest.name, "waymark", "info_s", info_s(bench, trace))
        if guest in counted:
            yield row("codec", guest.name, "waymark", "cfg_minsns",
                      cfg_minsns(bench, trace))
        bench.say(f"codec: {guest.name}: "
                  f"{', '.join(f'{name} {figure:.2f}' for name, figure in told.items())}")
