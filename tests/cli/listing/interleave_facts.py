# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: interleave_facts.py FUNCTION [ARGUMENT...]

What interleave.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import os
import subprocess
import sys


def listing(command, *options, form="csv"):
    words = [os.environ["WAYMARK"], command, "run.wmk", "--format", form, *options]
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return out.stdout.decode().splitlines(keepends=True)
threads = json.loads(subprocess.run([os.environ["WAYMARK"], "info", "run.wmk", "--format", "json"],
                                    check=True, stdout=subprocess.PIPE).stdout)["threads"]


def csv_each_thread_s_own_lines():
    assert len(threads) > 12 and len({t["process"] for t in threads}) == 4
    header, *mixed = listing("blocks", "--interleave")
    own = {str(t["index"]): [] for t in threads}
    for line in mixed:
        thread, rest = line.split(",", 1)
        own[thread].append(rest)
    assert header.startswith("thread,")
    for thread, lines in own.items():
        assert lines == listing("blocks", "--thread", thread)[1:], thread


def text_each_thread_s_own_lines_and_comment():
    mixed = listing("insns", "--interleave", "--process", "1", form="text")
    own = {t["index"]: [] for t in threads if t["process"] == 1}
    switches = last = 0
    for line in mixed:
        if line.startswith("#"): continue
        thread = int(line[:5])
        own[thread].append(line[5:])
        switches += thread != last
        last = thread
    assert switches > len(own) > 1
    for thread, lines in own.items():
        assert lines == listing("insns", "--thread", str(thread), "--no-events", form="text"), thread


def json_lines_each_thread_s_own_with_its_ev():
    own = {t["index"]: [] for t in threads}
    clock = 0
    for line in listing("blocks", "--interleave", "--events", form="jsonl"):
        row = json.loads(line)
        if "event" in row:
            assert row["ns"] >= clock, (row, clock)
            clock = row["ns"]
        own[row["thread"]].append(row)
    for thread, rows in own.items():
        alone = listing("blocks", "--thread", str(thread), "--events", form="jsonl")
        assert [{"thread": thread, **json.loads(line)} for line in alone] == rows, thread


def spike_by_core():
    cores = {line[:9] for line in listing("insns", "--interleave", "--process", "0", form="spike")}
    assert cores == {"core %3d:" % t["vcpu"] for t in threads if t["process"] == 0}, cores


def process_has_the_threads_of_one():
    mine = {str(t["index"]) for t in threads if t["process"] == 2}
    got = {line.split(",")[0] for line in listing("blocks", "--interleave", "--process", "2")[1:]}
    assert got == mine and len(mine) > 1


def parts_are_parts_of_the_whole():
    whole = listing("blocks", "--interleave")[1:]
    for thread in 0, len(threads) - 1:
        where = [i for i, line in enumerate(whole) if line.startswith(f"{thread},")]
        for first, last in (0, 5), (7, 300), (100, len(where) - 1):
            options = ["--interleave", "--thread", str(thread), "--from", str(first)]
            wanted = whole[where[first] if first else 0:]
            assert listing("blocks", *options)[1:] == wanted, (thread, first)
            assert listing("blocks", *options, "-n", "50")[1:] == wanted[:50]
            got = listing("blocks", *options, "--to", str(last))[1:]
            assert got == wanted[:len(got)]
            mine = [line for line in got if line.startswith(f"{thread},")]
            assert len(mine) == last - first, (thread, first, last)


def parts_of_instructions():
    whole = listing("insns", "--interleave", "-n", "60000")[1:]
    where = [i for i, line in enumerate(whole) if line.startswith("0,")]
    for first in range(20000, 20008):
        options = ["--interleave", "--from", str(first)]
        got = listing("insns", *options, "-n", "100")[1:]
        assert got == whole[where[first]:where[first] + 100], first
        assert listing("insns", *options, "--to", str(first + 3))[1:] == got[:3], first


globals()[sys.argv[1]](*sys.argv[2:])
