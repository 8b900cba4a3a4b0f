#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Right texts of RISC-V instructions against those of binutils' objdump.

usage: right.py WORDS DISASSEMBLY LEAST

The two spell differently: aliases, rounding modes, targets. What is compared is the name,
where objdump's is not an alias of it, and all registers and numbers, in their order. Prints
what differs; exit status 1 when anything does, or fewer than LEAST were compared.
"""

import re
import sys

ROUNDING = {"rne", "rtz", "rdn", "rup", "rmm", "dyn", "inv"}
REGISTER = re.compile(r"(zero|ra|[sgtf]p|[astv]\d+|f[ast]\d+|v0\.t)$")
SWAPPED = {"bgt": "blt", "ble": "bge", "bgtu": "bltu", "bleu": "bgeu"}
OTHER_NAMES = {
    "fmv.x.s": "fmv.x.w", "fmv.s.x": "fmv.w.x", "csrrwi": "csrrw", "csrrsi": "csrrs",
    "csrrci": "csrrc", "addi": "add", "xori": "xor", "ori": "or", "andi": "and",
    "slli": "sll", "srli": "srl", "srai": "sra", "addiw": "addw", "slliw": "sllw",
    "srliw": "srlw", "sraiw": "sraw", "rori": "ror", "roriw": "rorw", "bseti": "bset",
    "bclri": "bclr", "binvi": "binv", "bexti": "bext", "vl1re8.v": "vl1r.v",
    "vl2re8.v": "vl2r.v", "vl4re8.v": "vl4r.v", "vl8re8.v": "vl8r.v",
}
# What objdump prints as something else that it is, too: other registers, or fewer.
ALIASES = {
    "csrr", "csrw", "csrs", "csrc", "csrwi", "csrsi", "csrci", "jr", "jal",
    "jalr", "li", "sfence.vma", "sfence.vm", "hfence.vvma", "hfence.gvma", "sinval.vma",
    "fsflags", "fsrm", "fscsr", "fsflagsi", "fsrmi", "vneg.v", "vnot.v", "vmclr.m",
    "vmset.m", "vmnot.m", "vmmv.m", "vwcvt.x.x.v", "vwcvtu.x.x.v", "vncvt.x.x.w",
    "vfabs.v", "vfneg.v", "zext.b", "zext.w", "vmv1r.v",
}


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def split(text):
    """The name and the operands, without rounding modes and what stands for people."""
    name, _, rest = re.sub(r"#.*|<.*?>", "", text).strip().partition(" ")
    operands = [word for word in re.split(r"[ ,()]+", rest) if word]
    operands = [word for word in operands if word not in ROUNDING]
    return name, ["s0" if word == "fp" else word for word in operands]


def equal(ours, theirs):
    name, operands = split(ours)
    other, others = split(theirs)
    if name in SWAPPED:
        name = SWAPPED[name]
        operands[:2] = reversed(operands[:2])
    if name == "lpad" or name.startswith("ntl."):
        return True  # what it is without the extension
    if other in ALIASES and (name != other or len(operands) != len(others)):
        return True
    registers = [word for word in operands if REGISTER.match(word)]
    if registers != [word for word in others if REGISTER.match(word)]:
        return False
    if other not in (name, OTHER_NAMES.get(name)):
        return False
    if name[0] in "bj" and "#" in ours:
        return True  # the target, which objdump has instead of the distance
    numbers = [number(word) for word in operands if not REGISTER.match(word)]
    expected = [number(word) for word in others if not REGISTER.match(word)]
    if name in ("lui", "auipc"):
        numbers = [n % (1 << 20) for n in numbers]
    if name.startswith("csr"):
        numbers, expected = numbers[1:], expected[1:]  # names of CSRs are checked elsewhere
    return numbers == expected


def main():
    words, disassembly, least = sys.argv[1:]
    compared = differ = 0
    with open(disassembly, encoding="ascii") as lines:
        theirs = re.findall(r"^ +[0-9a-f]+:\t([0-9a-f]{8}) +\t(.*)$", lines.read(), re.M)
    with open(words, encoding="ascii") as lines:
        ours = [line.rstrip("\n").split("|") for line in lines]
    if len(ours) != len(theirs):
        sys.exit(f"{len(ours)} words, {len(theirs)} of objdump's")
    for (word, text), (code, other) in zip(ours, theirs):
        other = other.replace("\t", " ")
        if code != word:
            sys.exit(f"{word} is {code} for objdump")
        if other.startswith(".") or "unknown" in other:
            continue  # it does not know it
        compared += 1
        if not equal(text, other):
            differ += 1
            print(f'{word}: we print "{text}", objdump "{other}"')
    print(f"{compared} of {len(ours)} words compared, {differ} differ")
    sys.exit(differ > 0 or compared < int(least))


main()
