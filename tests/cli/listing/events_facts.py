# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: events_facts.py FUNCTION [ARGUMENT...]

What events.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import subprocess
import sys


def each_is_where_it_says(first):
    def rows(command):
        words = [first, command, "run.wmk", "--format", "jsonl", "--events"]
        out = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
        return [json.loads(line) for line in out.splitlines()]
    for command, key in ("insns", "insn"), ("blocks", "block"):
        ordinal = 0
        for row in rows(command):
            if "event" in row:
                assert row[key] == ordinal, (row, ordinal)
            else:
                assert row["ordinal"] == ordinal
                ordinal += 1


globals()[sys.argv[1]](*sys.argv[2:])
