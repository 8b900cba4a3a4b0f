# SPDX-License-Identifier: GPL-2.0-or-later
"""
inlined.py RUN PROGRAM ADDR2LINE: what `calls` says of inlined functions in the folder's
RUN.{insns,tree,calls,graph,folded}, against stacks made here: of each instruction the calls
that are open are those of RUN.tree, which has no inlined ones, and in each of these functions
the inlined ones are those that addr2line has around its last instruction. A stub of the linker
is not called: its instructions are below the call of it.
"""
import collections
import csv
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(sys.argv[0]), "..", "names"))
from addr2line import chains  # noqa: E402

run, program, addr2line = sys.argv[1:]


def rows(what):
    with open(f"{run}.{what}", newline="") as file:
        return list(csv.DictReader(file))


insns = [json.loads(line) for line in open(run + ".insns")]
places = [insn["address"] for insn in insns]
stubs = {insn["address"]: [insn["symbol"]] for insn in insns
         if (insn["symbol"] or "").endswith("@plt")}
around = chains(addr2line, program, set(places))
begins, ends = collections.defaultdict(list), collections.Counter()
for row in rows("tree"):
    if row["event"] == "entry":
        begins[int(row["insn"])].append(row["function"])
    else:
        ends[int(row["insn"])] += 1

own, inside, folded = collections.Counter(), collections.Counter(), collections.Counter()
arcs = collections.Counter()
stack = []  # [function, the functions inlined around its last instruction]
for at, place in enumerate(places):
    for _ in range(ends[at]):
        stack.pop()
    stack += [[name, []] for name in begins[at]]
    if place not in stubs:
        stack[-1][1] = [name for name, _ in reversed(around[place][:-1])]
    names = [name for frame in stack for name in [frame[0], *frame[1]]] + stubs.get(place, [])
    own[names[-1]] += 1
    inside.update(set(names))
    folded[";".join(names)] += 1
    arcs.update(set(zip(names, names[1:])))

for row in rows("calls"):
    name = row["function"]
    assert int(row["self_insns"]) == own.pop(name, 0), ("self", row)
    assert int(row["total_insns"]) == inside[name], ("total", row)
assert not own, own
for line in open(run + ".folded"):
    stack, insns = line.rsplit(" ", 1)
    assert folded.pop(stack) == int(insns), line
assert not folded, folded
for row in rows("graph"):
    if row["caller"]:
        assert int(row["total_insns"]) == arcs[row["caller"], row["callee"]], row
