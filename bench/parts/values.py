# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory accesses beside the path: what recording them takes, how large they are, how fast
they are encoded and decoded (bench/values.c), and how fast simulated caches (`waymark cache`,
three levels) take them on one core.

What the plugin alone costs is the guest's CPU time under a recorder that keeps nothing
(bench/drain.c). How many accesses there are is counted by `waymark verify`, which retraces
all of them. The codec's stopwatch and the caches are fed with the short run: a full one would
keep them busy for minutes.
"""

import json
import os
import re
import tempfile

import measure
import rounds
import ways
from rows import row

GUESTS = ("stencil", "lua", "sqlite", "cc1")
MODES = {"mem": ["--mem"], "mem-data": ["--mem", "--mem-values"]}
CACHE_RUNS = CODEC_RUNS = 3


def accesses_in(bench, trace):
    """Of a recording with --mem, whose values are accesses only."""
    told = measure.output_of([f"{bench.setup.build}/waymark", "verify", trace])
    return int(re.search(r"([0-9,]+) values", told)[1].replace(",", ""))


def bits_of(bench, guest, kept):
    """Rows of each recording that there is, which is removed."""
    for mode, path in kept.items():
        if not os.path.exists(path):
            continue
        accesses = accesses_in(bench, path)
        bits = rounds.facts_of(bench.setup, path)["values_bytes"] * 8 / accesses
        os.remove(path)
        yield row("values", guest.name, mode, "accesses", accesses)
        yield row("values", guest.name, mode, "bits_per_access", bits)


def drained(setup, guest, mode, file):
    """A guest whose values nobody reads; its CPU time goes to a file."""
    words = [f"{setup.build}/bench/waymark-drain", file,
             f"{setup.build}/libwaymark-v{setup.api}.so", setup.version, mode,
             *ways.under_qemu(setup, guest).words]
    return measure.Command(words, guest.stdin, guest.folder)


def plugin_ratios(bench, guest, mode):
    """CPU of the guest's process alone over no plugin, for each round."""
    setup = bench.setup
    for _ in range(setup.few_rounds):
        none = measure.cost_of(ways.under_qemu(setup, guest), setup.limit)
        with tempfile.NamedTemporaryFile("r", dir=bench.scratch) as file:
            measure.cost_of(drained(setup, guest, mode, file.name), setup.limit)
            yield float(file.read()) / none.cpu


def codec_maccesses(bench, trace):
    """Million accesses a second and core, by measure: each several times."""
    stopwatch = [f"{bench.setup.build}/bench/waymark-values", trace]
    told = [json.loads(measure.output_of(stopwatch)) for _ in range(CODEC_RUNS)]
    return {name: [figures[name] for figures in told] for name in told[0]}


def cache_mreferences(bench, trace):
    """Million references a second and core: fetches of instructions, loads and stores."""
    references = (accesses_in(bench, trace) +
                  rounds.facts_of(bench.setup, trace)["instructions"])
    command = measure.Command([f"{bench.setup.build}/waymark", "cache", "-j", "1", trace])
    costs = [measure.cost_of(command, bench.setup.limit) for _ in range(CACHE_RUNS)]
    return [references / 1e6 / cost.cpu for cost in costs]


def speeds_of(bench, guest, trace):
    """Rows of what is measured on the trace of the short run, which is removed."""
    recorded = ways.recording("mem", *MODES["mem"])
    rounds.Rounds(bench, guest.name, guest.short, [recorded], {"mem": trace}).measure(0)
    speeds = codec_maccesses(bench, trace)
    speeds["cache_mreferences"] = cache_mreferences(bench, trace)
    os.remove(trace)
    for name, figures in speeds.items():
        speed = row("values", guest.name, "mem", name, figures)
        bench.say(f"values: {guest.name}: {name} {speed.median:.1f}")
        yield speed


def rows_of(bench):
    compared = bench.some("none") + [ways.recording(name, *options)
                                     for name, options in MODES.items()]
    for guest in bench.few(GUESTS):
        kept = {mode: os.path.join(bench.scratch, f"{guest.name}.{mode}.wmk")
                for mode in MODES}
        done = bench.compare(f"values: {guest.name}", guest.full, compared,
                             bench.setup.few_rounds, kept)
        yield from done.rows("values", guest.name)
        plugin = row("values", guest.name, "mem", "plugin_cpu_ratio",
                     list(plugin_ratios(bench, guest.full, "mem")))
        bench.say(f"values: {guest.name}: the plugin alone {plugin.median:.2f} times the CPU")
        yield plugin
        yield from bits_of(bench, guest, kept)
        yield from speeds_of(bench, guest, kept["mem"])
