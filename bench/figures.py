# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of a benchmark: each a function from Results to a Script, or to None."""

import re

import dots
import panels
import paper
from dots import Axis, Series
from derive import shares_of_log
from fits import line_through
from modes import (ALL_IN_ORDER, BLUE, DISC, GREY, LARGE, ORANGE, SQUARE, VERMILION, Mode,
                   sorted_modes)
from panels import Curve, Panel
from results import Figure

NO_TRACING = ((1, "no tracing"),)


# ---- rows of dots ------------------------------------------------------------


def series_of(results, part, measure, skip=()):
    found = []
    for mode in sorted_modes(results.named("mode", part=part, measure=measure)):
        figures = {guest: results.get(part, guest, mode.word, measure)
                   for guest in results.named("guest", part=part)}
        figures = {guest: figure for guest, figure in figures.items() if figure}
        if mode.word not in skip and figures:
            found.append(Series(mode, figures))
    return found


def programs(results):
    return dots.figure(series_of(results, "programs", "wall_ratio", skip=("none",)),
                       results.guests(),
                       Axis("wall time over no tracing", lines=NO_TRACING))


def peers(results):
    return dots.figure(series_of(results, "peers", "wall_ratio", skip=("none",)),
                       results.guests(),
                       Axis("wall time over no tracing", lines=NO_TRACING))


def bits(results):
    return dots.figure(series_of(results, "peers", "bits_per_insn"), results.guests(),
                       Axis("bits written per instruction"))


def memory(results):
    """At full length: with some modes it grows with the run."""
    return dots.figure(series_of(results, "programs", "peak_mib"), results.guests(),
                       Axis("peak memory of all processes of the run, MiB"))


def share(results):
    all_series = []
    for mode in sorted_modes(results.named("mode", part="peers", measure="wall_ratio")):
        figures = {guest: Figure(part * 100, part * 100, part * 100, 1)
                   for guest, part in shares_of_log(results, mode.word).items()}
        if mode.word not in ("none", "log") and figures:
            all_series.append(Series(mode, figures))
    return dots.figure(all_series, results.guests(),
                       Axis("time added, % of what QEMU's log adds"))


CODEC = [("encode_ns", Mode("encode", "encode", "", ORANGE, SQUARE)),
         ("decode_ns", Mode("decode", "decode to blocks", "", BLUE, DISC, LARGE)),
         ("decode_all_ns", Mode("decode-all", "decode, all cores", "", GREY, DISC - 1))]


def codec(results):
    all_series = []
    for measure, mode in CODEC:
        figures = {guest: results.anywhere(measure, guest)
                   for guest in results.named("guest", measure=measure)}
        figures = {guest: figure for guest, figure in figures.items() if figure}
        all_series.append(Series(mode, figures))
    return dots.figure(all_series, results.guests(), Axis("ns per block", log=False),
                       mean=False)


def onecore(results):
    """With one core, and beside it what Waymark takes with all of them."""
    all_series = series_of(results, "onecore", "wall_ratio", skip=("none",))
    wide = {guest: results.get("programs", guest, "waymark", "wall_ratio")
            for guest in results.named("guest", part="onecore")}
    wide = {guest: figure for guest, figure in wide.items() if figure}
    if wide and all_series:
        mode = Mode("wide", "Waymark, all cores", "", BLUE, DISC - 1, LARGE)
        all_series.append(Series(mode, wide))
    return dots.figure(all_series, results.guests(),
                       Axis("wall time over no tracing, on one core", lines=NO_TRACING))


# ---- panels ------------------------------------------------------------------


def scaled(points, unit):
    return [(x, Figure(f.median / unit, f.low / unit, f.high / unit, f.n))
            for x, f in points]


def length_curves(results, guest, measure, unit, skip=()):
    curves = []
    for mode in sorted_modes(results.named("mode", part="length", guest=guest,
                                           measure=measure)):
        points = scaled(results.points("length", guest, mode.word, measure), unit)
        if points and mode.word not in skip:
            line = line_through([(x, figure.median) for x, figure in points])
            curves.append(Curve(mode, points, line))
    return curves


def length(results, guest):
    """Time and size against the instructions of the run."""
    x_title = f"instructions of {guest}"
    return panels.figure([
        Panel(x_title, "wall time, s", length_curves(results, guest, "wall_s", 1), "xy"),
        Panel(x_title, "written, MB",
              length_curves(results, guest, "bytes", 1e6, skip=("none", "floor")), "xy")])


def thread_curves(results, measure, skip=()):
    curves = []
    for guest in results.named("guest", part="threads"):
        for mode in sorted_modes(results.named("mode", part="threads", measure=measure)):
            points = results.points("threads", guest, mode.word, measure)
            if points and mode.word not in skip:
                curves.append(Curve(mode, points, joined=True))
    return curves


def threads(results):
    return panels.figure([
        Panel("threads", title, thread_curves(results, measure, skip), "",
              results.xs("threads"))
        for title, measure, skip in (
            ("wall time over no tracing", "wall_ratio", ("none",)),
            ("CPU time over no tracing", "cpu_ratio", ("none",)),
            ("peak memory, MiB", "peak_mib", ()))])


PAPER = Mode("paper", "published scheme, its paper", "", VERMILION, SQUARE - 1)


def plane_points(results, mode):
    """(bits per instruction, time) of each guest, of its longest runs in that mode."""
    points = {}
    for part in ("peers", "programs"):
        for guest in results.named("guest", part=part, mode=mode):
            wrote = results.median(part, guest, mode, "bits_per_insn")
            ratio = results.get(part, guest, mode, "wall_ratio")
            if wrote and ratio:
                points[guest] = (wrote, ratio)
    return sorted(points.values(), key=lambda point: point[0])


def plane(results):
    """Time against size: each dot is a guest, and those below and left of others win."""
    curves = []
    for mode in sorted_modes(results.named("mode", measure="bits_per_insn")):
        points = plane_points(results, mode.word)
        if points and mode.gives == ALL_IN_ORDER:
            curves.append(Curve(mode, points))
    if curves:
        points = [(p.bits_per_insn, Figure(p.ratio, p.ratio, p.ratio, 1))
                  for p in paper.published()]
        curves.append(Curve(PAPER, points))
    panel = Panel("bits written per instruction", "wall time over no tracing", curves,
                  "xy")
    return panels.figure([panel], width=700, height=440)


# ---- all of them -------------------------------------------------------------

DRAWN = {
    "programs": (programs, "Wall time over no tracing, programs at their full length"),
    "peers": (peers, "Wall time over no tracing, beside peers"),
    "share": (share, "Time added, as a part of what QEMU's own log adds"),
    "bits": (bits, "Bits written per instruction"),
    "plane": (plane, "Time against size, of all that keep the whole sequence, each "
              "guest at the greatest length that it was run with"),
    "memory": (memory, "Peak memory, programs at their full length"),
    "codec": (codec, "Time to encode and to decode a block"),
    "threads": (threads, "Time and memory against the number of threads"),
    "onecore": (onecore, "Wall time over no tracing, on one core"),
}


def scripts(results):
    """(name, what it shows, Script) of all for which there are results."""
    for name, (function, shows) in DRAWN.items():
        script = function(results)
        if script:
            yield name, shows, script
    for guest in results.named("guest", part="length"):
        script = length(results, guest)
        if script:
            name = re.sub("[^A-Za-z0-9._-]", "_", guest)
            yield f"length-{name}", f"Time and size against length, {guest}", script
