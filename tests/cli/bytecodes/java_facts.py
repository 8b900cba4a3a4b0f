# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts for java.sh: java_facts.py FACT ..."""

import collections
import csv
import json
import re
import sys


def javap():
    """What `javap -c -p -s` on stdin says of calls and switches: method, offset, what."""
    method = pending = None
    for line in sys.stdin:
        head = re.match(r"  (?:.*[ .])?([\w$]+)\(.*\).*;$|  static (\{)\};$", line)
        if head:
            method = "<clinit>" if head[2] else head[1]
            method = "<init>" if method == "Bytecodes" else method
        kind = re.match(r"    descriptor: (\(.*)", line)
        if kind:
            method += kind[1]
        code = re.match(r" +(\d+): (invoke\w+) .*// (?:Interface)?Method (.*):(\(.*)", line)
        if code:
            name = code[3].replace('"', "").replace("/", ".")
            name = name if "." in name else "Bytecodes." + name
            print(f"Bytecodes.{method}@{code[1]} {code[2]} {name}{code[4]}")
        code = re.match(r" +(\d+): (\w+switch) ", line)
        if code:
            pending = f"Bytecodes.{method}@{code[1]} {code[2]}", []
        elif pending and (target := re.match(r" +(-?\d+|default): (\d+)$", line)):
            pending[1].append(f" {target[1]}: {target[2]}")
        elif pending:
            print(pending[0] + ",".join(pending[1]))
            pending = None


def annotated(path):
    """Of the listing on stdin what the lines of `path` have, which are of methods that ran."""
    with open(path, encoding="utf-8") as file:
        wanted = [line.rstrip("\n") for line in file]
    got, ran = set(), set()
    for row in csv.DictReader(sys.stdin):
        place = row["place"] if "@" in row["place"] else row["place"] + "@0"
        ran.add(place)
        if re.match("invoke(?!dynamic)|.*switch", row["disassembly"]):
            got.add(f"{place} {row['disassembly']}")
    wanted = {line for line in wanted if line.split(" ", 1)[0] in ran}
    calls = sum(" invoke" in line for line in wanted)
    print(f"{calls} calls, {len(wanted) - calls} switches")
    for line in sorted(wanted ^ got):
        print("-+"[line in got], line)


def methods(prefix):
    """The bytecodes on stdin of the program's own classes, as its stamps have them."""
    for row in csv.DictReader(sys.stdin):
        if row["unit"].startswith(prefix) and not re.search(r"Lambda(\$\d+)?\+", row["unit"]):
            print(row["unit"] + row["detail"], row["offset"])


def named(path):
    """Whether 99.9 % of the instructions are of code that has a name or is a library's."""
    with open(path, encoding="utf-8") as file:
        rows = [(int(row["insns"]), row["function"]) for row in csv.DictReader(file)]
    nameless = sum(insns for insns, name in rows if name == "[anonymous]")
    total = sum(insns for insns, _ in rows)
    sys.exit(not total or nameless > total / 1000)


def entered(path):
    """The calls on stdin, as the entries have them: of methods that these have, or of none."""
    got = {}
    for row in csv.DictReader(sys.stdin):
        name = re.sub(r" \(Bytecodes\.java(:\d+)?\)$", "", row.get("method") or row["function"])
        name = re.sub(r"(Lambda(\$\d+)?)\+0x", r"\1.0x", name)  # as JVMTI has it
        calls = row.get("executions") or row.get("calls")
        if re.match(r"Bytecodes[.$\w]*[.]", name) and int(calls or 0):
            got[name] = got.get(name, 0) + int(calls)
    with open(path, encoding="utf-8") as file:
        native = {line.rsplit(" ", 1)[0] for line in file} - set(got)
    for name, calls_of_it in got.items():
        print(name, calls_of_it)
    if native:
        print("not seen:", *sorted(native))


def calls(path):
    """Whether the methods of Tiers.java were called as often as the program says."""
    wanted = {"fib(I)I": 21891, "collatz(J)I": 3000, "loop(I)J": 1,
              "shapes(LTiers$Shape;I)J": 2, "measure(LTiers$Shape;I)I": 25000,
              "main([Ljava/lang/String;)V": 1}
    with open(path, encoding="utf-8") as file:
        got = {row["method"]: int(row["executions"] or 0) for row in csv.DictReader(file)}
    for name, calls_of_it in wanted.items():
        if got.get("Tiers." + name) != calls_of_it:
            sys.exit(f"{name}: {got.get('Tiers.' + name)} instead of {calls_of_it}")
    for name, calls_of_it in {"Square": 20000, "Line": 5000}.items():
        if got.get(f"Tiers${name}.area(I)I") != calls_of_it:
            sys.exit(f"{name}: {got.get(f'Tiers${name}.area(I)I')}")


def at_most(want, got):
    """Whether bytecodes of Tiers.java were executed as often as in `want`, or less. Where the
    compiler gave its code up, at a class not loaded yet, the interpreter begins again."""
    counts = []
    for path in (want, got):
        with open(path, encoding="utf-8") as file:
            counts.append({(row["method"], row["offset"], row["opcode"]): int(row["executions"])
                           for row in csv.DictReader(file) if row["method"].startswith("Tiers")})
    for place, most in counts[0].items():
        if counts[1].get(place, 0) > most + (place[2] == "new"):
            sys.exit(f"{place}: {counts[1][place]} instead of {most}")
    fib = [counts[1].get(("Tiers.fib(I)I", place, "invokestatic")) for place in ("10", "16")]
    if fib != [10945, 10945]:
        sys.exit(f"fib's calls: {fib}")


def lines_at_most(want, got):
    """Whether lines of Tiers.java were executed as often as in `want`, or less; one bytecode of a
    line may have begun again, as at_most() says."""
    counts = []
    for path in (want, got):
        with open(path, encoding="utf-8") as file:
            counts.append({row["line"]: int(row["executions"]) for row in csv.DictReader(file)})
    for line, most in counts[0].items():
        if counts[1].get(line, 0) > most + 1:
            sys.exit(f"{line}: {counts[1][line]} instead of {most}")
    if counts[1].get("Tiers.java:14") != 10945:
        sys.exit(f"fib's calls: {counts[1].get('Tiers.java:14')}")


def callers(program):
    """Of the tree's rows of a program's methods: how often which called which, by the stack."""
    method = re.compile(r'"?' + re.escape(program) + r"[.]([\w$]+)[ (]")
    stack, pairs = ["-"], collections.Counter()
    for line in sys.stdin:
        _, event, _, _, _, function = line.split(",", 5)
        found = method.match(function)
        if found and event == "entry":
            pairs[stack[-1], found[1]] += 1
            stack.append(found[1])
        elif found:
            stack.pop()
    for (caller, callee), n in sorted(pairs.items()):
        print(n, caller, callee)


def regions():
    """Whether the facts on stdin have all regions of a JVM, and sums that can be."""
    facts = json.load(sys.stdin)
    assert [row["name"] for row in facts["runtimes"]] == ["hotspot"], facts["runtimes"]
    counts = facts["regions"]
    assert list(counts) == ["interpreted", "compiled", "optimised"], counts
    assert all(counts.values()) and sum(counts.values()) < facts["instructions"], counts


globals()[sys.argv[1]](*sys.argv[2:])
