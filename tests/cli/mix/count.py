#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
A second way to mixes: counts the lines of `waymark insns`.

usage: count.py TRACE THREADS FROM TO

Holds them against `waymark mix` by mnemonic, size, class and register; in all, by function,
in each function alone, and over time; in the instructions FROM to TO of each thread. What
an instruction does is told from its text here, by the ISA manual's rules. Prints one line
and exits with 0, or says what differs and exits with 1.
"""

import collections
import csv
import os
import re
import subprocess
import sys

INTERVAL = 12345
REGISTER = re.compile(r"\b(zero|ra|sp|gp|tp|[ast][0-9]+|f[ast][0-9]+)\b")
X_NAMES = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
           *(f"a{i}" for i in range(8)), *(f"s{i}" for i in range(2, 12)),
           *(f"t{i}" for i in range(3, 7))]
F_NAMES = dict(zip(X_NAMES, [*(f"ft{i}" for i in range(8)), "fs0", "fs1",
                             *(f"fa{i}" for i in range(8)), *(f"fs{i}" for i in range(2, 12)),
                             *(f"ft{i}" for i in range(8, 12))]))
PRECISION = {"s": "single", "d": "double"}


def waymark(*words):
    """The rows of a table or listing in CSV."""
    command = [os.environ["WAYMARK"], *words, "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from csv.DictReader(process.stdout)
    assert process.returncode == 0, command


def fp_class(name):
    what, *formats = name[1:].split(".")
    kind = {"add": "add", "sub": "add", "mul": "multiply", "div": "divide", "sqrt": "divide",
            "madd": "fused multiply-add", "msub": "fused multiply-add",
            "nmadd": "fused multiply-add", "nmsub": "fused multiply-add",
            "eq": "compare", "lt": "compare", "le": "compare", "class": "compare",
            "min": "compare", "max": "compare", "cvt": "convert", "ld": "load",
            "lw": "load", "sd": "store", "sw": "store"}.get(what, "move")
    if what in ("ld", "sd", "lw", "sw"):
        precision = "double" if what[1] == "d" else "single"
    else:
        precision = next(PRECISION[f] for f in formats if f in PRECISION)
    return f"FP {kind}, {precision}"


def class_of(name, operands):
    first = operands.split(",")[0]
    if re.fullmatch(r"f(add|sub|mul|div|sqrt|n?madd|n?msub|eq|lt|le|class|min|max|cvt|"
                    r"sgnjn?x?|mv|neg|abs)\..*|f[ls][wd]", name):
        return fp_class(name)
    if name in ("jal", "jalr"):
        link = first in ("ra", "t0")
        if name == "jal":
            return "call" if link else "jump"
        if link:
            return "indirect call"
        return "return" if operands.split(",")[1] in ("ra", "t0") else "indirect jump"
    if name == "jr":
        return "return" if operands == "t0" else "indirect jump"
    if name in ("add", "fence") and operands.startswith("zero,zero"):
        return "hint"
    for pattern, what in (
            (r"ret", "return"), (r"j", "jump"), (r"nop", "hint"),
            (r"b(eq|ne|lt|gt|le|ge).*", "branch"),
            (r"mul.*", "multiply"), (r"(div|rem).*", "divide"),
            (r"(lr|sc|amo).*", "atomic"), (r"l[bhwd]u?", "load"), (r"s[bhwd]", "store"),
            (r"(fence|fence\.i)", "fence"), (r"(ecall|ebreak)", "system"),
            (r"(csr|fr|fs|rd)(rw|rs|rc|flags|rm|csr|cycle|time|instret)i?", "CSR")):
        if re.fullmatch(pattern, name):
            return what
    return "integer"


def registers_of(name, operands, what):
    """(read, written); what texts leave out is put in."""
    names = REGISTER.findall(operands.split("#")[0])
    if name == "ret":
        return {"ra"}, {"zero"}
    if name == "j":
        return set(), {"zero"}
    if name == "jr":
        return set(names), {"zero"}
    if name == "nop":
        return {"zero"}, {"zero"}
    if what in ("branch", "store", "FP store, single", "FP store, double"):
        return set(names) | ({"zero"} if name.endswith("z") else set()), set()
    if what in ("fence", "system"):
        return set(), set()
    read, written = set(names[1:]), set(names[:1])
    if name in ("neg", "negw", "snez", "sgtz", "sltz", "frflags", "frrm", "frcsr"):
        read.add("zero")
    if name in ("fmv.s", "fmv.d", "fneg.s", "fneg.d", "fabs.s", "fabs.d"):
        # QEMU 7.2 prints the integer registers of those numbers.
        read, written = ({F_NAMES.get(n, n) for n in names} for names in (read, written))
    return read, written


def tally(insns):
    """{division: {kind: executions}} of {(code, text): executions}."""
    by = collections.defaultdict(collections.Counter)
    for (code, text), n in insns.items():
        name, _, operands = text.partition(" ")
        name = re.sub(r"(\.aq|\.rl|\.aqrl)$", "", name)
        what = class_of(name, operands)
        read, written = registers_of(name, operands, what)
        by["mnemonic"][name] += n
        by["size"][str(len(code) // 2)] += n
        by["class"][what] += n
        by["compressed"][what] += n * (len(code) == 4)
        for register in read:
            by["reads"][register] += n
        for register in written:
            by["writes"][register] += n
    return by


def count(trace, threads, begin, end):
    """The same for {None: all, function's name: in it, (thread, from): interval}."""
    insns = collections.defaultdict(collections.Counter)
    for thread in range(threads):
        for row in waymark("insns", trace, "--thread", str(thread), "--from", str(begin),
                           "--to", str(end)):
            number = (int(row["ordinal"]) - begin) // INTERVAL
            insn = row["code"], row["disassembly"].partition("  #")[0]
            for group in (None, row["symbol"] or "[]", (thread, begin + number * INTERVAL)):
                insns[group][insn] += 1
    return {group: tally(counter) for group, counter in insns.items()}


def group_of(row):
    if "function" in row:
        return "[]" if row["function"].startswith("[") else row["function"]
    return (int(row["thread"]), int(row["from"])) if "thread" in row else None


def compare(counts, wrong, *words):
    """Holds one table against the counts; every division of `words` has a column."""
    got = collections.defaultdict(collections.Counter)
    division = words[words.index("--by") + 1]
    for row in waymark("mix", *words):
        group = group_of(row)
        if division == "register":
            got[group, "reads"][row["register"]] += int(row["reads"])
            got[group, "writes"][row["register"]] += int(row["writes"])
        else:
            got[group, division][row[division]] += int(row["insns"])
            if division == "class":
                got[group, "compressed"][row["class"]] += int(row["compressed"])
    for (group, key), table in got.items():
        if +table != +counts[group][key]:
            wrong.append(f"{words}, {group}, {key}: {table - counts[group][key]} "
                         f"too many, {counts[group][key] - table} too few")
    return {group for group, _ in got}


def main(trace, threads, begin, end):
    counts = count(trace, int(threads), int(begin), int(end))
    base = [trace, "--from", begin, "--to", end, "-f"]
    functions = {group for group in counts if isinstance(group, str)}
    intervals = {group for group in counts if isinstance(group, tuple)}
    total = sum(counts[None]["size"].values())
    wrong = []
    for division in ("mnemonic", "size", "class", "register"):
        columns = {"register": "register,reads,writes", "class": "class,insns,compressed"}.get(
            division, division + ",insns")
        asked = {
            (): {None},
            ("--per", "function"): functions,
            ("--interval", str(INTERVAL)): intervals,
        }
        for per, wanted in asked.items():
            extra = {"--per": "function,", "--interval": "thread,from,"}.get("".join(per[:1]), "")
            if division == "register":
                # The last interval can be of an ecall alone, which names no register.
                wanted = {group for group in wanted if counts[group]["reads"]
                          or counts[group]["writes"]}
            got = compare(counts, wrong, *base, extra + columns, "--by", division, *per)
            if got != wanted:
                wrong.append(f"{per}, {division}: groups {got ^ wanted}")
    if wrong or total < 1000:
        print("\n".join(wrong[:10]) or "there is too little")
        return 1
    print(f"{total} instructions, {len(functions)} functions, "
          f"{len(intervals)} intervals")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
