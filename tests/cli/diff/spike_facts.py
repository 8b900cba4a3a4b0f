# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: spike_facts.py FUNCTION [ARGUMENT...]

What spike.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys

from compared import *


def all_of_it_is_user_mode_s():
    assert t["a_before"] == t["b_before"] == 0


def a_log_that_ends_early():
    assert [f["then"] for f in t["first_divergences"]] == ["end"], t
    assert t["common"] == t["b_instructions"] > 500 and t["b_only"] == 0, t


def and_of_another_kind_of_output():
    assert [x[2:] for x in h] == [(75, 0)] and t["common"] == 485230, h
    assert t["first_divergences"][0]["a_next"]["symbol"] == "_IO_file_doallocate", t


globals()[sys.argv[1]](*sys.argv[2:])
