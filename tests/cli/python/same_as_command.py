# SPDX-License-Identifier: GPL-2.0-or-later
#
# same_as_command.py TRACE: what the Python package says of a trace is what the command
# prints.

import csv
import io
import json
import os
import subprocess
import sys

import numpy
import waymark

path = sys.argv[1]
failures = 0


def check(what, good, why=""):
    global failures
    print("ok" if good else "not ok", f"{path}: {what}")
    if not good:
        failures += 1
        print("# " + str(why)[:2000].replace("\n", "\n# "))


def command(*words):
    run = subprocess.run([os.environ["WAYMARK"], *words, path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=True, text=True)
    return run.stdout


def rows(*words):
    return list(csv.DictReader(io.StringIO(command(*words, "--format", "csv"))))


def number(cell):
    return int(cell, 0)


def like_csv(cell):
    """Texts and numbers compare as numbers where both are."""
    if cell is None or cell == "":
        return ""
    try:
        return float(int(cell, 0)) if isinstance(cell, str) else float(cell)
    except ValueError:
        try:
            return float(cell)
        except ValueError:
            return cell


def near(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-5 * max(1, abs(one))
    return one == other


def same_table(words, table):
    there = rows(*words)
    if len(there) != table.row_count:
        return f"{len(there)} rows, {table.row_count} in Python"
    for i, row in enumerate(there):
        for name, cell in row.items():
            # A trace that is asked has no name that a column could have.
            if name in table and name != "first" and not near(like_csv(cell), like_csv(table[name][i])):
                return f"row {i}, {name}: {cell!r}, {table[name][i]!r}"
    return None


trace = waymark.open(path)
info = json.loads(command("info", "--format", "json"))
check("the sums are those of info", (trace.summary.insns, trace.summary.blocks) ==
      (info["instructions"], info["blocks"]), info)
check("verify has read all", trace.verify().insns == trace.summary.insns)

longest = max(trace.streams, key=lambda stream: stream.insns)
thread = str(longest.index)
listed = rows("insns", "--thread", thread, "-n", "20000")
steps = [step for step, _ in zip(longest.insns_between(), listed)]
check("instructions: ordinals and addresses",
      [(s.insn_ordinal, trace.block(s.id).addresses[s.insn_index]) for s in steps] ==
      [(number(row["ordinal"]), number(row["address"])) for row in listed], listed[:2])

ids = longest.block_ids()
check("as many blocks as in the summary", len(ids) == longest.blocks)
check("blocks one by one are those in bulk",
      [step.id for step in longest.steps(0, min(5000, longest.blocks))] ==
      ids[:5000].tolist())
half = longest.blocks // 2
check("blocks from the middle", (longest.block_ids(half) == ids[half:]).all())
for stream in trace.streams:
    counted = numpy.bincount(stream.block_ids(), minlength=trace.summary.known_blocks + 1)
    if not (counted == trace.counts(stream.index)).all():
        check(f"histogram of stream {stream.index}", False)
check("histograms of all streams", int(trace.counts().sum()) == trace.summary.blocks)

there = [(number(row["insn"]), row["event"], row["text"].split(" ")[0])
         for row in rows("events", "--thread", thread) if row["block"]]
events = list(longest.events())
# The list has a call's name in a column of its own, and tells signals its own way.
check("events", len(events) == len(there) and
      all((event.insn_ordinal, event.name) == (insn, name) and word in event.line
          for event, (insn, name, word) in zip(events, there)), (events[:3], there[:3]))

branches = sum(1 for _ in longest.branches(0, min(longest.insns, 100000)))
check("there are branches", branches > 0)

if "values" in trace.meta:
    listed = rows("mem", "--thread", thread, "-n", "20000")
    found = [access for access, _ in zip(longest.accesses(), listed)]
    check("accesses one by one",
          [(a.insn_ordinal, a.address, a.size, ["load", "store"][a.kind]) for a in found] ==
          [(number(r["insn"]), number(r["address"]), number(r["size"]), r["kind"])
           for r in listed], (found[:2], listed[:2]))
    if trace.meta["values"].endswith("data"):
        check("their data", [a.data for a in found] == [number(r["value"]) for r in listed],
              (found[:2], listed[:2]))
    n, sample = 0, []
    for run in longest.runs():
        accesses = run.accesses
        n += len(accesses)
        if len(sample) < len(found):
            sample += accesses["address"].tolist()
    check("accesses in bulk", sample[:len(found)] == [a.address for a in found])
    stop = next(longest.runs()).n // 2 or 1
    for run in longest.runs(0, stop):
        beyond = [a for a in run.accesses if a["block"] >= run.n]
        check("none behind the stop of a range", not beyond, beyond[:3])
    check("all of them", len(trace.streams) > 1 or n == trace.verify().accesses, n)

for words, options in [(["hot"], {}), (["hot", "--by", "line"], {"by": "line"}),
                       (["hot", "--by", "block"], {"by": "block"}), (["mix"], {}),
                       (["calls"], {}), (["cover"], {}), (["bpred"], {}),
                       (["cover", "--by", "function"], {"by": "function"}),
                       (["hot", "-n", "3"], {"rows": 3}), (["marks"], {})]:
    fault = same_table(words, trace.ask(words[0], **options))
    check(" ".join(words), fault is None, fault)
trace.close()
sys.exit(failures > 0)
