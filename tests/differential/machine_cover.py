# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds what `cover` says of a machine's functions against the witness's list of addresses.

usage: machine_cover.py ALL.csv KERNEL.csv LIST GUEST OBJDUMP

The guest (tests/guests/machine/bare.S) runs in machine mode. An mret outside of its handler leads
to supervisor mode, one in the handler to the mode before the trap; what ends at to_machine
stays in machine mode.
"""
import bisect
import collections
import csv
import re
import struct
import subprocess
import sys

everything, kernel, addresses, guest, objdump = sys.argv[1:]
text = subprocess.run([objdump, "-d", guest], check=True, capture_output=True, text=True).stdout
symbols = sorted((int(address, 16), name)
                 for address, name in re.findall(r"^([0-9a-f]+) <(\w+)>:", text, re.M))
starts = [address for address, name in symbols]
mrets = {int(address, 16) for address in re.findall(r"^ *([0-9a-f]+):.*\tmret", text, re.M)}
end = starts[-1] + 8 * 4096  # objdump shows no zeros, which the last of them has at first

with open(addresses, "rb") as file:
    pcs = [pc for pc, in struct.iter_unpack("<Q", file.read())]
seen, seen_kernel = collections.Counter(), collections.Counter()
supervisor = before = handles = False
for pc in pcs:
    place = bisect.bisect(starts, pc) - 1
    name = symbols[place][1] if 0 <= place and pc < end else None
    if name == "on_trap" and pc == starts[place]:
        before, supervisor, handles = supervisor, False, True
    if name == "to_machine":
        before = False
    seen[name] += 1
    seen_kernel[name] += supervisor
    if pc in mrets:
        supervisor, handles = before if handles else True, False

for path, wanted in (everything, seen), (kernel, seen_kernel):
    with open(path, encoding="ascii") as file:
        rows = {row["function"]: int(row["insns"]) for row in csv.DictReader(file)}
    for name in {row for row in rows if row in {symbol for _, symbol in symbols}}:
        assert rows[name] == wanted[name], (path, name, rows[name], wanted[name])
assert seen_kernel["twice"] and seen_kernel["paging"] < seen["paging"]
