# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: scale_facts.py FACT

What scale.sh checks that takes more than a line of shell: one.wmk has one chunk, big.wmk the same
one as often as 10^12 instructions take.
"""
import csv
import hashlib
import json
import os
import resource
import subprocess
import sys

WAYMARK = os.environ["WAYMARK"]
MEMORY_KIB = 200 << 10


def ask(*words):
    out = subprocess.run([WAYMARK, *map(str, words)], check=True, stdout=subprocess.PIPE)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert used < MEMORY_KIB, (words, used)
    return out.stdout.decode()


def rows(*words):
    return list(csv.DictReader(ask(*words, "--format", "csv").splitlines()))


def insns(name):
    threads = json.loads(ask("info", "--format", "json", name))["threads"]
    return sum(thread["instructions"] for thread in threads)


times = insns("big.wmk") // insns("one.wmk")


def info():
    assert insns("big.wmk") >= 10 ** 12 and times > 1000
    assert insns("big.wmk") == sum(int(row["insns"]) for row in rows("hot", "big.wmk"))


def multiples():
    """What is counted by histograms is that of the chunk, as often as it is there."""
    for words, keys in ((("hot",), ("function", "module")), (("hot", "-b", "line"), ("line",)),
                        (("mix", "--by", "mnemonic"), ("mnemonic",)),
                        (("cover", "-b", "function"), ("function", "module"))):
        one, big = ({}, {})
        for table, name in ((one, "one.wmk"), (big, "big.wmk")):
            for row in rows(*words, name):
                for column in ("insns", "executions", "compressed"):
                    if row.get(column):
                        key = tuple(row[k] for k in keys) + (column,)
                        table[key] = table.get(key, 0) + int(row[column])
        assert one.keys() == big.keys() and one, words
        assert all(big[key] == times * one[key] for key in one), words
        assert max(big.values()) > 2 ** 32


def seek():
    """The last instructions are those of the chunk."""
    one = ask("insns", "--from", insns("one.wmk") - 5, "one.wmk").splitlines()
    big = ask("insns", "--from", insns("big.wmk") - 5, "big.wmk").splitlines()
    assert len(one) == len(big) == 5
    assert [line.split()[1:] for line in one] == [line.split()[1:] for line in big]
    assert int(big[-1].split()[0]) == insns("big.wmk") - 1 > 2 ** 39


def parts():
    """A part of every question that has parts, in bounded memory."""
    for words in ("calls", "calls --graph", "cfg --loops --trips", "hot --by loop",
                  "cover --branches", "mix --interval 100000000",
                  "phases --interval 1000000000", "annotate main"):
        ask(*words.split(), "--part", "%d/%d" % (times // 2, times), "--state", "x.wms",
            "big.wmk")
        assert os.path.getsize("x.wms") > 100, words


def ranges():
    """A range at the end of what is about the order of a thread, in bounded memory."""
    last = insns("big.wmk")
    for words in ("calls", "calls --tree", "bpred", "cfg", "cfg --loops", "mix", "hot",
                  "cover --branches", "phases --interval 10000"):
        out = ask(*words.split(), "--from", last - 90000, "--to", last, "big.wmk")
        # At least the heading of a table and a row.
        assert len(out) > 100, words
    assert sum(int(row["self_insns"]) for row in
               rows("calls", "--from", last - 90000, "--to", last, "big.wmk")) == 90000
    ask("cut", "--from", last - 90000, "--to", last, "-o", "cut.wmk", "big.wmk")
    assert insns("cut.wmk") == 90000


def seams():
    """Retraced: sums beyond 2^32 over the seams between chunks."""
    subprocess.run([os.environ["BUILD"] + "/tests/unit/repeat", "in.wmk", "some.wmk",
                    "6000000000"], check=True)
    whole = insns("some.wmk")
    assert whole > 2 ** 32
    assert sum(int(row["self_insns"]) for row in rows("calls", "some.wmk")) == whole
    blocks = rows("cfg", "--by", "trace", "some.wmk")
    assert int(blocks[0]["insns"]) == whole, blocks


def lists():
    """Lists as long as the run: the same bytes from processes and parts, in bounded memory."""
    subprocess.run([os.environ["BUILD"] + "/tests/unit/repeat", "in.wmk", "list.wmk",
                    "300000000"], check=True)
    os.environ["TMPDIR"] = os.getcwd()
    words = ["calls", "--tree", "list.wmk", "-j", "1"]
    whole = digest([WAYMARK, *words])
    os.environ.update({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
    assert digest(["./forked/waymark", *words]) == whole
    os.environ["WAYMARK_MPI"] = "no"
    for part in "12":
        ask(*words, "--part", part + "/2", "--state", part + ".wms")
    assert digest([WAYMARK, "merge", "1.wms", "2.wms"]) == whole
    ask("merge", "--state", "both.wms", "1.wms", "2.wms")
    assert digest([WAYMARK, "merge", "both.wms"]) == whole


def texts():
    """A table for people, whose columns are as wide as their widest cell."""
    os.environ["TMPDIR"] = os.getcwd()
    digest([WAYMARK, "mem", "-n", "100000000", "mem.wmk"])


def digest(words):
    """Of what a command prints, which is too much to keep; its memory is bounded."""
    digest = hashlib.sha256()
    with subprocess.Popen(words, stdout=subprocess.PIPE) as job:
        while some := job.stdout.read(1 << 20):
            digest.update(some)
    assert job.returncode == 0, words
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert used < MEMORY_KIB, (words, used)
    return digest.hexdigest()


globals()[sys.argv[1]]()
