# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts for methods.sh and tests/cli/bytecodes/java.sh: methods_facts.py FACT ..."""

import collections
import csv
import json
import os
import re
import resource
import subprocess
import sys


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counts(calls, methods):
    """Whether calls by name are those that the table by method has."""
    got = collections.Counter()
    for row in rows(calls):
        name = row["function"]
        got[name] += int(row["calls"])
        # "name (file.py)": of a method without lines.
        bare = re.match(r"(.*) \([^()]*[^():0-9]\)$", name)
        if bare:
            got[bare[1]] += int(row["calls"])
    want = collections.Counter()
    for row in rows(methods):
        if row["executions"]:
            place = f" ({row['source']})" if row["source"] else ""
            want[row["method"] + place] += int(row["executions"])
    wrong = {name: (n, got[name]) for name, n in want.items() if got[name] != n}
    sys.exit(f"of {len(want)}: {wrong}" if wrong or len(want) < 100 else 0)


def sums(calls, info):
    """Whether all instructions are some function's own."""
    sys.exit(sum(int(row["self_insns"]) for row in rows(calls)) !=
             json.loads(info)["instructions"])


def frames(seen, tree, program):
    """Whether frames begin, go on and are left in the order that sys.monitoring reports."""
    with open(seen, encoding="utf-8") as file:
        want = [line.split() for line in file]
    place = re.compile(r" *[\d,]+(?: +[\d,]+)? +(} /\* )?(\S.*) \(" + re.escape(program) +
                       r"(?::\d+)?\)(.*)$")
    got = []
    with open(tree, encoding="utf-8") as file:
        for found in filter(None, map(place.match, file)):
            if not found[1]:
                got.append(["+", found[2]])
            if found[1] or "{" not in found[3]:
                got.append(["-", found[2]])
    # The call that makes the generator leaves at once, and is no event.
    made = got.index(["+", "gen"])
    if got[made + 1] == ["-", "gen"]:
        del got[made:made + 2]
    sys.exit(0 if want == got and len(want) > 1000 else f"{len(want)} and {len(got)}")


def costs(callgrind, calls):
    """Whether costs of Python's functions are what they executed themselves, and all add up."""
    names, total, own = {}, 0, collections.Counter()
    function, skip = None, False
    with open(callgrind, encoding="utf-8") as file:
        for line in file:
            named = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
            if named:
                names.setdefault(named[2], named[3])
                function = names[named[2]] if named[1] == "fn" else function
            elif line.startswith("calls="):
                skip = True
            elif re.match(r"0x[0-9a-f]+ \d+ \d+$", line):
                own[function] += 0 if skip else int(line.split()[2])
                total += 0 if skip else int(line.split()[2])
                skip = False
    for row in rows(calls):
        if ".py" in row["function"] and own[row["function"]] != int(row["self_insns"]):
            sys.exit(f"{row['function']}: {own[row['function']]}, not {row['self_insns']}")
    sys.exit(total != sum(int(row["self_insns"]) for row in rows(calls)))


def memory(trace, tree):
    """A part keeps no more of a thread's calls in memory than of one call, but 8 MiB."""
    peaks = []
    for words in (["-n", "1"], []):
        subprocess.run([os.environ["WAYMARK"], "calls", "--tree", *words, "--part", "1/1",
                        "--state", tree, trace], check=True)
        peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    # As many bytes would not fit there.
    assert os.path.getsize(tree) > 10 << 20, os.path.getsize(tree)
    assert peaks[1] - peaks[0] < 8 << 10, peaks


def alone(tree, methods, pattern):
    """Whether the rows of `methods` are those of a tree whose function fits, with their levels."""
    is_method, want, open_calls = re.compile(pattern), [], collections.Counter()
    for row in rows(tree):
        if is_method.search(row["function"]):
            thread = row["thread"]
            open_calls[thread] -= row["event"] != "entry"
            want.append({**row, "depth": str(open_calls[thread])})
            open_calls[thread] += row["event"] == "entry"
    got = rows(methods)
    assert len(want) > 50, len(want)
    sys.exit(got != want and f"{len(got)} rows instead of {len(want)}: " +
             str(next((pair for pair in zip(got, want) if pair[0] != pair[1]), "")))


def folded(tree, stacks, pattern, insns):
    """Whether stacks of methods have the instructions that a thread's tree says, all of them."""
    is_method, want, open_methods, since = re.compile(pattern), collections.Counter(), [], 0
    for row in rows(tree):
        if is_method.search(row["function"]):
            want[";".join(open_methods) or "[runtime]"] += int(row["insn"]) - since
            since = int(row["insn"])
            if row["event"] == "entry":
                open_methods.append(row["function"])
            else:
                open_methods.pop()
    want[";".join(open_methods) or "[runtime]"] += int(insns) - since
    with open(stacks, encoding="utf-8") as file:
        got = dict(line.rsplit(" ", 1) for line in file)
    got = {stack: int(n) for stack, n in got.items()}
    want = {stack: n for stack, n in want.items() if n}
    assert len(want) > 50 and sum(got.values()) == int(insns), (len(want), sum(got.values()))
    sys.exit(got != want and str(sorted(set(got.items()) ^ set(want.items()))[:4]))


globals()[sys.argv[1]](*sys.argv[2:])
