# SPDX-License-Identifier: GPL-2.0-or-later
"""guest_facts.py WAYMARK TRACE: the tables of guest.sh."""
import collections
import csv
import json
import random
import subprocess
import sys

waymark, trace = sys.argv[1:]
TIMES, ROWS = 1000, 64


def rows(name):
    return list(csv.DictReader(open(name)))


def report(name, good, *why):
    print("ok" if good else "not ok", name)
    for line in [] if good else why:
        print("#", line)


made = rows("list.csv")
keys = "insn", "address", "size", "kind", "value"

# ---- a variable
watched = rows("counter.csv")
stores = [row for row in watched if row["kind"] == "store"]
by_bump = [row for row in stores if row["function"] == "bump"]
report("every store to the counter", len(by_bump) == TIMES and all(
    int(row["value"], 0) == i * (i + 1) // 2 for i, row in enumerate(by_bump)), len(by_bump))
report("all of them are of that variable",
       all(row["object"] == "counter" and row["size"] == "4" for row in watched))
report("every load of it", sum(row["function"] == "bump" for row in watched) == 2 * TIMES)
report("its last writer", rows("last.csv") == stores[-1:])

def strides(accesses):
    """Of each function: those that are constant, strided, irregular, by their sites."""
    sums, last = collections.defaultdict(lambda: [0, 0, 0]), {}
    for row in accesses:
        address = int(row["address"], 0)
        site = row["pc"], row["kind"]
        before, step = last.get(site, (None, None))
        new = None if before is None else address - before
        kind = 2 if step is None else 0 if not new else 1 if new == step else 2
        sums[row["function"]][kind] += 1
        last[site] = address, new
    return sums


# ---- sums
def by_function(name):
    return {row["function"]: {k: int(v) for k, v in row.items() if k != "function"}
            for row in rows(name)}


functions = by_function("function.csv")
kinds = "constant", "strided", "irregular"
report("strides are those of the instruction, whichever blocks it is in",
       {name: [row[k] for k in kinds] for name, row in functions.items()} == strides(made))
some = by_function("row.csv")
report("of what is watched: as listed, with strides of its own",
       len(some) > 1 and {name: [row[k] for k in kinds] for name, row in some.items()}
       == strides(rows("row_list.csv")))
counted = collections.Counter(row["function"] for row in made)
report("by function, as listed",
       {name: row["accesses"] for name, row in functions.items()} == dict(counted))
report("a column is strided", functions["down"]["strided"] >= ROWS - 3 and
       functions["down"]["loads"] >= ROWS, functions["down"])
report("a counter is constant", functions["bump"]["constant"] >= 2 * TIMES - 4, functions["bump"])
report("what is scattered is irregular", functions["scatter"]["irregular"] > TIMES * 9 // 10,
       functions["scatter"])
report("--function", len(rows("bump.csv")) == counted["bump"])
objects = {row["object"]: row for row in rows("object.csv")}
report("by object", int(objects["counter"]["accesses"]) == len(watched) and
       int(objects["ring"]["accesses"]) == TIMES and int(objects["table"]["accesses"]) >= 2 * ROWS and
       int(objects["table"]["cache_lines"]) >= ROWS and "frames of main" in objects,
       sorted(objects)[:20])
report("objects are all accesses", sum(int(r["accesses"]) for r in objects.values()) == len(made))
lines = {int(row["line"]): row for row in rows("line.csv") if row["file"].endswith("guest.c")}
source = open(sys.argv[0].replace("guest_facts.py", "guest.c")).read().splitlines()
at = source.index("\tcounter += by;") + 1
report("by line", int(lines[at]["loads"]) == TIMES and int(lines[at]["stores"]) == TIMES, lines)
pages = collections.Counter(int(row["address"], 0) & ~4095 for row in made)
report("by page", {int(r["page"], 0): int(r["accesses"]) for r in rows("page.csv")} == dict(pages))
report("reuse is of all accesses",
       sum(int(row["accesses"]) for row in rows("reuse.csv")) == len(made))
report("and so are working sets",
       sum(int(row["accesses"]) for row in rows("sets.csv")) == len(made))

# ---- beside the instructions
beside = [[str(insn["ordinal"]), a["address"], str(a["size"]), a["kind"], a["value"]]
          for insn in map(json.loads, open("insns.jsonl")) if "ordinal" in insn
          for a in insn["accesses"]]
report("insns --values", beside == [[row[k] for k in keys] for row in made])

# ---- what is loaded is what was stored
memory, wrong, checked = {}, [], 0
for row in made:
    first, size, value = int(row["address"], 0), int(row["size"]), int(row["value"], 0)
    if row["kind"] == "load" and all(first + i in memory for i in range(size)):
        checked += 1
        if sum(memory[first + i] << 8 * i for i in range(size)) != value:
            wrong.append(row)
    for i in range(size):
        memory[first + i] = value >> 8 * i & 255
report("loads have what was stored", checked > 3 * TIMES and len(wrong) <= checked // 1000,
       len(wrong), *wrong[:3])

# ---- the last writer, by brute force
random.seed(11)
different = []
for row in random.sample(made, 25):
    at = int(row["address"], 0) + random.randrange(int(row["size"]))
    insn = int(row["insn"]) + random.randrange(5000)
    text = subprocess.run([waymark, "mem", trace, "--last-writer", "0x%x@%d" % (at, insn),
                           "--format", "csv"], capture_output=True, text=True, check=True).stdout
    wanted = [row for row in made if row["kind"] == "store" and int(row["insn"]) < insn and
              int(row["address"], 0) <= at < int(row["address"], 0) + int(row["size"])]
    if list(csv.DictReader(text.splitlines())) != wanted[-1:]:
        different.append((at, insn))
report("--last-writer, 25 times", not different, *different)
