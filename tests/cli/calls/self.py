# SPDX-License-Identifier: GPL-2.0-or-later
"""self.py TRACE [OPTION...]: `waymark calls` against `waymark hot` and `waymark info`.

A function's own instructions, as the calls have them, are those that the hot functions
have; all of them are the trace's. Code without symbols is one row of the latter, and what
the compiler split off is another."""

import collections
import csv
import json
import os
import re
import subprocess
import sys

waymark, trace, options = os.environ["WAYMARK"], sys.argv[1], sys.argv[2:]


def output(command, *words):
    words = [waymark, command, trace, *words]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def function_of(name):
    name = re.sub(r"^(\[.*\])\+0x[0-9a-f]+$", r"\1", name)
    return re.sub(r"\.cold(\.\d+)?$", "", name)


def sums(rows, column):
    found = collections.Counter()
    for row in rows:
        found[function_of(row["function"])] += int(row[column])
    return found


def from_csv(command, column, *more):
    text = output(command, "--format", "csv", *more, *options)
    return sums(csv.DictReader(text.splitlines()), column)


for option in "--no-inline", None:
    hot = from_csv("hot", "insns", *[option] * bool(option))
    own = from_csv("calls", "self_insns", *[option] * bool(option))
    for name in hot | own:
        assert hot[name] == own[name], (name, hot[name], own[name])
rows = json.loads(output("calls", "--format", "json", *options))
rows = rows if isinstance(rows, list) else next(iter(rows.values()))
assert sums(rows, "self_insns") == own
for row in rows:
    assert row["self_insns"] <= row["total_insns"], row
    assert row["open"] <= row["calls"], row
    assert (row["min_insns"] is None) == (row["open"] == row["calls"]), row
if not options:
    threads = json.loads(output("info", "--format", "json"))["threads"]
    insns = sum(thread["instructions"] for thread in threads)
    assert insns == sum(own.values()), (insns, sum(own.values()))
print(len(hot), "functions,", sum(own.values()), "instructions")
