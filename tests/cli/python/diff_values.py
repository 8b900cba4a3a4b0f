#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The question "diff" about values: it says what `waymark diff` of the same two traces says.

usage: diff_values.py A B
"""

import json
import os
import subprocess
import sys

import waymark


def command(*words):
    result = subprocess.run([os.environ["WAYMARK"], "diff", "--format", "json", *words],
                            stdout=subprocess.PIPE, check=False)
    return json.loads(result.stdout)["threads"][0]["values"]


def check(a, b, options, words):
    trace, wanted = waymark.open(a), command("-n", "50", *words, a, b)
    with_b = {"with": b, **options}
    table = trace.ask("diff", by="value", rows=50, **with_b)
    rows = [dict(zip(table, cells)) for cells in zip(*(table[name] for name in table))]
    pair = trace.ask("diff", by="thread", **with_b)
    same = len(rows) == len(wanted["first"]) and \
        (pair["values_compared"][0], pair["values_differ"][0]) == (wanted["compared"], wanted["differ"])
    for row, value in zip(rows, wanted["first"]):
        did = value["a_did"] or value["b_did"]
        same = same and (row["a"], row["b"], row["kind"]) == (value["a"], value["b"], did["kind"])
        for side in "a", "b":
            did = value[side + "_did"] or {}
            same = same and (row[side + "_value"] or "") == (did.get("value") or "")
            if "address" in did:
                same = same and row[side + "_address"] == int(did["address"], 16)
            elif did:
                same = same and row["register"] == did["register"]
    print("ok" if same else "not ok", "values that differ,", *words, "#", len(rows), "rows")
    return same


def main():
    a, b = sys.argv[1:]
    good = [check(a, b, {}, []),
            check(a, b, {"values": "addresses"}, ["--values", "addresses"]),
            check(a, b, {"may_differ": "a0"}, ["--may-differ", "a0"])]
    try:
        waymark.open(a).ask("diff", by="value", values="colours", **{"with": b})
        good.append(False)
    except waymark.RangeError as why:
        good.append("registers" in str(why))
    print("ok" if good[-1] else "not ok", "values that there are not")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
