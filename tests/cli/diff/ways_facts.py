# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: ways_facts.py FUNCTION [ARGUMENT...]

What ways.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import os
import re
import subprocess
import sys

from compared import *


def what_is_compared_by_symbol_is_said():
    assert [(p["a"].split("/")[-1], p["b"].split("/")[-1]) for p in d["by_symbol"]] == \
    	[("rounds", "moved")]


def and_what_is_of_one_build_not():
    assert d["by_symbol"] == []


def pair_divergences_at_rounds_3_and_5():
    assert h == [(31, 31, 3, 0), (60, 57, 0, 3)], h
    assert t["divergences"] == 2 and not t["identical"] and not d["identical"]
    assert (t["common"], t["a_only"], t["b_only"]) == (1306, 3, 3), t
    assert t["a_not_compared"] == t["b_not_compared"] == 0
    first, second = t["first_divergences"]
    assert [f["common_before"] for f in (first, second)] == [31, 26]
    assert first["then"] == second["then"] == "together"
    assert first["last_common"]["disassembly"].split()[0] == "bne"
    assert first["a_next"]["symbol"] == "_start"
    assert first["b_next"]["disassembly"].split()[0] == "jal"
    assert second["a_next"]["disassembly"].split()[0] == "jal"
    assert first["a_next"]["disassembly"] == "addi s2,s2,1", first
    assert second["b_next"]["symbol"] == "_start"


def what_is_shown_as_common_is(text, a, b, divergences):
    ran = [[row["address"] for row in csv.DictReader(subprocess.run(
        [os.environ["WAYMARK"], "insns", "--format", "csv", trace],
        stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines())]
        for trace in (a, b)]
    shown = [re.match(r" +(\d+) +(\d+)  (0x\w+)", line) for line in open(text)]
    shown = [(int(m[1]), int(m[2]), m[3]) for m in shown if m]
    for i, k, address in shown:
        assert ran[0][i] == ran[1][k] == address, (i, k, address)
    # 31 before the first one and 26 behind it; of the second one 26 and 32.
    assert len(shown) == (31 + 26 if divergences == "1" else 31 + 26 + 26 + 32), len(shown)


def from_where_a_and_b_are_told_to_begin():
    assert h == [(60, 57, 0, 3)], h
    assert (t["common"], t["a_instructions"], t["b_instructions"]) == (1249, 1249, 1252), t


def from_the_same_number():
    assert h[0] == (31, 31, 3, 0), h


def up_to_where_they_part():
    assert t["identical"] and t["common"] == 31, t


def a_little_further():
    assert h == [(31, 31, 2, 0)] and t["first_divergences"][0]["then"] == "end", t


def one_instruction():
    assert h == [(33, 31, 1, 1)] and t["a_only"] == 1, t


def n_1_lists_one():
    assert len(h) == 1 and t["divergences"] == 2


def n_0_lists_none():
    assert len(h) == 0 and t["divergences"] == 2


def and_not_the_second():
    assert t["divergences"] == 1 and t["a_only"] == t["b_only"] == 21, t


def all_of_it_at_once():
    assert h == [(31, 31, 3, 0), (60, 57, 0, 3)], h


def every_common_stretch_is_common_and_ways():
    a, b = ([(r["symbol"], r["offset"], r["code"]) for r in
             csv.DictReader(open(f"{run}.csv"))] for run in ("older", "newer"))
    assert len(a) == t["a_instructions"] and len(b) == t["b_instructions"]
    assert len(h) == t["divergences"] > 3
    i = j = common = 0
    for x, y, only_a, only_b in h + [(len(a), len(b), 0, 0)]:
        assert a[i:x] == b[j:y], (i, j)
        assert x == len(a) or y == len(b) or only_a or only_b
        if x < len(a) and y < len(b):
            assert a[x] != b[y], (x, y)
        common += x - i
        i, j = x + only_a, y + only_b
    assert common == t["common"]
    assert (sum(x[2] for x in h), sum(x[3] for x in h)) == (t["a_only"], t["b_only"])
    assert common > 0.9 * len(a)


globals()[sys.argv[1]](*sys.argv[2:])
