#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tells a benchmark's results: to the terminal, as Markdown, and as figures.

usage: bench/report.py CSV DIR            DIR/bench.md and DIR/benchmarks/*.svg, .png, .gp
       bench/report.py --docs CSV [PAGE]  what is between PAGE's marks, and its figures

PAGE is docs/benchmarks.md. The CSV is what bench/run.sh writes; results.py says what is
in it. No figure of a page is written by hand: all come from the one CSV.
"""

import argparse
import glob
import os
import shutil
import sys
import tempfile

import bars
import figures
import gnuplot
import results
import sections
from derive import mean_of
from tables import NOTHING, Table, short

FOLDER = "benchmarks"  # of figures, beside the page
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs",
                    f"{FOLDER}.md")
BEGIN = "<!-- made by bench/report.py --docs: begin -->"
END = "<!-- made by bench/report.py --docs: end -->"

# Heading; part, mode and measure, without a part wherever it is; digits.
COLUMNS = [
    ("none s", "programs", "none", "wall_s", 3),
    ("floor x", "programs", "floor", "wall_ratio", 4),
    ("waymark x", "programs", "waymark", "wall_ratio", 4),
    ("wm/floor", "programs", "waymark", "wall_per_floor", 4),
    ("cpu floor x", "programs", "floor", "cpu_ratio", 4),
    ("cpu wm x", "programs", "waymark", "cpu_ratio", 4),
    ("bits/insn", "programs", "waymark", "bits_per_insn", 3),
    ("enc ns", None, "waymark", "encode_ns", 3),
    ("dec ns", None, "waymark", "decode_ns", 3),
    ("MiB", "programs", "waymark", "peak_mib", 3),
    ("coll MiB", None, "waymark", "collector_mib", 3),
]


def cell(found, guest, part, mode, measure, digits):
    if part:
        figure = found.get(part, guest, mode, measure)
    else:
        figure = found.anywhere(measure, guest, mode)
    return short(figure.median, digits) if figure else NOTHING


def terminal_table(found):
    """A row for each program, and the ratios' geometric means."""
    table = Table("program", *(column[0] for column in COLUMNS))
    for guest in found.named("guest", part="programs"):
        table.add(guest, *(cell(found, guest, *column[1:]) for column in COLUMNS))
    if not table.rows:
        return None
    means = [mean_of(found.medians(part, mode, measure))
             if measure.endswith(("_ratio", "_per_floor")) else None
             for _, part, mode, measure, _ in COLUMNS]
    table.add("geometric mean", *(short(mean, 4) for mean in means))
    return table.without_empty_columns()


def print_results(found):
    for key, value in found.facts.items():
        print(f"{key}: {value}")
    table = terminal_table(found)
    if table:
        print(f"\n{table.text()}")
    print()
    all_bars = bars.all_bars(found)
    for bar in all_bars:
        if bar.figure is not None:
            print(bar.line())
    missing = [bar.what for bar in all_bars if bar.figure is None]
    if missing:
        print("not measured:", "; ".join(missing))
    if bars.disturbed(found):
        print("the machine was busy: measure again", ", ".join(bars.disturbed(found)))


def draw_all(found, folder):
    """Writes all scripts and has them drawn; (name, what it shows) of what is drawn."""
    os.makedirs(folder, exist_ok=True)
    scripts = list(figures.scripts(found))
    for name, _, script in scripts:
        gnuplot.save(script, folder, name)
    if not gnuplot.found():
        print("report: no figures: there is no gnuplot (Debian: gnuplot-nox)",
              file=sys.stderr)
        return []
    drawn = []
    for name, shows, script in scripts:
        try:
            for warning in gnuplot.draw(script, folder, name):
                print(f"report: {warning}", file=sys.stderr)
            drawn.append((name, shows))
        except gnuplot.Refused as why:
            print(f"report: {why}", file=sys.stderr)
    return drawn


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def report(csv_path, out_dir):
    """Prints the results, and writes bench.md and the figures into out_dir."""
    found = results.read(csv_path)
    print_results(found)
    drawn = draw_all(found, os.path.join(out_dir, FOLDER))
    body = sections.markdown(found, drawn, FOLDER, 2)
    write(os.path.join(out_dir, "bench.md"), f"# What recording costs\n\n{body}")


def between_marks(page, body):
    """The page with body between the marks, which stand once each and in order."""
    before, begin, rest = page.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(f"{END}\n")
    if not begin or not end:
        raise results.Malformed(f"the marks are missing: {BEGIN} and {END}, a line each")
    return f"{before}{begin}\n{body}\n{end}{after}"


def docs(csv_path, page):
    """Makes the page's results anew, with figures and CSV in a folder beside it."""
    found = results.read(csv_path)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.join(os.path.dirname(page), FOLDER)
    between_marks(text, "")  # before anything is changed
    with open(csv_path, "rb") as file:
        rows = file.read()  # it may be the one that the folder has
    with tempfile.TemporaryDirectory(prefix="waymark-bench-") as directory:
        drawn = draw_all(found, directory)
        write(page, between_marks(text, sections.markdown(found, drawn, FOLDER, 3)))
        os.makedirs(folder, exist_ok=True)
        for old in glob.glob(os.path.join(glob.escape(folder), "*.svg")):
            os.remove(old)
        for name, _ in drawn:
            shutil.copy(os.path.join(directory, f"{name}.svg"), folder)
    with open(os.path.join(folder, "bench.csv"), "wb") as file:
        file.write(rows)


def main():
    parser = argparse.ArgumentParser(prog="bench/report.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", action="store_true", help="make a page's results anew")
    parser.add_argument("csv")
    parser.add_argument("out", nargs="?", help="a folder; with --docs a page")
    options = parser.parse_args()
    if options.docs:
        docs(options.csv, options.out or PAGE)
    elif options.out:
        report(options.csv, options.out)
    else:
        parser.error("where to?")


if __name__ == "__main__":
    try:
        main()
    except (results.Malformed, OSError) as failed:
        sys.exit(f"report: {failed}")
