# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py PROGRAM TRACE WITNESS: `waymark calls --tree` against the program's own hooks.

Of the tree only functions are looked at that the witness knows, which are those compiled
with hooks. Of each entry the function and the depth among such functions must be the same,
and their order in each thread."""

import collections
import csv
import json
import os
import subprocess
import sys

program, trace, witness = sys.argv[1:]
waymark = os.environ["WAYMARK"]
nm = os.environ.get("CROSS_NM", "riscv64-linux-gnu-nm")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


names = {}
for line in output(nm, "-C", program).splitlines():
    address, kind, name = line.split(None, 2) if line[0] != " " else (None, None, None)
    if kind and kind in "tTwW":
        names[int(address, 16)] = name

wanted = collections.defaultdict(list)
for line in open(witness):
    thread, depth, address = line.split()
    wanted[int(thread)].append((int(depth), names[int(address, 16)]))
known = {name for entries in wanted.values() for _, name in entries}

threads = json.loads(output(waymark, "info", trace, "--format", "json"))["threads"]
tids = [thread["tid"] for thread in threads]

found = collections.defaultdict(list)
depth = collections.Counter()
for row in csv.DictReader(
    output(waymark, "calls", trace, "--tree", "--format", "csv").splitlines()
):
    tid = tids[int(row["thread"])]
    if row["function"] not in known:
        continue
    if row["event"] == "entry":
        found[tid].append((depth[tid], row["function"]))
        depth[tid] += 1
    else:
        depth[tid] -= 1

entries = sum(map(len, wanted.values()))
assert entries > 20, "the witness saw nothing"
for tid in wanted:
    for i, (a, b) in enumerate(zip(wanted[tid], found[tid])):
        if a != b:
            for j in range(max(0, i - 6), i + 4):
                print(tid, j, wanted[tid][j : j + 1], found[tid][j : j + 1], file=sys.stderr)
            sys.exit(f"entry {i} differs")
    assert len(wanted[tid]) == len(found[tid]), (tid, len(wanted[tid]), len(found[tid]))
assert set(found) == set(wanted), (set(found), set(wanted))
print(entries, "entries of", len(known), "functions in", len(wanted), "threads")
