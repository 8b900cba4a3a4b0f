# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: callgrind_facts.py FACT PROFILE TRACE [OPTION...]

A callgrind profile as callgrind_annotate reads it, against `waymark calls TRACE OPTION...`.
"""

import collections
import csv
import json
import os
import re
import subprocess
import sys

fact, profile, *selection = sys.argv[1:]


def annotate(*options, show="Ir"):
    """The text of callgrind_annotate, which must have nothing to complain about."""
    done = subprocess.run(["callgrind_annotate", "--show-percs=no", "--threshold=100",
                           "--show=" + show, *options, profile], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=True, errors="replace")
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def calls(*options):
    words = [os.environ["WAYMARK"], "calls", *selection, "--format", "csv", *options]
    out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    return list(csv.DictReader(out.splitlines()))


def number(text):
    """Of a dot, which is for nothing, too."""
    return 0 if text == "." else int(text.replace(",", ""))


def is_named(name):
    """Code without symbols is split by who calls it in one, by where it is in the other."""
    return not name.startswith("[")


def function_of(text):
    """The function of "FILE:FUNCTION [OBJECT]". No file here has a colon in its name.

    OBJECT is a path, "[vdso]" or "???".
    """
    return re.sub(r" \[(/[^\]]*|\[vdso\]|\?\?\?)\]$", "", text.partition(":")[2])


def self_of_each_function():
    found, wanted = collections.Counter(), collections.Counter()
    total = None
    for line in annotate("--auto=no"):
        m = re.match(r"\s*([\d,]+)\s+(.*)$", line)
        if not m:
            continue
        if m[2] == "PROGRAM TOTALS":
            total = number(m[1])
        else:
            found[function_of(m[2])] += number(m[1])
    for row in calls():
        wanted[row["function"]] += int(row["self_insns"])
    assert total == sum(wanted.values()) == sum(found.values()), (total, sum(wanted.values()))
    for name in filter(is_named, found.keys() | wanted.keys()):
        assert found[name] == wanted[name], (name, found[name], wanted[name])
    print(len(found), "functions")


def method_of(text, names):
    """The name in "FILE:NAME [OBJECT]" of which all parts may have colons.

    The object may be missing, and "[compiled]" is the end of a name.
    """
    text = text.replace(";", ",")
    named = re.sub(r" \[\[jit\]\]$| \[(/[^\]]*|[^\] ]*|<[^\]]*>)\]$", "", text)
    return next(whole[at + 1:] for whole in (text, named) for at, letter in enumerate(whole)
                if letter == ":" and whole[at + 1:] in names)


def methods():
    """Methods have what folded stacks say, and pairs the calls of a tree."""
    global profile
    own, total, again = collections.Counter(), collections.Counter(), set()
    with open(selection[0], encoding="utf-8") as file:
        for line in file:
            stack, _, insns = line.rstrip("\n").rpartition(" ")
            stack = stack.split(";")
            own[stack[-1]] += int(insns)
            for name in set(stack):
                total[name] += int(insns)
                # What is inside its own call has no one total in this format.
                if stack.count(name) > 1:
                    again.add(name)
    # Methods of coroutines, which called them or not, are on the stack of who goes on with them.
    again.add("[runtime]")
    with open(selection[1], encoding="utf-8") as file:
        tree = list(csv.DictReader(file))
    # callgrind_annotate has two rows for a function of a file where it is started.
    profile = os.path.abspath(profile)
    os.chdir("/")
    for wanted, words in (own, "no"), (total, "yes"):
        found, times = collections.Counter(), collections.Counter()
        for line in annotate("--auto=no", "--inclusive=" + words):
            m = re.match(r"\s*([\d,]+)\s+(.*)$", line)
            if m and m[2] != "PROGRAM TOTALS":
                found[method_of(m[2], total)] += number(m[1])
                times[method_of(m[2], total)] += 1
        # One with lines of several files has a row of each, and the total in all of them.
        again |= {name for name, n in times.items() if n > 1}
        for name in wanted.keys() | found.keys():
            assert found[name] == wanted[name] or (words == "yes" and name in again), (
                words, name, found[name], wanted[name])
    wanted = collections.Counter()
    stack = ["[runtime]"]
    for row in tree:
        name = row["function"].replace(";", ",")
        if row["event"] == "entry":
            wanted[stack[-1], name] += 1
            stack.append(name)
        else:
            stack.pop()
    print(len(own), "methods,", len(pairs_of_calls(total, wanted)), "pairs")


def pairs_of_calls(names, wanted):
    """Each pair that is in the tree, and not more calls: what goes on is in the tree, too."""
    found, caller = collections.Counter(), None
    for line in annotate("--auto=no", "--tree=calling"):
        m = re.match(r"\s*([\d,]+|\.)\s+([*>])\s+(.*)$", line)
        if m and m[2] == "*":
            caller = method_of(m[3], names)
        elif m:
            text, times = re.fullmatch(r"(.*) \(([\d,]+)x\)(?: \[.*\])?", m[3]).groups()
            found[caller, method_of(text, names)] += number(times)
    for pair in found.keys() | wanted.keys():
        # A trace of LuaJIT's is called by the one that jumped to it, and stands in its place.
        if not any(name.startswith("TRACE:") for name in pair):
            assert 0 < found[pair] <= wanted[pair], (pair, found[pair], wanted[pair])
    return found


def cache_events():
    """What caches miss, as `waymark cache` says of each function and callgrind_annotate sums up."""
    words = [os.environ["WAYMARK"], "cache", *selection, "--format", "csv"]
    out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    wanted, found, events = collections.Counter(), collections.Counter(), None
    for row in csv.DictReader(out.splitlines()):
        for name in ("insns", "loads", "stores", "l1i_misses", "l1d_misses", "l2_misses",
                     "llc_misses"):
            wanted[row["function"], name] += int(row[name])
    for line in annotate("--auto=no", show="Ir,Dr,Dw,I1mr,D1mr,D1mw,I2mr,D2mr,D2mw,ILmr,DLmr,DLmw"):
        if line.startswith("Events recorded:"):
            events = line.split()[2:]
        m = re.match(r"\s*((?:(?:[\d,]+|\.) +){%d})(\S.*)$" % len(events or ()), line)
        if not events or not m or m[2] == "PROGRAM TOTALS":
            continue
        counts = dict(zip(events, map(number, m[1].split())))
        for name, parts in (("insns", ["Ir"]), ("loads", ["Dr"]), ("stores", ["Dw"]),
                            ("l1i_misses", ["I1mr"]), ("l1d_misses", ["D1mr", "D1mw"]),
                            ("l2_misses", ["I2mr", "D2mr", "D2mw"]),
                            ("llc_misses", ["ILmr", "DLmr", "DLmw"])):
            found[function_of(m[2]), name] += sum(counts[part] for part in parts)
    assert +found == +wanted and found, (+found - +wanted, +wanted - +found)
    print(len(found), "counts")


def calls_of_each_pair():
    """The lines of --tree=calling: "*  FUNCTION", and then its callees."""
    found, wanted = {}, {}
    caller = None
    for line in annotate("--auto=no", "--tree=calling"):
        m = re.match(r"\s*([\d,]+|\.)\s+([*>])\s+(.*)$", line)
        if m and m[2] == "*":
            caller = function_of(m[3])
        elif m:
            text, times = re.fullmatch(r"(.*) \(([\d,]+)x\)(?: \[.*\])?", m[3]).groups()
            key = caller, function_of(text)
            calls_, insns = found.get(key, (0, 0))
            found[key] = calls_ + number(times), insns + number(m[1])
    for row in calls("--graph"):
        key = row["caller"], row["callee"]
        calls_, insns = wanted.get(key, (0, 0))
        wanted[key] = calls_ + int(row["calls"]), insns + int(row["total_insns"])
    jumped = 0
    for key in found.keys() | wanted.keys():
        if not (all(key) and all(map(is_named, key))):
            continue
        times, insns = wanted[key]
        # Where nothing but a jump into its middle led there, callgrind needs a call.
        jumped += not times
        # Nor are the functions of stripped code certain: a jump may lead into their middle.
        if key[1].startswith("sub_") and key in found:
            times = max(times, found[key][0])
        # callgrind_annotate does not print what took nothing.
        assert found.get(key, (times, 0)) == (times or found[key][0], insns), (
            key, found.get(key), wanted[key])
    print(len(found), "pairs,", jumped, "by jumps")


def places_of_calls():
    """tree() calls itself from two lines, and leaf() from a third."""
    lines, names, function, called = set(), {}, None, None
    for line in open(profile):
        m = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if m:
            names[m[2]] = m[3] or names[m[2]]
            function = names[m[2]] if m[1] == "fn" else function
            called = names[m[2]] if m[1] == "cfn" else None
        elif line.startswith("0x") and called:
            if function == "tree":
                lines.add((called, int(line.split()[1])))
            called = None
    source = open(os.environ["SRC"] + "/tests/cli/export/inlined.c").read().splitlines()
    wanted = {(call.partition("(")[0], n) for n, text in enumerate(source, 1)
              for call in ("leaf(n)", "tree(n - 1)", "tree(n - 2)") if call in text}
    assert lines == wanted and len(lines) == 3, (lines, wanted)


def lines_of_source():
    """Each line of inlined.c and inlined.h has the instructions that `hot --by line` says."""
    words = [os.environ["WAYMARK"], "hot", *selection, "--by", "line", "--format", "csv"]
    out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    wanted = collections.Counter()
    for row in csv.DictReader(out.splitlines()):
        file, _, line = row["line"].rpartition(":")
        if file.endswith(("inlined.c", "inlined.h")):
            wanted[file, int(line)] += int(row["insns"])
    found, names, file, skip = collections.Counter(), {}, None, False
    for line in open(profile):
        m = re.match(r"(fl|fi|fe|cfi|jfi)=\((\d+)\)(?: (.*))?$", line)
        if m:
            names[m[2]] = m[3] or names[m[2]]
            if m[1] not in ("cfi", "jfi"):
                file = names[m[2]].rpartition("/")[2]
        elif line.startswith(("calls=", "jump=", "jcnd=")):
            skip = True
        elif line.startswith("0x"):
            if not skip:
                found[file, int(line.split()[1])] += int(line.split()[2])
            skip = False
    found = {key: n for key, n in found.items() if key[0] in ("inlined.c", "inlined.h")}
    assert found == {key: n for key, n in wanted.items()}, (found, wanted)
    assert any(key[0] == "inlined.h" for key in found)


def jumps():
    """Those inside functions, of a program whose addresses are those of its file."""
    words = [os.environ["WAYMARK"], "cfg", *selection, "--format", "json"]
    graph = json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True,
                                      check=True).stdout)
    blocks = {block["id"]: block for block in graph["blocks"]}
    taken, leaves, branches = collections.Counter(), collections.Counter(), set()
    for edge in graph["edges"]:
        start, end = blocks[edge["from"]], blocks[edge["to"]]
        if edge["kind"] not in ("taken", "indirect", "fallthrough") or \
                start["function"] != end["function"] or start["function"].startswith("["):
            continue
        place = int(start["code"][-1]["address"], 16)
        if re.match(r"(c\.)?b[a-z]*z? ", start["code"][-1]["disassembly"]):
            branches.add(place)
        leaves[place] += edge["count"]
        if edge["kind"] != "fallthrough":
            taken[place, int(end["address"], 16)] += edge["count"]
    wanted = {(*places, n, leaves[places[0]] if places[0] in branches else None)
              for places, n in taken.items()}
    found, jump = set(), None
    for line in open(profile):
        m = re.match(r"(?:jump|jcnd)=(\d+)(?:/(\d+))? (0x[0-9a-f]+) \d+$", line)
        if m:
            jump = int(m[3], 16), int(m[1]), int(m[2]) if m[2] else None
        elif jump:
            m = re.match(r"(0x[0-9a-f]+) \d+$", line)
            assert m and (int(m[1], 16), jump[0]) not in {f[:2] for f in found}, line
            found.add((int(m[1], 16), *jump))
            jump = None
    assert found == wanted and len(found) > 20, (found - wanted, wanted - found)


globals()[fact]()
