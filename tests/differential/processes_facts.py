# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: processes_facts.py FUNCTION [ARGUMENT...]

What processes.sh checks that takes more than a line of shell: one function for each fact.
"""

import collections
import json
import sys


def count_processes():
    print(len(json.load(sys.stdin)["processes"]))


def children_of_each():
    processes = json.load(sys.stdin)["processes"]
    children = collections.Counter(p["parent"] for p in processes)
    print(sorted(children[p["index"]] for p in processes), processes[0]["parent"])


globals()[sys.argv[1]](*sys.argv[2:])
