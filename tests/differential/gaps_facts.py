# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: gaps_facts.py FUNCTION [ARGUMENT...]

What gaps.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def fact(first):
    print(json.load(sys.stdin)[first])


def range_of_module():
    for module in json.load(sys.stdin)["modules"]:
        if (module["path"] or "").endswith("qsort.dyn"):
            print(module["start"], module["end"])
            break


def inside_range(*words):
    start, end = (int(word, 16) for word in words)
    for line in sys.stdin:
        if start <= int(line.split(", ")[1], 16) < end:
            sys.stdout.write(line)


globals()[sys.argv[1]](*sys.argv[2:])
