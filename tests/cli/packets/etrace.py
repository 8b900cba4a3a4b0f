#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes E-Trace by the tables of its specification, and checks each field against them.

usage: etrace.py [--context] SOURCE_BYTES PACKETS LISTING...

As ntrace.py, which see. Addresses have 64 bits without the lowest, privilege 2, ecause 6,
contexts 32 or no bits; the rest is in the support packet (extension "Standard Support Packet").
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


SUPPORT = (("sijump", 1), ("implicit_return", 1), ("branch_predictor", 1),
           ("jump_target_cache", 1), ("implicit_except", 1), ("full_iaddress", 1),
           ("resync_disabled", 1), ("iret_ext", 1), ("time_width", 3), ("f0s_width", 2),
           ("return_stack_size", 3), ("call_counter_size", 4), ("bpred_size", 3),
           ("cache_size", 3), ("denable", 1))
PLAIN = {name: 0 for name, _ in SUPPORT}


def irets(bits, fields, options):
    """Whether, and how many, returns were not reported; else the bit before goes on."""
    fields["irreport"] = bits.differs()
    if options["implicit_return"]:
        before = bits.take(1)
        bits.at -= 1
        value = bits.take(8)
        if fields["irreport"]:
            fields["irets"] = value
        else:
            assert value == (255 if before else 0), fields


def tail(bits, fields, options):
    """A differential address, or one that is full."""
    address = bits.take(63)
    fields["address"] = (address if options["full_iaddress"] else signed(address, 63)) * 2
    for name in ("notify", "updiscon"):
        fields[name] = bits.differs()
    irets(bits, fields, options)
    assert not fields["notify"], fields


def branch_map(bits, fields):
    fields["map"] = bits.take(MAP_BITS[fields["branches"]])
    assert fields["map"] < 1 << (fields["branches"] or 31), "bits that are no branches"


def support(bits, fields):
    fields["ienable"], fields["mode"] = bits.take(1), bits.take(2)
    fields["qual_status"] = bits.take(2)
    fields["options"] = {name: bits.take(width) for name, width in SUPPORT}
    options = fields["options"]
    assert fields["mode"] == 0 and bits.rest() == 0 and not options["denable"], fields
    assert options["iret_ext"] and not options["implicit_except"], fields
    assert not options["call_counter_size"] and options["time_width"] in (0, 4), fields
    for flag, size in (("implicit_return", "return_stack_size"),
                       ("branch_predictor", "bpred_size"), ("jump_target_cache", "cache_size")):
        assert bool(options[flag]) == bool(options[size]), fields
    both = options["branch_predictor"] and options["jump_target_cache"]
    assert options["f0s_width"] == both, fields


def packet(payload, options, has_context):
    """The fields of a packet."""
    bits, fields = Payload(payload), {}
    form = fields["format"] = bits.take(2)
    if form == 3:
        sub = fields["subformat"] = bits.take(2)
        if sub == 3:
            support(bits, fields)
            return fields
        assert sub != 2, "no context changes within a hart"
        fields["branch"], fields["privilege"] = bits.take(1), bits.take(2)
        if options["time_width"]:
            fields["time"] = bits.take(16 * options["time_width"])
        if has_context:
            fields["context"] = bits.take(32)
            assert fields["context"], "a thread without an id"
        if sub == 1:
            fields["ecause"], fields["interrupt"] = bits.take(6), bits.take(1)
            fields["thaddr"] = bits.take(1)
            assert fields["interrupt"] or fields["ecause"] in EXCEPTIONS, fields
        fields["address"] = bits.take(63) * 2
        if sub == 1 and not fields["interrupt"]:
            fields["tval"] = bits.take(64)
        assert fields["privilege"] != 2 and bits.rest() in (0, -1), fields
        return fields
    if form == 0:
        sub = bits.take(options["f0s_width"]) if options["f0s_width"] else \
            int(not options["branch_predictor"])
        fields["subformat"] = sub
        if sub == 0:
            assert options["branch_predictor"]
            fields["count"], fields["fmt"] = bits.take(32) + 31, bits.take(2)
            assert fields["fmt"] != 1, fields
            if fields["fmt"]:
                tail(bits, fields, options)
        else:
            assert options["jump_target_cache"]
            fields["index"], fields["branches"] = bits.take(options["cache_size"]), bits.take(5)
            if fields["branches"]:
                branch_map(bits, fields)
            irets(bits, fields, options)
        return fields
    if form == 1:
        fields["branches"] = bits.take(5)
        branch_map(bits, fields)
        if not fields["branches"]:
            return fields
    tail(bits, fields, options)
    return fields


