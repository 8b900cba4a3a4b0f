# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: phases_facts.py FUNCTION [ARGUMENT...]

What phases.sh checks that takes more than a line of shell: one function for each fact.
"""

import collections
import csv
import json
import os
import subprocess
import sys

WAYMARK = os.environ["WAYMARK"]
def waymark(*words):
    return subprocess.run([WAYMARK, *words], check=True, stdout=subprocess.PIPE).stdout.decode()
# Vectors from a listing of blocks, whose instructions are all that ran of each.
def vectors(file, interval, skip=0, stop=10**18):
    at, out = 0, []
    for row in csv.DictReader(waymark("blocks", file, "--thread", "0", "--format", "csv").splitlines()):
        for _ in range(int(row["insns"])):
            if skip <= at < stop:
                if (at - skip) % interval == 0: out.append({})
                out[-1][int(row["block"])] = out[-1].get(int(row["block"]), 0) + 1
            at += 1
    return out
def bb(path):
    lines = open(path).read().splitlines()
    assert all(line.startswith("T:") and line.endswith(" ") for line in lines)
    return [{int(w.split(":")[1]): int(w.split(":")[2]) for w in line[1:].split()} for line in lines]
def shares(vector):
    whole = sum(vector.values())
    return {block: n / whole for block, n in vector.items()}
def distance(a, b):
    a, b = shares(a), shares(b)
    return sum(abs(a.get(k, 0) - b.get(k, 0)) for k in {*a, *b})


# (function, where it begins, where it ends) of all that main calls: how long the C library
# needs before depends on its release.
def calls():
    begins = 0
    for row in csv.DictReader(waymark("calls", "run.wmk", "--tree", "-F", "main", "-D", "2",
                                      "--format", "csv").splitlines()):
        if row["depth"] == "1" and row["event"] == "entry":
            begins = int(row["insn"])
        elif row["depth"] == "1":
            yield row["function"], begins, int(row["insn"])


def its_phases():
    d = json.load(open("json"))
    n = d["insns"] // 100000
    assert d["intervals"] == n == len(d["labels"])
    names = {p["phase"]: p["function"] for p in d["phases"]}
    seen, labels = [], {}
    for function, begins, ends in calls():
        inside = d["labels"][-(-begins // 100000):ends // 100000]
        assert len(inside) >= (ends - begins) // 100000 - 1, (function, begins, ends)
        labels.setdefault(function, set()).update(inside)
        seen.append(function)
    assert seen == ["add", "multiply", "add", "load", "add"], seen
    assert all(len(mine) == 1 for mine in labels.values()), (labels, d["labels"])
    assert {names[min(mine)]: mine for mine in labels.values()} == labels, (labels, names)


def its_length():
    d = json.load(open("json"))
    n = int(json.loads(waymark("info", "--format", "json", "run.wmk"))["instructions"])
    assert d["insns"] == n > 1600000, n
    line = f"{n:,} instructions, {n // 100000} intervals of 100,000"
    assert line in open("text").read().splitlines(), line


def weights_and_simpoints_are_of_the_labels():
    d = json.load(open("json"))
    for p in d["phases"]:
        mine = [i for i, label in enumerate(d["labels"]) if label == p["phase"]]
        assert p["simpoint"] in mine and p["intervals"] == len(mine)
        assert abs(p["weight"] - len(mine) / len(d["labels"])) < 1e-6
        assert p["from"] == p["simpoint"] * 100000
    assert [p["phase"] for p in d["phases"]] == list(range(len(d["phases"])))


def the_files_of_simpoint_say_the_same():
    d = json.load(open("json"))
    points = [line.split() for line in open("sp.simpoints")]
    weights = [line.split() for line in open("sp.weights")]
    assert points == [[str(p["simpoint"]), str(p["phase"])] for p in d["phases"]]
    assert [w[1] for w in weights] == [p[1] for p in points]
    assert all(abs(float(w[0]) - p["weight"]) < 1e-6 for w, p in zip(weights, d["phases"]))
    assert abs(sum(float(w[0]) for w in weights) - 1) < 1e-6


def as_many_clusters_as_the_criterion_says():
    d = json.load(open("json"))
    bic, k = d["bic"], len(d["phases"])
    line = min(bic) + 0.9 * (max(bic) - min(bic))
    assert [b >= line - 0.01 for b in bic].index(True) + 1 == k, (k, bic)


def the_vectors():
    wanted = vectors("run.wmk", 100000)
    assert bb("sp.bb") == wanted[:-1] and len(wanted) > 16


def similarity():
    d = json.load(open("json"))
    v = vectors("run.wmk", 100000)
    assert d["similarity"]["group"] == 1 and d["similarity"]["rows"] == d["intervals"]
    for i, row in enumerate(d["similarity"]["distances"]):
        assert len(row) == i
        for j, value in enumerate(row):
            assert abs(value - distance(v[i], v[j])) < 1e-4, (i, j)


def the_scatter_has_all_of_the_hottest_block():
    d = json.load(open("json"))
    v = vectors("run.wmk", 10**9)[0]
    s = d["scatter"]
    order = sorted(v.items(), key=lambda kv: (-kv[1], kv[0]))[:300]
    assert [(b["id"], b["insns"]) for b in s["blocks"]] == order
    for b in s["blocks"]:
        assert sum(n for _, n in b["columns"]) == b["insns"]
        assert all(0 <= c < s["columns"] for c, _ in b["columns"])
    assert 200 <= s["columns"] <= 400 and s["column_insns"] * s["columns"] >= d["insns"]
    # Each block of a loop is where its loop is.
    b = next(b for b in s["blocks"] if b["function"] == "multiply")
    begins, ends = next(call[1:] for call in calls() if call[0] == "multiply")
    columns = [c for c, _ in b["columns"]]
    assert columns == list(range(begins // s["column_insns"],
                                 (ends - 1) // s["column_insns"] + 1)), (b, begins, ends)


# Of short intervals, one that cannot be divided into columns of equal length, and all in one.
def columns_have_what_ran_in_them():
    ran = [int(row["block"])
           for row in csv.DictReader(waymark("blocks", "run.wmk", "--format", "csv").splitlines())
           for _ in range(int(row["insns"]))]
    for interval, first in (700, 0), (99991, 12345), (10**9, 5):
        d = json.loads(waymark("phases", "run.wmk", "--interval", str(interval), "-k", "2",
                               "--from", str(first), "--format", "json"))
        s = d["scatter"]
        begins = s["begins"]
        assert len(begins) == s["columns"] and 200 <= s["columns"] <= 400 and begins[0] == first
        lengths = {b - a for a, b in zip(begins, begins[1:])}
        assert lengths <= {s["column_insns"], s["column_insns"] - 1}, lengths
        wanted = [collections.Counter(ran[a:b]) for a, b in zip(begins, begins[1:] + [len(ran)])]
        for block in s["blocks"]:
            of = [[i, n[block["id"]]] for i, n in enumerate(wanted) if block["id"] in n]
            assert block["columns"] == of, (interval, block)


def estimates_blocks():
    d = json.load(open("json"))
    v = vectors("run.wmk", 100000)
    whole, estimate = shares(vectors("run.wmk", 10**9)[0]), {}
    for p in d["phases"]:
        for block, share in shares(v[p["simpoint"]]).items():
            estimate[block] = estimate.get(block, 0) + share * p["weight"]
    off = sum(abs(whole.get(k, 0) - estimate.get(k, 0)) for k in {*whole, *estimate}) / 2
    assert abs(off - d["estimate"]["blocks_error"]) < 1e-5, off


def estimates_multiplications_and_loads():
    d = json.load(open("json"))
    insns = [r["disassembly"].split()[0] for r in csv.DictReader(waymark("insns", "run.wmk", "--format", "csv").splitlines())]
    def share(names, begin=0, end=None):
        part = insns[begin:end]
        return sum(word in names for word in part) / len(part)
    mix = {m["class"]: m for m in d["estimate"]["mix"]}
    for name, words in ("multiply", {"mul", "mulw", "mulhu"}), ("load", {"lw", "ld", "lbu", "lb", "lh", "lhu", "lwu", "fld", "flw"}):
        assert abs(mix[name]["whole"] - share(words)) < 1e-6, name
        wanted = sum(p["weight"] * share(words, p["from"], p["from"] + 100000) for p in d["phases"])
        assert abs(mix[name]["estimate"] - wanted) < 1e-5, name
    off = sum(abs(m["whole"] - m["estimate"]) for m in d["estimate"]["mix"]) / 2
    assert abs(off - d["estimate"]["mix_error"]) < 1e-5


def vectors_with_signals_blocks_cut_anywhere():
    for interval in 1, 7, 999:
        waymark("phases", "other.wmk", "--interval", str(interval), "-k", "2", "--simpoint", "o", "--to", "3000")
        wanted = vectors("other.wmk", interval, 0, 3000)
        assert bb("o.bb") == wanted[:3000 // interval], interval
    for skip, stop in (1, 5000), (4321, 10**18):
        waymark("phases", "other.wmk", "--interval", "1000", "-k", "3", "--simpoint", "o", "--from", str(skip), "--to", str(stop))
        wanted = vectors("other.wmk", 1000, skip, stop)
        got = bb("o.bb")
        assert len(got) > 3 and got == wanted[:len(got)] and len(wanted) - len(got) in (0, 1)


def a_run_shorter_than_an_interval_is_one():
    waymark("phases", "run.wmk", "--simpoint", "o")
    assert bb("o.bb") == vectors("run.wmk", 10**9)
    assert open("o.simpoints").read() == "0 0\n" and open("o.weights").read() == "1 0\n"


globals()[sys.argv[1]](*sys.argv[2:])
