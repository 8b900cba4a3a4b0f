# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks a report's methods.

usage: methods.py numbers REPORT.html TRACE.wmk
       methods.py looks REPORT.html    (of a program with fib(12) of fib.py)
"""

import collections
import csv
import os
import subprocess
import sys

from browser import Browser
from pagedata import report_data, same


def rows_of(*words):
    out = subprocess.run([os.environ["WAYMARK"], *words, "-n", "1000000", "--format", "csv"],
                         capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(out.splitlines()))


def text(cell):
    """As CSV has it."""
    return "" if cell is None else str(cell)


def same_table(what, table, rows):
    columns = [name for name, _ in table["columns"]]
    got = [[text(cell) for name, cell in zip(columns, row) if name != "share"]
           for row in table["rows"]]
    want = [[row[name] for name in columns if name != "share"] for row in rows]
    same(what, len(got), min(500, len(want)))
    # Of equal ones at the cut, others may be left out.
    last = int(table["rows"][-1][columns.index("insns")])
    at = [name for name in columns if name != "share"].index("insns")
    same(what, sorted(row for row in got if int(row[at]) > last),
         sorted(row for row in want if int(row[at]) > last))


def numbers(page, trace):
    data = report_data(page)
    columns = "method,source,insns,executions,interpreted,compiled,optimised,path"
    same_table("methods", data["methods"], rows_of("hot", "--by", "method", "-f", columns, trace))
    same_table("lines", data["sources"], rows_of("hot", "--by", "source", "-f",
                                                 "source,method,insns,executions,path", trace))
    bytecodes = rows_of("hot", "--by", "bytecode", "-f",
                        "method,offset,opcode,insns,executions,source,line", trace)
    did = collections.Counter()
    for row in bytecodes:
        if row["method"] != "[runtime]":
            did[row["opcode"]] += int(row["insns"])
    same("opcodes", {name: insns for name, _, insns, *_ in data["opcodes"]}, dict(did))
    (fib,) = [code for code in data["method_code"]
              if data["names"][code["name"] - 1][0] == "fib (fib.py:1)"]
    same("a page", [[offset, executions, insns] for offset, _, executions, _, insns in fib["insns"]
                    if executions],
         sorted([int(row["offset"]), int(row["executions"]), int(row["insns"])]
                for row in bytecodes if row["source"].startswith("fib.py") and row["method"] == "fib"))
    same("its calls", fib["calls"], 465)
    same("its source", fib["lines"][0], "def fib(n):")
    same("its tiers", sum(fib["tiers"]), sum(row[4] for row in fib["insns"]))


# How many cells have a line's number that is divided.
DIVIDED = """return [...document.querySelectorAll("#methods td .name, #sources td .name")].filter((cell) => {
    const at = /:\\d+$/.exec(cell.textContent), range = document.createRange();
    if (!at)
        return false;
    range.selectNodeContents(cell.lastElementChild || cell);
    if (!cell.lastElementChild)
        range.setStart(cell.firstChild, at.index);
    return range.getClientRects().length > 1;
}).length"""


# Names are divided behind one of their parts.
PARTS = """const tables = ["#methods", "#sources"].map((id) =>
    [...document.querySelectorAll(id + " td .name:not(.whole)")].filter((cell) => cell.querySelector("wbr")));
const cells = tables.flat();
const bad = cells.filter((cell) => [...cell.childNodes].some((node, i, all) =>
    node.nodeName === "WBR" && !/(::|[./;$,(])$/.test(all[i - 1].textContent)));
return tables.some((cells) => !cells.length) ? "none" : bad.length ? bad[0].innerHTML : "good";"""


def looks(path):
    data = report_data(path)
    number = [code["name"] for code in data["method_code"]
              if data["names"][code["name"] - 1][0] == "fib (fib.py:1)"][0]
    with Browser() as browser:
        page = browser.open(path)
        for part in ("methods", "sources", "opcodes"):
            assert page.run(f"document.querySelectorAll('#{part} tbody tr').length") == 20, part
        page.run(f"location.hash = 'function={number}'; return 1")
        page.until("document.querySelector('#function:not([hidden]) h2')")
        words = page.run("document.getElementById('function').textContent")
        for word in ("called 465 times", "def fib(n):", "POP_JUMP_IF_FALSE 18", "<module> (fib.py)"):
            assert word in words, word
        for width in (1400, 800, 400):
            page.size(width, 800)
            page.settle()
            assert page.run("document.documentElement.scrollWidth") <= width, width
        page.run("location.hash = ''; return 1")
        page.until("document.querySelector('#function[hidden]')")
        for width in (1400, 800, 640, 400):
            page.size(width, 800)
            page.settle()
            assert page.run(DIVIDED) == 0, width
        assert page.run(PARTS) == "good", page.run(PARTS)
        words = page.run("document.getElementById('methods').textContent")
        assert "Of all instructions, with what the runtime did for it: " in words, words
        assert not page.complaints(), page.complaints()


{"numbers": numbers, "looks": looks}[sys.argv[1]](*sys.argv[2:])
