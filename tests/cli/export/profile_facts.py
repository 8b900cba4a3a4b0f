# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: profile_facts.py FACT PROFILE TRACE [OPTION...]

Profiles of calling contexts, folded or pprof's, against `waymark calls TRACE OPTION...`.
"""

import collections
import csv
import json
import os
import re
import subprocess
import sys

fact, profile, *selection = sys.argv[1:]


def output(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def check(self_insns, total_insns):
    """Of each function: its own instructions, and those while it was on the stack."""
    wanted_self, wanted_total, times = (collections.Counter() for _ in range(3))
    for row in csv.DictReader(output(os.environ["WAYMARK"], "calls", *selection,
                                     "--format", "csv")):
        name = row["function"].replace(";", ",")
        times[name] += 1
        wanted_self[name] += int(row["self_insns"])
        wanted_total[name] += int(row["total_insns"])
    for name in wanted_self.keys() | self_insns.keys():
        assert self_insns[name] == wanted_self[name], (
            name, self_insns[name], wanted_self[name])
        # Of several functions of one name, totals overlap.
        assert times[name] > 1 or total_insns[name] == wanted_total[name], (
            name, total_insns[name], wanted_total[name])
    print(len(wanted_self), "functions")


def check_stacks(stacks):
    """Of pairs of a stack, the outermost first, and its instructions."""
    self_insns, total_insns = collections.Counter(), collections.Counter()
    for stack, insns in stacks:
        self_insns[stack[-1]] += insns
        for name in set(stack):
            total_insns[name] += insns
    check(self_insns, total_insns)


def folded():
    seen = set()
    stacks = []
    for line in open(profile):
        m = re.fullmatch(r"(.+) (\d+)\n", line)
        assert m and m[1] not in seen, line
        seen.add(m[1])
        stacks.append((m[1].split(";"), int(m[2])))
    check_stacks(stacks)


def folded_of(path):
    with open(path, encoding="utf-8") as file:
        return dict((stack, int(insns)) for stack, insns in
                    (line.rstrip("\n").rsplit(" ", 1) for line in file))


def folded_both():
    """The numbers of two folded stacks: those of the other trace come first."""
    other, this = (folded_of(path) for path in selection)
    seen = {}
    for line in open(profile, encoding="utf-8"):
        stack, first, second = line.rstrip("\n").rsplit(" ", 2)
        assert stack not in seen, line
        seen[stack] = (int(first), int(second))
    assert seen == {stack: (other.get(stack, 0), this.get(stack, 0))
                    for stack in other.keys() | this.keys()}, seen


def pprof_stacks():
    """All of a profile as pprof prints it: pairs of places, the innermost first, and insns."""
    text = output("go", "tool", "pprof", "-raw", profile)
    assert text[:2] == ["PeriodType: instructions count", "Period: 1"], text[:2]
    part, samples, places = None, [], {}
    for line in text:
        if re.match(r"(Samples|Locations|Mappings)", line):
            part = line.partition(":")[0]
        elif part == "Samples" and ":" in line:
            insns, _, stack = line.partition(":")
            samples.append((stack.split(), int(insns)))
        elif part == "Locations":
            # From Go 1.22 on a column follows the line.
            m = re.match(r"\s*(\d+): 0x0 (?:M=\d+ )?(.*?) ([^ ]*?|<.*>):(\d+)(?::0)? s=0", line)
            assert m, line
            places[m[1]] = (m[2], m[3], int(m[4]))
    return [([places[one] for one in stack], insns) for stack, insns in samples]


def pprof_raw():
    check_stacks([([name.replace(";", ",") for name, _, _ in reversed(stack)], insns)
                  for stack, insns in pprof_stacks()])


def folded_of_tree():
    """Stacks of methods as a tree of methods has them, but for instructions outside of it."""
    wanted, stack, since, thread = collections.Counter(), [], 0, None
    with open(selection[0], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["thread"] != thread:
                assert not stack
                thread = row["thread"]
            elif stack:
                wanted[";".join(stack)] += int(row["insn"]) - since
            since = int(row["insn"])
            if row["event"] == "entry":
                stack.append(row["function"].replace(";", ","))
            else:
                assert stack.pop() == row["function"].replace(";", ",")
    found = folded_of(profile)
    assert found.pop("[runtime]", 1) > 0
    assert found == +wanted, [(one, found.get(one), wanted[one]) for one in
                              found.keys() | wanted.keys()
                              if found.get(one, 0) != wanted[one]][:3]
    print(len(found), "stacks")


def pprof_of_folded():
    """The stacks of folded ones, and where methods are; lines are no functions."""
    found, placed, wanted = collections.Counter(), 0, folded_of(selection[0])
    for stack, insns in pprof_stacks():
        found[";".join(name.replace(";", ",") for name, _, _ in reversed(stack))] += insns
        for name, source, line in stack:
            # What V8 has compiled may have lines of other files, and does not always name them.
            if re.search(r"[^\d: ]:\d+(:\d+)?\)?$", name) and not re.match(r"JS:[+^*]", name):
                assert line and os.path.basename(source) + ":" in name, (name, source, line)
                placed += 1
    assert found == wanted, [(one, found[one], wanted.get(one))
                             for one in found.keys() | wanted.keys()
                             if found[one] != wanted.get(one)][:3]
    assert placed
    print(len(found), "stacks")


def pprof_lines():
    """Of each line: its own instructions."""
    got, wanted = collections.Counter(), collections.Counter()
    for stack, insns in pprof_stacks():
        _, source, line = stack[0]
        got[f"{os.path.basename(source)}:{line}" if line else ""] += insns
    for row in csv.DictReader(output(os.environ["WAYMARK"], "hot", "--by", "line", *selection,
                                     "--format", "csv")):
        wanted[row["line"]] += int(row["insns"])
    assert got == wanted, (got - wanted, wanted - got)
    assert len(got) > 5, got


def callgrind_calls():
    """Pairs of a place that calls and what it calls, as a profile of callgrind has them."""
    names, files = {}, {}

    def named(text, known):
        m = re.fullmatch(r"\((\d+)\)(?: (.*))?", text)
        return known.setdefault(m[1], m[2])

    calls, function, source, callee, number = set(), None, None, None, 0
    for line in output(os.environ["WAYMARK"], "export", "callgrind", *selection):
        word, _, rest = line.partition("=")
        if word == "fn":
            function = named(rest, names)
        elif word == "cfn":
            callee = named(rest, names)
        elif word in ("fl", "fi", "fe"):
            source = named(rest, files)
        elif word in ("cfi", "cfl"):
            named(rest, files)
        elif re.match(r"0x|[-+*]", line):
            at = line.split()[1]
            if at != "*":
                number = int(at) + (number if at[0] in "+-" else 0)
            if callee:
                calls.add((function, source if number else "", number, callee))
            callee = None
    return calls


def pprof_calls():
    """
    Which line called what. No instruction calls a handler, nor the code that it returns to:
    profiles of callgrind have the function's first line for it. Nothing calls a stub of the
    linker: they have its instructions, and no call.
    """
    uncalled = re.compile(r"fault_handler|\[anonymous\]|__vdso_rt_sigreturn|.*@plt")
    got = {(*caller, stack[i][0]) for stack, _ in pprof_stacks()
           for i, caller in enumerate(stack[1:])}
    wanted = callgrind_calls()
    got, wanted = ({one for one in calls if not uncalled.fullmatch(one[3])}
                   for calls in (got, wanted))
    assert got == wanted, (got - wanted, wanted - got)


def pprof_top():
    """What a person sees first."""
    text = output("go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0",
                  "-edgefraction=0", profile)
    self_insns, total_insns = collections.Counter(), collections.Counter()
    for line in text:
        m = re.match(r"\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s+(.*)$", line)
        if m:
            self_insns[m[3]] += int(m[1])
            total_insns[m[3]] += int(m[2])
    check(self_insns, total_insns)


def speedscope():
    """As speedscope's importer counts them."""
    self_insns, total_insns = collections.Counter(), collections.Counter()
    read = output("node", os.environ["SRC"] + "/tests/cli/export/speedscope.js",
                  os.environ["SPEEDSCOPE"], profile)
    for one in json.loads(read[0])["profiles"]:
        for function in one["functions"]:
            self_insns[function["name"].replace(";", ",")] += function["self"]
            total_insns[function["name"].replace(";", ",")] += function["total"]
    check(self_insns, total_insns)


globals()[fact]()
