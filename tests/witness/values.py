#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds the accesses of a trace against those that the witness of values saw in the same run.

usage: values.py [--killed] [--sum] [--tail] TRACE GOT SEEN [N]
                 [--program-file PROGRAM RULE...]
       values.py --count-stale SEEN

GOT: the folder that tests/witness/accesses wrote of the trace; SEEN: the witness's. Every
access of every thread must be the same: instruction, address, size, kind, and data. Only of
a thread that was ended from outside may the last block lack some, or have some that the
witness did not see; N threads may be such (0).

--sum: both have sums. --killed: any thread may have been ended so. --tail: the trace has the
last instructions of each thread. RULE: what of PROGRAM was recorded, as cut.py has it.

Prints one line and exits with 0, or says where they part and exits with 1.
"""

import argparse
import json
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import cut  # noqa: E402

ENTRY = struct.Struct("<QQQQQII")
LOAD, STORE, INSN, STALE = range(4)
NAMES = ("load", "store")
STEP = 1 << 16


def seen_bytes(log):
    if log.head > log.capacity:
        raise compare.Differs(f"{log.name} is full")
    with open(log.path, "rb") as file:
        file.seek(compare.HEADER)
        return file.read(log.head * ENTRY.size)


def kinds_of(data):
    return memoryview(data).cast("I")[11::12].tolist()


def recorded(data, takes):
    """The accesses of instructions that `takes` lets through, counted anew."""
    number, taken = -1, False
    for entry in ENTRY.iter_unpack(data):
        if entry[6] == INSN:
            taken = takes(entry[1])
            number += taken
        elif taken and entry[6] != STALE:
            yield ENTRY.pack(number, *entry[1:])


def wanted_of(log, stream, rules, tail):
    """The accesses as bytes."""
    data = seen_bytes(log)
    if tail:
        first = kinds_of(data).count(INSN) - stream["instructions"]
        if first <= 0:
            raise compare.Differs("nothing was left out")
        numbers = iter(range(log.head))
        return b"".join(recorded(data, lambda _: next(numbers) >= first))
    if rules:
        return b"".join(recorded(data, rules.step))
    parts, begin = [], 0
    for at, kind in enumerate(kinds_of(data)):
        if kind in (INSN, STALE):
            parts.append(data[begin * ENTRY.size:at * ENTRY.size])
            begin = at + 1
    return b"".join(parts) + data[begin * ENTRY.size:]


def text(entry):
    insn, pc, address, low, high, size, kind = entry
    return (f"{NAMES[kind]} of {size} at {address:#x}, data {high:x}:{low:x}, by "
            f"instruction {insn} at {pc:#x}")


def first_difference(got, wanted):
    """Index of the first entry in which they differ, or where the shorter one ends."""
    for begin in range(0, min(len(got), len(wanted)), STEP * ENTRY.size):
        mine = got[begin:begin + STEP * ENTRY.size]
        its = wanted[begin:begin + STEP * ENTRY.size]
        number = begin // ENTRY.size
        for one, other in zip(ENTRY.iter_unpack(mine), ENTRY.iter_unpack(its)):
            if mine == its or one != other:
                break
            number += 1
        if mine != its:
            return number
    return min(len(got), len(wanted)) // ENTRY.size


def last_block(trace, stream):
    """The ordinal of its first instruction."""
    last = compare.listed(trace, "blocks", stream["index"], stream["blocks"] - 1, None)
    return stream["instructions"] - next(last)[2]


def check_rest(name, number, got, wanted, begin):
    """From entry `number` on they may differ only in instructions from `begin` on."""
    mine = list(ENTRY.iter_unpack(got[number * ENTRY.size:]))
    its = list(ENTRY.iter_unpack(wanted[number * ENTRY.size:]))
    if all(entry[0] >= begin for entry in mine + its):
        return
    raise compare.Differs(f"{name}: access {number} is {text(mine[0]) if mine else 'the end'}; "
                          f"the witness saw {text(its[0]) if its else 'the end'}; "
                          f"{len(got) // ENTRY.size} and {len(wanted) // ENTRY.size} in all")


def compare_sums(name, got, log):
    with open(log.path, "rb") as file:
        file.seek(compare.HEADER)
        wanted = struct.unpack("<QQ", file.read(16))
    got = struct.unpack("<QQ", got)
    if got != wanted:
        raise compare.Differs(f"{name}: {got[0]} accesses, sum {got[1]:x}; the witness saw "
                              f"{wanted[0]}, sum {wanted[1]:x}")
    return got[0]


def compare_thread(args, stream, log, rules):
    """How many accesses it has."""
    name = f"thread {stream['index']} (tid {stream['tid']}, {log.name})"
    path = os.path.join(args.got, str(stream["index"]))
    if not os.path.exists(path):
        raise compare.Differs(f"{name}: the trace has no accesses")
    with open(path, "rb") as file:
        got = file.read()
    if args.sum:
        return compare_sums(name, got, log)
    wanted = wanted_of(log, stream, rules, args.tail)
    if got != wanted:
        ended = args.killed or stream.get("uncertain")
        begin = last_block(args.trace, stream) if ended else 1 << 64
        check_rest(name, first_difference(got, wanted), got, wanted, begin)
    return len(got) // ENTRY.size


def check(args):
    info = json.loads("".join(compare.waymark("info", args.trace, "--format", "json")))
    pairs = list(compare.pair(info, args.seen, args.killed))
    unsure = [stream for stream, _ in pairs if stream.get("uncertain")]
    if len(unsure) > args.unsure and not args.killed:
        raise compare.Differs(f"{len(unsure)} threads are uncertain")
    program = cut.Program(args.file, info) if args.file else None
    total = sum(compare_thread(args, stream, log, cut.Rules(program, args) if program else None)
                for stream, log in pairs)
    print(f"{total} accesses of {len(pairs)} threads")


def count_stale(folder):
    """Of the witness's only process."""
    ((logs,),) = compare.witnessed(folder).values()
    print(sum(kinds_of(seen_bytes(log)).count(STALE) for log in logs))
    return 0


def main():
    parser = argparse.ArgumentParser()
    for name in "trace", "got", "seen":
        parser.add_argument(name)
    parser.add_argument("unsure", type=int, nargs="?", default=0)
    for name in "killed", "sum", "tail":
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--program-file", dest="file")
    parser.set_defaults(fork=None)
    parser.add_argument("--window", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--except", action="append", default=[], dest="without")
    parser.add_argument("--program", action="store_true")
    parser.add_argument("--max-insns", type=int)
    try:
        check(parser.parse_args())
    except compare.Differs as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(count_stale(sys.argv[2]) if sys.argv[1:2] == ["--count-stale"] else main())
