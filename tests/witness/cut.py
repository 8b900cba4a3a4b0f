#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds a trace of a part of a run against all that the witness saw in it, cut here.

usage: cut.py TRACE DIR PROGRAM RULE...

Rules: --window A..B, --only RANGE, --except RANGE, --program, --max-insns N; as record's, but
made of what is known of PROGRAM by nm and objdump, and looked for instruction by instruction:

    point   SYMBOL, SYMBOL+N, 0xADDRESS, line:N, insn:N, after:SYMBOL (when the instruction
            there has been executed); each with @N
    range   a SYMBOL, or LABEL-LABEL
    --fork LABEL: there a child begins, with what its parent had counted
    --part  of each thread a piece without holes; there must be more than nothing
    --listed: threads that the trace has not at all are left out
    --insns N: there are that many in all

Prints one line and exits with 0, or says where they part and exits with 1.
"""

import argparse
import copy
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402

CROSS = os.environ.get("CROSS", "riscv64-linux-gnu-")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Program:
    """What is where, in one run."""

    def __init__(self, path, info):
        self.path = os.path.realpath(path)
        self.symbols, self.ends = {}, {}
        for line in output(CROSS + "nm", "-S", path).splitlines():
            words = line.split()
            if len(words) >= 3 and re.fullmatch("[0-9a-f]+", words[0]):
                start = int(words[0], 16)
                self.symbols[words[-1]] = start
                if len(words) == 4:
                    self.ends[words[-1]] = start + int(words[1], 16)
        loads = [line.split() for line in output(CROSS + "readelf", "-lW", path).splitlines()
                 if line.startswith("  LOAD")]
        self.loads = [tuple(int(word, 16) for word in load[1:3] + load[5:6]) for load in loads]
        self.base = self.find_base(info)
        self.lines = None

    def find_base(self, info):
        """Where address 0 of the file is, by any of its modules."""
        for module in info["modules"]:
            if module["path"] and os.path.realpath(module["path"]) == self.path:
                start = int(module["start"], 16)
                for offset, vaddr, _ in self.loads:
                    if offset & ~0xfff == module["offset"] & ~0xfff:
                        return start - module["offset"] + offset - vaddr
        raise compare.Differs(f"no code of {self.path} ran")

    def holds(self, address):
        return any(vaddr <= address - self.base < vaddr + size
                   for _, vaddr, size in self.loads)

    def find(self, text):
        name, _, offset = text.partition("+")
        if name.startswith("0x"):
            return int(name, 16)
        return self.base + self.symbols[name] + int(offset or 0)

    def line_starts(self, number):
        """Where code of a line begins that does not go on from code of it."""
        source = os.path.basename(self.path).split(".")[0] + ".c"
        rows = []
        for line in output(CROSS + "objdump", "--dwarf=decodedline", self.path).splitlines():
            words = line.split()
            if len(words) >= 3 and words[0] == source and words[2].startswith("0x"):
                rows.append((words[1], int(words[2], 16)))
        starts, last = set(), None
        for (line, at), (_, end) in zip(rows, rows[1:]):
            if end <= at or line == "-":
                continue
            if line == str(number) and last != (line, at):
                starts.add(self.base + at)
            last = (line, end)
        return starts

    def range(self, text):
        first, _, last = text.partition("-")
        return self.find(first), self.base + (self.symbols[last] if last else
                                              self.ends[first])


class Point:
    def __init__(self, program, text):
        place, _, times = text.partition("@")
        self.times, self.hits = int(times or 1), 0
        self.insn = int(place[5:]) if place.startswith("insn:") else None
        self.behind = place.startswith("after:")
        self.places = (set() if self.insn is not None or not place else
                       program.line_starts(int(place[5:])) if place.startswith("line:") else
                       {program.find(place.removeprefix("after:"))})
        self.never = not place

    def reached(self, number, address, before):
        if self.insn is not None:
            hit = number == self.insn
        else:
            hit = (before if self.behind else address) in self.places
        self.hits += hit
        return hit and self.hits >= self.times


class Window:
    def __init__(self, program, text):
        first, _, last = text.partition("..")
        self.start, self.stop = Point(program, first), Point(program, last)
        self.state = "open" if self.start.never else "pending"

    def step(self, number, address, before):
        """An instruction is about to run: whether the window is open."""
        stops = self.stop.reached(number, address, before)
        if self.state == "open" and stops:
            self.state = "done"
        starts = self.start.reached(number, address, before)
        if self.state == "pending" and starts:
            self.state = "open"
        return self.state == "open"


class Rules:
    def __init__(self, program, args):
        self.program = program
        self.windows = [Window(program, text) for text in args.window]
        self.only = [program.range(text) for text in args.only]
        self.without = [program.range(text) for text in args.without]
        self.program_only, self.max_insns = args.program, args.max_insns
        self.fork = program.find(args.fork) if args.fork else None
        self.number, self.before, self.at_fork = 0, None, None
        self.taken = 0

    def lets_through(self, address):
        if any(start <= address < end for start, end in self.without):
            return False
        if self.program_only and not self.program.holds(address):
            return False
        return not self.only or any(start <= address < end for start, end in self.only)

    def step(self, address):
        if address == self.fork and not self.at_fork:
            self.at_fork = copy.deepcopy(self.state())
        opens = [window.step(self.number, address, self.before) for window in self.windows]
        self.number, self.before = self.number + 1, address
        if self.max_insns and self.taken >= self.max_insns:
            return False
        takes = (not opens or any(opens)) and self.lets_through(address)
        self.taken += takes
        return takes

    def state(self):
        return self.windows, self.number, self.before, self.taken


def seen(logs):
    for log in logs:
        if log.head >= log.capacity:
            raise compare.Differs(f"{log.name} is full")
    return [[entry[0] for entry in compare.entries(log, 0)] for log in logs]


def listed(trace, stream):
    rows = compare.csv.reader(compare.waymark("insns", trace, "--thread", str(stream["index"]),
                                              "--format", "csv"))
    head = next(rows)
    address, code = head.index("address"), head.index("code")
    return [int(row[address], 16) for row in rows if len(row) > code and row[code]]


def is_part(piece, whole):
    """Whether `piece` is somewhere in `whole`, without holes."""
    first = [i for i, address in enumerate(whole) if address == piece[0]]
    return any(whole[i:i + len(piece)] == piece for i in first)


def part(name, got, whole):
    if got and not is_part(got, whole):
        raise compare.Differs(f"{name}: its {len(got)} instructions are not in one piece "
                              f"among the {len(whole)} that ran")
    return len(got)


def same(name, got, wanted):
    for number, (mine, its) in enumerate(zip(got, wanted)):
        if mine != its:
            raise compare.Differs(f"{name}: instruction {number} is {mine:#x}, not {its:#x}")
    if len(got) != len(wanted):
        raise compare.Differs(f"{name}: {len(got)} instructions, not {len(wanted)}")
    return len(got)


def check(args):
    info = compare.json.loads("".join(compare.waymark("info", args.trace, "--format", "json")))
    program = Program(args.file, info)
    images = compare.witnessed(args.folder)
    total, parent = 0, None
    for process in info["processes"]:
        logs = images.pop(process["pid"])[0]
        streams = {}
        for stream in info["threads"]:
            if stream["process"] == process["index"]:
                streams.setdefault(stream["tid"], []).append(stream)
        for log, addresses in zip(logs, seen(logs)):
            rules = Rules(program, args)
            if parent and parent.at_fork:
                rules.windows, rules.number, rules.before, rules.taken = parent.at_fork
            name = f"process {process['index']}, {log.name}"
            got = [address for stream in streams.get(log.tid, [])
                   for address in listed(args.trace, stream)]
            if args.part:
                total += part(name, got, addresses)
                continue
            wanted = [address for address in addresses if rules.step(address)]
            if args.listed and log.tid not in streams:
                wanted = []
            total += same(name, got, wanted)
            parent = parent or rules
        if streams.keys() - {log.tid for log in logs}:
            raise compare.Differs(f"process {process['index']}: threads that nobody saw")
    if not total:
        raise compare.Differs("nothing was recorded")
    if args.insns is not None and total != args.insns:
        raise compare.Differs(f"{total} instructions, not {args.insns}")
    print(f"{total} instructions")


def main():
    parser = argparse.ArgumentParser()
    for name in "trace", "folder", "file":
        parser.add_argument(name)
    parser.add_argument("--window", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--except", action="append", default=[], dest="without")
    parser.add_argument("--program", action="store_true")
    parser.add_argument("--max-insns", type=int)
    parser.add_argument("--fork")
    parser.add_argument("--part", action="store_true")
    parser.add_argument("--listed", action="store_true")
    parser.add_argument("--insns", type=int)
    try:
        check(parser.parse_args())
    except compare.Differs as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
