# SPDX-License-Identifier: GPL-2.0-or-later
"""What a benchmark's results say, in Markdown: a section for each part of them.

A section is a function from Results to (text, tables), or to None when nothing of it was
measured; a table, too, may be None. Ratios are medians over the rounds of the ratio
within a round; after them, in brackets, the least and the greatest.
"""

import statistics

import bars
import paper
from derive import added_by_threads, mean_of, shares_of_log
from fits import line_through
from modes import sorted_modes
from tables import NOTHING, Table, percent, short, size, spread

PER = 1e8  # instructions: the unit of slopes, as in the published scheme's paper


def put_means(table, cells):
    """A last row of geometric means, where there is more than one to be meant."""
    if len(table.rows) > 1:
        table.add("**geometric mean**", *cells)


def filled(table):
    return table.without_empty_columns() if table.rows else None


def ended(results, part, guest, mode):
    """What is said in place of a figure: that the run was ended, or failed, or nothing."""
    killed = results.median(part, guest, mode, "killed_s")
    if killed is not None:
        return f"> {killed:g} s"
    return "failed" if results.get(part, guest, mode, "failed") else NOTHING


def cell(results, part, guest, mode, measure, form=spread):
    figure = results.get(part, guest, mode, measure)
    if figure:
        return form(figure)
    return ended(results, part, guest, mode) if measure.endswith("_ratio") else NOTHING


def middle(figure):
    return short(figure.median)


# ---- programs ----------------------------------------------------------------


def time_table(results):
    table = Table("program", "no tracing, s", "floor ×", "Waymark ×", "over the floor ×",
                  "CPU: floor ×", "CPU: Waymark ×", "published ×", "CPU: published ×")
    columns = [("floor", "wall_ratio"), ("waymark", "wall_ratio"),
               ("waymark", "wall_per_floor"), ("floor", "cpu_ratio"),
               ("waymark", "cpu_ratio"), ("published", "wall_ratio"),
               ("published", "cpu_ratio")]
    for guest in results.named("guest", part="programs"):
        table.add(guest, short(results.median("programs", guest, "none", "wall_s")),
                  *(cell(results, "programs", guest, mode, measure)
                    for mode, measure in columns))
    put_means(table, [NOTHING, *(short(mean_of(results.medians("programs", mode, measure)))
                                 for mode, measure in columns)])
    return filled(table)


def trace_table(results):
    table = Table("program", "million instructions", "million blocks", "trace",
                  "bits per instruction", "published: written",
                  "published: bits per instruction", "memory, MiB: QEMU alone",
                  "Waymark", "its collector", "published", "info, s")
    for guest in results.named("guest", part="programs"):
        def median(measure, mode="waymark", guest=guest):
            return results.median("programs", guest, mode, measure)

        informed = results.anywhere("info_s", guest)
        millions = [short(value / 1e6) if value else NOTHING
                    for value in (median("instructions"), median("blocks"))]
        table.add(guest, *millions, size(median("bytes")), short(median("bits_per_insn")),
                  size(median("bytes", "published")),
                  short(median("bits_per_insn", "published")),
                  short(median("peak_mib", "none")), short(median("peak_mib")),
                  short(median("collector_mib")), short(median("peak_mib", "published")),
                  short(informed.median if informed else None, 2))
    return filled(table)


def programs(results):
    if not results.named("guest", part="programs"):
        return None
    return ("Programs at full length. Means are over the programs that have this figure.",
            [time_table(results), trace_table(results)])


# ---- peers -------------------------------------------------------------------


def ends(by_guest):
    """The geometric mean, and from the least to the greatest."""
    if not by_guest:
        return NOTHING
    if len(by_guest) == 1:
        return short(mean_of(by_guest))
    least, greatest = min(by_guest.values()), max(by_guest.values())
    return f"{short(mean_of(by_guest))} ({short(least)}–{short(greatest)})"


def share_ends(by_guest):
    """The same in percent; the median, because a share may be below 0."""
    if not by_guest:
        return NOTHING
    if len(by_guest) == 1:
        return percent(*by_guest.values(), 2)
    least, greatest = min(by_guest.values()), max(by_guest.values())
    return (f"{percent(statistics.median(by_guest.values()), 2)} "
            f"({short(least * 100, 2)} to {short(greatest * 100, 2)})")


