# SPDX-License-Identifier: GPL-2.0-or-later
"""
Counts a trace's instructions one by one, from what `waymark insns` lists.

Counter(file, options...) has:
  insns      (symbol, offset) -> executions; without a symbol ("", address)
  ways       (symbol, offset) of a conditional branch -> [taken, not taken]
  functions  symbol -> instructions
  total      instructions
"""
import collections
import csv
import json
import os
import re
import subprocess

WAYMARK = os.environ["WAYMARK"]


def waymark(*words):
    out = subprocess.run([WAYMARK, *map(str, words)], check=True, stdout=subprocess.PIPE)
    return out.stdout.decode()


def rows(*words):
    """The rows of a table, as CSV has them."""
    return list(csv.DictReader(waymark(*words, "--format", "csv").splitlines()))


def number(cell):
    return int(cell, 0) if cell else 0


def is_branch(disas):
    """Of RISC-V: a conditional branch."""
    return re.match(r"(c\.)?b(eq|ne|lt|ge|gt|le)", disas) is not None


class Counter:
    def __init__(self, file, *options):
        self.insns = collections.Counter()
        self.ways = {}
        self.functions = collections.Counter()
        self.total = 0
        threads = len(json.loads(waymark("info", file, "--format", "json"))["threads"])
        for thread in range(threads):
            self.count(rows("insns", file, "--thread", thread, *options))

    def count(self, listing):
        for row, after in zip(listing, listing[1:] + [None]):
            key = (row["symbol"], number(row["offset"]))
            if not row["symbol"]:
                key = ("", number(row["address"]))
            self.insns[key] += 1
            self.functions[row["symbol"]] += 1
            self.total += 1
            if is_branch(row["disassembly"]):
                self.see(key, row, after)

    def see(self, key, row, after):
        ways = self.ways.setdefault(key, [0, 0])
        if after is None:
            return
        address, to = number(row["address"]), number(after["address"])
        target = int(row["disassembly"].split("#")[1], 0)
        if to == target:
            ways[0] += 1
        elif to == address + len(row["code"]) // 2:
            ways[1] += 1
