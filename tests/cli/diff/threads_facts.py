# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: threads_facts.py FUNCTION [ARGUMENT...]

What threads.sh checks that takes more than a line of shell: one function for each fact.
"""

import collections
import csv
import subprocess
import sys

from compared import *


def each_thread_with_itself():
    assert d["identical"] and len(d["threads"]) > 1
    assert all(t["a_threads"] == [t["b_thread"]] for t in d["threads"])


def threads_that_only_a_has():
    assert t["b_thread"] == 0 and len(d["threads"]) > 1 and not d["identical"]
    assert all(t["b_thread"] is None and not t["identical"] and t["a_instructions"]
               for t in d["threads"][1:])


def threads_that_only_b_has():
    assert all(t["a_threads"] == [] and t["b_thread"] and t["b_instructions"]
               for t in d["threads"][1:])


def one_thread_with_another():
    assert len(d["threads"]) == 1 and t["a_threads"] == [1] and t["b_thread"] == 2
    assert t["a_instructions"] == t["common"] + t["a_only"] + t["a_not_compared"]


def one_thread_of_one_process():
    assert len(d["threads"]) == 1 and t["b_thread"] == 0


def by_mnemonic_as_listings_have_it(first):
    def counts(path):
        return collections.Counter(r["disassembly"].split()[0] for r in
                                   csv.DictReader(open(path)))
    a, b = counts("a.csv"), counts("b.csv")
    out = subprocess.run([first, "diff", "--by", "mnemonic", "--format", "csv",
                          "--to", "100:200", "3.wmk", "moved5.wmk"],
                         stdout=subprocess.PIPE, text=True)
    rows = list(csv.DictReader(out.stdout.splitlines()))
    assert out.returncode == 1 and len(rows) >= 3
    for r in rows:
        assert (a[r["name"]], b[r["name"]]) == (int(r["a"]), int(r["b"])), r
        assert int(r["difference"]) == int(r["b"]) - int(r["a"]) != 0, r
    assert {r["name"] for r in rows} == {k for k in a | b if a[k] != b[k]}
    sizes = [abs(int(r["difference"])) for r in rows]
    assert sizes == sorted(sizes, reverse=True)


def by_class():
    rows = {r["name"]: (int(r["a"]), int(r["b"])) for r in csv.DictReader(open("classes"))}
    # A round is addi, bne, jal, eight addi, ret, bne.
    assert rows == {"integer": (2 + 7 * 9 + 3 + 1, 2 + 14 * 9 + 3 + 9), "call": (8, 15),
                    "return": (7, 15), "branch": (7 * 2 + 1, 14 * 2 + 1)}, rows


globals()[sys.argv[1]](*sys.argv[2:])
