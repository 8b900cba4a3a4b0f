#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
A second way to mispredictions: reads `waymark insns`, line by line.

usage: reference.py TRACE FROM TO OPTION...

Tells from the text of each instruction what kind of branch it is, and from the instruction
that ran next where it went; simulates the predictors in the plainest way (histories are
lists, folds are computed anew each time) and holds the counts of each kind and of each branch
against `waymark bpred TRACE --from FROM --to TO OPTION...`. Prints one line and exits with 0,
or says what differs and exits with 1.
"""

import collections
import csv
import json
import os
import re
import subprocess
import sys

LINKS = ("ra", "t0")
KINDS = ("conditional", "jump", "call", "indirect call", "return", "indirect jump")
BROKEN_BY = ("gap", "window")


def waymark(*words):
    with subprocess.Popen([os.environ["WAYMARK"], *words], stdout=subprocess.PIPE,
                          text=True) as process:
        yield from process.stdout
    assert process.returncode == 0, words


def fail(*why):
    print(*why)
    sys.exit(1)


# ---- what an instruction is --------------------------------------------------


def riscv(text):
    """(kind, target or None); kind None: no branch."""
    text, _, comment = text.partition("#")
    name, _, operands = text.strip().partition(" ")
    target = int(comment, 16) if comment else None
    first, _, rest = operands.partition(",")
    if re.fullmatch(r"b(eq|ne|lt|ge|gt|le)(u|z)?", name):
        return "conditional", target
    if name in ("j", "jal"):
        return ("call" if name == "jal" and first in LINKS else "jump"), target
    if name == "ret":
        return "return", None
    if name == "jr":
        return ("return" if first in LINKS else "indirect jump"), None
    if name == "jalr":
        if first in LINKS:
            return "indirect call", None
        return ("return" if rest.split(",")[0] in LINKS else "indirect jump"), None
    return None, None


def by_name(text, conditional, jump, call, leave, indirect):
    name, _, operands = text.removeprefix("notrack ").partition(" ")
    operand = operands.rpartition(" ")[2].lstrip("#")
    target = int(operand, 16) if re.fullmatch("0x[0-9a-f]+", operand) else None
    for kind, pattern in (("return", leave), ("call", call), ("jump", jump),
                          ("indirect jump", indirect), ("conditional", conditional)):
        if not re.fullmatch(pattern, name):
            continue
        if kind in ("call", "jump") and target is None:
            kind = "indirect " + kind
        return kind, target
    return None, None


def x86(text):
    return by_name(text, r"j[a-z]+|loop[a-z]*", "jmpq?l?", "call[ql]?", "ret[ql]?", "-")


def aarch64(text):
    return by_name(text, r"b\.[a-z]+|cbn?z|tbn?z", "b", "blr?", "ret", "br")


GUESTS = {"riscv64": (riscv, 1), "riscv32": (riscv, 1), "x86_64": (x86, 0),
          "i386": (x86, 0),
          "aarch64": (aarch64, 2)}


# ---- predictors: predict(pc, history) and learn(..., taken) ------------------


class Counters:
    def __init__(self, entries, length):
        self.counters = collections.defaultdict(lambda: 1)
        self.entries, self.length = entries, length
        self.longest = length

    def next(self, pc, history, taken):
        recent = sum(bit << i for i, bit in enumerate(history[:self.length]))
        index = (pc ^ recent) % self.entries
        counter = self.counters[index]
        self.counters[index] = min(counter + 1, 3) if taken else max(counter - 1, 0)
        return counter > 1


class Tage:
    def __init__(self, entries, history, tables, tag, base, aging):
        self.lengths = [history << i for i in range(tables)]
        self.longest = self.lengths[-1]
        self.tables = [{} for _ in range(tables)]  # index: [tag, counter, use]
        self.width, self.tag = entries.bit_length() - 1, tag
        self.base = Counters(base, 0)
        self.trust = self.count = 0
        self.aging = aging

    @staticmethod
    def fold(history, width):
        bits = 0
        for i, outcome in enumerate(history):
            bits ^= outcome << i % width
        return bits

    def find(self, pc, history):
        for table, length in zip(self.tables, self.lengths):
            seen = history[:length]
            index = pc ^ pc >> self.width ^ self.fold(seen, self.width)
            tag = pc ^ self.fold(seen, self.tag) ^ self.fold(seen, self.tag - 1) << 1
            yield table, index % (1 << self.width), tag % (1 << self.tag)

    def next(self, pc, history, taken):
        places = list(self.find(pc, history))
        match = [i for i, (table, index, tag) in enumerate(places)
                 if index in table and table[index][0] == tag]
        entries = [places[i][0][places[i][1]] for i in match]
        base = self.base.counters[pc % self.base.entries] > 1
        other = entries[-2][1] >= 0 if len(entries) > 1 else base
        predicted = other
        if entries:
            entry = entries[-1]
            mine, fresh = entry[1] >= 0, entry[1] in (-1, 0) and not entry[2]
            predicted = other if fresh and self.trust > 0 else mine
            if mine != other:
                if fresh:
                    self.trust = min(max(self.trust + (1 if other == taken else -1), -8), 7)
                entry[2] = min(max(entry[2] + (1 if mine == taken else -1), 0), 3)
            entry[1] = min(max(entry[1] + (1 if taken else -1), -4), 3)
        else:
            self.base.next(pc, [], taken)
        if predicted != taken:
            self.allocate(places[match[-1] + 1 if match else 0:], taken)
        self.count += 1
        if self.count % self.aging == 0:
            for table in self.tables:
                for entry in table.values():
                    entry[2] //= 2
        return predicted

    @staticmethod
    def allocate(places, taken):
        for table, index, tag in places:
            if index not in table or not table[index][2]:
                table[index] = [tag, 0 if taken else -1, 0]
                return
        for table, index, tag in places:
            table[index][2] -= 1


class Targets:
    """The least recently used of a set is its first key; a path mixes earlier targets."""

    def __init__(self, entries, ways, path):
        self.sets = [collections.OrderedDict() for _ in range(entries // ways)]
        self.ways, self.bits, self.path = ways, path, 0

    def next(self, pc, target):
        key = pc ^ self.path
        chosen = self.sets[key % len(self.sets)]
        right = chosen.get(key) == target
        chosen[key] = target
        chosen.move_to_end(key)
        if len(chosen) > self.ways:
            chosen.popitem(last=False)
        self.path = (self.path << 3 ^ target) % (1 << self.bits)
        return right


def settings(text, **standard):
    for word in filter(None, text.split(",")):
        key, _, value = word.partition("=")
        assert key in standard, word
        standard[key] = int(value)
    return standard


def directions(text):
    name, _, rest = text.partition(",")
    if name == "bimodal":
        return Counters(settings(rest, entries=16384)["entries"], 0)
    if name == "gshare":
        sizes = settings(rest, entries=16384, history=14)
        return Counters(sizes["entries"], sizes["history"])
    return Tage(**settings(rest, entries=1024, history=4, tables=6, tag=10, base=4096,
                           aging=1 << 18))


class Front:
    def __init__(self, options, shift):
        self.shift = shift
        self.direction = directions(options.get("--predictor", "tage"))
        self.history = [0] * (self.direction.longest + 1)  # the newest first
        self.targets = Targets(**settings(options.get("--btb", ""), entries=1024, ways=4,
                                          path=0))
        self.returns = collections.deque(maxlen=int(options.get("--returns", 16)))

    def right(self, kind, pc, behind, to):
        if kind == "conditional":
            taken = to != behind
            predicted = self.direction.next(pc >> self.shift, self.history, taken)
            self.history = [int(taken), *self.history[:-1]]
            return predicted == taken
        if kind == "return":
            return bool(self.returns) and self.returns.pop() == to
        if "call" in kind and to != behind:
            self.returns.append(behind)
        if "indirect" in kind:
            return self.targets.next(pc >> self.shift, to >> self.shift)
        return True


# ---- the run -----------------------------------------------------------------


def walk(trace, thread, bounds, look):
    """(kind, address, address behind, where it went) of each branch."""
    last, signal = None, None
    for line in waymark("insns", trace, "--thread", str(thread), "--events", "--format",
                        "jsonl", *bounds):
        row = json.loads(line)
        if "disassembly" not in row:
            if row.get("event") == "signal":
                signal = int(row["pc"], 16)
            elif row.get("gap") or row.get("event") in BROKEN_BY:
                last = None
            continue
        address = int(row["address"], 16)
        to = address if signal is None else signal
        if last:
            kind, target, pc, behind = last
            if to in (target, behind) if kind == "conditional" else target in (to, None):
                yield kind, pc, behind, to
        kind, target = look(row["disassembly"])
        behind = address + len(row["code"]) // 2
        last, signal = kind and (kind, target, address, behind), None


def count(trace, bounds, options):
    """{(kind, address): [executions, taken, missed]} of all threads."""
    info = json.loads("".join(waymark("info", trace, "--format", "json")))
    look, shift = GUESTS[info["guest_isa"]]
    tallies = collections.defaultdict(lambda: [0, 0, 0])
    for thread in range(len(info["threads"])):
        front = Front(options, shift)
        for kind, pc, behind, to in walk(trace, thread, bounds, look):
            tally = tallies[kind, pc]
            tally[0] += 1
            tally[1] += kind != "conditional" or to != behind
            tally[2] += not front.right(kind, pc, behind, to)
    return tallies


def compare_branches(rows, tallies):
    got = {(row["kind"], int(row["address"], 16)): row for row in rows}
    if got.keys() != tallies.keys():
        fail("other branches:", *sorted(got.keys() ^ tallies.keys())[:5])
    for key, (executions, taken, missed) in tallies.items():
        row = got[key]
        if (int(row["executions"]), int(row["mispredicted"])) != (executions, missed):
            fail(key, row, "counted:", executions, missed)
        if abs(float(row["taken"]) - taken / executions) > 1e-6:
            fail(key, row, "taken:", taken)


def main():
    trace, begin, end, *words = sys.argv[1:]
    bounds = ["--from", begin, "--to", end]
    tallies = count(trace, bounds, dict(zip(words[::2], words[1::2])))
    sums = {kind: [0, 0, 0] for kind in (*KINDS, "all")}
    for (kind, _), tally in tallies.items():
        for name in (kind, "all"):
            sums[name] = [a + b for a, b in zip(sums[name], tally)]
    for row in csv.DictReader(waymark("bpred", trace, *bounds, *words, "--by", "kind",
                                      "--format", "csv")):
        mine = [int(row[name]) for name in ("executions", "taken", "mispredicted")]
        if mine != sums.pop(row["kind"]):
            fail(row, "counted otherwise")
    if sums:
        fail("no row of", *sums)
    compare_branches(csv.DictReader(waymark("bpred", trace, *bounds, *words, "--by",
                                            "branch", "--format", "csv")), tallies)
    executions, _, missed = map(sum, zip(*tallies.values()))
    print(f"{executions} executions, {missed} missed")


main()
