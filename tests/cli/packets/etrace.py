#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes E-Trace by the tables of its specification, and checks each field against them.

usage: etrace.py [--time] SOURCE_BYTES PACKETS LISTING...

As ntrace.py, which see. Addresses have 64 bits without the lowest, privilege 2, ecause 6,
time 64 or no bits, ioptions 6; there is no context.
"""
import sys
from collections import Counter

from riscv import Text, signed

MAP_BITS = {0: 31, 1: 1}
MAP_BITS.update({n: 3 for n in (2, 3)})
MAP_BITS.update({n: 7 for n in range(4, 8)})
MAP_BITS.update({n: 15 for n in range(8, 16)})
MAP_BITS.update({n: 31 for n in range(16, 32)})
EXCEPTIONS = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15}


class Payload:
    """The bits of a packet; above those that are there its highest one goes on for ever."""

    def __init__(self, payload):
        self.value = int.from_bytes(payload, "little", signed=True)
        # What sign extension gives must not be there.
        for shorter in range(1, len(payload)):
            assert int.from_bytes(payload[:shorter], "little", signed=True) != self.value, \
                "a packet that is not compressed"
        self.at = 0

    def take(self, bits):
        field = self.value >> self.at & ((1 << bits) - 1)
        self.at += bits
        return field

    def differs(self):
        """A bit that tells something if it is not the one before."""
        before = self.value >> (self.at - 1) & 1
        return self.take(1) != before

    def rest(self):
        """What is above the last field."""
        return self.value >> self.at


def packet(payload, has_time):
    """The fields of a packet."""
    bits, fields = Payload(payload), {}
    form = fields["format"] = bits.take(2)
    assert form, "format 0 was not asked for"
    if form == 3:
        sub = fields["subformat"] = bits.take(2)
        if sub == 3:
            fields["ienable"], fields["mode"] = bits.take(1), bits.take(1)
            fields["qual_status"], fields["ioptions"] = bits.take(2), bits.take(6)
            assert fields["mode"] == 0 and bits.rest() == 0, fields
            return fields
        assert sub != 2, "a context without contexts"
        fields["branch"], fields["privilege"] = bits.take(1), bits.take(2)
        if has_time:
            fields["time"] = bits.take(64)
        if sub == 1:
            fields["ecause"], fields["interrupt"] = bits.take(6), bits.take(1)
            fields["thaddr"] = bits.take(1)
            assert fields["interrupt"] or fields["ecause"] in EXCEPTIONS, fields
        fields["address"] = bits.take(63) * 2
        if sub == 1 and not fields["interrupt"]:
            fields["tval"] = bits.take(64)
        assert fields["privilege"] != 2 and bits.rest() in (0, -1), fields
        return fields
    if form == 1:
        fields["branches"] = bits.take(5)
        fields["map"] = bits.take(MAP_BITS[fields["branches"]])
        if not fields["branches"]:
            return fields
        assert fields["map"] < 1 << fields["branches"], "bits that are no branches"
    fields["delta"] = signed(bits.take(63), 63) * 2
    for name in ("notify", "updiscon", "irreport"):
        fields[name] = bits.differs()
    assert not fields["notify"] and not fields["irreport"], fields
    return fields


def packets(data, source_bytes, has_time):
    """All packets in their structures: hart, fields."""
    at = 0
    while at < len(data):
        head = data[at]
        length = head & 31
        assert head < 32 and length, f"byte {at}: no structure of these"
        at += 1
        hart = int.from_bytes(data[at:at + source_bytes], "little")
        at += source_bytes
        yield hart, packet(data[at:at + length], has_time)
        at += length


class Hart:
    """What an encoder said about a hart, as a path."""

    def __init__(self, text):
        self.text, self.path = text, []
        self.on = self.again = False
        self.pc = self.address = self.last = None
        self.branches = []  # outcomes of those to come: True is taken
        self.time = 0

    def kind(self, pc):
        return self.text.at(pc)[1]

    def own(self):
        """How many branches may be left at pc: its own."""
        return int(self.kind(self.pc) == "branch")

    def step(self, where):
        """Goes on by one instruction; True when a discontinuity led to `where`."""
        size, kind, target = self.text.at(self.pc)
        self.last, jumped = self.pc, False
        if kind == "jump" or (kind == "branch" and self.branches.pop(0)):
            self.pc = target
        elif kind in ("indirect", "trap"):
            self.pc, jumped = where, True
        else:
            self.pc += size
        self.path.append(self.pc)
        return jumped

    def follow(self, where, form, full=False, updiscon=False):
        if self.again:
            while not self.step(self.met):
                pass
            self.again = False
        while True:
            jumped = self.step(where)
            if full:
                assert not jumped, "a jump within a full map"
                if len(self.branches) == 1 and self.own():
                    return
                continue
            if jumped:
                assert len(self.branches) == self.own(), "branches are left"
                return
            if self.pc != where or len(self.branches) != self.own():
                continue
            if form == 3:
                return
            if not updiscon and self.kind(self.last) not in ("indirect", "trap"):
                self.again, self.met = True, self.pc
                return

    def take(self, fields):
        form, sub = fields["format"], fields.get("subformat")
        if "time" in fields:
            assert fields["time"] >= self.time, "time goes back"
            self.time = fields["time"]
        if sub == 3:
            assert fields["ienable"] == (fields["qual_status"] == 0), fields
            if fields["qual_status"]:
                assert fields["qual_status"] == 1, fields
                self.on = self.again = False
            return
        if form == 3:
            self.sync(sub, fields)
            return
        assert self.on, "a packet before the start"
        count = fields.get("branches", -1)
        outcomes = fields.get("map", 0)
        self.branches += [not outcomes >> i & 1 for i in range(count or 31) if count >= 0]
        if not count:
            self.follow(None, form, full=True)
            return
        self.address += fields["delta"]
        self.follow(self.address, form, updiscon=fields["updiscon"])

    def sync(self, sub, fields):
        self.again, where = False, fields["address"]
        if sub == 1 and not fields["interrupt"]:
            self.exception(fields)
        if sub == 1:
            self.branches = []
        self.address = where
        if sub == 1 and not fields["thaddr"]:
            self.on = None  # the handler is told by what follows
            return
        if self.on is not True:
            self.branches = []
        follow = self.on is True and sub == 0
        if self.kind(where) == "branch":
            self.branches.append(not fields["branch"])
        else:
            assert fields["branch"] == 1, fields
        if follow:
            self.follow(where, 3)
        else:
            self.pc = self.last = where
            self.path.append(where)
        self.on = True

    def exception(self, fields):
        """What raised it began."""
        size, kind, target = self.text.at(self.pc)
        if kind in ("indirect", "trap"):
            assert not fields["thaddr"], "where it came at cannot be inferred"
            self.path.append(fields["address"])
        elif kind == "jump" or (kind == "branch" and self.branches[0]):
            self.path.append(target)
        else:
            self.path.append(self.pc + size)


def main():
    has_time = sys.argv[1] == "--time"
    del sys.argv[1:1 + has_time]
    data = open(sys.argv[2], "rb").read()
    text = Text(sys.argv[3:])
    harts = [Hart(text) for _ in text.ran]
    counts = Counter()
    for hart, fields in packets(data, int(sys.argv[1]), has_time):
        counts[f"{fields['format']}.{fields.get('subformat', '')}"] += 1
        harts[hart].take(fields)
    for i, hart in enumerate(harts):
        text.compare(i, hart.path)
    print(*(f"{name}:{n}" for name, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
