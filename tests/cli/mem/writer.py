# SPDX-License-Identifier: GPL-2.0-or-later
"""writer.py WAYMARK TRACE LISTING: --last-writer of several threads against a search through
LISTING, which is of `insns --values --interleave --format jsonl`."""
import csv
import json
import random
import subprocess
import sys

waymark, trace, listing = sys.argv[1:]
insns, stores = [], []
for line in open(listing):
    insn = json.loads(line)
    if "accesses" not in insn:
        continue
    insns.append((insn["thread"], insn["ordinal"]))
    for each in insn["accesses"]:
        if each["kind"] == "store":
            stores.append((len(insns) - 1, int(each["address"], 0), each["size"]))

random.seed(3)
different, answers, foreign, warned = [], 0, 0, 0
shared = [s for s in stores if len({insns[t[0]][0] for t in stores if t[1] == s[1]}) > 1]
for i in range(40):
    _, at, size = random.choice(shared if i % 2 and shared else stores)
    at += random.randrange(size)
    place = random.randrange(len(insns))
    thread, insn = insns[place]
    run = subprocess.run([waymark, "mem", trace, "--last-writer", "%d@%d:%d" % (at, thread, insn),
                          "--format", "csv"], capture_output=True, text=True, check=True)
    rows = [(int(r["thread"]), int(r["insn"]), int(r["address"], 0))
            for r in csv.DictReader(run.stdout.splitlines())]
    before = [s for s in stores if s[0] < place and s[1] <= at < s[1] + s[2]]
    wanted = [(*insns[before[-1][0]], before[-1][1])] if before else []
    answers += bool(wanted)
    foreign += bool(wanted) and wanted[0][0] != thread
    warned += "stored there, too" in run.stderr
    if rows != wanted:
        different.append((at, thread, insn, rows, wanted))
good = not different and answers > 10 and foreign > 3 and warned > 3
print("ok" if good else "not ok", "the last writer of several threads")
print("# %d answers, %d of another thread, %d warnings" % (answers, foreign, warned))
for line in different[:5]:
    print("#", *line)
