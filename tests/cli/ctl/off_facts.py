# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: off_facts.py FUNCTION [ARGUMENT...]

What off.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def and_no_others_exactly():
    partly, full = json.load(open("partly.json")), json.load(open("full.json"))
    assert partly["gaps"] == 1 and partly["passed_exact"], partly
    assert partly["instructions"] + partly["passed"] == full["instructions"], (partly, full)


globals()[sys.argv[1]](*sys.argv[2:])
