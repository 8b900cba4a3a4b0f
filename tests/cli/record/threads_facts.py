# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: threads_facts.py FUNCTION [ARGUMENT...]

What threads.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def count_processes():
    print(len({t["process"] for t in json.load(sys.stdin)["threads"]}))


def count_threads():
    threads = json.load(sys.stdin)["threads"]
    print(len(threads), len({t["blocks"] for t in threads[1:]}))


globals()[sys.argv[1]](*sys.argv[2:])
