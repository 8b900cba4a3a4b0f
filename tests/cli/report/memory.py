# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a report's memory part with what other commands say of the same trace.

usage: memory.py REPORT.html TRACE.wmk [FROM]    (of one thread; FROM: of --from)
"""

import csv
import math
import os
import subprocess
import sys

from pagedata import report_data

SHADES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def rows_of(*words):
    out = subprocess.run([os.environ["WAYMARK"], *words, "--format", "csv"],
                         capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(out.splitlines()))


def check_map(memory, accesses):
    """Each cell has about as many as are listed; what has none is clear."""
    counts = {"load": {}, "store": {}}
    for row in accesses:
        column = (int(row["insn"]) - memory["from"]) // memory["width"]
        start = int(row["address"], 16) // memory["row_bytes"] * memory["row_bytes"]
        of = counts[row["kind"]]
        of[hex(start), column] = of.get((hex(start), column), 0) + 1
    assert memory["loads"] == sum(counts["load"].values())
    assert memory["stores"] == sum(counts["store"].values())
    assert len(memory["rows"]) <= 192
    for address, loads, stores in memory["rows"]:
        for kind, shades in (("load", loads), ("store", stores)):
            assert len(shades) == memory["columns"]
            for column, shade in enumerate(shades):
                n = counts[kind].pop((address, column), 0)
                level = SHADES.index(shade)
                assert bool(n) == bool(level), (address, column, n, level)
                if n:
                    want = 1 + 62 * math.log(n) / max(math.log(memory["most"]), 1e-9)
                    assert abs(level - want) <= 1 or memory["most"] == 1, (n, level, want)
    assert not counts["load"] and not counts["store"], "accesses without a row"


def check_regions(memory):
    at = 0
    for first, end, _ in memory["regions"]:
        assert first == at < end
        at = end
    assert at == len(memory["rows"])
    names = [os.path.basename(name) for _, _, name in memory["regions"]]
    assert "stack" in names and any(name.startswith("qsort") for name in names), names


def check_over_time(memory, sets, misses):
    """The working set, and misses of the first cache, of every column."""
    def columns(rows, key, of):
        values = [0] * memory["columns"]
        for row in rows:
            values[(int(row["from"]) - memory["from"]) // memory["width"]] += of * int(row[key])
        return values
    assert memory["touched"] == columns(sets, "cache_lines", 64)
    assert [cache["name"] for cache in memory["caches"]] == ["L1D", "L2", "LLC"]
    assert memory["caches"][0]["misses"] == columns(misses, "l1d_misses", 1)
    for near, far in zip(memory["caches"], memory["caches"][1:]):
        assert all(x >= y for x, y in zip(near["misses"], far["misses"])), far["name"]


def check_functions(functions, misses):
    """The table has the columns and the order of the command's."""
    names = [name for name, _ in functions["columns"]]
    assert {"function", "l1d_misses", "llc_misses", "loads", "stores"} <= set(names), names
    assert len(functions["rows"]) == len(misses) > 3
    for row, want in zip(functions["rows"], misses):
        for name, cell in zip(names, row):
            if name not in ("share", "l1d_rate"):
                assert str(cell) == want[name], (name, cell, want)


def main(page, trace, begin="0"):
    memory = report_data(page)["memory"]
    part = ("--from", begin, trace)
    width = str(memory["width"])
    check_map(memory, rows_of("mem", *part))
    check_regions(memory)
    check_over_time(memory, rows_of("mem", "--working-set", "--interval", width, *part),
                    rows_of("cache", "--interval", width, *part))
    check_functions(memory["functions"], rows_of("cache", *part))


main(*sys.argv[1:])
