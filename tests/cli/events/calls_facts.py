# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: calls_facts.py FUNCTION [ARGUMENT...]

What calls.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import json
import os
import re
import subprocess
import sys

events = [json.loads(line) for line in open("jsonl")]
rows = list(csv.DictReader(open("csv", newline="")))
insns = list(csv.DictReader(open("insns", newline="")))
def calls(kind, thread=0):
    return [e for e in events if e["event"] == kind and e["thread"] == thread]


def csv_and_json_lines_tell_the_same():
    assert len(rows) == len(events) > 60
    for row, event in zip(rows, events):
        for key in "thread", "block", "insn", "ns", "event", "name":
            assert row[key] == str(event[key]), (row, event)


def in_the_order_of_the_clock_and_in_each_th():
    assert all(a["ns"] <= b["ns"] for a, b in zip(events, events[1:]))
    for thread in {e["thread"] for e in events}:
        mine = [e["insn"] for e in events if e["thread"] == thread]
        assert mine == sorted(mine), thread


def names_and_values_are_those_of_strace():
    pid = open("strace").read().split()[0]
    theirs = []
    for line in open("strace", errors="replace"):
        m = re.match(rf"{pid} (\w+)\(.* = (\S+)", line)
        # All that it says of a call that it does not make.
        unknown = re.match(rf"{pid} Unknown syscall (\d+)", line)
        if "clone" in line: break
        if m: theirs.append((m[1], m[2]))
        if unknown: theirs.append((int(unknown[1]), "-1"))
    mine = []
    for call, ret in zip(calls("syscall"), calls("syscall_ret")):
        if call["name"] == "clone": break
        assert call["insn"] == ret["insn"] and call["number"] == ret["number"]
        mine.append((call["name"], call["number"], ret["value"]))
    assert len(mine) == len(theirs) > 20, (len(mine), len(theirs))
    for (name, number, value), (other, text) in zip(mine, theirs):
        assert other in (name, number), (name, other)
        got = int(text, 0) if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text) else None
        assert value < 0 and got == -1 or value == got, (name, value, text)


def a_call_comes_after_its_ecall():
    for call in calls("syscall"):
        assert insns[call["insn"] - 1]["disassembly"].startswith("ecall"), call


def a_handler_starts_where_the_signal_is_tol():
    found = {e["name"]: e for e in calls("signal")}
    assert sorted(found) == ["SIGRT_5", "SIGSEGV", "SIGUSR1"], found
    for event in found.values():
        first = insns[event["insn"]]
        assert first["address"] == event["handler"], (event, first)
    assert found["SIGSEGV"]["fault"] == "0x10" and found["SIGSEGV"]["code"] == 1
    assert insns[found["SIGSEGV"]["insn"] - 1]["address"] == found["SIGSEGV"]["pc"]
    assert found["SIGSEGV"]["symbol"] == "main" or found["SIGSEGV"]["symbol"] == "fault"


def the_child_has_the_return_of_its_own_fork():
    children = [e for e in events if e["event"] == "syscall_ret" and e["insn"] == 0]
    assert len(children) == 1 and children[0]["name"] == "clone", children
    assert children[0]["value"] == 0


def from_and_to():
    where = [e["insn"] for e in calls("syscall")]
    for first, last in (where[3], where[9]), (where[3] + 1, where[9] + 1), (0, 10**9):
        words = f"events run.wmk --thread 0 --format jsonl --from {first} --to {last}".split()
        out = subprocess.run([os.environ["WAYMARK"], *words], check=True, stdout=subprocess.PIPE).stdout
        wanted = [e for e in events if e["thread"] == 0 and first <= e["insn"] < last]
        assert [json.loads(line) for line in out.splitlines()] == wanted


def pid_of_child():
    print(json.load(sys.stdin)["processes"][1]["pid"])


globals()[sys.argv[1]](*sys.argv[2:])
