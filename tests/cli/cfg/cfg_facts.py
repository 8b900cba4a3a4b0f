# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: cfg_facts.py FUNCTION [ARGUMENT...]

What cfg.sh checks that takes more than a line of shell: one function for each fact.
"""

import collections
import csv
import json
import os
import re
import subprocess
import sys

WAYMARK = os.environ["WAYMARK"]
def waymark(*words):
    return subprocess.run([WAYMARK, *words], check=True, stdout=subprocess.PIPE).stdout.decode()
class Graph:
    def __init__(self, text):
        self.all = json.loads(text)
        self.blocks = {b["id"]: b for b in self.all["blocks"]}
        self.edges = self.all["edges"]
    def name(self, id):
        b = self.blocks[id]
        return f'{b["function"]}+{b["offset"]}'
    def inside(self, function):
        return {self.name(i): (b["insns"], b["executions"]) for i, b in self.blocks.items()
                if b["function"] == function}
    def between(self, *functions):
        return {(self.name(e["from"]), self.name(e["to"]), e["kind"]): e["count"] for e in self.edges
                if all(self.blocks[e[end]]["function"] in functions for end in ("from", "to"))}
    def loops(self, *functions):
        return {self.name(l["header"]): (l["depth"], l["blocks"], l["entries"], l["iterations"], l["insns"])
                for l in self.all["loops"] if self.blocks[l["header"]]["function"] in functions}

BRANCH = re.compile(r"b(eq|ne|lt|ge|gt|le)u?z?$")
def kind(insn, to, behind):
    word, _, operands = insn.partition(" ")
    links = operands.split(",")[0] in ("ra", "t0")
    target = re.search(r"# (0x[0-9a-f]+)$", insn)
    if BRANCH.match(word): return "fallthrough" if to == behind else "taken"
    if word == "j": return "taken"
    if word == "jal": return "call" if links else "taken"
    if word in ("jalr", "jr", "ret"):
        if word == "jalr" and links: return "call"
        via = operands.split(",")[-1 if word == "jr" else 1] if operands else "ra"
        return "return" if word == "ret" or via in ("ra", "t0") else "indirect"
    return "fallthrough" if to == behind else "interrupted"
# What ran, and what after what, of each process: from a listing of each thread.
def witness(file, *options):
    runs, pairs = collections.Counter(), collections.Counter()
    streams = json.loads(waymark("info", file, "--format", "json"))["threads"]
    for thread, stream in enumerate(streams):
        signals = {json.loads(line)["insn"] for line in waymark("events", file, "--thread", str(thread),
                   "--only", "signal", "--format", "jsonl").splitlines()}
        before = None
        for row in csv.DictReader(waymark("insns", file, "--thread", str(thread), "--format", "csv", *options).splitlines()):
            address, size = int(row["address"], 16), len(row["code"]) // 2
            runs[stream["process"], address] += 1
            if before:
                cut = int(row["ordinal"]) in signals
                how = "interrupted" if cut else kind(before[1], address, before[2])
                pairs[stream["process"], before[0], address, how] += 1
            before = address, row["disassembly"], address + size
    return runs, pairs
def same_as_witness(file, *options):
    runs, pairs = witness(file, *options)
    g = Graph(waymark("cfg", file, *options))
    assert len(g.blocks) > 100 and len(runs) > 500
    for b in g.blocks.values():
        code = [(b["process"], int(i["address"], 16)) for i in b["code"]]
        for i, at in enumerate(code):
            assert runs.pop(at) == b["executions"], at
            if i: assert pairs.pop((*code[i - 1], at[1], "fallthrough")) == b["executions"], at
    assert not runs
    for e in g.edges:
        f, t = g.blocks[e["from"]], g.blocks[e["to"]]
        pair = f["process"], int(f["code"][-1]["address"], 16), int(t["address"], 16), e["kind"]
        assert pairs.pop(pair) == e["count"], pair
    assert not pairs, pairs


def loops_in_a_loop_of_two_symbols():
    g = Graph(open("json").read())
    assert g.inside("nest") == {"nest+0": (1, 3), "nest+4": (2, 21), "nest+12": (2, 105),
                                "nest+20": (1, 21), "nest+24": (1, 21), "nest+28": (1, 3)}
    assert g.inside("nest.tail") == {"nest.tail+0": (2, 21)}
    assert g.between("nest", "nest.tail") == {
        ("nest+0", "nest+4", "fallthrough"): 3, ("nest+4", "nest+12", "fallthrough"): 21,
        ("nest+12", "nest+12", "taken"): 84, ("nest+12", "nest+20", "fallthrough"): 21,
        ("nest+20", "nest.tail+0", "taken"): 21, ("nest.tail+0", "nest+24", "taken"): 21,
        ("nest+24", "nest+4", "taken"): 18, ("nest+24", "nest+28", "fallthrough"): 3}
    assert g.loops("nest") == {"nest+4": (1, 5, 3, 21, 21 * 2 + 105 * 2 + 21 * 2 + 21 * 2),
                               "nest+12": (2, 1, 21, 105, 210)}


def a_circle_that_is_entered_in_two_places():
    g = Graph(open("json").read())
    assert g.between("twins") == {
        ("twins+0", "twins+8", "fallthrough"): 2, ("twins+0", "twins+16", "taken"): 2,
        ("twins+8", "twins+16", "fallthrough"): 18, ("twins+8", "twins+24", "taken"): 2,
        ("twins+16", "twins+8", "taken"): 18, ("twins+16", "twins+24", "fallthrough"): 2}
    assert g.loops("twins") == {}
    mine = [t for t in g.all["irreducible"] if g.blocks[t["block"]]["function"] == "twins"]
    assert [(g.name(t["block"]), t["blocks"], t["insns"]) for t in mine] == [("twins+8", 2, 80)]


def a_jump_whose_target_is_computed():
    g = Graph(open("json").read())
    assert g.between("pick") == {("pick+0", "pick+20", "indirect"): 2,
        ("pick+0", "pick+28", "indirect"): 2, ("pick+0", "pick+44", "indirect"): 8}
    assert sum(e["count"] for e in g.edges if e["kind"] == "return"
               and g.name(e["from"]) == "pick+44") == 8


def calls_returns_and_a_tail_call():
    g = Graph(open("json").read())
    assert g.between("around", "leaf") == {
        ("around+0", "around+4", "fallthrough"): 2, ("around+4", "leaf+0", "call"): 10,
        ("leaf+0", "around+8", "return"): 10, ("around+8", "around+4", "taken"): 8,
        ("around+8", "around+16", "fallthrough"): 2, ("around+16", "leaf+0", "taken"): 2}
    assert g.loops("around") == {"around+4": (1, 2, 2, 10, 30)}
    calls = {g.name(e["to"]): e["count"] for e in g.edges
             if e["kind"] == "call" and g.blocks[e["from"]]["function"] == "main"}
    wanted = {"nest+0": 1, "twins+0": 1, "around+0": 1, "fault_in+0": 1}
    assert all(calls[name] == count for name, count in wanted.items()), calls


def faults_in_a_loop():
    g = Graph(open("json").read())
    assert g.between("fault_in") == {("fault_in+12", "fault_in+0", "taken"): 5,
                                     ("fault_in+12", "fault_in+20", "fallthrough"): 1}
    assert g.between("fault_in", "on_fault")["fault_in+0", "on_fault+0", "interrupted"] == 6
    back = [e for e in g.edges if g.name(e["to"]) == "fault_in+12"]
    assert [(e["kind"], e["count"]) for e in back] == [("interrupted", 6)]
    assert g.loops("fault_in") == {"fault_in+0": (1, 2, 1, 6, 30)}


def code_and_bytes_are_those_of_the_listing():
    g = Graph(open("json").read())
    for b in g.blocks.values():
        assert len(b["code"]) == b["insns"] and not b["outside"]
        assert sum(len(i["bytes"]) for i in b["code"]) == 2 * b["bytes"]
    listed = {r["address"]: r for r in csv.DictReader(waymark("insns", "run.wmk", "--format", "csv").splitlines())}
    for b in g.blocks.values():
        for insn in b["code"]:
            row = listed[insn["address"]]
            assert int.from_bytes(bytes.fromhex(insn["bytes"]), "little") == int(row["code"], 16)
            assert " ".join(insn["disassembly"].split()) == " ".join(row["disassembly"].split())


def isa_all_that_ran_and_a_loop():
    g = Graph(waymark("cfg", "isa.wmk"))
    info = json.loads(waymark("info", "isa.wmk", "--format", "json"))
    assert sum(b["insns"] * b["executions"] for b in g.blocks.values()) == g.all["insns"] == info["instructions"]
    kinds = collections.Counter()
    for e in g.edges: kinds[e["kind"]] += e["count"]
    assert set(kinds) == {"fallthrough", "taken", "call", "return", "indirect"}, kinds
    assert 0.9 < kinds["call"] / kinds["return"] < 1.1
    loops = [l for l in g.all["loops"] if g.blocks[l["header"]]["function"] == "main"]
    assert [l["entries"] for l in loops] == [1] and loops[0]["iterations"] in (1000, 1001)


def trips_in_json():
    g = Graph(waymark("cfg", "run.wmk", "--trips"))
    loops = {g.name(l["header"]): (l.get("least"), l.get("most")) for l in g.all["loops"]}
    assert loops["around+4"] == (1, 9) and loops["down+32"] == (None, None)


def function_with_what_is_around_it():
    g = Graph(waymark("cfg", "run.wmk", "--function", "leaf"))
    mine = [b for b in g.blocks.values() if not b["outside"]]
    assert [(b["function"], b["executions"]) for b in mine] == [("leaf", 12)]
    around = {b["function"] for b in g.blocks.values() if b["outside"]}
    assert around == {"around", "main"} and all("code" not in b for b in g.blocks.values() if b["outside"])
    assert sum(e["count"] for e in g.edges if e["kind"] in ("call", "taken")) == 12


def hot():
    whole = Graph(open("json").read())
    g = Graph(waymark("cfg", "run.wmk", "--hot", "7"))
    heat = lambda b: (-b["insns"] * b["executions"], b["id"])
    hottest = sorted(whole.blocks.values(), key=heat)[:7]
    assert sorted(b["id"] for b in hottest) == [b["id"] for b in g.blocks.values() if not b["outside"]]


globals()[sys.argv[1]](*sys.argv[2:])
