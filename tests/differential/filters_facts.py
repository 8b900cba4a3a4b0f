# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: filters_facts.py FUNCTION [ARGUMENT...]

What filters.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def threads_of_processes():
    info = json.load(sys.stdin)
    print(*sorted(f"{t['process']}:{t['name']}" for t in info["threads"]))


globals()[sys.argv[1]](*sys.argv[2:])
