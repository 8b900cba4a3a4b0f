# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: top_facts.py FUNCTION [ARGUMENT...]

What top.sh checks that takes more than a line of shell: one function for each fact.
"""

import re
import sys


def shares_add_up():
    frame = open("frames").read().split("\n\n waymark")[-1]
    shares = [float(x) for x in re.findall(r"^ +([0-9.]+)% +[0-9.]+ ?[kMG]?  \S+ ", frame, re.M)]
    assert 95 < sum(shares) <= 100.5, shares
    assert shares == sorted(shares, reverse=True), shares


globals()[sys.argv[1]](*sys.argv[2:])
