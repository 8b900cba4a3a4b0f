# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: simpletrace_facts.py FUNCTION [ARGUMENT...]

What simpletrace.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import json
import sys


def all_are_in_order():
    times = [int(row["ns"]) for row in csv.DictReader(open("all"))]
    assert times == sorted(times) and len(times) > 10


def jsonl():
    events = [json.loads(line) for line in open("got")]
    assert [e["text"] for e in events if e["ns"] == 3200] == ["user_queue_signal 0x10 0xb"]


globals()[sys.argv[1]](*sys.argv[2:])
