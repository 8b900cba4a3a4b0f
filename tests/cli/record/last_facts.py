# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: last_facts.py FUNCTION [ARGUMENT...]

What last.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def fact(key):
    print(json.load(sys.stdin)[key])


def insns_of_threads():
    for thread in json.load(sys.stdin)["threads"]: print(thread["instructions"])


globals()[sys.argv[1]](*sys.argv[2:])
