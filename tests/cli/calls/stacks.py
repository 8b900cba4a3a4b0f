# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: stacks.py TRACE TURNS

What `waymark calls` says of stacks.c: each coroutine has its own calls, all of their instructions
are its, and none of its callers gets lost. What must be is computed from counts that need no
stack: how often each function ran, and how many instructions were its own."""
import csv
import os
import subprocess
import sys

trace = sys.argv[1]
TURNS_EACH = int(sys.argv[2]) // 3


def rows(command, *options):
    output = subprocess.run([os.environ["WAYMARK"], command, trace, "--format", "csv", *options],
                            stdout=subprocess.PIPE, check=True, text=True).stdout
    return list(csv.DictReader(output.splitlines()))


flat = {row["function"]: row for row in rows("calls")}
graph = {(row["caller"], row["callee"]): row for row in rows("calls", "--graph")}
own = {row["function"]: int(row["insns"]) for row in rows("hot", "--by", "function", "--no-inline")}


def total(name):
    return int(flat[name]["total_insns"])


def check(what, got, expected):
    assert got == expected, (what, got, expected)


# What glibc has below the first function of a context.
STARTS = "", "__start_context", "__startcontext"
for name, depth in ("red", 3), ("green", 4), ("blue", 6):
    run, work, leaf = "run_" + name, "work_" + name, "leaf_" + name
    # A round begins with all of its leaves, and then waits as often.
    works = -(-TURNS_EACH // (depth + 1)) * (depth + 1)
    check(leaf, int(flat[leaf]["calls"]), works)
    waits = graph[work, "wait_here"]
    check("waits", int(waits["calls"]), TURNS_EACH)
    check(run, int(flat[run]["calls"]), 1)
    check("callers of " + run,
          [c for c, callee in graph if callee == run and c not in STARTS], [])
    check("callers of " + work, sorted(c for c, callee in graph if callee == work),
          sorted([run, work]))
    parts = own[run] + own[work] + own[leaf] + int(waits["total_insns"])
    check("total of " + run, total(run), parts)
    check("total of " + work, total(work), parts - own[run])

check("waits", total("wait_here"),
      sum(int(row["total_insns"]) for (_, callee), row in graph.items() if callee == "wait_here"))
kinds = {(row["kind"], row["function"]) for row in rows("calls", "--tree", "-D", "1")
         if row["event"] == "entry"}
lost = [pair for pair in kinds if pair[0] == "origin"]
check("stacks that begin inside a function", lost, [])
print(len(flat), "functions")