def peer_summary(results):
    """A row for each mode, over all guests: time and size beside each other."""
    table = Table("", "what it gives", "guests", "time over no tracing", "CPU time",
                  "added, of what the log adds", "bits per instruction",
                  "peak memory, MiB", words=2)
    for mode in sorted_modes(results.named("mode", part="peers")):
        def medians(measure, mode=mode):
            return results.medians("peers", mode.word, measure)

        if mode.word == "none":
            continue
        shares = {} if mode.word == "log" else shares_of_log(results, mode.word)
        walls = medians("wall_ratio")
        table.add(mode.label, mode.gives, str(len(walls)), ends(walls),
                  ends(medians("cpu_ratio")), share_ends(shares),
                  ends(medians("bits_per_insn")), ends(medians("peak_mib")))
    return filled(table)


def widest(results, part, mode, measure):
    spreads = [figure.spread() for key, figure in results.figures.items()
               if (key[0], key[2], key[4]) == (part, mode, measure) and figure.n > 1]
    return max(spreads, default=None)


def peer_table(results, measure, with_spread):
    """Guests by modes."""
    modes = [mode for mode in sorted_modes(results.named("mode", part="peers"))
             if mode.word != "none"]
    table = Table("", *(mode.label for mode in modes))
    for guest in results.named("guest", part="peers"):
        table.add(guest, *(cell(results, "peers", guest, mode.word, measure, middle)
                           for mode in modes))
    put_means(table, [short(mean_of(results.medians("peers", mode.word, measure)))
                      for mode in modes])
    if with_spread:
        table.add("widest spread of a guest",
                  *(percent(widest(results, "peers", mode.word, measure), 2)
                    for mode in modes))
    return filled(table) if results.named("mode", part="peers", measure=measure) else None


def size_table(results):
    """What each run wrote."""
    guests = results.named("guest", part="peers")
    words = [word for word in results.named("mode", part="peers", measure="bytes")
             if any(results.medians("peers", word, "bytes").values())]
    modes = sorted_modes(words)
    table = Table("", "million instructions", *(mode.label for mode in modes))
    for guest in guests:
        insns = [results.median("peers", guest, word, "instructions")
                 for word in results.named("mode", part="peers")]
        millions = next((short(count / 1e6) for count in insns if count), NOTHING)
        table.add(guest, millions,
                  *(size(results.median("peers", guest, mode.word, "bytes"))
                    for mode in modes))
    return filled(table) if modes else None


def peers(results):
    if not results.named("guest", part="peers"):
        return None
    return (
        "The same guests, cut short for the slowest modes: one-time costs weigh more here "
        "than above. Figures are the geometric mean over the guests that ran in this mode "
        "and, in brackets, the minimum and the maximum; for the added time, as a part of "
        "what QEMU's own log adds, the median.",
        [peer_summary(results),
         ("Wall time over no tracing:", peer_table(results, "wall_ratio", True)),
         ("CPU time over no tracing:", peer_table(results, "cpu_ratio", True)),
         ("Bits written per instruction:", peer_table(results, "bits_per_insn", False)),
         ("Written:", size_table(results))])


# ---- the paper ---------------------------------------------------------------


def paper_row(table, name, programs):
    def of(field, mean=statistics.geometric_mean, unit=1):
        found = paper.summary(programs, field, mean)
        if not found:
            return NOTHING
        middle, least, greatest = (value * unit for value in found)
        if len(programs) == 1:
            return short(middle)
        return f"{short(middle)} ({short(least)}–{short(greatest)})"

    table.add(name, str(len(programs)), of("ratio"), of("bits_per_insn"),
              of("time_share", statistics.fmean, 100),
              of("size_share", statistics.fmean, 100))


def beside_paper(results):
    table = Table("", "programs", "time over QEMU alone", "bits per instruction",
                  "of the native log's time, %", "of the native log's size, %")
    paper_row(table, "the scheme, in its paper", paper.published())
    for word, name in (("published", "the scheme"), ("waymark", "Waymark")):
        for part, length in (("programs", "full length"), ("peers", "cut short")):
            found = paper.measured(results, part, word)
            if found:
                paper_row(table, f"{name}, here, {length}", found)
    if len(table.rows) == 1:
        return None
    return (f"{paper.CITATION}. Other programs, on another machine; means over programs "
            "are geometric for the first two and, as in the paper, arithmetic for shares "
            "of the log.", [table])


# ---- length ------------------------------------------------------------------


def fit_cells(line, unit):
    if not line:
        return [NOTHING] * 3
    quality = f"{line.r2:.5f}" if line.points > 2 else NOTHING
    return [short(line.slope * PER / unit), short(line.intercept / unit), quality]


def line_of(results, guest, mode, measure):
    points = [(x, figure.median)
              for x, figure in results.points("length", guest, mode, measure)]
    return line_through(points) if any(y for _, y in points) else None


def slope_over(line, base):
    return NOTHING if not line or not base or base.slope <= 0 else \
        short(line.slope / base.slope)


