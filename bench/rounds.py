# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest run each way, one after the other and round again: a machine that slows down
slows all of them. A ratio is taken within a round.

The first round warms the caches and is there to be looked at: peak memory, and what is
written. It is not timed, except what takes so long that there is no second run of it.
"""

import json
import os
import statistics
import tempfile

import measure
import rows
import ways

# What is not always measured runs for this many seconds at most, or once.
BUDGET_SECONDS = 3.0
# The published scheme keeps all ids in memory: at most this much, and half of what there is.
MEMORY_MAX = 8 << 30
PUBLISHED_BYTES_PER_BLOCK = 4


def bytes_in(folder):
    return sum(os.lstat(os.path.join(path, name)).st_size
               for path, _, names in os.walk(folder) for name in names)


def facts_of(setup, trace):
    """What a recording holds, as `waymark info` tells it."""
    return json.loads(measure.output_of(
        [f"{setup.build}/waymark", "info", trace, "--format", "json"]))


def memory_free():
    with open("/proc/meminfo", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["MemAvailable"].split()[0]) * 1024


class Rounds:
    """Runs one guest several ways; then rows() has what came of it."""

    def __init__(self, bench, title, guest, compared, keep=None):
        """Of `compared` ways the first is none; `keep`: where to leave recordings, by
        mode."""
        self.bench, self.title, self.guest, self.keep = bench, title, guest, keep or {}
        self.ways = list(compared)
        self.first = {}  # the cost of the first run, by mode
        self.timed = {way.name: {} for way in self.ways}  # costs by round
        self.written = {}
        self.facts = None  # of the recording, if there is one
        self.ended = {}  # modes that gave no figures: ("killed_s", 60)

    def out_of_bounds(self, way):
        """Whether the published scheme would need more memory than it may have."""
        if way.name != "published" or not self.facts:
            return False
        need = self.facts["blocks"] * PUBLISHED_BYTES_PER_BLOCK
        if need <= min(MEMORY_MAX, memory_free() // 2):
            return False
        self.bench.say(f"{self.title}: published left out: it would keep "
                       f"{need / measure.MIB:.0f} MiB of ids in memory")
        return True

    def look_at(self, way, out):
        """What the first run left in its folder."""
        self.written[way.name] = bytes_in(out)
        trace = f"{out}/run.wmk"
        if way.name == "waymark":
            self.facts = facts_of(self.bench.setup, trace)
        if way.name in self.keep:
            os.rename(trace, self.keep[way.name])

    def run(self, way, first):
        """One run; None when it failed, which is said and noted."""
        setup = self.bench.setup
        try:
            with tempfile.TemporaryDirectory(dir=self.bench.scratch) as out:
                cost = measure.cost_of(way.command(setup, self.guest, out), setup.limit,
                                       look=first)
                if first:
                    self.look_at(way, out)
                return cost
        except measure.TooLong as late:
            self.ended[way.name] = ("killed_s", setup.limit)
            self.bench.say(f"{self.title}: {way.name}: {late}")
        except measure.Failed as failed:
            if way.name in ways.ALWAYS:
                raise
            self.ended[way.name] = ("failed", failed.status)
            self.bench.say(f"{self.title}: {way.name}: {failed}")
        return None

    def due(self, way):
        """Whether there is time for one more run."""
        if way.name in ways.ALWAYS:
            return True
        costs = [self.first[way.name], *self.timed[way.name].values()]
        return sum(cost.wall for cost in costs) + costs[-1].wall <= BUDGET_SECONDS

    def measure(self, count):
        """All rounds; a mode that fails takes no more part in them."""
        for way in list(self.ways):
            cost = None if self.out_of_bounds(way) else self.run(way, True)
            if cost:
                self.first[way.name] = cost
            else:
                self.ways.remove(way)
            if "none" in self.ended:
                self.ways = []
                return self
        for number in range(count):
            for way in list(self.ways):
                if not self.due(way):
                    continue
                cost = self.run(way, False)
                if cost:
                    self.timed[way.name][number] = cost
                else:
                    self.ways.remove(way)
        return self

    def figures(self, mode, of):
        """A figure of each timed run or, where there is none, of the first."""
        costs = self.timed[mode] or {0: self.first[mode]}
        return [of(cost) for cost in costs.values()]

    def ratios(self, mode, base, of):
        """A figure over that of another mode in the same round, or over its median."""
        others = self.timed.get(base)
        if not others:
            return []
        pairs = [of(cost) / of(others[number])
                 for number, cost in self.timed[mode].items() if number in others]
        return pairs or [of(self.first[mode]) /
                         statistics.median(of(cost) for cost in others.values())]

    def measures(self, mode):
        """(measure, values) of a mode that ran."""
        def wall(cost):
            return cost.wall

        def cpu(cost):
            return cost.cpu

        yield "wall_s", self.figures(mode, wall)
        yield "cpu_s", self.figures(mode, cpu)
        if mode != "none":
            yield "wall_ratio", self.ratios(mode, "none", wall)
            yield "cpu_ratio", self.ratios(mode, "none", cpu)
        if mode not in ("none", "floor"):
            yield "wall_per_floor", self.ratios(mode, "floor", wall)
        yield "peak_mib", [self.first[mode].peak_mib]
        if self.first[mode].collector_mib:
            yield "collector_mib", [self.first[mode].collector_mib]
        yield from self.sizes(mode)

    def sizes(self, mode):
        written = self.written[mode]
        if mode == "waymark":
            yield "instructions", [self.facts["instructions"]]
            yield "blocks", [self.facts["blocks"]]
        if written:
            yield "bytes", [written]
            if self.facts:
                yield "bits_per_insn", [written * 8 / self.facts["instructions"]]

    def rows(self, part, guest, x=""):
        """All that was measured."""
        for mode in self.timed:
            if mode in self.first and mode not in self.ended:
                for what, values in self.measures(mode):
                    if values:
                        yield rows.row(part, guest, mode, what, values, x)
        for mode, (what, value) in self.ended.items():
            yield rows.row(part, guest, mode, what, value, x)

    def told(self):
        """For people: how many times slower each mode was."""
        def wall(cost):
            return cost.wall

        if "none" not in self.first or "none" in self.ended:
            return "nothing measured"
        told = [f"{mode} {statistics.median(self.ratios(mode, 'none', wall)):.2f}"
                for mode in self.first if mode != "none" and mode not in self.ended
                and self.ratios(mode, "none", wall)]
        return f"{', '.join(told)} times " \
               f"{statistics.median(self.figures('none', wall)):.2f} s"
