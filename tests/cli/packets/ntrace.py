#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes N-Trace by the tables of its specification, and checks each field against them.

usage: ntrace.py [--extended] SOURCE_BITS MESSAGES LISTING...

Harts are numbered in the order of the listings (`waymark insns --format execlog`), whose
instructions must be what the messages tell. Prints how often each message occurs. --extended:
addresses of 64 bits are sent with the virtual addresses optimization.
"""
import sys
from collections import Counter

from riscv import Text, signed

# TCODE: name, and fields in their order; a number is of a fixed size, None of a variable one.
MESSAGES = {
    2: ("Ownership", [("PROCESS", None)]),
    3: ("DirectBranch", [("I-CNT", None)]),
    4: ("IndirectBranch", [("B-TYPE", 2), ("I-CNT", None), ("U-ADDR", None)]),
    8: ("Error", [("ETYPE", 4), ("ECODE", None)]),
    9: ("ProgTraceSync", [("SYNC", 4), ("I-CNT", None), ("F-ADDR", None)]),
    11: ("DirectBranchSync", [("SYNC", 4), ("I-CNT", None), ("F-ADDR", None)]),
    12: ("IndirectBranchSync", [("SYNC", 4), ("B-TYPE", 2), ("I-CNT", None), ("F-ADDR", None)]),
    27: ("ResourceFull", [("RCODE", 4), ("RDATA", None), ("HREPEAT", None)]),
    28: ("IndirectBranchHist",
         [("B-TYPE", 2), ("I-CNT", None), ("U-ADDR", None), ("HIST", None)]),
    29: ("IndirectBranchHistSync",
         [("SYNC", 4), ("B-TYPE", 2), ("I-CNT", None), ("F-ADDR", None), ("HIST", None)]),
    30: ("RepeatBranch", [("B-CNT", None)]),
    33: ("ProgTraceCorrelation", [("EVCODE", 4), ("CDF", 2), ("I-CNT", None), ("HIST", None)]),
}
ADDRESSES = ("F-ADDR", "U-ADDR")
SYNCS = {0, 1, 2, 3, 5, 6, 7, 9}
EVCODES = {0, 1, 4}


class Message:
    """Slices of 6 bits and their MSEO, from which fields are taken."""

    def __init__(self, data, at):
        self.slices, self.at, self.slice, self.bit = [], at, 0, 0
        while True:
            byte = data[self.at]
            self.at += 1
            assert byte & 3 != 2, f"byte {self.at - 1}: reserved MSEO"
            self.slices.append((byte >> 2, byte & 3))
            if byte & 3 == 3:
                break

    def done(self):
        return self.slice == len(self.slices)

    def fixed(self, bits):
        value = 0
        for i in range(bits):
            value |= (self.slices[self.slice][0] >> self.bit & 1) << i
            self.bit += 1
            if self.bit == 6:
                self.slice, self.bit = self.slice + 1, 0
        return value

    def variable(self, extended=False):
        value, width, before = 0, 0, 0
        while True:
            mdo, mseo = self.slices[self.slice]
            value |= mdo >> self.bit << width
            width += 6 - self.bit
            self.slice, self.bit = self.slice + 1, 0
            if mseo and extended:
                # The last slice tells more than the highest bit of the one before.
                assert width <= 6 or mdo != (63 if before >> 5 else 0), "a slice too much"
                return signed(value, width) & (1 << 63) - 1
            if mseo:
                # Nothing but zeros may be left out at the top, and they must be.
                assert mdo or width <= 6, "a field with a slice too much"
                return value
            before = mdo


def messages(data, source_bits, extended):
    """All messages: source, name, fields."""
    at = 0
    while at < len(data):
        if data[at] == 0xFF:
            at += 1
            continue
        message = Message(data, at)
        name, layout = MESSAGES[message.fixed(6)]
        source, fields = message.fixed(source_bits), {}
        for field, bits in layout:
            if field == "HIST" and fields.get("CDF") == 0:
                continue
            if field == "HREPEAT" and fields["RCODE"] != 2:
                continue
            if bits:
                fields[field] = message.fixed(bits)
            else:
                fields[field] = message.variable(extended and field in ADDRESSES)
        if not message.done():
            fields["TSTAMP"] = message.variable()
        assert message.done(), f"byte {at}: {name} has more than its fields"
        check(name, fields)
        yield source, name, fields
        at = message.at


def check(name, fields):
    """The values that the specification's tables allow."""
    assert fields.get("SYNC", 2) in SYNCS, fields
    assert fields.get("EVCODE", 4) in EVCODES, fields
    assert fields.get("CDF", 0) in (0, 1), fields
    assert fields.get("RCODE", 0) in (0, 1, 2), fields
    assert fields.get("HREPEAT", 2) > 1, fields
    assert fields.get("I-CNT", 0) < 1 << 22, fields
    if "HIST" in fields:
        assert 1 <= fields["HIST"] < 1 << 32, fields
    if name == "ResourceFull":
        assert fields["RDATA"], fields
    if name == "RepeatBranch":
        assert fields["B-CNT"], fields
    if name == "Ownership":
        # CONTEXT, V, PRV, FORMAT: U mode of a thread with an id.
        assert fields["PROCESS"] & 31 == 2 and fields["PROCESS"] >> 5, fields
    assert "TSTAMP" not in fields or "SYNC" in fields, fields


