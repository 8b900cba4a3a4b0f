# SPDX-License-Identifier: GPL-2.0-or-later
"""
inlined_facts.py INSNS HOT PROGRAM ADDR2LINE innermost|outermost: the instructions of the
functions of inlined.c in the table HOT are those of the listing INSNS, each of the function
that addr2line has for its address.
"""
import collections
import json
import sys

from addr2line import chains

insns, hot, program, addr2line, which = sys.argv[1:]
counts = collections.Counter(json.loads(line)["address"] for line in open(insns))
names = {}
for place, chain in chains(addr2line, program, counts).items():
    name, file = chain[0 if which == "innermost" else -1]
    if "inlined.c" in file:
        names[place] = name
wanted = collections.Counter()
for place, name in names.items():
    wanted[name] += counts[place]
rows = dict(line.rstrip("\n").rsplit(",", 1) for line in open(hot))
assert ("square" in wanted) == (which == "innermost") and wanted["main"], wanted
for name, insns_of in wanted.items():
    assert int(rows[name]) == insns_of, (name, insns_of, rows.get(name))
assert ("square" in rows) == (which == "innermost")
