# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: several_facts.py FACT [WORD...]

What several.sh checks that takes more than a line of shell. Traces a.wmk and b.wmk are of one
program in two folders, c.wmk is of another one.
"""
import csv
import json
import math
import os
import resource
import subprocess
import sys

WAYMARK = os.environ["WAYMARK"]
# What identifies a row, and what is not a sum.
KEYS = ("function", "line", "place", "symbol", "class", "mnemonic", "register", "size", "kind",
        "caller", "callee", "level", "offset")
LEAST, MOST = ("min_insns", "least"), ("max_insns", "most", "depth", "blocks")
SUMS = ("insns", "executions", "self_insns", "total_insns", "calls", "open", "reads", "writes",
        "compressed", "entries", "iterations", "l1d_misses", "l1i_misses", "l2_misses", "loads",
        "stores", "llc_misses", "accesses", "misses", "writebacks", "uncertain")


def rows(*words):
    out = subprocess.run([WAYMARK, *words, "--format", "csv"], check=True,
                         stdout=subprocess.PIPE)
    return list(csv.DictReader(out.stdout.decode().splitlines()))


def key(row):
    return tuple(row[k] for k in KEYS if k in row)


def by_key(table):
    """Rows that a question has apart, as of one name in two places, are one here."""
    found = {}
    for row in table:
        found.setdefault(key(row), []).append(row)
    return found


def numbers(some, column):
    return [int(row[column]) for row in some if row[column]]


def added(*words):
    """Each sum is that of the answers about each trace."""
    names = ("a.wmk", "b.wmk", "c.wmk")
    parts = [by_key(rows(*words, name)) for name in names]
    whole = by_key(rows(*words, *names))
    assert whole.keys() == set().union(*parts) and len(whole) > 1, words
    for name, found in whole.items():
        terms = [row for part in parts for row in part.get(name, [])]
        for column in found[0]:
            for columns, fold in ((SUMS, sum), (LEAST, min), (MOST, max)):
                if column in columns and numbers(terms, column):
                    assert fold(numbers(found, column)) == fold(numbers(terms, column)), \
                        (name, column)


def by_trace():
    names = ["c.wmk", "a.wmk"]
    for words, column in ((("hot",), "insns"), (("calls",), "self_insns"),
                          (("cfg",), "insns"), (("cache",), "insns"), (("mix",), "insns")):
        table = rows(*words, "--by", "trace", *names)
        for name in names:
            wanted = sum(numbers(rows("hot", name), "insns"))
            got = sum(numbers([row for row in table if row["trace"] == name], column))
            assert got == wanted, (words, name, got, wanted)
        if words != ("mix",) and words != ("cache",):
            assert len(table) == 2, table
    kinds = [row for row in rows("mix", "--by", "trace", *names) if row["trace"] == "c.wmk"]
    alone = {row["class"]: row for row in rows("mix", "c.wmk")}
    assert {row["class"]: row["share"] for row in kinds} == \
        {name: row["share"] for name, row in alone.items()}


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5)


def shares():
    names = ("a.wmk", "c.wmk")
    table = rows("hot", *names)
    whole = sum(numbers(table, "insns"))
    assert all(near(float(row["share"]), int(row["insns"]) / whole) for row in table)
    assert near(float(table[-1]["cumulative"]), 1)
    # Of a selection, shares are those of the whole.
    main = rows("hot", "--function", "main", *names)
    assert near(sum(float(row["share"]) for row in main),
                sum(numbers(main, "insns")) / whole)
    for row in rows("calls", *names, "-f", "function,calls,open,min_insns,mean_insns,max_insns"):
        if row["mean_insns"]:
            assert int(row["min_insns"]) - 1 <= float(row["mean_insns"]) <= \
                int(row["max_insns"]) + 1, row
    levels = rows("cache", "--by", "level", *names)
    insns = sum(numbers(rows("cache", *names), "insns"))
    assert all(near(float(row["mpki"]), 1000 * int(row["misses"]) / insns) for row in levels)


def builds():
    """One build in two folders is one program; another one with the same names is not."""
    a, both = rows("hot", "a.wmk"), rows("hot", "a.wmk", "b.wmk")
    assert len(a) == len(both) and numbers(both, "insns") == [2 * n for n in numbers(a, "insns")]
    mixed = [row for row in rows("hot", "a.wmk", "c.wmk") if row["function"] == "main"]
    assert len(mixed) == 2, mixed


def twice():
    """An answer about one trace is not changed by the way of several."""
    for words in (("hot",), ("calls",), ("mix", "--per", "function")):
        one, two = rows(*words, "c.wmk"), rows(*words, "c.wmk", "c.wmk")
        for x, y in zip(one, two):
            for column in x:
                if "share" in column or column in ("mean_insns", "function"):
                    assert x[column] == y[column], (x, y)


REBUILT = ("small.wmk", "r1.wmk", "s2.wmk", "r2.wmk", "s1.wmk")


def executed(name):
    """The instructions of a trace and those of its function work(), from the list of them all."""
    out = subprocess.run([WAYMARK, "insns", "--format", "csv", name], check=True,
                         stdout=subprocess.PIPE)
    lines = list(csv.DictReader(out.stdout.decode().splitlines()))
    symbols = [line["symbol"].split("+")[0] for line in lines]
    return len(symbols), symbols.count("work")


def rebuilt():
    """Builds are apart, runs of one build are one row, and sums are those of the witness."""
    insns = {name: executed(name) for name in REBUILT}
    whole = sum(n for n, _ in insns.values())
    works = [insns["r%d.wmk" % i][1] + insns["s%d.wmk" % i][1] for i in (1, 2)]
    assert works[1] > works[0] > 1000, works
    hot = rows("hot", *REBUILT)
    assert sum(numbers(hot, "insns")) == whole
    got = sorted(int(row["insns"]) for row in hot if row["function"] == "work")
    assert got == works, (got, works)
    assert sum(numbers(rows("mix", *REBUILT), "insns")) == whole
    calls = rows("calls", *REBUILT)
    assert sum(numbers(calls, "self_insns")) == whole
    called = [row for row in calls if row["function"] == "work"]
    # 20 calls of one run and 40 of the other, of each build.
    assert sorted(int(row["self_insns"]) for row in called) == works
    assert [int(row["calls"]) for row in called] == [60, 60]
    cache = [row for row in rows("cache", *REBUILT) if row["function"] == "work"]
    assert sorted(int(row["insns"]) for row in cache) == works
    loops = [row for row in rows("cfg", "--loops", *REBUILT) if row["function"] == "work"]
    # Each call enters the loop once, and goes round it 100 or 200 times.
    assert sorted((int(row["entries"]), int(row["iterations"])) for row in loops) == \
        [(60, 6000), (60, 12000)], loops
    cover = rows("cover", "-b", "function", *REBUILT)
    assert sorted(int(row["insns"]) for row in cover if row["function"] == "work") == works


def rebuilt_apart():
    """By trace: a row, or some, for each; they have what the witness says."""
    for words, column in (("hot", "insns"), ("mix", "insns"), ("calls", "self_insns"),
                          ("cache", "insns"), ("cfg", "insns")):
        table = rows(words, "--by", "trace", *REBUILT)
        assert [row["trace"] for row in table if row["trace"] not in REBUILT] == []
        for name in REBUILT:
            got = sum(numbers([row for row in table if row["trace"] == name], column))
            assert got == executed(name)[0], (words, name)
    # Shares of each trace have no running sum over all.
    assert "cumulative" not in rows("mix", "--by", "trace", *REBUILT)[0]
    assert [row["run"] for row in rows("cover", "--by", "trace", *REBUILT)] == list(REBUILT)
    phases = rows("phases", "--interval", "1k", "--by", "trace", *REBUILT)
    assert {row["trace"] for row in phases} == set(REBUILT)
    # A place is looked for in each of them.
    for row in rows("phases", "--interval", "1k", "--from", "work@15", "s1.wmk", "s2.wmk"):
        line = subprocess.run([WAYMARK, "insns", "--from", "work@15", "-n", "1", row["trace"]],
                              check=True, stdout=subprocess.PIPE).stdout.split()
        assert int(row["from"]) == int(line[0]) + 1000 * int(row["simpoint"]), (row, line)


def formats():
    """JSON has what CSV has."""
    for words in (("hot",), ("mix",), ("calls",), ("cache",), ("cover",), ("cfg", "--loops"),
                  ("hot", "--by", "trace")):
        out = subprocess.run([WAYMARK, *words, "--format", "json", *REBUILT], check=True,
                             stdout=subprocess.PIPE)
        told = json.loads(out.stdout)
        table = rows(*words, *REBUILT)
        assert len(told) == len(table) > 0 and list(told[0]) == list(table[0]), words
        for x, y in zip(told, table):
            for column, value in x.items():
                if isinstance(value, int):
                    assert str(value) == y[column], (words, column)


def damage(name, to):
    """Sections of every kind do not match their checksums."""
    with open(name, "rb") as file:
        data = bytearray(file.read())
    for part in range(1, 32):
        data[len(data) * part // 32] ^= 0xff
    with open(to, "wb") as file:
        file.write(data)


def peak(times, question):
    names = ["small.wmk"] * int(times)
    subprocess.run([WAYMARK, *question.split(), "-j", "1", *names], check=True,
                   stdout=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


globals()[sys.argv[1]](*sys.argv[2:])
