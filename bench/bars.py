# SPDX-License-Identifier: GPL-2.0-or-later
"""What the project asks of itself, and whether a benchmark's results meet it."""

import statistics
from dataclasses import dataclass

from derive import added_by_threads, mean_of

SIZE_BARS = {"cc1": 0.041, "python": 0.018, "sqlite": 0.00375, "lua": 0.006}
# Kernels whose paths do not depend on data that looks random.
REGULAR = ("fft", "isort", "lu", "spmv", "stencil")
REGULAR_BAR = 0.000225
# Bits, addresses alone.
ACCESS_BARS = {"stencil": 0.10, "lua": 0.25, "sqlite": 0.20, "cc1": 1.35}
PLUGIN_BARS = {"stencil": 1.2, "lua": 1.6, "sqlite": 1.7, "cc1": 1.6}
DISTURBED = 1.05  # wall over CPU time of the untraced guest


@dataclass
class Bar:
    """A figure, and what it must not exceed or, `least`, not fall short of."""

    what: str
    limit: float
    figure: float | None  # None: it was not measured
    note: str = ""
    least: bool = False

    def passes(self):
        return (self.figure >= self.limit if self.least else self.figure <= self.limit)

    def bound(self):
        return f"{'at least' if self.least else 'at most'} {self.limit:g}"

    def line(self):
        verdict = "pass" if self.passes() else "MISS"
        note = f"  ({self.note})" if self.note else ""
        return f"{verdict}  {self.what}: {self.figure:.4g} ({self.bound()}){note}"


def mean_bar(what, limit, by_guest, note=""):
    return Bar(f"{what}, geometric mean", limit, mean_of(by_guest), note)


def median_bar(what, limit, by_guest):
    figure = statistics.median(by_guest.values()) if by_guest else None
    return Bar(f"{what}, median", limit, figure)


def worst_bar(what, limit, by_guest):
    """The greatest, and whose it is."""
    guest = max(by_guest, key=by_guest.get, default="")
    return Bar(f"{what}, worst", limit, by_guest.get(guest), guest)


def slowest_bar(what, limit, by_guest):
    """The least, which is to be at least the limit, and whose it is."""
    guest = min(by_guest, key=by_guest.get, default="")
    return Bar(f"{what}, worst", limit, by_guest.get(guest), guest, least=True)


def time_bars(results):
    wall = results.medians("programs", "waymark", "wall_ratio")
    cpu = results.medians("programs", "waymark", "cpu_ratio")
    floor = results.medians("programs", "floor", "wall_ratio")
    note = f"the floor's is {mean_of(floor):.3f}" if floor else ""
    return [
        mean_bar("CPU over none", 1.4, cpu),
        mean_bar("wall over none", 1.2, wall, note),
        worst_bar("wall over none", 1.4, wall),
        worst_bar("wall over the floor", 1.10,
                  results.medians("programs", "waymark", "wall_per_floor")),
    ]


def codec_bars(results):
    counted = results.by_guest("cfg_minsns").get("python")
    return [
        median_bar("encode, ns per block", 1.0, results.by_guest("encode_ns")),
        worst_bar("decode, ns per block", 2.5, results.by_guest("decode_ns")),
        Bar("counting pass, million instructions/s per core, python", 600, counted,
            least=True),
    ]


def size_bars(results):
    bits = results.medians("programs", "waymark", "bits_per_insn")
    limits = SIZE_BARS | {name: REGULAR_BAR for name in REGULAR}
    return [Bar(f"bits per instruction, {guest}", limit, bits.get(guest))
            for guest, limit in limits.items()]


def once_bars(results):
    """What a run costs once, or a block when it is translated."""
    return [
        worst_bar("translation, us added per new block", 0.5,
                  results.by_guest("translation_us")),
        worst_bar("start to finish of nothing, ms added", 25,
                  results.by_guest("start_ms")),
        worst_bar("info, s", 0.1, results.by_guest("info_s")),
        worst_bar("collector, MiB", 256, results.by_guest("collector_mib")),
    ]


def thread_bars(results):
    """What more threads cost, compared with one."""
    bars = []
    for guest in results.named("guest", part="threads"):
        one_ns, one_mib = added_by_threads(results, guest, 1)
        for threads, _ in results.points("threads", guest, "waymark", "cpu_s"):
            ns, mib = added_by_threads(results, guest, threads)
            if threads == 1:
                continue
            if ns and one_ns:
                bars.append(Bar(f"CPU added per block, {threads:g} threads over 1", 1.05,
                                ns / one_ns, f"{ns:.2f} ns, {one_ns:.2f} ns"))
            if mib is not None and one_mib is not None:
                bars.append(Bar(f"MiB for each more thread, {threads:g} threads", 64,
                                (mib - one_mib) / (threads - 1)))
    return bars or [Bar("threads", 0, None)]


def together_bars(results):
    """Where the collector has no core of its own."""
    return [mean_bar("wall over none, two runs at once on two cores", 1.65,
                     results.medians("together", "waymark", "wall_ratio"))]


def window_bars(results):
    """What is not recorded, compared with what anything costs."""
    floor = results.medians("windows", "floor", "cpu_ratio")
    waiting = results.medians("windows", "waiting", "cpu_ratio")
    waiting = {guest: ratio / floor[guest]
               for guest, ratio in waiting.items() if guest in floor}
    return [
        worst_bar("CPU over the floor, waiting for a window", 1.05, waiting),
        worst_bar("CPU over none, the last window closed", 1.05,
                  results.medians("windows", "closed", "cpu_ratio")),
    ]


def value_bars(results):
    """Of memory accesses beside the path."""
    bits = results.medians("values", "mem", "bits_per_access")
    plugin = results.medians("values", "mem", "plugin_cpu_ratio")
    encode = results.medians("values", "mem", "encode_maccesses")
    cache = results.medians("values", "mem", "cache_mreferences")
    return [
        mean_bar("wall over none, --mem", 2.5,
                 results.medians("values", "mem", "wall_ratio")),
        *(Bar(f"CPU of the guest alone over none, {guest}", limit, plugin.get(guest))
          for guest, limit in PLUGIN_BARS.items()),
        *(Bar(f"bits per access, {guest}", limit, bits.get(guest))
          for guest, limit in ACCESS_BARS.items()),
        slowest_bar("values encoded, million accesses/s per core", 250, encode),
        slowest_bar("cache, million references/s per core", 40, cache),
    ]


def all_bars(results):
    return [bar for part in (time_bars, codec_bars, size_bars, once_bars, thread_bars,
                             together_bars, window_bars, value_bars) for bar in part(results)]


def disturbed(results):
    """Programs that, alone on a core, had to wait for it: their figures mean little."""
    cpu = results.medians("programs", "none", "cpu_s")
    wall = results.medians("programs", "none", "wall_s")
    return [guest for guest in wall
            if guest in cpu and wall[guest] > DISTURBED * cpu[guest]]
