# SPDX-License-Identifier: GPL-2.0-or-later
"""shared.py LISTING LEVELS: what caches count that share their LLC, and what they must count.

LISTING is of `insns --values --interleave --format jsonl`, with the order of the threads;
LEVELS of `cache --shared-llc --by level --format csv`."""
import collections
import csv
import json
import sys

listing, levels = sys.argv[1:]
SIZES = {"l1i": (1024, 2, 32), "l1d": (1024, 2, 32), "l2": (4096, 4, 32), "llc": (16384, 8, 64)}


class Level:
    def __init__(self, name):
        size, self.ways, self.line = SIZES[name]
        self.sets = [[] for _ in range(size // self.ways // self.line)]

    def hit(self, address, size):
        hit = True
        for line in range(address // self.line, (address + size - 1) // self.line + 1):
            lines = self.sets[line % len(self.sets)]
            if line in lines:
                lines.remove(line)
            else:
                hit = False
                del lines[self.ways - 1:]
            lines.insert(0, line)
        return hit


counts = collections.Counter()
shared, own = Level("llc"), {}


def access(thread, address, size, kind):
    first = "l1i" if kind == "fetches" else "l1d"
    if thread not in own:
        own[thread] = {name: Level(name) for name in ("l1i", "l1d", "l2")}
    for name in first, "l2", "llc":
        level = shared if name == "llc" else own[thread][name]
        hit = level.hit(address, size)
        for row in kind, "all":
            counts[name, row, "accesses"] += 1
            counts[name, row, "misses"] += not hit
        if hit:
            return


threads = set()
for line in open(listing):
    insn = json.loads(line)
    if "ordinal" not in insn or "code" not in insn:
        continue
    threads.add(insn["thread"])
    access(insn["thread"], int(insn["address"], 0), len(insn["code"]) // 2, "fetches")
    for each in insn["accesses"]:
        access(insn["thread"], int(each["address"], 0), each["size"], each["kind"] + "s")

table = {}
for row in csv.DictReader(open(levels)):
    for column in "accesses", "misses":
        table[row["level"], row["kind"], column] = int(row[column])
wrong = [(key, n, counts[key]) for key, n in table.items() if counts[key] != n]
good = not wrong and len(threads) > 1 and counts["llc", "all", "misses"] > 100
print("ok" if good else "not ok", "a shared LLC counts what one does that is fed by hand")
for line in wrong[:5]:
    print("#", *line)
