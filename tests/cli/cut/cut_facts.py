# SPDX-License-Identifier: GPL-2.0-or-later
"""What cut.sh checks: a part has, line by line, what the whole has between two ordinals."""
import csv
import json
import os
import random
import subprocess
import sys

WAYMARK = os.environ["WAYMARK"]


def said(*words):
    done = subprocess.run([WAYMARK, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def listed(trace, *words):
    """The instructions, with their values where there are some, without their ordinals."""
    rows = []
    for line in said("insns", trace, "--format", "jsonl", "--no-events", *words).splitlines():
        row = json.loads(line)
        for key in ("insn", "ordinal", "n"):
            row.pop(key, None)
        rows.append(row)
    return rows


def sums(trace):
    return json.loads(said("info", trace, "--format", "json"))


def same(trace, thread, first, behind, *words):
    bounds = ["--from", str(first)] + (["--to", str(behind)] if behind is not None else [])
    said("cut", trace, "--thread", str(thread), *bounds, "-o", "part.wmk")
    said("verify", "part.wmk")
    wanted = listed(trace, "--thread", str(thread), *bounds, *words)
    got = listed("part.wmk", *words)
    assert got == wanted, (
        trace, thread, first, behind, len(got), len(wanted),
        next(((a, b) for a, b in zip(got, wanted) if a != b), None))
    return got


def parts_are_parts(trace, times, most, *words):
    """Parts of all threads, from anywhere to anywhere."""
    dice = random.Random(trace + str(times))
    threads = sums(trace)["threads"]
    for _ in range(int(times)):
        thread = dice.randrange(len(threads))
        insns = threads[thread]["instructions"]
        if not insns:
            continue
        first = dice.randrange(insns)
        behind = min(insns, first + 1 + dice.randrange(int(most)))
        same(trace, thread, first, behind, *words)


def single_instructions(trace, first, *words):
    """A part of one instruction, wherever in a block it is."""
    for at in range(int(first), int(first) + 12):
        got = same(trace, 0, at, at + 1, *words)
        assert len(got) == 1


def the_whole_is_a_part(trace):
    said("cut", trace, "-o", "whole.wmk")
    said("verify", "whole.wmk")
    for command in ("insns", "events"):
        assert said(command, trace) == said(command, "whole.wmk"), command
    a, b = sums(trace), sums("whole.wmk")
    for key in ("instructions", "blocks", "chunks", "threads", "complete"):
        assert a[key] == b[key], key


def events_are_at_their_places(trace, first, behind):
    """Of the thread, with what is between its instructions."""
    said("cut", trace, "--thread", "0", "--from", first, "--to", behind, "-o", "part.wmk")

    def events(name, *words):
        rows = []
        for line in said("events", name, "--thread", "0", "--format", "jsonl", *words).splitlines():
            row = json.loads(line)
            row.pop("block", None)
            rows.append(row)
        return rows
    whole = events(trace, "--from", first, "--to", behind)
    part = events("part.wmk")
    assert whole and len(whole) == len(part), (len(whole), len(part))
    for a, b in zip(whole, part):
        for key in ("insn", "ordinal"):
            if key in a:
                assert a.pop(key) - int(first) == b.pop(key), (a, b)
        assert a == b, (a, b)


def tables_are_of_the_part(trace, first, behind):
    said("cut", trace, "--thread", "0", "--from", first, "--to", behind, "-o", "part.wmk")
    bounds = ["--thread", "0", "--from", first, "--to", behind]
    for words in (["hot"], ["hot", "-b", "line"], ["mix"], ["cfg", "--loops"],
                  ["cover", "-b", "function", "-f", "function,executions"]):
        whole = said(*words, trace, *bounds, "--format", "csv")
        part = said(*words, "part.wmk", "--format", "csv")
        assert sorted(csv.reader(whole.splitlines())) == sorted(csv.reader(part.splitlines())), words


globals()[sys.argv[1]](*sys.argv[2:])
