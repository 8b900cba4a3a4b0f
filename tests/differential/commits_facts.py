#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Where a program asks for its flags or a status, it must get what instructions before wrote to
them, as `insns --values --format jsonl`, on standard input, has it.

Prints how many times it asked, and exits with 1 unless it always got that.
"""

import json
import sys

# What an instruction's text begins with: the register asked for, and the bits that it has.
ASKS = {"mrs x2, nzcv": ("nzcv", 0xf0000000), "mrs x2, fpsr": ("fpsr", 0xffffffff),
        "fnstsw %ax": ("fstat", 0xffff), "stmxcsr -4(%rsp)": ("mxcsr", 0xffff)}


def main():
    last = {"mxcsr": 0x1f80}
    asked = 0
    for line in sys.stdin:
        insn = json.loads(line)
        accesses = insn.get("accesses", ())
        text = " ".join(insn["disassembly"].split())
        if text in ASKS:
            register, bits = ASKS[text]
            got = [int(access["value"], 16) & bits for access in accesses]
            asked += 1
            if got != [last.get(register)]:
                print(f"{text} gets {got}, {register} is {last.get(register)}")
                return 1
        for access in accesses:
            if access["kind"] == "written":
                last[access["register"]] = int(access["value"], 16)
    print(f"{asked} answers")
    return not asked


if __name__ == "__main__":
    sys.exit(main())