class Hart:
    """Follows the text as messages tell."""

    def __init__(self, text):
        self.text, self.path = text, []
        self.pc = self.address = None
        self.left, self.history, self.time = 0, [], 0
        self.repeat, self.stack, self.last, self.synced = None, [], None, False

    def leads(self, pc):
        """Where an indirect jump goes by its text and the calls before it, or None."""
        if self.last is not None:
            follows = self.text.follows(self.last, pc)
            if follows is not None:
                return follows
        return self.stack.pop() if self.text.returns(pc) and self.stack else None

    def run(self, halfwords, taken_at_end, by_history):
        halfwords += self.left
        self.left = 0
        while halfwords:
            pc = self.pc
            size, kind, target = self.text.at(pc)
            self.path.append(pc)
            halfwords -= size // 2
            assert halfwords >= 0, f"{self.pc:#x}: I-CNT ends in an instruction"
            if kind == "branch":
                taken = self.history.pop(0) if by_history else taken_at_end and not halfwords
                self.pc = target if taken else self.pc + size
            elif kind == "jump":
                self.pc = target
            else:
                leads = self.leads(pc) if kind == "indirect" else pc + size
                assert leads is not None or not halfwords, f"{pc:#x}: passed"
                self.pc = leads
            if self.text.calls(pc):
                self.stack.append(pc + size)
            self.last = pc
        assert not self.history, "branches are left"

    def add(self, history):
        self.history += [bit == "1" for bit in bin(history)[3:]]

    def take(self, name, fields):
        if "TSTAMP" in fields:
            assert fields["TSTAMP"] >= self.time, "time goes back"
            self.time = fields["TSTAMP"]
        if name == "ResourceFull":
            if fields["RCODE"]:
                for _ in range(fields.get("HREPEAT", 1)):
                    self.add(fields["RDATA"])
            else:
                self.left += fields["RDATA"]
            return
        if self.pc is None:
            assert name == "ProgTraceSync" and fields["SYNC"] != 2, "starts without a sync"
            self.pc = self.address = fields["F-ADDR"] * 2
            self.stack, self.last, self.synced = [], None, True
            return
        if name == "Ownership":
            assert self.synced, "the context follows a synchronisation"
            self.synced = False
            return
        self.synced = "SYNC" in fields
        if name == "RepeatBranch":
            for _ in range(fields["B-CNT"]):
                self.run(self.repeat, True, False)
            return
        self.repeat = fields["I-CNT"] + self.left if name == "DirectBranch" else None
        if "HIST" in fields:
            self.add(fields["HIST"])
        by_history = "Hist" in name or "HIST" in fields or bool(self.history)
        self.run(fields["I-CNT"], name.startswith("DirectBranch"), by_history)
        if fields.get("B-TYPE") == 2:
            self.path.append(self.pc)  # what raised the exception began
        if fields.get("B-TYPE"):
            self.last = None
        if "SYNC" in fields:
            self.stack = []
        if "U-ADDR" in fields:
            self.pc = self.address = self.address ^ fields["U-ADDR"] * 2
        elif "F-ADDR" in fields:
            self.address = fields["F-ADDR"] * 2
            assert "Indirect" in name or self.address == self.pc, "synced elsewhere"
            self.pc = self.address
        if name == "ProgTraceCorrelation":
            self.pc = None


def main():
    extended = sys.argv[1] == "--extended"
    del sys.argv[1:1 + extended]
    source_bits, data = int(sys.argv[1]), open(sys.argv[2], "rb").read()
    text = Text(sys.argv[3:])
    harts = [Hart(text) for _ in text.ran]
    counts = Counter()
    for source, name, fields in messages(data, source_bits, extended):
        counts[name] += 1
        harts[source].take(name, fields)
    for i, hart in enumerate(harts):
        text.compare(i, hart.path)
    print(*(f"{name}:{n}" for name, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
