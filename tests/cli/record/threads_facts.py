# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: threads_facts.py FUNCTION [ARGUMENT...]

What threads.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import json
import os
import subprocess
import sys


def count_processes():
    print(len({t["process"] for t in json.load(sys.stdin)["threads"]}))


# The rows of hot for one thread: {function: (executions, instructions)}.
def functions_of(trace, thread):
    text = subprocess.run([os.environ["WAYMARK"], "hot", "--thread", str(thread), "-f",
                           "function,executions,insns", "--format", "csv", trace],
                          check=True, capture_output=True, text=True).stdout
    return {row["function"]: (row["executions"], row["insns"])
            for row in csv.DictReader(text.splitlines())}


# The first of them finds out what the C library then knows (glibc 2.41 reads a tunable).
def threads_are_alike(trace):
    threads = json.load(sys.stdin)["threads"]
    assert len(threads) == 13, len(threads)
    assert len({t["blocks"] for t in threads[2:]}) == 1, [t["blocks"] for t in threads]
    first, second, *others = (functions_of(trace, t) for t in range(1, 13))
    assert all(other == second for other in others)
    assert "work" in first and first["work"] == second["work"], (first, second)
    differ = {name for name in first if first[name] != second.get(name)}
    assert differ <= {"__set_vma_name", "__tunable_get_val"}, differ


globals()[sys.argv[1]](*sys.argv[2:])
