# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: logs_facts.py FUNCTION [ARGUMENT...]

What logs.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys

from compared import *


def form_the_other_run_is_another():
    assert h == [(31, 31, 0, 3), (57, 60, 3, 0)], h
    assert t["first_divergences"][0]["b_next"]["symbol"] == "_start"
    assert t["b_cpu"] == 0 and t["common"] == 1306


def qemu_s_own_log_of_another_run():
    assert h == [(31, 31, 0, 3), (57, 60, 3, 0)], h


def form_from_one_place_to_another_of_each():
    assert (t["a_instructions"], t["b_instructions"]) == (42, 39), t
    assert h == [(31, 47, 3, 0)], h


def form_from_where_only_a_goes():
    assert h == [(31, 35, 4, 0)], h


def qemu_s_own_log_by_the_instruction():
    assert (t["a_instructions"], t["b_instructions"]) == (5, 4), t


def a_boot_rom_before_the_program_is_no_diff():
    assert t["identical"] and (t["a_before"], t["b_before"]) == (0, 5), t
    assert t["common"] == 1309 and t["b_instructions"] == 1314


def and_divergences_behind_it_are():
    assert h == [(31, 36, 0, 3), (57, 65, 3, 0)], h


def an_instruction_in_a_row():
    assert [x[2:] for x in h] == [(0, 7)] and t["common"] == 1309, h


def a_log_of_commits_in_machine_mode_alone():
    assert t["identical"] and (t["a_before"], t["b_before"]) == (0, 5), t


def all_cpus():
    assert d["identical"] and len(d["threads"]) > 1, d
    assert [t["b_cpu"] for t in d["threads"]] == list(range(len(d["threads"])))


def a_cpu_that_the_log_does_not_have():
    assert t["identical"] and not d["identical"]
    assert all(t["b_cpu"] is None for t in d["threads"][1:])


def threads_that_a_cpu_had_one_after_the_oth():
    assert d["identical"] and max(len(t["a_threads"]) for t in d["threads"]) > 1, d


def one_thread_alone():
    assert d["identical"] and len(d["threads"]) == 1


globals()[sys.argv[1]](*sys.argv[2:])
