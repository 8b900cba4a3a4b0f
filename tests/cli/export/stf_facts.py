# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: stf_facts.py FACT TRACE.stf INSNS.jsonl

A reader of STF 1.5 written from its definition (stf_lib's records), without a look at the
writer: it keeps the program counter as stf_lib's PCTracker does, and refuses what
stf_lib's STFWriter would not write.
"""

import json
import struct
import sys

fact, path, listing = sys.argv[1:]
# Of each record: the fields after its descriptor.
FIELDS = {2: "II", 4: "H", 5: "H", 7: "Q", 8: "III", 9: "Q", 19: "", 31: "Q", 40: "HBQ",
          60: "QHHB", 61: "Q", 240: "I", 241: "H"}
# Names that the listing has.
ABI = {f"x{number}": name for number, name in enumerate(
    "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
    "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split())}
ABI |= {f"f{number}": name for number, name in enumerate(
    "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 "
    "fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11".split())}
HEADER_ONLY = {1, 2, 4, 5, 6, 7, 19}
BODY_ONLY = {31, 40, 60, 61, 240, 241}


def records(data):
    at = 0

    def take(fields):
        nonlocal at
        size = struct.calcsize("<" + fields)
        assert at + size <= len(data), f"cut at byte {at}"
        values = struct.unpack_from("<" + fields, data, at)
        at += size
        return values

    while at < len(data):
        kind, = take("B")
        if kind == 1:
            yield kind, (bytes(take("3B")),)
        elif kind == 3:
            length, = take("I")
            yield kind, (bytes(take(f"{length}B")).decode(),)
        elif kind == 6:
            generator, major, minor, least, length = take("BBBBH")
            yield kind, (generator, (major, minor, least), bytes(take(f"{length}B")).decode())
        else:
            assert kind in FIELDS, f"record {kind} at byte {at - 1}"
            yield kind, take(FIELDS[kind])


def is_jump(code, size):
    """Of RISC-V, 64-bit: jal, jalr, c.j, c.jr, c.jalr."""
    if size == 4:
        return code & 0x7f in (0x6f, 0x67)
    return code & 0xe003 == 0xa001 or (code & 0xe07f == 0x8002 and code & 0xf80)


def instructions():
    """(address, bytes of code, registers written, accesses) of each, and the header."""
    header, ended, last, lacks_target = {}, False, 0, False
    pc = target = None
    registers, accesses, found = [], [], []
    with open(path, "rb") as file:
        data = file.read()
    for index, (kind, fields) in enumerate(records(data)):
        assert (index == 0) == (kind == 1) and (index == 1) == (kind == 2), "begins otherwise"
        assert kind not in (HEADER_ONLY if ended else BODY_ONLY), f"{kind} out of place"
        assert last != 60 or kind == 61, "an access without data"
        assert kind >= last or last in (240, 241) or kind in (3, 8, 9) or \
            (last == 61 and kind in (60, 40)) or (last == 40 and kind == 31), (last, kind)
        # Before a gap and at the end it is not known.
        assert not lacks_target or kind == 9, f"a jump without a target before {hex(pc)}"
        lacks_target = False
        if not ended:
            header.setdefault(kind, fields)
        if kind == 9:
            pc, target = fields[0], None
        elif kind == 19:
            ended = True
        elif kind == 31:
            target = fields[0]
        elif kind == 40:
            number, file_of, value = fields
            assert file_of >> 4 == 3 and file_of & 15 in (1, 2, 4), fields
            assert number < (4096 if file_of & 15 == 4 else 32), fields
            registers.append(("?xf?c"[file_of & 15] + str(number), value))
        elif kind == 60:
            assert fields[3] in (1, 2) and 0 < fields[1] <= 8, fields
            accesses.append(list(fields))
        elif kind == 61:
            accesses[-1].append(fields[0])
        elif kind in (240, 241):
            size = 2 if kind == 241 else 4
            assert (fields[0] & 3 == 3) == (size == 4), hex(fields[0])
            found.append((pc, fields[0].to_bytes(size, "little"), registers, accesses))
            lacks_target = target is None and is_jump(fields[0], size)
            pc = pc + size if target is None else target
            target, registers, accesses = None, [], []
        last = kind
    assert ended and not accesses and not registers, "the end is missing"
    assert header[1] == (b"STF",) and header[2] == (1, 5), header
    assert header[4] == (1,) and header[6][0] == 1, header
    return header, found


def wanted():
    with open(listing, encoding="utf-8") as file:
        return [line for line in map(json.loads, file) if "disassembly" in line]


def path_of_all():
    header, found = instructions()
    lines = wanted()
    assert len(found) == len(lines) > 100, (len(found), len(lines))
    for got, line in zip(found, lines):
        assert got[0] == int(line["address"], 16), (line, got)
        assert got[1] == int(line["code"], 16).to_bytes(len(got[1]), "little"), (line, got)
    return header, found, lines


def control_flow():
    header, found, _ = path_of_all()
    assert "control flow only" in header[3][0], header
    assert not any(registers or accesses for _, _, registers, accesses in found)


def with_accesses():
    """Of accesses wider than 8 bytes there are several."""
    header, found, lines = path_of_all()
    assert "memory accesses" in header[3][0], header
    total = 0
    for (_, _, _, accesses), line in zip(found, lines):
        seen = [(a[0], a[1], a[3], a[4]) for a in accesses]
        stated = [(int(a["address"], 16), a["size"], 1 if a["kind"] == "load" else 2,
                   int(a["value"], 16)) for a in line["accesses"]
                  if a["kind"] in ("load", "store")]
        assert seen == stated, (line, seen)
        total += len(seen)
    assert total > 100, total


def with_registers():
    header, found, lines = path_of_all()
    assert header[7][0] & 4, header
    total = 0
    for (_, _, registers, _), line in zip(found, lines):
        stated = [(a["register"], int(a["value"], 16)) for a in line["accesses"]
                  if a["kind"] == "written"]
        # Of control and status registers the listing has names, and the trace numbers.
        assert [value for _, value in registers] == [value for _, value in stated] and all(
            name[0] == "c" or ABI[name] == other
            for (name, _), (other, _) in zip(registers, stated)), (line, registers)
        total += len(registers)
    assert total > 100, total


globals()[fact]()
