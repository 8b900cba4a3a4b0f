# SPDX-License-Identifier: GPL-2.0-or-later
"""
stripped_facts.py QUESTION ...: about names of code without symbols.

nm INSNS NM WHOLE: nearly all instructions of the listing INSNS are of a function that begins
where NM has one in the program WHOLE, which was not stripped; of the functions in the source,
all are.
sums HOT TABLE, insns HOT INSNS, folded HOT FILE: the instructions of each function are those
of the table HOT.
names HOT FILE: FILE has names sub_..., and no others than HOT and functions that did not run.
qemu TRIPLE: the name of the machine in qemu-MACHINE.
"""
import bisect
import collections
import csv
import json
import re
import subprocess
import sys

question, *rest = sys.argv[1:]


def of_insns(path):
    rows = [json.loads(line) for line in open(path)]
    return [(int(row["address"], 16), row["symbol"] or "") for row in rows if "address" in row]


def of_table(path):
    """{function: sum}; the header names two columns."""
    sums = collections.Counter()
    for name, count in list(csv.reader(open(path)))[1:]:
        if int(count):
            sums[name] += int(count)
    return sums


def nm(insns, tool, whole):
    symbols = {}
    for line in subprocess.run([tool, whole], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tTwWi" and words[2][0] not in "$.":
            symbols[int(words[0], 16) & ~int("arm" in tool)] = words[2]
    starts = sorted(symbols)
    right = collections.Counter()
    ran = of_insns(insns)
    for address, name in ran:
        start = starts[max(bisect.bisect_right(starts, address) - 1, 0)]
        right[symbols[start], name.split("@")[0] == f"sub_{start:x}"] += 1
    share = sum(n for (_, good), n in right.items() if good) / len(ran)
    assert share > 0.97, (share, right.most_common(20))
    # What is called is found for certain; the rest needs a prologue that can be seen.
    for name in ("step", "many") + (("by_address",) if "riscv" in tool else ()):
        assert right[name, True] and not right[name, False], (name, right)
    assert all(name for _, name in ran), "code without a name"


def sums(hot, table):
    assert of_table(hot) == of_table(table)


def insns(hot, listing):
    counted = collections.Counter(name for _, name in of_insns(listing))
    wanted = of_table(hot)
    assert {name: n for name, n in wanted.items() if name[0] != "["} == \
        {name: n for name, n in counted.items() if name}


def folded(hot, path):
    counted = collections.Counter()
    for line in open(path):
        stack, count = line.rsplit(" ", 1)
        counted[stack.split(";")[-1]] += int(count)
    assert counted == of_table(hot)


def names(hot, path):
    found = set(re.findall(r"\bsub_[0-9a-f]+\b", open(path).read()))
    known = {name.split("@")[0] for name in of_table(hot)}
    assert found and found <= known, found - known


def qemu(triple):
    machine = triple.split("-")[0]
    print({"i686": "i386"}.get(machine, machine))


globals()[question](*rest)
