# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: methods_facts.py accesses BYTECODES MEM BY_METHOD
       methods_facts.py misses BYTECODES MEM BY_METHOD INSNS SIZE	of direct-mapped caches
       methods_facts.py listed BYTECODES MEM
       methods_facts.py same ONE OTHER COLUMN...	of what accesses anything

Sums by method or source, from the lists of the same part of a thread, one by one: an access, or a fetch, is of
the bytecode that began last. Methods are those of their bare names, lines have their method's; what no method runs
is "".
"""
import bisect
import collections
import csv
import sys

LINE = 64


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def of_row(row):
    """fib of "fib (app.py:2)"; native functions have no place."""
    if "source" in row:
        return f"{row['source']} {row['method']}" if row["source"] else ""
    name, found, _ = row["method"].partition(" (")
    return name if found else ""


def is_by_line(table):
    return "source" in rows(table)[0]


def of_bytecode(row, by_line):
    method = row["unit"] + row["detail"]
    base = row["file"].rpartition("/")[2]
    if by_line:
        return f"{base}:{row['line']} {method}" if row["line"] not in ("", "0") else ""
    return method


class Methods:
    """Which one runs at an instruction, or which line of it; as the table has them."""

    def __init__(self, path, by_line):
        # Of two bytecodes at one instruction the later one has it.
        self.at = {int(row["insn"]): of_bytecode(row, by_line) for row in rows(path)}
        self.begins = sorted(self.at)

    def __call__(self, insn):
        place = bisect.bisect_right(self.begins, insn)
        return self.at[self.begins[place - 1]] if place else ""


class Cache:
    """Of one way: a line for each set."""

    def __init__(self, size):
        self.lines = [None] * (size // LINE)

    def misses(self, address, size):
        missed = False
        for line in range(address // LINE, (address + size - 1) // LINE + 1):
            missed |= self.lines[line % len(self.lines)] != line
            self.lines[line % len(self.lines)] = line
        return missed


def accesses(bytecodes, mem, by_method):
    methods, want, have = Methods(bytecodes, is_by_line(by_method)), collections.Counter(), collections.Counter()
    for row in rows(mem):
        method = methods(int(row["insn"]))
        want[method, row["kind"]] += 1
        want[method, "bytes"] += int(row["size"])
    for row in rows(by_method):
        for kind, column in (("load", "loads"), ("store", "stores"), ("bytes", "bytes")):
            have[of_row(row), kind] += int(row[column])
    return same_counts(want, have)


def misses(bytecodes, mem, by_method, insns, size):
    methods, want, have = Methods(bytecodes, is_by_line(by_method)), collections.Counter(), collections.Counter()
    code, data = Cache(int(size)), Cache(int(size))
    for row in rows(insns):
        method = methods(int(row["ordinal"]))
        want[method, "insns"] += 1
        want[method, "l1i_misses"] += code.misses(int(row["address"], 16), len(row["code"]) // 2)
    for row in rows(mem):
        want[methods(int(row["insn"])), "l1d_misses"] += \
            data.misses(int(row["address"], 16), int(row["size"]))
    for row in rows(by_method):
        for column in ("insns", "l1i_misses", "l1d_misses"):
            have[of_row(row), column] += int(row[column])
    return same_counts(want, have)


def listed(bytecodes, mem):
    methods, lines = Methods(bytecodes, False), Methods(bytecodes, True)
    all_rows = rows(mem)
    for row in all_rows:
        insn = int(row["insn"])
        source = f"{row['source']} {row['method']}" if row["source"] else ""
        if (row["method"], source) != (methods(insn), lines(insn)):
            print(row, methods(insn), lines(insn))
            return False
    return len({row["method"] for row in all_rows}) > 1


def same_counts(want, have):
    for key in sorted(set(want) | set(have)):
        if want[key] != have[key]:
            print(key, want[key], have[key])
    return len({method for method, _ in want}) > 1 and +want == +have


def same(one, other, *columns):
    def of(path):
        return sorted(tuple(row[column] for column in columns) for row in rows(path)
                      if row["loads"] != "0" or row["stores"] != "0")
    return len(of(one)) > 2 and of(one) == of(other)


sys.exit(not {"accesses": accesses, "misses": misses, "listed": listed, "same": same}[sys.argv[1]](*sys.argv[2:]))
