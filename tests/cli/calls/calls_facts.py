# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: calls_facts.py FUNCTION [ARGUMENT...]

What calls.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import json
import os
import subprocess
import sys


def chunks():
    print(json.load(sys.stdin)["chunks"])


def json_is_what_csv_is():
    rows = json.load(open("json"))
    rows = rows if isinstance(rows, list) else next(iter(rows.values()))
    words = [os.environ["WAYMARK"], "calls", "deep.O3.wmk", "--format", "csv"]
    out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    other = list(csv.DictReader(out.splitlines()))
    assert len(rows) == len(other) > 50
    for a, b in zip(rows, other):
        assert a["function"] == b["function"] and str(a["calls"]) == b["calls"], (a, b)


def the_tree_in_json():
    calls = json.load(open("json"))["calls"]
    entries = [c for c in calls if c["event"] == "entry"]
    assert 2 * len(entries) == len(calls)
    assert {c["event"] for c in calls} == {"entry", "exit", "open"}
    assert sum(c["function"] == "dive" for c in entries) == 42236


globals()[sys.argv[1]](*sys.argv[2:])
