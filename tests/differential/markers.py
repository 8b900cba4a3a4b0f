#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds the markers that a trace tells of against all of its instructions.

usage: markers.py TRACE

Each instruction that is a marker, by its bytes, must be listed at its ordinal and nothing
else; what each region took, and what `marks --summary` says, is counted here once more.
Prints one line and exits with 0, or says where they part and exits with 1.
"""

import collections
import csv
import json
import os
import subprocess
import sys

WHAT = ["point", "begin", "end"]


class Differs(Exception):
    pass


def waymark(*words):
    return subprocess.run([os.environ["WAYMARK"], *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def marker(isa, code):
    """(what, id) of an instruction's digits, or None."""
    if isa.startswith("riscv") and len(code) == 8 and code[3:] == "02013":
        number = int(code[:3], 16)
    elif isa == "aarch64" and 0xd2ea0000 <= int(code, 16) < 0xd2ec0000 and code[-1] == "f":
        if int(code, 16) & 0x1f != 0x1f:
            return None
        number = int(code, 16) >> 5 & 0xfff
    elif isa in ("x86_64", "i386") and code.startswith("0f1f8400") and code.endswith("4b57"):
        field = int(code[10:12] + code[8:10], 16)
        number = field >> 12 << 10 | field & 0xfff
    else:
        return None
    return (WHAT[number >> 10], number & 1023)


def seen(trace, thread, isa):
    """(ordinal, what, id) of each marker among the thread's instructions."""
    rows = csv.DictReader(waymark("insns", trace, "--thread", str(thread), "--format",
                                  "csv").splitlines())
    for row in rows:
        found = marker(isa, row["code"])
        if found:
            yield int(row["ordinal"]), *found


def check_thread(name, got, wanted, sums):
    """The listing of a thread, row by row; adds to the sums of all threads."""
    open_, last = collections.defaultdict(list), 0
    for row, (insn, what, number) in zip(got, wanted):
        if (int(row["insn"]), row["what"], int(row["id"])) != (insn, what, number):
            raise Differs(f"{name}: {row} instead of {what} {number} at {insn}")
        if int(row["since_insns"]) != insn - last:
            raise Differs(f"{name}: {row}: since {insn - last}")
        last = insn
        total = sums[number]
        begin = took = ""
        if what == "point":
            total["points"] += 1
        elif what == "begin":
            open_[number].append(insn)
        elif open_[number]:
            begin = open_[number].pop()
            took = insn - begin
            total["regions"].append(took)
        else:
            total["unbegun"] += 1
        if (row["begin"], row["region_insns"]) != (str(begin), str(took)):
            raise Differs(f"{name}: {row}: begun at {begin}, took {took}")
    unended = sorted((insn, number) for number, insns in open_.items() for insn in insns)
    rest = [(int(row["insn"]), int(row["id"])) for row in got[len(wanted):]
            if row["what"] == "unended"]
    if len(got) != len(wanted) + len(rest) or rest != unended:
        raise Differs(f"{name}: {len(got)} rows, of {len(wanted)} markers; unended {rest}, "
                      f"not {unended}")
    for _, number in unended:
        sums[number]["unended"] += 1


def check_summary(trace, sums):
    wanted = []
    for number in sorted(sums):
        total = sums[number]
        regions = total["regions"]
        wanted.append({
            "id": number, "regions": len(regions), "min_insns": min(regions, default=None),
            "mean_insns": sum(regions) / len(regions) if regions else None,
            "max_insns": max(regions, default=None),
            "total_insns": sum(regions) if regions else None, "points": total["points"],
            "unbegun": total["unbegun"], "unended": total["unended"]})
    got = json.loads(waymark("marks", trace, "--summary", "--format", "json"))
    for row in got + wanted:
        row["mean_insns"] = row["mean_insns"] and round(row["mean_insns"], 2)
    if got != wanted:
        raise Differs(f"the summary is {got}, not {wanted}")


def check(trace):
    info = json.loads(waymark("info", trace, "--format", "json"))
    rows = list(csv.DictReader(waymark("marks", trace, "--format", "csv").splitlines()))
    sums = collections.defaultdict(
        lambda: {"points": 0, "regions": [], "unbegun": 0, "unended": 0})
    count = 0
    for stream in info["threads"]:
        index = stream["index"]
        wanted = list(seen(trace, index, info["guest_isa"]))
        got = [row for row in rows if row["thread"] == str(index)]
        check_thread(f"thread {index}", got, wanted, sums)
        count += len(wanted)
    if len({row["thread"] for row in rows}) > len(info["threads"]):
        raise Differs("markers of a thread that there is not")
    clock = [int(row["ns"]) for row in rows if row["what"] != "unended"]
    if clock != sorted(clock):
        raise Differs("they are not in the order of the clock")
    check_summary(trace, sums)
    print(f"{count} markers in {len(info['threads'])} threads, "
          f"{sum(len(total['regions']) for total in sums.values())} regions")


if __name__ == "__main__":
    try:
        check(sys.argv[1])
    except Differs as why:
        print(why)
        sys.exit(1)
