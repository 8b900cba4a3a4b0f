# SPDX-License-Identifier: GPL-2.0-or-later
"""Labels of instructions and blocks against tables and other formats; see python.sh."""
import collections
import csv
import json
import re
import sys


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def sums(labelled, summed):
    """As many instructions have each label as `hot` counts for the bytecode."""
    have = collections.Counter((row["method"], row["bytecode"]) for row in rows(labelled)
                               if not row["note"].startswith("gap"))
    want = collections.Counter()
    for row in rows(summed):
        method = "" if row["method"] == "[runtime]" else row["method"]
        want[method, row["offset"]] += int(row["insns"])
    want += collections.Counter()  # rows without instructions go
    for key in sorted(set(have) | set(want)):
        if have[key] != want[key]:
            print(key, have[key], want[key])
    return len(have) > 1 and have == want


def same(labelled, lines):
    """JSON lines say what the CSV does."""
    keys = ("method", "bytecode", "opcode", "method_line", "note")
    want = [tuple(row[key] for key in keys) for row in rows(labelled)]
    with open(lines) as file:
        objects = [json.loads(line) for line in file]
    have = [tuple(str("" if it.get(key) is None else it[key]) for key in keys) for it in objects]
    return have == want


KEYS = ("ordinal", "method", "bytecode", "opcode", "method_line", "note")


def columns(path):
    return [tuple(row[key] for key in KEYS) for row in rows(path)]


def asked(labelled, answer):
    """SQL's rows are those of the listing."""
    want = columns(labelled)
    return len(want) > 1000 and want == columns(answer)


def some(labelled, answer):
    """The same; but a block that contains the bound is in one of them only."""
    want, have = columns(labelled), columns(answer)
    both = set(want) & set(have)
    return len(both) > 100 and len(want) - len(both) <= 1 and len(have) - len(both) <= 1


def library(labelled, trace, start, stop):
    """Of the Python package, which has the C library's: its streams and its questions."""
    import waymark

    with waymark.open(trace) as opened:
        want = columns(labelled)
        have = [
            (str(start), "", "", "", "", "") if it is None else
            (str(start), it.method + it.signature, str(it.offset), it.opcode or "",
             str(it.line or ""), it.note)
            for start, it in enumerate(
                opened.streams[0].bytecodes(int(start), int(stop)), int(start))]
        table = opened.ask("insns", bytecodes=1, thread=0, from_=start, to=stop)
        rows_asked = [
            tuple("" if table[key][i] is None else str(table[key][i]) for key in KEYS)
            for i in range(len(table["ordinal"]))]
        backwards = next(opened.streams[0].bytecodes(int(start), int(stop)))
        begins = opened.streams[0].bytecodes(0, 1)
        refused = False
        try:
            opened.streams[0].bytecodes(opened.streams[0].insns + 1)
        except waymark.RangeError:
            refused = True
        return (len(want) > 1000 and want == have and want == rows_asked and
                backwards is not None and backwards.insn_ordinal <= int(start) and
                next(begins) is None and refused)


def late(listed, trace, thread, most):
    """Of positions anywhere, the latest first: what the list, made from the begin, has there.
    Half of them are where something was caught, and the bytecode before."""
    import bisect
    import random

    import waymark

    with open(listed, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    begins = [int(row["insn"]) for row in rows]
    caught = [i for i, row in enumerate(rows)
              if row["note"] == "inferred" and begins[i - 1] != begins[i]]
    choose = random.Random(1)
    places = [choose.randrange(begins[0], begins[-1]) for _ in range(int(most))]
    for i in choose.sample(caught, min(int(most), len(caught))):
        places += [begins[i], begins[i] - 1]
    with waymark.open(trace) as opened:
        stream = opened.streams[int(thread)]
        for place in sorted(places, reverse=True):
            row = rows[bisect.bisect(begins, place) - 1]
            it = next(stream.bytecodes(place, place + 1))
            want = (int(row["insn"]), row["unit"] + row["detail"], row["offset"])
            if want != (it.insn_ordinal, it.method + it.signature, str(it.offset)):
                print(place, want, it)
                return False
    return len(places) > int(most)


def text(labelled, lines):
    """Text has them at the end of its lines."""
    marks = {"": "", "inferred": " ~", "compiled": " +", "optimised": " *"}
    want = []
    for row in rows(labelled):
        place = f"{row['method']}@{row['bytecode']}"
        if row["method_line"]:
            place += f":{row['method_line']}"
        want.append(place + marks[row["note"]] if row["method"] else "")
    with open(lines) as file:
        have = [re.split(" {2,}", line.rstrip("\n")) for line in file]
    return len(have) == len(want) and all(not it or line[-1] == it for line, it in zip(have, want))


def blocks(labelled, listed):
    """A block has the label of its first instruction."""
    insns, at = rows(labelled), 0
    for block in rows(listed):
        row = insns[at]
        if (row["method"], row["bytecode"]) != (block["method"], block["bytecode"]):
            print(row, block)
            return False
        at += int(block["insns"])
        if at >= len(insns):
            break
    return at > 1000


def gap(lines):
    """Before the three gaps and some way behind each bytecodes are known; behind, none at first."""
    with open(lines) as file:
        known = ["not_recorded" if "not_recorded" in it else bool(it["method"])
                 for it in map(json.loads, file)]
    gaps = [i for i, it in enumerate(known) if it == "not_recorded"]
    return (len(gaps) == 3 and all(known[at - 1] is True for at in gaps) and
            all(True in known[at + 1:at + 500] for at in gaps) and
            any(known[at + 1] is False for at in gaps))


if __name__ == "__main__":
    sys.exit(not globals()[sys.argv[1]](*sys.argv[2:]))
