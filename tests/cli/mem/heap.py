# SPDX-License-Identifier: GPL-2.0-or-later
"""heap.py LISTING MEM CACHE NAME=LEAST...: heap objects against what the listing has, taken in its order.

LISTING is of `insns --values --interleave --format jsonl`, of threads of one process; MEM and
CACHE of `--by object --format csv`. Objects NAME were accessed LEAST times."""
import collections
import csv
import json
import sys

listing, mem, cache, *known = sys.argv[1:]
MALLOC, CALLOC, REALLOC, FREE = 1, 2, 3, 4  # places, in the order of --value
calls = collections.defaultdict(list)  # of a thread: [place, instruction, arguments]
live = {}  # address: (bytes, name)
counts = collections.Counter()


def take_argument(thread, ordinal, each):
    if each["place"] == FREE:
        live.pop(int(each["value"], 0), None)
        return
    stack = calls[thread]
    if not stack or stack[-1][:2] != [each["place"], ordinal]:
        stack.append([each["place"], ordinal, {}])
    stack[-1][2][each["register"]] = int(each["value"], 0)


def take_returned(thread, insn, each):
    while calls[thread]:
        place, _, arguments = calls[thread].pop()
        if place == each["place"]:
            break
    else:
        return
    size = arguments["a0"]
    if place == CALLOC:
        size *= arguments["a1"]
    if place == REALLOC:
        live.pop(arguments["a0"], None)
        size = arguments["a1"]
    start = int(each["value"], 0)
    # The clock may put an object before the end of one that lay there: the newer one is right.
    for inside in [each for each in live if start < each < start + size]:
        del live[inside]
    live[start] = size, "heap: %s (%d)" % (insn["symbol"], size)


for line in open(listing):
    insn = json.loads(line)
    for each in insn.get("accesses", ()):
        if each["kind"] == "register":
            take_argument(insn["thread"], insn["ordinal"], each)
        elif each["kind"] == "returned":
            take_returned(insn["thread"], insn, each)
        elif "(sp)" not in insn["disassembly"]:
            at = int(each["address"], 0)
            start = max((each for each in live if each <= at), default=0)
            size, name = live.get(start, (0, None))
            if at < start + size:
                counts[name] += 1

for what, path, columns in ("mem", mem, ("accesses",)), ("cache", cache, ("loads", "stores")):
    found = {row["object"]: sum(int(row[c]) for c in columns) for row in csv.DictReader(open(path))
             if row["object"].startswith("heap: ")}
    good = found == dict(counts) and len(found) > 5
    print("ok" if good else "not ok", what, "--by object names what was allocated")
    for name in sorted(found.keys() | counts.keys()) if not good else ():
        if found.get(name) != counts.get(name):
            print("#", name, found.get(name), counts.get(name))
known = {name: int(least) for name, least in (each.split("=") for each in known)}
good = known and all(counts[name] >= least for name, least in known.items())
print("ok" if good else "not ok", "what the guest allocates", *known.items() if not good else ())
