#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds `waymark mix` against what the witness kinds.c counted in the same run.

usage: compare-mix.py TRACE FILE [N]    all of the run; or of each thread N instructions

Every mnemonic must have been executed exactly as often, 16-bit instructions and others
apart; sizes and the sum over all classes and extensions must agree, too. What the trace
lists as uncertain cannot be compared. Prints one line and exits with 0, or says what
differs and exits with 1.
"""

import collections
import csv
import os
import struct
import subprocess
import sys

SLOT = struct.Struct("<48sQQ")
# What QEMU calls otherwise than the ISA manual, which `mix` goes by.
ALIASES = {"fence": {"fence", "pause"},
           "ori": {"ori", "prefetch.i", "prefetch.r", "prefetch.w"},
           "add": {"add", "ntl.p1", "ntl.pall", "ntl.s1", "ntl.all"}}
BY_QEMU = {name: qemu for qemu, names in ALIASES.items() for name in names}


def mix(trace, limit, *words):
    command = [os.environ["WAYMARK"], "mix", trace, "--format", "csv", *words]
    if limit:
        command += ["--to", limit]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return list(csv.DictReader(output.splitlines()))


def by_mnemonic(trace, limit):
    """{(mnemonic, is short): executions} as `mix` has it."""
    counts = collections.Counter()
    for row in mix(trace, limit, "--by", "mnemonic", "-f", "mnemonic,insns,compressed"):
        name = BY_QEMU.get(row["mnemonic"], row["mnemonic"])
        short = int(row["compressed"] or 0)
        counts[name, True] += short
        counts[name, False] += int(row["insns"]) - short
    return +counts


def witnessed(path, riscv):
    """The same as the witness has it, and {bytes: executions}."""
    counts, sizes = collections.Counter(), collections.Counter()
    with open(path, "rb") as file:
        for name, size, count in SLOT.iter_unpack(file.read()):
            if not count:
                continue
            name = name.rstrip(b"\0").decode()
            if riscv:
                name = name.removesuffix(".rl").removesuffix(".aq")
                # 10.x has names of their own for Zcb's, which stand for longer ones.
                name = name.removeprefix("c.")
            counts[name, riscv and size == 2] += count
            sizes[size] += count
    return counts, sizes


def name_illegal(got, wanted):
    """What QEMU has no name for are those of the mix that it did not name, that many."""
    for short in (True, False):
        illegal = wanted.pop(("illegal", short), 0)
        unnamed = {key: n - wanted[key] for key, n in got.items()
                   if key[1] == short and n > wanted[key]}
        if illegal and sum(unnamed.values()) == illegal:
            wanted.update(unnamed)
        elif illegal:
            wanted["illegal", short] = illegal


def differences(got, wanted):
    for key in sorted(set(got) | set(wanted), key=str):
        if got[key] != wanted[key]:
            yield f"{key}: {got[key]} in the mix, the witness saw {wanted[key]}"


def main(trace, path, limit=None):
    by_class = subprocess.run([os.environ["WAYMARK"], "mix", trace, "-n", "0"],
                              capture_output=True, check=False)
    riscv = by_class.returncode == 0
    wanted, sizes = witnessed(path, riscv)
    mnemonics = by_mnemonic(trace, limit)
    name_illegal(mnemonics, wanted)
    wrong = list(differences(mnemonics, wanted))
    got = collections.Counter({int(row["size"]): int(row["insns"])
                               for row in mix(trace, limit, "--by", "size")})
    wrong += differences(got, sizes)
    for division in ("class", "extension") if riscv else ():
        total = sum(int(row["insns"]) for row in mix(trace, limit, "--by", division))
        if total != sum(sizes.values()):
            wrong.append(f"by {division}: {total}, the witness saw {sum(sizes.values())}")
    if wrong or not sizes:
        print("\n".join(wrong[:20]) or "the witness saw nothing")
        return 1
    print(f"{sum(sizes.values())} instructions, {len(wanted)} kinds")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
