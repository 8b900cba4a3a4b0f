# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: events_facts.py FUNCTION [ARGUMENT...]

What events.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def fields(*words):
    for line in sys.stdin:
        event = json.loads(line)
        print(*[event[key] for key in words])


def children():
    for process in json.load(sys.stdin)["processes"][1:]: print(process["pid"])


def named_threads():
    for thread in json.load(sys.stdin)["threads"]:
        if thread["name"]: print(thread["tid"], thread["name"])


def mappings_by_calls():
    call = None
    for line in sys.stdin:
        event = json.loads(line)
        if event["event"] == "syscall": call = event
        if event["event"] != "syscall_ret" or event["value"] in range(-4095, 0): continue
        if event["name"] == "mmap":
            print("mmap", hex(event["value"]), int(call["args"][1], 0), *call["args"][2:4], call["args"][5])
        if event["name"] == "munmap":
            print("munmap", call["args"][0], int(call["args"][1], 0))


def mappings_by_events():
    for line in sys.stdin:
        event = json.loads(line)
        if event["event"] == "mmap":
            print("mmap", event["address"], event["length"], event["prot"], event["flags"], event["offset"])
        if event["event"] == "munmap":
            print("munmap", event["address"], event["length"])


globals()[sys.argv[1]](*sys.argv[2:])
