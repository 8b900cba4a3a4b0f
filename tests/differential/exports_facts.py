# SPDX-License-Identifier: GPL-2.0-or-later
"""
Parses formats of instructions with memory accesses, and holds them against the witness.

usage: exports_facts.py FORMAT FILE SEEN DISASSEMBLY
       exports_facts.py part FILE FROM TO    the lines of these instructions

SEEN: the witness's folder, of one thread, with insns=on and data=on. DISASSEMBLY: objdump's,
without aliases. Prints one line and exits with 0, or says what differs and exits with 1.
"""

import csv
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../witness"))
import compare  # noqa: E402
import values  # noqa: E402

ABI = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
       *(f"a{i}" for i in range(8)), *(f"s{i}" for i in range(2, 12)), "t3", "t4", "t5", "t6"]
F_ABI = [*(f"ft{i}" for i in range(8)), "fs0", "fs1", *(f"fa{i}" for i in range(8)),
         *(f"fs{i}" for i in range(2, 12)), "ft8", "ft9", "ft10", "ft11"]
SIGNED = ("lb", "lh", "lw", "ld", "c.lw", "c.ld", "c.lwsp", "c.ldsp")
UNSIGNED = ("lbu", "lhu", "lwu")
FLOATS = ("flw", "fld", "c.fld", "c.fldsp")


class Insn:
    """An executed one, as the witness saw it."""

    def __init__(self, pc, code):
        self.pc, self.next, self.accesses = pc, 0, []
        digits, self.name, self.operands = code
        self.bytes, self.word = len(digits) // 2, int(digits, 16)

    def result(self):
        """(register, value) that a load leaves, or None."""
        loads = [entry for entry in self.accesses if entry[6] == values.LOAD]
        register = self.operands.split(",")[0]
        if not loads or self.name.startswith("sc."):
            return None
        _, _, _, data, _, size, _ = loads[0]
        if self.name in FLOATS:
            return register, data | (1 << 64) - (1 << 8 * size)
        if register == "zero":
            return None
        if self.name in SIGNED or self.name.startswith(("amo", "lr.")):
            sign = data >> (8 * size - 1)
            return register, data | sign * ((1 << 64) - (1 << 8 * size))
        return (register, data) if self.name in UNSIGNED else None


def disassembled(path):
    """{address: (digits, mnemonic, operands)}"""
    code = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r" +([0-9a-f]+):\t([0-9a-f]{4}|[0-9a-f]{8}) +\t(\S+)\t?(\S*)", line)
            if match:
                code[int(match[1], 16)] = match.groups()[1:]
    return code


def witnessed(folder, code):
    ((logs,),) = compare.witnessed(folder).values()
    insns = []
    for entry in values.ENTRY.iter_unpack(values.seen_bytes(logs[0])):
        if entry[6] == values.INSN:
            if insns:
                insns[-1].next = entry[1]
            insns.append(Insn(entry[1], code[entry[1]]))
        else:
            insns[-1].accesses.append(entry)
    return insns


def equal(what, got, wanted):
    for number, pair in enumerate(zip(got, wanted)):
        if pair[0] != pair[1]:
            raise compare.Differs(f"{what} {number} is {pair[0]}, not {pair[1]}")
    if len(got) != len(wanted):
        raise compare.Differs(f"{len(got)} {what}s, not {len(wanted)}")
    print(f"{len(got)} {what}s")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


# ---- references ------------------------------------------------------------------------------

def check_din(path, insns):
    got = [(int(label), int(address, 16)) for label, address in map(str.split, lines_of(path))]
    wanted = []
    for insn in insns:
        wanted.append((2, insn.pc))
        wanted += [(entry[6], entry[2]) for entry in insn.accesses]
    equal("reference", got, wanted)


def check_lackey(path, insns):
    got = []
    for line in lines_of(path):
        letter, address, size = re.fullmatch(r"(I |.[LSM]) ([0-9a-f]{8,}),(\d+)", line).groups()
        for one in "LS" if "M" in letter else letter.strip():
            got.append((one, int(address, 16), int(size)))
    wanted = []
    for insn in insns:
        wanted.append(("I", insn.pc, insn.bytes))
        wanted += [("LS"[entry[6]], entry[2], entry[5]) for entry in insn.accesses]
    equal("reference", got, wanted)


# ---- ChampSim -------------------------------------------------------------------------------------

RECORD = struct.Struct("<QBB2B4B2Q4Q")
STACK_POINTER, FLAGS, INSN_POINTER = 6, 25, 26


def classify(written, read):
    """The kind of branch that ChampSim makes of an instruction's registers."""
    writes_sp, writes_ip = STACK_POINTER in written, INSN_POINTER in written
    reads_sp, reads_ip, flags = STACK_POINTER in read, INSN_POINTER in read, FLAGS in read
    other = any(number and number not in (STACK_POINTER, FLAGS, INSN_POINTER)
                for number in read)
    if not writes_ip:
        return None
    if not reads_sp and not flags and not other:
        return "jump"
    if not reads_sp and not reads_ip and not flags and other:
        return "indirect"
    if not reads_sp and reads_ip and not writes_sp and (flags or other):
        return "branch"
    if reads_sp and reads_ip and writes_sp and not flags:
        return "indirect call" if other else "call"
    return "return" if reads_sp and not reads_ip and writes_sp else "unknown"


