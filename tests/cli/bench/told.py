# SPDX-License-Identifier: GPL-2.0-or-later
"""How a benchmark is told, compared with figures that are known by hand (made_up.py).

usage: told.py BENCH CSV    (the folder with report.py, what made_up.py printed)
"""

import contextlib
import csv
import io
import math
import os
import re
import sys
import tempfile

sys.path.insert(0, sys.argv[1])

# pylint: disable=wrong-import-position
import bars
import derive
import fits
import gnuplot
import paper
import report
import results
import sections
import tables


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-6)  # the CSV has ten digits


def check(name, holds, *more):
    print(("ok " if holds else "not ok ") + name)
    if not holds:
        print("#", *more)


def check_fits():
    line = fits.line_through([(x, 3 * x + 7) for x in (1, 10, 1e3, 1e6)])
    check("a line through points on one", close(line.slope, 3) and
          close(line.intercept, 7) and close(line.r2, 1) and line.points == 4, line)
    line = fits.line_through([(0, 0), (1, 2), (2, 1), (3, 3)])
    check("a line near points", close(line.slope, 0.8) and close(line.intercept, 0.3) and
          close(line.r2, 0.64), line)
    flat = fits.line_through([(1, 5), (2, 5), (3, 5)])
    check("a level line explains all there is", (flat.slope, flat.r2) == (0, 1), flat)
    check("no line through one place", fits.line_through([(1, 2), (1, 3)]) is None)


def check_numbers():
    numbers = (0, 1.2345, 0.0001234, 1234567, 0.9996, 99.96, None)
    check("short numbers", [tables.short(number) for number in numbers] ==
          ["0", "1.23", "0.000123", "1,234,567", "1.00", "100", "–"])
    check("sizes", [tables.size(x) for x in (999, 1500, 2.5e9)] ==
          ["999 B", "1.50 kB", "2.50 GB"])
    check("tics", gnuplot.log_tics(0.9, 60) == "'1' 1, '2' 2, '5' 5, '10' 10, '20' 20, "
          "'50' 50", gnuplot.log_tics(0.9, 60))
    check("tics far apart", gnuplot.log_tics(1e-6, 3e-3).startswith("'10^{-6}' 1e-06"))
    check("quotes", gnuplot.quoted("it's\n") == "'it''s?'")


def check_means(found):
    wall = found.medians("programs", "waymark", "wall_ratio")
    want = math.exp(sum(map(math.log, wall.values())) / len(wall))
    check("a geometric mean", close(derive.mean_of(wall), want) and len(wall) == 8)
    check("none of nothing", derive.mean_of({}) is None)
    share = derive.shares_of_log(found, "waymark")
    check("shares of the log", len(share) == 8 and
          all(close(value, 0.2 / 109) for value in share.values()), share)
    ns, mib = derive.added_by_threads(found, "threads", 4)
    check("what threads add", close(ns, 2) and close(mib, 100), ns, mib)


def check_bars(found):
    by_name = {bar.what: bar for bar in bars.all_bars(found)}
    middle = (2 ** (-1 / 7) + 2 ** (1 / 7)) / 2  # of the two guests there
    known = {"encode, ns per block, median": (0.8 * middle, True),
             "decode, ns per block, worst": (4, False),
             "wall over none, worst": (1.4, True),
             "counting pass, million instructions/s per core, python":
                 (900 * 4 ** (-1 / 14), True),
             "CPU over the floor, waiting for a window, worst": (1.04, True),
             "CPU added per block, 4 threads over 1": (1, True),
             "wall over none, --mem, geometric mean": (2, True),
             "bits per access, cc1": (0.2, True),
             "cache, million references/s per core, worst": (45, True),
             "values encoded, million accesses/s per core, worst": (130, False),
             "bits per instruction, fft": (0.006 * 4 ** (1 / 7 * 5 - 0.5), False)}
    for name, (figure, passes) in known.items():
        bar = by_name.get(name)
        check(f"bar: {name}", bar and close(bar.figure, figure) and
              bar.passes() == passes, bar, figure)
    check("bar: what is not there is not measured",
          by_name["bits per instruction, lu"].figure is None)
    check("bar: it says so", bars.Bar("x", 2, 3, "why").line() ==
          "MISS  x: 3 (at most 2)  (why)" and
          bars.Bar("x", 2, 3, least=True).line() == "pass  x: 3 (at least 2)")


