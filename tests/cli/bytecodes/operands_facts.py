# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts for java-operands.sh and python-operands.sh: operands_facts.py javap|same|methods ..."""
import csv
import re
import struct
import sys

SHOWN = 40  # bytes of a constant


def cut(text):
    """As the agents cut a constant."""
    data = text.encode()
    return text if len(data) <= SHOWN else data[:SHOWN].decode(errors="ignore") + "…"


def dotted(name):
    return name.strip('"').replace("/", ".")


def constant(comment, owner):
    """What javap says behind an instruction, in the words of a listing."""
    kind, _, rest = comment.partition(" ")
    if kind == "String":
        return cut(f'"{rest}"'.replace("\\'", "'"))
    if kind == "class":
        return dotted(rest)
    if kind in ("Field", "Method", "InterfaceMethod"):
        name, type_ = rest.split(":", 1)
        name = dotted(name.replace('"<init>"', "<init>"))
        name = name if "." in name else f"{owner}.{name}"
        return name + ("" if type_.startswith("(") else ":") + type_
    if kind == "InvokeDynamic":
        return "".join(rest.split(":", 2)[1:])
    return {"int": "{}", "long": "{}L", "float": "{}f", "double": "{}"}[kind].format(
        rest if kind == "int" else rest[:-1])


def javap():
    """What `javap -c -p -s` on stdin says of each bytecode: place and text."""
    owner = method = pending = None
    for line in sys.stdin:
        head = re.match(r"(?:\w+ )*(?:class|interface) ([\w.$]+)", line)
        owner = head[1] if head else owner
        head = re.match(r"  (?:.*[ .])?([\w$]+)\(.*\).*;$|  static (\{)\};$", line)
        if head:
            method = "<clinit>" if head[2] else head[1]
            method = "<init>" if method == owner.split(".")[-1] else method
        kind = re.match(r"    descriptor: (\(.*)", line)
        if kind:
            method += kind[1]
        code = re.match(r" +(\d+): (\w+)(?: +(.*?))?(?: +// (.*))?$", line.rstrip("\n"))
        if pending and (target := re.match(r" +(-?\d+|default): (\d+)$", line)):
            pending[1].append(f" {target[1]}: {target[2]}")
            continue
        if pending:
            print(pending[0] + ",".join(pending[1]))
            pending = None
        if not code:
            continue
        place, opcode = f"{owner}.{method}@{code[1]}", code[2]
        if opcode.endswith("switch"):
            pending = f"{place} {opcode}", []
            continue
        operands = (code[3] or "").replace(",", "").split()
        if code[4]:
            more = operands[1:] if opcode == "multianewarray" else []
            operands = [constant(code[4], owner)] + more
        if opcode.endswith("_w") and not opcode.startswith(("ldc", "goto", "jsr")):
            opcode = "wide " + opcode[:-2]
        print(" ".join([place, opcode] + operands))


def number(text):
    """Of a load of a float or double its bits, which both may write in other digits."""
    found = re.match(r"(\S+ ldc\w*) (-?(?:\d.*|Infinity|NaN)f?)$", text)
    if not found or re.match(r"-?\d+L?$", found[2]):
        return text
    value = float(found[2].rstrip("f"))
    return found[1], struct.pack("f" if text.endswith("f") else "d", value)


def listed(pattern):
    """The lines of the listing on stdin that are of such a file."""
    for row in csv.DictReader(sys.stdin):
        if re.search(pattern, row["path"]):
            place = row["place"] + ("" if re.search(r"@\d+$", row["place"]) else "@0")
            yield f"{place} {row['disassembly']}".rstrip()


def same(wanted, pattern):
    """Whether the listing on stdin has the lines of a file, as far as its methods ran."""
    with open(wanted, encoding="utf-8") as file:
        want = [line.rstrip("\n") for line in file]
    got = list(listed(pattern))
    ran = {line.split(" ", 1)[0].rsplit("@", 1)[0] for line in got}
    want = [line for line in want if line.split(" ", 1)[0].rsplit("@", 1)[0] in ran]
    wrong = sorted({str(number(line)) for line in want} ^ {str(number(line)) for line in got})
    print(f"{len(ran)} methods, {len(want)} bytecodes, {len(wrong)} differ")
    for line in wrong[:20]:
        print(" ", line)


def by_method(lines):
    """Places with texts, each method's from its offset 0 on: names are of several methods."""
    methods = []
    for line in lines:
        name, offset, text = re.match(r"(.*?)@(\d+) (.*)", line).groups()
        if offset == "0":
            methods.append((name, []))
        methods[-1][1].append(f"{offset} {text}")
    return methods


def methods(wanted, pattern):
    """Whether each method that the listing on stdin has of a file is one of those wanted."""
    with open(wanted, encoding="utf-8") as file:
        want = by_method(line.rstrip("\n") for line in file)
    got = by_method(listed(pattern))
    wrong = [method for method in got if method not in want]
    bytecodes = sum(len(lines) for _, lines in got)
    print(f"{len(got)} methods, {bytecodes} bytecodes, {len(wrong)} differ")
    for name, lines in wrong:
        near = [set(other[1]) for other in want if other[0] == name] or [set()]
        for line in sorted(set(lines) ^ min(near, key=lambda it: len(it ^ set(lines))))[:6]:
            print(" ", name, line)


{"javap": javap, "methods": methods, "same": same}[sys.argv[1]](*sys.argv[2:])
