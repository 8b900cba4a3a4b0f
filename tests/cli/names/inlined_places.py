# SPDX-License-Identifier: GPL-2.0-or-later
"""
inlined_places.py PROGRAM FUNCTION WHOLE ...: what records and listings in part have of the
run WHOLE, when FUNCTION was inlined; the files are listings of insns as JSON lines.

code ADDR2LINE ONLY EXCEPT: ONLY has the instructions around which addr2line has the function,
and EXCEPT has the others.
annotate ADDR2LINE TABLE: the table (executions,address,inlined as CSV) has the instructions
around which addr2line has the function, with how often WHOLE has each; those of other
functions' code say which call was inlined.
window FIRST LAST PART: PART is from the FIRST entry of the function up to the LAST. Entries
are what readelf has: the symbol, and the entry_pc, or else the low_pc, of each inlined call.
"""
import collections
import csv
import json
import re
import subprocess
import sys

from addr2line import chains

program, function, whole, question, *rest = sys.argv[1:]


def addresses(path):
    """Without lines of gaps, which have none."""
    rows = [json.loads(line) for line in open(path)]
    return [row["address"] for row in rows if "address" in row]


def entries():
    """The addresses where the function begins."""
    found, entry = set(), {}
    dies = []
    for line in subprocess.run(["readelf", "-wi", program], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        if head := re.match(r" <\w+><(\w+)>: Abbrev Number: \d+ \((\w+)\)", line):
            entry = {"at": int(head[1], 16), "tag": head[2]}
            dies.append(entry)
        elif value := re.match(r"\s*<\w+>\s+(DW_AT_\w+)\s*: (?:\(.*\): )?(.*?)\s*$", line):
            entry[value[1]] = value[2]
    origins = {die["at"] for die in dies if die.get("DW_AT_name") == function}
    for die in dies:
        # A call may have no code left.
        empty = int(die.get("DW_AT_high_pc", "1"), 16) == 0
        at = None if empty else die.get("DW_AT_entry_pc", die.get("DW_AT_low_pc"))
        origin = re.match(r"<0x(\w+)>", die.get("DW_AT_abstract_origin", ""))
        if die["tag"] == "DW_TAG_inlined_subroutine" and origin and at:
            if int(origin[1], 16) in origins:
                found.add(int(at, 16))
    for line in subprocess.run(["readelf", "-sW", program], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "FUNC" and words[7] == function:
            found.add(int(words[1], 16))
    return found


def number(text):
    return int(text, 0) if isinstance(text, str) else text


ran = addresses(whole)
if question == "code":
    addr2line, only, except_ = rest
    around = {place: function in [name for name, _ in chain]
              for place, chain in chains(addr2line, program, set(ran)).items()}
    assert any(around.values()) and not all(around.values())
    assert addresses(only) == [place for place in ran if around[place]]
    assert addresses(except_) == [place for place in ran if not around[place]]
elif question == "annotate":
    addr2line, table = rest
    counts = collections.Counter(ran)
    wanted = {}
    for place, chain in chains(addr2line, program, counts).items():
        names = [name for name, _ in chain]
        if function in names:
            wanted[place] = counts[place], "" if names[-1] == function else function
    rows = {row["address"]: (int(row["executions"]), row["inlined"])
            for row in csv.DictReader(open(table)) if row["executions"] != "0"}
    assert wanted and rows == wanted, (rows, wanted)
else:
    first, last, part = int(rest[0]), int(rest[1]), addresses(rest[2])
    at = entries()
    reached = [i for i, place in enumerate(ran) if number(place) in at]
    assert len(at) > 1 and len(reached) >= last, (at, len(reached))
    assert part == ran[reached[first - 1]:reached[last - 1]]
