#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes N-Trace by the tables of its specification, and checks each field against them.

usage: ntrace.py SOURCE_BITS MESSAGES LISTING...

Harts are numbered in the order of the listings (`waymark insns --format execlog`), whose
instructions must be what the messages tell. Prints how often each message occurs.
"""
import sys
from collections import Counter

from riscv import Text

# TCODE: name, and fields in their order; a number is of a fixed size, None of a variable one.
MESSAGES = {
    2: ("Ownership", [("PROCESS", None)]),
    3: ("DirectBranch", [("I-CNT", None)]),
    4: ("IndirectBranch", [("B-TYPE", 2), ("I-CNT", None), ("U-ADDR", None)]),
    8: ("Error", [("ETYPE", 4), ("PAD", None)]),
    9: ("ProgTraceSync", [("SYNC", 4), ("I-CNT", None), ("F-ADDR", None)]),
    11: ("DirectBranchSync", [("SYNC", 4), ("I-CNT", None), ("F-ADDR", None)]),
    12: ("IndirectBranchSync", [("SYNC", 4), ("B-TYPE", 2), ("I-CNT", None), ("F-ADDR", None)]),
    27: ("ResourceFull", [("RCODE", 4), ("RDATA", None)]),
    28: ("IndirectBranchHist",
         [("B-TYPE", 2), ("I-CNT", None), ("U-ADDR", None), ("HIST", None)]),
    29: ("IndirectBranchHistSync",
         [("SYNC", 4), ("B-TYPE", 2), ("I-CNT", None), ("F-ADDR", None), ("HIST", None)]),
    30: ("RepeatBranch", [("B-CNT", None)]),
    33: ("ProgTraceCorrelation", [("EVCODE", 4), ("CDF", 2), ("I-CNT", None), ("HIST", None)]),
}
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

    def variable(self):
        value, width = 0, 0
        while True:
            mdo, mseo = self.slices[self.slice]
            value |= mdo >> self.bit << width
            width += 6 - self.bit
            self.slice, self.bit = self.slice + 1, 0
            if mseo:
                # Nothing but zeros may be left out at the top, and they must be.
                assert mdo or width <= 6, "a field with a slice too much"
                return value


def messages(data, source_bits):
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
            fields[field] = message.fixed(bits) if bits else message.variable()
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
    assert fields.get("RCODE", 0) in (0, 1), fields
    assert fields.get("I-CNT", 0) < 1 << 22, fields
    if "HIST" in fields:
        assert 1 <= fields["HIST"] < 1 << 32, fields
    if name == "ResourceFull":
        assert fields["RDATA"], fields
    if name == "RepeatBranch":
        assert fields["B-CNT"], fields
    assert "TSTAMP" not in fields or "SYNC" in fields, fields


class Hart:
    """Follows the text as messages tell."""

    def __init__(self, text):
        self.text, self.path = text, []
        self.pc = self.address = None
        self.left, self.history, self.time = 0, [], 0
        self.repeat = None

    def run(self, halfwords, taken_at_end, by_history):
        halfwords += self.left
        self.left = 0
        while halfwords:
            size, kind, target = self.text.at(self.pc)
            self.path.append(self.pc)
            halfwords -= size // 2
            assert halfwords >= 0, f"{self.pc:#x}: I-CNT ends in an instruction"
            if kind == "branch":
                taken = self.history.pop(0) if by_history else taken_at_end and not halfwords
                self.pc = target if taken else self.pc + size
            elif kind == "jump":
                self.pc = target
            else:
                assert kind != "indirect" or not halfwords, f"{self.pc:#x}: passed"
                self.pc += size
        assert not self.history, "branches are left"

    def add(self, history):
        self.history += [bit == "1" for bit in bin(history)[3:]]

    def take(self, name, fields):
        if "TSTAMP" in fields:
            assert fields["TSTAMP"] >= self.time, "time goes back"
            self.time = fields["TSTAMP"]
        if name == "ResourceFull":
            if fields["RCODE"]:
                self.add(fields["RDATA"])
            else:
                self.left += fields["RDATA"]
            return
        if self.pc is None:
            assert name == "ProgTraceSync" and fields["SYNC"] != 2, "starts without a sync"
            self.pc = self.address = fields["F-ADDR"] * 2
            return
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
        if "U-ADDR" in fields:
            self.pc = self.address = self.address ^ fields["U-ADDR"] * 2
        elif "F-ADDR" in fields:
            self.address = fields["F-ADDR"] * 2
            assert "Indirect" in name or self.address == self.pc, "synced elsewhere"
            self.pc = self.address
        if name == "ProgTraceCorrelation":
            self.pc = None


def main():
    source_bits, data = int(sys.argv[1]), open(sys.argv[2], "rb").read()
    text = Text(sys.argv[3:])
    harts = [Hart(text) for _ in text.ran]
    counts = Counter()
    for source, name, fields in messages(data, source_bits):
        counts[name] += 1
        harts[source].take(name, fields)
    for i, hart in enumerate(harts):
        text.compare(i, hart.path)
    print(*(f"{name}:{n}" for name, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
