# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: backends_facts.py FUNCTION [ARGUMENT...]

What backends.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import os
import re
import socket
import subprocess
import sys


def of_each_kind_thread_and_time_with_these():
    theirs = []
    for line in open("text"):
        m = re.match(r"\[(\d+)\] (\w+): \{ pid = (\d+), tid = (\d+) \}, \{ (.*) \}$", line)
        assert m, line
        theirs.append((m[2], m[5]))
    def number(value):
        return int(value, 0) if isinstance(value, str) and value.startswith("0x") else value
    ours, counts = [], {}
    for line in open("events"):
        event = json.loads(line)
        kind = event["event"]
        if kind == "syscall":
            fields = [("number", event["number"])]
        elif kind == "syscall_ret":
            fields = [("number", event["number"]), ("value", event["value"])]
        elif kind == "signal":
            fields = [("signal", event["signal"]), ("code", event["code"]), ("pc", number(event["pc"])),
                      ("address", number(event["fault"])), ("handler", number(event["handler"]))]
        else:
            fields = [(key, number(value)) for key, value in event.items()
                      if key not in ("thread", "process", "ns", "event", "text", "block", "insn")]
        ours.append((kind, fields))
    def parse(text):
        return {key: int(value, 0) if value[0] in "-0123456789" else value
                for key, value in re.findall(r'(\w+) = ("[^"]*"|\( "\w+" : container = \d+ \)|-?\w+)', text)}
    # Between threads the order is by the clock in both; at one time it may differ.
    def key(kind, fields):
        return kind, tuple(sorted(fields))
    mine = sorted(key(kind, fields) for kind, fields in ours)
    wanted = {kind: {name for name, _ in fields} for kind, fields in ours}
    seen = sorted(key(kind, [(name, value) for name, value in parse(text).items()
                             if name in wanted[kind]]) for kind, text in theirs)
    assert seen == mine, [pair for pair in zip(seen, mine) if pair[0] != pair[1]][:3]
    paths = [parse(text)["string"] for kind, text in theirs if kind == "syscall"]
    assert '"/proc/self/exe"' in paths


def take_syslog(first, second):
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind("/dev/log")
    try:
        words = ["record", "-o", "run2.wmk", "--events=-*,vcpu*,exec", "--events-to", "syslog"]
        subprocess.run([first, *words, second], stdout=subprocess.DEVNULL)
        log.setblocking(False)
        while True:
            print(log.recv(4096).decode())
    except BlockingIOError:
        pass
    finally:
        os.unlink("/dev/log")


def name_with_its_fields():
    notes = open("notes").read()
    args = dict(re.findall(r"Name: (\w+)\n.*\n    Arguments: ?(.*)", notes))
    count = {name: len(re.findall(r"-?\d@", text)) for name, text in args.items()}
    assert count["syscall"] == 8 and count["syscall_ret"] == 2 and count["fork"] == 1, count
    assert args["syscall_ret"].split()[1].startswith("-8@"), args


globals()[sys.argv[1]](*sys.argv[2:])