def fit_table(results):
    table = Table("", "runs", "s per 10⁸ instructions", "of no tracing ×",
                  "s at length 0", "R²", "MB per 10⁸ instructions", "MB at length 0",
                  "R² ")
    for guest in results.named("guest", part="length"):
        untraced = line_of(results, guest, "none", "wall_s")
        for mode in sorted_modes(results.named("mode", part="length", guest=guest)):
            seconds, written = (line_of(results, guest, mode.word, measure)
                                for measure in ("wall_s", "bytes"))
            runs = len(results.points("length", guest, mode.word, "wall_s"))
            if not seconds and not written:
                continue
            slope, *others = fit_cells(seconds, 1)
            table.add(f"{guest}, {mode.label}", str(runs), slope,
                      slope_over(seconds, untraced), *others, *fit_cells(written, 1e6))
    return filled(table)


def length_table(results):
    """What was measured, for the fits to be compared with."""
    modes = sorted_modes(results.named("mode", part="length"))
    table = Table("", "million instructions", *(f"{mode.label}, s" for mode in modes),
                  *(f"{mode.label}, written" for mode in modes))
    for guest in results.named("guest", part="length"):
        for x in results.xs("length", guest=guest):
            table.add(guest, short(x / 1e6, 4),
                      *(spread(results.get("length", guest, mode.word, "wall_s", x=x))
                        for mode in modes),
                      *(size(results.median("length", guest, mode.word, "bytes", x=x)
                             or None) for mode in modes))
    return filled(table)


def length(results):
    if not results.named("guest", part="length"):
        return None
    return ("Straight lines through the times and sizes of runs of different length, by "
            "least squares; below them the measured values.",
            [fit_table(results), length_table(results)])


# ---- threads, one core, windows ----------------------------------------------


def threads(results):
    guests = results.named("guest", part="threads")
    table = Table("", "threads", "no tracing, s", "floor ×", "Waymark ×",
                  "CPU: Waymark ×", "CPU added, ns per block", "memory added, MiB")
    for guest in guests:
        for x in results.xs("threads", guest=guest):
            def of(mode, measure, guest=guest, x=x):
                return spread(results.get("threads", guest, mode, measure, x=x))

            ns, mib = added_by_threads(results, guest, x)
            table.add(guest, f"{x:g}", of("none", "wall_s"),
                      of("floor", "wall_ratio"), of("waymark", "wall_ratio"),
                      of("waymark", "cpu_ratio"), short(ns), short(mib))
    if not guests:
        return None
    return ("The same work, divided among the threads. The collector runs on the same "
            "cores: without a spare core wall time means little.",
            [filled(table)])


def onecore(results):
    guests = results.named("guest", part="onecore")
    modes = [mode for mode in sorted_modes(results.named("mode", part="onecore"))
             if mode.word != "none"]
    table = Table("", *(f"{mode.label} ×" for mode in modes), "Waymark, all cores ×")
    for guest in guests:
        table.add(guest, *(spread(results.get("onecore", guest, mode.word, "wall_ratio"))
                           for mode in modes),
                  spread(results.get("programs", guest, "waymark", "wall_ratio")))
    if not guests:
        return None
    return ("All processes of a run on one core, by taskset: the collector's time is "
            "added to the guest's.", [filled(table)])


def together(results):
    guests = results.named("guest", part="together")
    modes = [mode for mode in sorted_modes(results.named("mode", part="together"))
             if mode.word != "none"]
    table = Table("", *(f"{mode.label} ×" for mode in modes))
    for guest in guests:
        table.add(guest, *(spread(results.get("together", guest, mode.word, "wall_ratio"))
                           for mode in modes))
    if not guests:
        return None
    return ("Two runs at once on two cores, over two untraced ones: the collectors have no "
            "core of their own.", [filled(table)])


def windows(results):
    guests = results.named("guest", part="windows")
    modes = [word for word in results.named("mode", part="windows", measure="cpu_ratio")
             if word != "none"]
    names = {"waiting": "waiting for the window", "closed": "after the window"}
    table = Table("", *(names.get(mode.word, mode.label) + " ×"
                        for mode in sorted_modes(modes)))
    for guest in guests:
        table.add(guest, *(spread(results.get("windows", guest, mode.word, "cpu_ratio"))
                           for mode in sorted_modes(modes)))
    if not guests:
        return None
    return ("CPU time over no tracing, of runs of which nothing is recorded.",
            [filled(table)])


# ---- values ------------------------------------------------------------------


