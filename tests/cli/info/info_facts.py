# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: info_facts.py FUNCTION [ARGUMENT...]

What info.sh checks that takes more than a line of shell: one function for each fact.
"""

import datetime
import json
import os
import subprocess
import sys
import time


def json_has_its_keys_with_sensible_values(first, second, third):
    guest = os.path.join(first, "status.O0")
    info = json.load(open("info.json"))
    wanted = """instructions uncertain until blocks bytes bits_per_instruction complete cut command guest_isa
    qemu_version waymark_version last started events seconds chunks known_blocks threads processes
    modules gaps passed passed_exact windows windows_missed filters limits limit_reached threads_left_out
    processes_left_out qemu_arguments qemu_environment""".split()
    assert sorted(info) == sorted(wanted), sorted(info)
    assert info["bytes"] == os.path.getsize("run.wmk")
    assert info["instructions"] > info["blocks"] > info["known_blocks"] > 100
    bits = info["bytes"] * 8 / info["instructions"]
    assert abs(info["bits_per_instruction"] - bits) < 1e-6
    assert info["passed_exact"] is True
    assert info["complete"] is True and info["cut"] is None
    assert info["command"] == guest + " 'an argument'", info["command"]
    assert info["guest_isa"].startswith("riscv64"), info["guest_isa"]
    version = subprocess.run([second, "--version"], capture_output=True, text=True).stdout
    assert f" version {info['qemu_version']}" in version.splitlines()[0], info["qemu_version"]
    assert info["waymark_version"]
    then = datetime.datetime.fromisoformat(info["started"].replace("Z", "+00:00"))
    begin, end = int(third), time.time()
    assert begin <= then.timestamp() <= end, (begin, then, end)
    assert 0 < info["seconds"] < end - begin, info["seconds"]
    [thread] = info["threads"]
    assert sorted(thread) == sorted("index process vcpu generation tid name blocks "
                                    "instructions uncertain gaps passed chunks".split())
    for key in "blocks", "instructions", "uncertain", "gaps", "passed", "chunks":
        assert thread[key] == info[key], key
    [process] = info["processes"]
    assert process["pid"] > 1 and process["parent"] is None
    assert process["exit"] == 7 and process["signal"] is None
    assert process["began"] == "start" and process["replaced"] is False
    assert os.path.samefile(process["path"], guest)
    assert any(os.path.samefile(m["path"], guest) for m in info["modules"]
               if os.path.exists(m["path"]))
    for module in info["modules"]:
        assert int(module["start"], 16) < int(module["end"], 16)


def insns_grouped():
    print(format(json.load(open("info.json"))["instructions"], ","))


def all_processes_of_a_thread():
    thread, = json.load(open("info.json"))["threads"]
    assert thread["process"] == 2 and thread["processes"] == [2, 3], thread


def how_processes_began_and_ended():
    info = json.load(open("info.json"))
    first, forked, new = info["processes"]
    assert [p["began"] for p in info["processes"]] == ["start", "fork", "exec"]
    assert [p["parent"] for p in info["processes"]] == [None, 0, 1]
    assert [p["replaced"] for p in info["processes"]] == [False, True, False]
    assert forked["pid"] == new["pid"] != first["pid"]
    assert first["exit"] == 0
    assert [(t["process"], t["vcpu"], t["generation"]) for t in info["threads"]] == [
        (0, 0, 0), (1, 0, 0), (2, 0, 0)]


globals()[sys.argv[1]](*sys.argv[2:])
