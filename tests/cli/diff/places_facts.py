# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: places_facts.py FUNCTION [ARGUMENT...]

What places.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys

from compared import *


def of_each_another():
    assert d["identical"] is False and t["a_instructions"] == 1274, t
    assert t["b_instructions"] == t["common"] == 1274 - 26, t


def that_is_some_of_it():
    assert 0 < t["common"] < 20, t


def threads_that_do_not_come_there_are_left():
    assert d["identical"] and t["common"] > 0 and not t["left_out"]
    assert [(t["left_out"], t["common"]) for t in d["threads"][1:]] == \
    	[(True, 0)] * (len(d["threads"]) - 1) and len(d["threads"]) > 1, d


def also_with_a_log():
    assert d["identical"] and t["common"] > 0 and not t["left_out"]


globals()[sys.argv[1]](*sys.argv[2:])