def packets(data, source_bytes, has_context):
    """All packets in their structures: hart, fields."""
    at, options = 0, {}
    while at < len(data):
        head = data[at]
        length = head & 31
        assert head < 32 and length, f"byte {at}: no structure of these"
        at += 1
        hart = int.from_bytes(data[at:at + source_bytes], "little")
        at += source_bytes
        fields = packet(data[at:at + length], options.get(hart, PLAIN), has_context)
        options[hart] = fields.get("options", options.get(hart))
        yield hart, fields
        at += length


class Hart:
    """
    What an encoder said about a hart, as a path: the decoder of the specification, with the
    order of its pseudo code. Calls are pushed and returns popped where control arrives at them.
    """

    def __init__(self, text):
        self.text, self.path = text, []
        self.on = self.again = False
        self.pc = self.address = self.last = None
        self.map, self.branches = [], 0  # the map has the first of the branches
        self.time, self.options, self.fields = 0, PLAIN, {}
        self.forget()

    def forget(self):
        """A synchronisation."""
        self.stack, self.popped, self.irets = [], None, 0
        self.bpred, self.cache = {}, {}

    def kind(self, pc):
        return self.text.at(pc)[1]

    def own(self, pc):
        """How many branches may be left at pc: its own."""
        return int(self.kind(pc) == "branch")

    def index(self, pc, size):
        return pc >> 1 & ((1 << self.options[size]) - 1)

    def foretold(self, pc):
        return self.bpred.get(self.index(pc, "bpred_size"), 1) >= 2

    def branch(self):
        """Whether the branch at pc is taken."""
        assert self.branches, f"{self.pc:#x}: nothing says where it goes"
        taken = self.map.pop(0) if self.map else self.foretold(self.pc)
        at = self.index(self.pc, "bpred_size")
        state = self.bpred.get(at, 1)
        self.bpred[at] = {0: (0, 1), 1: (0, 3), 3: (2, 3), 2: (0, 3)}[state][taken]
        self.branches -= 1
        self.irets = 0
        return taken

    def arrive(self):
        """At pc: what it pushes or pops."""
        self.path.append(self.pc)
        if not self.options["implicit_return"]:
            return
        size = self.text.at(self.pc)[0]
        self.popped = None
        if self.text.calls(self.pc):
            self.stack.append(self.pc + size)
            del self.stack[:-(1 << self.options["return_stack_size"])]
        if self.text.returns(self.pc) and self.stack:
            self.popped = self.stack.pop()
            self.irets += 1

    def implicit(self, where):
        """Whether a return goes where it is expected to."""
        fields = self.fields
        if fields.get("irreport") and self.branches == self.own(where) and \
                fields["irets"] == self.irets - 1:
            return False
        return self.text.returns(self.pc) and self.popped is not None

    def update(self, target):
        self.cache[self.index(target, "cache_size")] = target

    def step(self):
        """Goes on by one instruction; True when a discontinuity led to self.where."""
        size, kind, target = self.text.at(self.pc)
        last, self.last, jumped = self.last, self.pc, False
        follows = self.text.follows(last, self.pc) if self.options["sijump"] else None
        self.followed = kind == "indirect" and follows is not None
        if kind == "jump" or (kind == "branch" and self.branch()):
            self.pc = target
        elif self.followed:
            self.pc = follows
        elif kind == "indirect" and self.implicit(self.where):
            self.pc = self.popped
            self.update(self.pc)
            if self.fields.get("index") == self.index(self.pc, "cache_size"):
                self.where = self.pc
        elif kind in ("indirect", "trap"):
            assert not self.at_last or self.own(self.where), "a jump within a full map"
            self.pc, jumped = self.where, True
            if not self.fields.get("irreport") or self.pc != self.popped:
                self.update(self.pc)
        else:
            self.pc += size
        self.arrive()
        return jumped

    def is_there(self, form):
        fields = self.fields
        if self.pc != self.where or self.at_last or self.branches != self.own(self.pc):
            return False
        if form == 3:
            return True
        if fields.get("irreport") and fields.get("irets", 0) > self.irets:
            return False
        if fields.get("updiscon") or \
                (self.kind(self.last) in ("indirect", "trap") and not self.followed):
            return False
        self.again, self.met, self.by, self.passed = True, self.pc, fields, self.irets
        return True

    def follow(self, where, fields):
        if self.again:
            self.where, self.fields, self.irets, self.at_last = \
                self.met, self.by, self.passed, False
            while not self.step():
                pass
            self.again, self.irets = False, int(self.popped is not None)
        form = fields["format"]
        self.where, self.fields = where, fields
        self.at_last = form != 3 and (where is None or bool(self.own(where)))
        while True:
            jumped = self.step()
            if self.at_last and self.branches == 1 and self.own(self.pc):
                break
            if jumped:
                assert self.branches == self.own(self.pc), "branches are left"
                break
            if self.is_there(form):
                break
        if "count" in fields and self.own(self.pc):
            self.map = [self.foretold(self.pc) == (fields["fmt"] == 2)]

    def take(self, fields):
        form, sub = fields["format"], fields.get("subformat")
        # A return that control is at was counted when control came there.
        self.irets = int(self.popped is not None)
        if "time" in fields:
            assert fields["time"] >= self.time, "time goes back"
            self.time = fields["time"]
        if form == 3 and sub == 3:
            assert fields["ienable"] == (fields["qual_status"] == 0), fields
            self.options = fields["options"]
            if fields["qual_status"]:
                assert fields["qual_status"] == 1, fields
                self.on = self.again = False
            return
        if form == 3:
            self.sync(sub, fields)
            return
        assert self.on, "a packet before the start"
        assert self.branches <= 1
        where = None
        if "address" in fields:
            full = self.options["full_iaddress"]
            where = fields["address"] + (0 if full else self.address)
        elif "index" in fields:
            where = self.cache[fields["index"]]
        if "count" in fields:
            self.branches += fields["count"] + (fields["fmt"] != 2)
        elif "branches" in fields:
            n = fields["branches"] or (0 if form == 0 else 31)
            self.map += [not fields["map"] >> i & 1 for i in range(n)] if n else []
            self.branches += n
        self.follow(where, fields)
        if where is not None:
            self.address = self.where

    def sync(self, sub, fields):
        self.again, where = False, fields["address"]
        if sub == 1 and not fields["interrupt"]:
            self.exception(fields)
        if sub == 1:
            self.map, self.branches = [], 0
        self.address = where
        if sub == 1 and not fields["thaddr"]:
            self.on = None  # the handler is told by what follows
            return
        if self.on is not True:
            self.map, self.branches = [], 0
        follow = self.on is True and sub == 0
        if self.kind(where) == "branch":
            self.map.append(not fields["branch"])
            self.branches += 1
        else:
            assert fields["branch"] == 1, fields
        if follow:
            self.follow(where, fields)
            self.path.pop()
        else:
            self.pc = self.last = where
        self.forget()
        self.arrive()
        self.on = True

    def exception(self, fields):
        """What raised it began."""
        size, kind, target = self.text.at(self.pc)
        if kind in ("indirect", "trap"):
            assert not fields["thaddr"], "where it came at cannot be inferred"
            self.path.append(fields["address"])
        elif kind == "jump" or (kind == "branch" and self.map[0]):
            self.path.append(target)
        else:
            self.path.append(self.pc + size)


def main():
    has_context = sys.argv[1] == "--context"
    del sys.argv[1:1 + has_context]
    data = open(sys.argv[2], "rb").read()
    text = Text(sys.argv[3:])
    harts = [Hart(text) for _ in text.ran]
    counts = Counter()
    for hart, fields in packets(data, int(sys.argv[1]), has_context):
        counts[f"{fields['format']}.{fields.get('subformat', '')}"] += 1
        harts[hart].take(fields)
    for i, hart in enumerate(harts):
        text.compare(i, hart.path)
    print(*(f"{name}:{n}" for name, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
