# SPDX-License-Identifier: GPL-2.0-or-later
"""sums.py TRACE [OPTION...]: the tables of `waymark calls` against its own tree.

Tables come from parts of threads that are put together, the tree from one stack of calls
from the first instruction to the last. Counts, sums and totals must be the same. What runs
in the linker's stubs is in the tree their callers'."""

import collections
import csv
import os
import subprocess
import sys

waymark, arguments = os.environ["WAYMARK"], sys.argv[1:]


def rows(*options):
    words = [waymark, "calls", *arguments, "--format", "csv", *options]
    out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    return list(csv.DictReader(out.splitlines()))


calls, unreturned, self_insns, total, arcs = (collections.Counter() for _ in range(5))
counted = {"call", "tail", "signal"}
inside = collections.defaultdict(list)
active, stack = collections.Counter(), []
insns = 0
for row in rows("--tree"):
    name = row["function"]
    if row["event"] == "entry":
        if row["kind"] in counted:
            calls[name] += 1
            arcs[stack[-1][0] if stack else "", name] += 1
        stack.append([name, 0])
        active[name] += 1
        continue
    taken = int(row["insns"])
    top, callees = stack.pop()
    assert top == name
    self_insns[name] += taken - callees
    active[name] -= 1
    assert row["event"] in ("exit", "open"), row
    if row["event"] == "open":
        unreturned[name] += row["kind"] in counted
    elif row["kind"] in counted:
        inside[name].append(taken)
    if not active[name]:
        total[name] += taken
    if stack:
        stack[-1][1] += taken
    else:
        insns += taken
assert not stack and insns

# A name may be of several functions; then sums are compared, and totals are not.
flat = collections.defaultdict(list)
for row in rows():
    flat[row["function"]].append(row)
assert set(self_insns) <= set(flat), set(self_insns) - set(flat)
assert sum(self_insns.values()) == insns
stubs = 0
for name, same in flat.items():
    own = sum(int(row["self_insns"]) for row in same)
    insns -= own
    if not self_insns[name]:
        stubs += own
    else:
        assert own <= self_insns[name], (name, self_insns[name], same)
        stubs -= self_insns[name] - own
    assert sum(int(row["calls"]) for row in same) == calls[name], (name, calls[name], same)
    assert sum(int(row["open"]) for row in same) == unreturned[name], (name, same)
    if len(same) > 1 or not self_insns[name]:
        continue
    assert int(same[0]["total_insns"]) == total[name], (name, same, total[name])
    if inside[name]:
        assert int(same[0]["min_insns"]) == min(inside[name]), (name, same)
        assert int(same[0]["max_insns"]) == max(inside[name]), (name, same)
        mean = sum(inside[name]) / (calls[name] - unreturned[name])
        assert abs(float(same[0]["mean_insns"]) / mean - 1) < 1e-5, (name, same, mean)

assert insns == 0 and stubs == 0, (insns, stubs)

graph = collections.Counter()
for row in rows("--graph"):
    graph[row["caller"], row["callee"]] += int(row["calls"])
graph += collections.Counter()  # without zeroes
assert graph == arcs, [(pair, graph[pair], arcs[pair]) for pair in graph | arcs
                       if graph[pair] != arcs[pair]][:5]
print(len(flat), "functions,", sum(calls.values()), "calls")
