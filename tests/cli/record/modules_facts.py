# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: modules_facts.py FUNCTION [ARGUMENT...]

What modules.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import os
import re
import subprocess
import sys


def names_of_calls(first, second):
    lines = [line.split() for line in open(first + ".out")]
    places = {int(line[1], 16) for line in lines}
    calls = [line[0] for line in lines]
    wanted = {0: calls[:1] + calls[3:], 1: calls[1:3]}  # the second and third are the child's
    copies = range(203, 213)  # of the first thread's; the last of them is of the first library
    for thread in wanted:
        blocks = (json.loads(line) for line in open(f"{thread}.jsonl"))
        got = [block["symbol"] for block in blocks if int(block["address"], 16) in places]
        assert len(got) == len(wanted[thread]), (len(got), len(wanted[thread]))
        for i, (name, call) in enumerate(zip(got, wanted[thread])):
            gone = second and thread == 0 and i in copies and call != "a_inner"
            if gone or call in ("none", "unknown"):
                assert name is None, (thread, i, name)
            else:
                assert name == call, (thread, i, name, call)


def build_ids_are_those_of_readelf():
    seen = set()
    for module in json.load(open("info.json"))["modules"]:
        path = module["path"]
        if path and os.path.exists(path) and "copies" not in path:
            notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
            assert module["build_id"] == re.search(r"Build ID: (\w+)", notes)[1], path
            seen.add(os.path.basename(path))
        assert module["packed"] is False
    assert {"a.so", "b.so", "modules"} < seen, seen


def modules_are_in_order_and_those_that_are():
    modules = json.load(open("info.json"))["modules"]
    assert [m for m in modules if m["path"] is None and m["build_id"] is None]
    for process in 0, 1:
        own = [m for m in modules if m["process"] == process]
        assert own and own == sorted(own, key=lambda m: (m["known_blocks"], m["seconds"]))
        assert all(m["seconds"] > 0 for m in own)
    copies = [m for m in modules if m["path"] and "/new\nline and blanks.so" in m["path"]]
    assert len(copies) == 10 and len({m["build_id"] for m in copies}) == 2, copies


def list_modules():
    for m in json.load(open("info.json"))["modules"]:
        print(m["process"], m["start"], m["end"], m["offset"], m["known_blocks"],
              m["build_id"] or "-", m["path"] or "")


def info_says_what_is_packed(first):
    info = subprocess.run([first, "info", "--format", "json", "packed.wmk"], check=True,
                          capture_output=True).stdout
    for module in json.loads(info)["modules"]:
        path = module["path"] or "(deleted)"
        assert module["packed"] != path.endswith("(deleted)"), module


globals()[sys.argv[1]](*sys.argv[2:])
