# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: formats_facts.py FUNCTION [ARGUMENT...]

What formats.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import json
import sys


def json_lines_are_json_and_equal_csv():
    for kind in "blocks", "insns":
        rows = csv.DictReader(open(f"{kind}.csv", newline=""))
        lines = open(f"{kind}.jsonl")
        n = 0
        for row, line in zip(rows, lines, strict=True):
            values = {k: "" if v is None else str(v) for k, v in json.loads(line).items()}
            assert values == row, (values, row)
            assert values["ordinal"] == str(n), (n, row)
            n += 1


def blocks_expand_to_insns():
    insns = csv.DictReader(open("insns.csv", newline=""))
    for block in csv.DictReader(open("blocks.csv", newline="")):
        at = int(block["address"], 16)
        end = at + int(block["bytes"])
        for _ in range(int(block["insns"])):
            insn = next(insns)
            assert int(insn["address"], 16) == at, (block, insn)
            at += len(insn["code"]) // 2
        assert at == end, block
        assert insn["disassembly"] == block["last"], (block, insn)
    assert next(insns, None) is None


globals()[sys.argv[1]](*sys.argv[2:])
