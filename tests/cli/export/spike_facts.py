# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds commits that Waymark exports against those of a real Spike.

usage: spike_facts.py COMMITS LOG [GUARD [every]]

LOG is of the same program from one of its instructions on. An ecall never commits under Spike.
Stacks lie elsewhere, by a distance that is the same for all of it. What is at GUARD, in
hexadecimal, is random. With "every" Waymark has every register, else only those that loads
write. Prints one line and exits with 0, or says what differs and exits with 1.
"""

import re
import sys

LINE = re.compile(r"core +0: 0 0x([0-9a-f]{16}) \(0x([0-9a-f]+)\)"
                  r"(?: ([xf]\d+) +0x([0-9a-f]{16}))?((?: mem 0x[0-9a-f]+(?: 0x[0-9a-f]+)?)*)$")
CSR = re.compile(r" c\d+_\w+ +0x[0-9a-f]+")  # which a trace has not
ECALL = "00000073"
UNSET = 0xffffffff00000000  # an F register that nothing has written; 0 in QEMU
STACK = range(0x3f00000000, 0x4000000000)  # under Spike


def commits(path):
    with open(path, encoding="ascii") as lines:
        for line in lines:
            match = LINE.match(CSR.sub("", line.rstrip()))
            if not match:
                sys.exit(f"not a commit: {line}")
            if match[2] != ECALL:
                accesses = [words.split() for words in match[5].split(" mem ")[1:]]
                yield match[1], match[2], match[3], match[4], accesses


def beginning(rows, pc):
    for row in rows:
        if row[0] == pc:
            yield row
            break
    yield from rows


class Compared:
    def __init__(self, guard, every):
        self.guard, self.random, self.every = guard, None, every
        self.distance = None
        self.addresses, self.data, self.registers = 0, 0, 0

    def same_address(self, got, wanted):
        got, wanted = int(got, 16), int(wanted, 16)
        if wanted not in STACK:
            return got == wanted
        if self.distance is None:
            self.distance = got - wanted
        return got - wanted == self.distance

    def same_value(self, got, wanted):
        numbers = int(got, 16), int(wanted, 16)
        return (numbers[0] == numbers[1] or numbers in ((0, UNSET), self.random) or
                self.same_address(got, wanted))

    def check(self, got, wanted):
        """Whether two commits are the same."""
        if got[:2] != wanted[:2] or len(got[4]) != len(wanted[4]):
            return False
        loads = [words for words in wanted[4] if len(words) == 1]
        if wanted[2] and (loads or self.every):
            self.registers += 1
            if loads and loads[0][0] == self.guard:
                self.random = int(got[3], 16), int(wanted[3], 16)
            if got[2] != wanted[2] or not self.same_value(got[3], wanted[3]):
                return False
        elif got[2]:
            return False
        for mine, its in zip(got[4], wanted[4]):
            self.addresses += 1
            self.data += len(its) == 2
            if len(mine) != len(its) or not self.same_address(mine[0], its[0]):
                return False
            if len(its) == 2 and (len(mine[1]) != len(its[1]) or
                                  not self.same_value(mine[1], its[1])):
                return False
        return True


def main(ours, spikes, guard="", every=""):
    wanted = list(commits(spikes))
    compared, number = Compared(f"0x{guard}", every), 0
    rows = beginning(commits(ours), wanted[0][0])
    for number, (mine, its) in enumerate(zip(rows, wanted)):
        if not compared.check(mine, its):
            print(f"commit {number} is {mine}, Spike's {its}")
            return 1
    if number + 1 != len(wanted):
        print(f"{number + 1} commits, not {len(wanted)}")
        return 1
    print(f"{len(wanted)} commits, {compared.addresses} addresses, {compared.data} stores' data, "
          f"{compared.registers} registers")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
