# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: values_facts.py FUNCTION [ARGUMENT...]

What values.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys

from compared import *


def values_are_the_same():
    assert v["compared"] > 5 and v["differ"] == 0 and v["first"] == [], v


def no_values():
    assert v is None


def the_first_store_of_another_value():
    assert t["divergences"] == 0 and v["differ"] > 1, t
    first = next(x for x in v["first"] if x["a_did"]["kind"] == "store")
    assert first["symbol"] == "keep" and first["a"] == first["b"], first
    assert (first["a_did"]["value"], first["b_did"]["value"]) == ("0x61", "0x62"), first
    assert first["a_did"]["size"] == 1, first


def files_that_lie_elsewhere():
    assert t["divergences"] == 0 and v["compared"] >= 16 and v["differ"] == 0, t


def registers_at_a_place():
    assert [x["a_did"]["kind"] for x in v["first"]] == ["register", "returned"], v
    assert all(x["a_did"]["register"] == "a0" for x in v["first"]), v
    assert int(v["first"][0]["b_did"]["value"], 16) == 0x62, v


def a_variable_may_differ():
    assert v["differ"] == 1 and v["first"][0]["symbol"] == "start", v


def the_address():
    print(v["first"][0]["a_did"]["address"])


def the_stack_is_elsewhere():
    assert v["stack_distance"] == 4096, v


def the_move():
    """Of what lies behind the program's file."""
    distance = v["stack_distance"]
    print(f"0x100000000={0x100000000 - distance:#x}")


def a_store_to_another_address():
    assert v["differ"] == 1 and t["divergences"] == 0, t
    one = v["first"][0]
    assert one["b_did"]["address"] == "0xf" + one["a_did"]["address"][2:].rjust(8, "0"), one


globals()[sys.argv[1]](*sys.argv[2:])