VALUES = [("no tracing, s", "values", "none", "wall_s"),
          ("--mem ×", "values", "mem", "wall_ratio"),
          ("CPU: --mem ×", "values", "mem", "cpu_ratio"),
          ("CPU: its plugin alone ×", "values", "mem", "plugin_cpu_ratio"),
          ("--mem-values ×", "values", "mem-data", "wall_ratio"),
          ("CPU: --mem-values ×", "values", "mem-data", "cpu_ratio"),
          ("execlog, cut short ×", "peers", "execlog", "wall_ratio"),
          ("bits per access", "values", "mem", "bits_per_access"),
          ("with data", "values", "mem-data", "bits_per_access"),
          ("encode, million accesses/s", "values", "mem", "encode_maccesses"),
          ("decode", "values", "mem", "decode_maccesses"),
          ("cache, million references/s", "values", "mem", "cache_mreferences")]


def values(results):
    guests = results.named("guest", part="values")
    table = Table("", "million accesses", *(title for title, *_ in VALUES))
    for guest in guests:
        accesses = results.median("values", guest, "mem", "accesses")
        table.add(guest, short(accesses / 1e6 if accesses else None),
                  *(cell(results, part, guest, mode, measure)
                    for _, part, mode, measure in VALUES))
    if not guests:
        return None
    return (f"Every load and store, with its address or also with its data. {paper.PEER} "
            "Encoding and decoding are without the path, on one core. The caches are three "
            "levels, on one core; references are fetches, loads and stores.",
            [filled(table)])


# ---- codec, and what is once -------------------------------------------------


def codec(results):
    columns = [("encode, ns per block", "encode_ns"), ("decode to blocks", "decode_ns"),
               ("decode, all cores", "decode_all_ns"),
               ("counting pass, million instructions/s", "cfg_minsns")]
    measures = [measure for _, measure in columns]
    guests = [guest for guest in results.named("guest")
              if any(results.anywhere(measure, guest) for measure in measures)]
    table = Table("", *(title for title, _ in columns))
    for guest in guests:
        table.add(guest, *(spread(results.anywhere(measure, guest))
                           for measure in measures))
    if not guests:
        return None
    return ("CPU time on one core; for decoding also the wall time with all cores.",
            [filled(table)])


ONCE = [("start_ms", "start to finish of a program that does nothing, ms"),
        ("translation_us", "a new block, CPU time of the guest's process, µs")]


def once(results):
    table = Table("", "added")
    for measure, name in ONCE:
        for guest in results.named("guest", measure=measure, mode="waymark"):
            table.add(name, spread(results.anywhere(measure, guest)))
    return ("One-time costs of recording: of a run, over no tracing; of each block that "
            "QEMU translates, over the floor plugin.", [table]) if table.rows else None


# ---- the machine, and the bars -----------------------------------------------


def machine(results):
    table = Table("", "", words=2)
    for key, value in results.facts.items():
        table.add(key, value)
    return ("The machine, the date and the number of rounds.", [table]) if table.rows else None


def bar_table(results):
    table = Table("", "bar", "here", "", words=2)
    for bar in bars.all_bars(results):
        if bar.figure is not None:
            note = f" ({bar.note})" if bar.note else ""
            table.add(bar.what + note, bar.bound(), f"{bar.figure:.4g}",
                      "met" if bar.passes() else "**missed**")
    return ("The project's own limits.", [table]) if table.rows else None


# Title, function, and the figures that belong there (a name, or how names begin).
SECTIONS = [
    ("The machine", machine, []),
    ("Programs", programs, ["programs", "memory"]),
    ("Beside peers", peers, ["plane", "peers", "share", "bits"]),
    ("The published scheme, in its paper and here", beside_paper, []),
    ("Length", length, ["length-"]),
    ("Threads", threads, ["threads"]),
    ("One core", onecore, ["onecore"]),
    ("Two at once", together, []),
    ("Windows", windows, []),
    ("Memory accesses", values, []),
    ("Encoding and decoding", codec, ["codec"]),
    ("Once", once, []),
    ("The bars", bar_table, []),
]


def table_lines(table):
    if isinstance(table, tuple):
        title, inner = table
        return [title, "", inner.markdown(), ""] if inner else []
    return [table.markdown(), ""] if table else []


def belongs(name, wanted):
    return name.startswith(wanted) if wanted.endswith("-") else name == wanted


def markdown(results, drawn, folder, level):
    """All sections; `drawn` is (name, what it shows) of the figures in `folder`."""
    lines = []
    for title, function, wanted in SECTIONS:
        section = function(results)
        if not section:
            continue
        text, tables = section
        lines += [f"{'#' * level} {title}", "", text, ""]
        lines += [f"![{shows}]({folder}/{name}.svg)\n" for start in wanted
                  for name, shows in drawn if belongs(name, start)]
        for table in tables:
            lines += table_lines(table)
    return "\n".join(lines).rstrip("\n") + "\n"
