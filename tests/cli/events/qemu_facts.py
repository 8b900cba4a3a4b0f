# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: qemu_facts.py FUNCTION [ARGUMENT...]

What qemu.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import re
import sys


def they_are_the_calls_their_returns_and_the():
    ours, theirs, kinds = [], [], []
    for line in open("events"):
        event = json.loads(line)
        if event["event"] == "qemu":
            name = event["text"].split()[0]
            number = re.search(r"num=(\w+)", event["text"])
            if name.startswith("guest_user_syscall"):
                theirs.append((name == "guest_user_syscall", int(number[1], 0)))
            kinds.append(name)
        elif event["event"].startswith("syscall"):
            ours.append((event["event"] == "syscall", event["number"]))
    assert ours == theirs and len(ours) > 20, (len(ours), len(theirs))
    signals = sum('"event":"signal"' in line for line in open("events"))
    assert kinds.count("user_setup_rt_frame") == signals > 0, kinds


def the_clock_has_them_near_by():
    events = [json.loads(line) for line in open("events")]
    assert all(a["ns"] <= b["ns"] for a, b in zip(events, events[1:]))
    calls = [e["ns"] for e in events if e["event"] == "syscall"]
    lines = [e["ns"] for e in events if e["event"] == "qemu" and "syscall cpu" in e["text"]]
    assert len(calls) == len(lines)
    assert min(calls) - 10**9 < min(lines) and max(lines) < max(calls) + 10**9


globals()[sys.argv[1]](*sys.argv[2:])