def check_paper():
    programs = paper.published()
    times = paper.summary(programs, "ratio")
    bits = paper.summary(programs, "bits_per_insn")
    log = [paper.summary(programs, field, lambda values: sum(values) / len(values))[0]
           for field in ("time_share", "size_share")]
    check("the paper's own means come out", len(programs) == 21 and
          [f"{value:.2f}" for value in (*times, *bits)] ==
          ["2.24", "1.04", "13.50", "1.23", "0.17", "3.58"] and
          [f"{value:.3f}" for value in log] == ["0.170", "0.037"], times, bits, log)


def tables_of(markdown):
    """The lines of each table."""
    return [block.splitlines() for block in markdown.split("\n\n")
            if block.startswith("|")]


def cells(line):
    return re.split(r"(?<!\\)\|", line)[1:-1]


def whole(markdown):
    """Whether tables have rows of one width, under a line that says so."""
    return all(len({len(cells(line)) for line in table}) == 1 and
               all(set(cell) <= set(" -:") for cell in cells(table[1])) and len(table) > 2
               for table in tables_of(markdown))


def check_markdown(found):
    drawn = [("peers", "a figure"), ("length-mix", "another")]
    text = sections.markdown(found, drawn, "folder", 2)
    titles = re.findall("^## (.*)", text, re.M)
    check("Markdown: a section for each part", titles ==
          [title for title, _, _ in sections.SECTIONS], titles)
    check("Markdown: tables are whole", whole(text) and len(tables_of(text)) == 19,
          len(tables_of(text)))
    check("Markdown: figures that there are", re.findall(r"!\[.*\]\((.*)\)", text) ==
          ["folder/peers.svg", "folder/length-mix.svg"])
    fit = next(line for line in text.splitlines() if line.startswith("| mix, Waymark"))
    check("Markdown: fits", [cell.strip() for cell in cells(fit)] ==
          ["mix, Waymark", "4", "0.180", "1.20", "0.250", "1.00000", "0.00400", "0.0200",
           "1.00000"], fit)
    spread = next(line for line in text.splitlines() if line.startswith("| mix | 4.00"))
    check("Markdown: spread", "1.40 (1.37–1.43)" in spread, spread)
    accesses = next(line for line in text.splitlines() if line.startswith("| cc1 | 500 |"))
    check("Markdown: accesses beside execlog", accesses.count(" 2.00 (1.96–2.04) ") == 2 and
          accesses.endswith("| 0.200 | 16.2 | 130 (127–133) | 70.0 (68.6–71.4) "
                            "| 45.0 (44.1–45.9) |"), accesses)
    check("Markdown: a peer of the user's", "| my-spike | see its command | 8 |" in text)
    check("Markdown: what did not end", re.search(r"^\| mix .*\| > 60 s \|$", text, re.M) and
          re.search(r"^\| lua .*\| failed \|$", text, re.M))
    check("Markdown: no blanks at the ends", not re.search("[ \t]$", text, re.M))
    table = tables.Table("a|b", "c\n")
    table.add("x", "1")
    check("Markdown: what would break a table",
          table.markdown().startswith("| a\\|b | c? |"))


def told(rows):
    """What report() says of these rows, and the page; it must bear all."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "some.csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(results.COLUMNS)
            out.writerows(rows)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            report.report(path, folder)
        with open(os.path.join(folder, "bench.md"), encoding="utf-8") as file:
            return said.getvalue(), file.read()


def check_missing(path):
    """Without gnuplot, for speed; its scripts are written all the same."""
    os.environ["PATH"] = ""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
    rows = [row for row in rows if row[1] not in ("lua", "sqlite", "cc1", "isort")]
    for column, name in enumerate(results.COLUMNS[:5]):
        for word in sorted({row[column] for row in rows}):
            some = [row for row in rows if row[column] != word]
            only = [row for row in rows if row[column] == word]
            for kind, chosen in (("without", some), ("only", only)):
                try:
                    page = told(chosen)[1]
                    check(f"{kind} {name} {word or 'empty'}", whole(page), page)
                except Exception as why:  # pylint: disable=broad-except
                    check(f"{kind} {name} {word or 'empty'}", False, repr(why))
    said, page = told([["programs", "lua", "none", "", "wall_s", "1", "1", "1", "1"]])
    check("one row only", "not measured: " in said and "| lua | 1.00 |" in page, said,
          page)


def main():
    found = results.read(sys.argv[2])
    check_fits()
    check_numbers()
    check_means(found)
    check_bars(found)
    check_paper()
    check_markdown(found)
    check_missing(sys.argv[2])


if __name__ == "__main__":
    main()