def branch_kind(insn):
    first, _, rest = insn.operands.partition(",")
    name = insn.name.removeprefix("c.")
    if name in ("jal", "j"):
        return "call" if first in ("ra", "t0") else "jump"
    if name in ("jalr", "jr"):
        target = first if insn.name.startswith("c.") else re.split("[(,)]", rest)[1]
        link = "ra" if insn.name == "c.jalr" else "zero" if name == "jr" else first
        if link in ("ra", "t0"):
            return "indirect call"
        return "return" if target in ("ra", "t0") else "indirect"
    return "branch" if re.fullmatch("b(eq|ne|lt|ge|ltu|geu|eqz|nez)", name) else None


def check_champsim(path, insns):
    with open(path, "rb") as file:
        records = list(RECORD.iter_unpack(file.read()))
    got, wanted = [], []
    for ip, is_branch, taken, *rest in records:
        kind = classify(rest[0:2], rest[2:6])
        got.append((ip, is_branch, taken, kind, rest[6:8], rest[8:12]))
    for insn in insns:
        kind = branch_kind(insn)
        stores = [entry[2] for entry in insn.accesses if entry[6] == values.STORE][:2]
        loads = [entry[2] for entry in insn.accesses if entry[6] == values.LOAD][:4]
        went = insn.next not in (0, insn.pc + insn.bytes) if kind == "branch" else bool(kind)
        wanted.append((insn.pc, bool(kind), went, kind, stores + [0] * (2 - len(stores)),
                       loads + [0] * (4 - len(loads))))
    check_registers(records, insns)
    equal("record", got, wanted)


def check_registers(records, insns):
    """A simple instruction's registers are those of its operands."""
    for record, insn in zip(records, insns):
        if insn.name not in ("add", "sub", "and", "or", "xor", "addw", "subw", "mul"):
            continue
        written, *read = (64 + ABI.index(name) for name in insn.operands.split(","))
        read = {number for number in read if number != 64}
        if {written} - {64} != set(record[3:5]) - {0} or read != set(record[5:9]) - {0}:
            raise compare.Differs(f"{insn.name} {insn.operands} is {record[3:9]}")


# ---- results of loads ------------------------------------------------------------------------------

def number_of(register):
    return f"x{ABI.index(register)}" if register in ABI else f"f{F_ABI.index(register)}"


def check_commits(path, insns):
    wanted = []
    for insn in insns:
        text = f"core   0: 0 {insn.pc:#018x} (0x{insn.word:0{2 * insn.bytes}x})"
        result = insn.result()
        if result:
            text += f" {number_of(result[0]):<3} {result[1]:#018x}"
        for entry in insn.accesses:
            if insn.name.startswith("sc.") and entry[6] == values.LOAD:
                continue
            text += f" mem {entry[2]:#018x}"
            if entry[6] == values.STORE:
                text += f" 0x{entry[3]:0{2 * entry[5]}x}"
        wanted.append(text)
    equal("line", lines_of(path), wanted)


def check_riscv_dv(path, insns):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    got = [(row["pc"], row["gpr"], row["csr"], row["binary"], row["mode"], row["pad"])
           for row in rows]
    wanted = []
    for insn in insns:
        result = insn.result()
        wanted.append((f"{insn.pc:016x}", f"{result[0]}:{result[1]:016x}" if result else "", "",
                       f"{insn.word:0{2 * insn.bytes}x}", "0", ""))
    for row in rows:
        if row["instr"] != row["instr_str"].split()[0] or " " in row["operand"]:
            raise compare.Differs(f"{row}")
        if row["instr"] in ("ld", "sd", "lw", "sw", "lbu", "sb") and not re.fullmatch(
                r"[a-z0-9]+,[a-z0-9]+,-?\d+", row["operand"]):
            raise compare.Differs(f"{row}")
        # An address without an offset stays as it is, and comments are no operands.
        if row["instr"].startswith(("amo", "lr.", "sc.")) != ("(" in row["operand"]) or (
                row["operand"] and not re.fullmatch(r"[^,#]+(,[^,#]+)*", row["operand"])):
            raise compare.Differs(f"{row}")
    equal("row", got, wanted)


def part(path, first, last):
    """Lines of instructions: each begins with "2 " or "core"."""
    number = -1
    for line in lines_of(path):
        number += line.startswith(("2 ", "core"))
        if int(first) <= number < int(last):
            print(line)


CHECKS = {"din": check_din, "lackey": check_lackey, "champsim": check_champsim,
          "commits": check_commits, "riscvdv": check_riscv_dv}


def main(what, path, *words):
    if what == "part":
        part(path, *words)
        return 0
    try:
        CHECKS[what](path, witnessed(words[0], disassembled(words[1])))
    except compare.Differs as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
