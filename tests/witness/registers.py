#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds the registers that a trace says were written against those that the witness of
registers saw change in the same run.

usage: registers.py TRACE GOT SEEN

GOT: the folder that `accesses ... written` wrote of the trace; SEEN: the witness's. What an
instruction has written must be what the witness saw after it: a new value of that register,
or no change if it wrote what was there and the registers of the ISA are not compared. What changed and was not written is the kernel's: of
a call, or of a signal that arrived, which sets several registers. What the last
instruction before a signal wrote must be in the registers again when the handler is back,
unless they have all been replaced.

Prints one line and exits with 0, or says where they part and exits with 1.
"""

import argparse
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import values  # noqa: E402

CHANGED, CALL, FIRST = 4, 5, 6
# Of an ISA: registers that a signal changes, sp and two of a handler's arguments at least; what
# the kernel answers in; and the numbers whose writes are found by comparing.
ISAS = {
    "riscv64": ({2, 11, 12}, {10}, 64),
    "aarch64": ({31, 0, 30}, {0}, 0),
    # The call itself keeps the address and the flags.
    "x86_64": ({7, 4, 3}, {0, 2, 11}, 0),
}


def by_insn(data):
    """(instruction, its entries) in order."""
    entries = values.ENTRY.iter_unpack(data)
    for insn, group in itertools.groupby(entries, key=lambda entry: entry[0]):
        yield insn, list(group)


def name(number):
    return f"register {number}"


def text(registers):
    return ", ".join(f"{name(number)} = {value:#x}" for number, value in registers.items())


class Thread:
    def __init__(self, label, now, isa):
        self.label, self.now, self.pending = label, now, []
        self.of_signal, self.answers, self.compared = ISAS[isa]
        self.written = self.signals = self.calls = self.restored = 0

    def fail(self, insn, pc, wrote, changed):
        raise compare.Differs(
            f"{self.label}: instruction {insn} at {pc:#x} wrote {text(wrote) or 'nothing'}; "
            f"the witness saw {text(changed) or 'no change'}")

    def came_back(self, changed):
        """A handler has returned: the registers of the code that it interrupted."""
        wrote = self.pending.pop()
        for number, value in wrote.items():
            self.restored += changed.get(number, self.now.get(number, 0)) == value

    def step(self, insn, pc, wrote, changed, calls):
        others = {number: value for number, value in changed.items() if number not in wrote}
        self.written += len(wrote)
        if calls:
            if wrote:
                self.fail(insn, pc, wrote, changed)
            self.calls += 1
            if set(changed) - self.answers and self.pending:
                self.came_back(changed)
        elif self.of_signal <= set(changed):
            self.signals += 1
            self.pending.append(wrote)
        elif others or any((self.now.get(number, 0) != value or number >= self.compared)
                           and changed.get(number) != value
                           for number, value in wrote.items()) or any(
                               wrote[number] != changed[number] for number in changed):
            self.fail(insn, pc, wrote, changed)
        self.now.update(changed)


def value(entry):
    return entry[4] << 64 | entry[3]


def check_thread(label, got, wanted, isa):
    its = values.ENTRY.iter_unpack(wanted)
    first = list(itertools.takewhile(lambda entry: entry[6] == FIRST, its))
    thread = Thread(label, {entry[2]: value(entry) for entry in first}, isa)
    mine, its = by_insn(got), by_insn(wanted[len(first) * values.ENTRY.size:])
    one, other = next(mine, None), next(its, None)
    while one or other:
        insn = min(pair[0] for pair in (one, other) if pair)
        wrote = changed = ()
        if one and one[0] == insn:
            wrote, one = one[1], next(mine, None)
        if other and other[0] == insn:
            changed, other = other[1], next(its, None)
        pc = {entry[1] for entry in (*wrote, *changed)}
        if len(pc) != 1:
            raise compare.Differs(f"{label}: instruction {insn} is at {pc}")
        thread.step(insn, pc.pop(), {entry[2]: value(entry) for entry in wrote},
                    {entry[2]: value(entry) for entry in changed if entry[6] == CHANGED},
                    any(entry[6] == CALL for entry in changed))
    return thread


def check(args):
    info = json.loads("".join(compare.waymark("info", args.trace, "--format", "json")))
    threads = []
    for stream, log in compare.pair(info, args.seen, False):
        label = f"thread {stream['index']} (tid {stream['tid']}, {log.name})"
        with open(os.path.join(args.got, str(stream["index"])), "rb") as file:
            threads.append(check_thread(label, file.read(), values.seen_bytes(log),
                                        info["guest_isa"]))
    total = {what: sum(getattr(thread, what) for thread in threads)
             for what in ("written", "calls", "signals", "restored")}
    print(f"{total['written']} registers written by {len(threads)} threads, "
          f"{total['calls']} calls, {total['signals']} signals, {total['restored']} values "
          "of interrupted code")


def main():
    parser = argparse.ArgumentParser()
    for word in "trace", "got", "seen":
        parser.add_argument(word)
    try:
        check(parser.parse_args())
    except compare.Differs as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
