#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Holds a trace against what the witness saw in the same run.

usage: compare.py [--killed] insns TRACE DIR [N]   every instruction of every thread, as far
                                                   as the witness's rings go back
       compare.py [--killed] blocks TRACE DIR      the same by blocks
       compare.py log LOG DIR                      the witness itself, against what QEMU
                                                   wrote with -singlestep -d exec,nochain

A trace may list more of a thread than the witness saw only where it says so: the last
`uncertain` instructions, all of them in the last block; N threads may have such (0).

--killed: a SIGKILL may have come when one plugin had seen a block and the other not. QEMU
calls that first which was loaded last, Waymark's: `record` names it after what --qemu-arg
gives. So a thread's trace may be ahead by the beginning of one block, and is never after.

Processes are matched by pid and, where an execve changed the image, by order; threads by
vCPU, in order. Prints one line and exits with 0, or says where they part and exits with 1.
"""

import collections
import csv
import itertools
import json
import os
import struct
import subprocess
import sys

HEADER, ENTRY = 4096, 16
Log = collections.namedtuple("Log", "name vcpu generation tid head capacity path")


class Differs(Exception):
    pass


def waymark(*words):
    """The lines a waymark command prints."""
    command = [os.environ["WAYMARK"], *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from process.stdout
    if process.returncode:
        raise Differs(f"{' '.join(command)}: exit status {process.returncode}")


def read_log(folder, name):
    _, _, vcpu, generation = map(int, name.split("."))
    path = os.path.join(folder, name)
    with open(path, "rb") as file:  # which is empty when it was killed making it
        head, capacity, tid = struct.unpack("<QQI", file.read(20).ljust(20, b"\0"))
    return Log(name, vcpu, generation, tid, head, capacity, path)


def witnessed(folder):
    """{pid: [logs of image 0, logs of image 1, ...]}, logs that are empty left out."""
    images = collections.defaultdict(dict)
    for name in os.listdir(folder):
        pid, image, *thread = map(int, name.split("."))
        logs = images[pid].setdefault(image, [])
        if thread:
            log = read_log(folder, name)
            if log.head:
                logs.append(log)
    return {pid: [sorted(logs, key=lambda log: (log.vcpu, log.generation))
                  for _, logs in sorted(of_pid.items())]
            for pid, of_pid in images.items()}


def entries(log, first):
    """(address, code, size) of the entries from number `first` on."""
    with open(log.path, "rb") as file:
        at = first
        while at < log.head:
            slot = at % log.capacity
            n = min(log.head - at, log.capacity - slot, 1 << 16)
            file.seek(HEADER + slot * ENTRY)
            yield from struct.iter_unpack("<QII", file.read(n * ENTRY))
            at += n


def in_memory(code, isa):
    """The listing's digits of an instruction as bytes in the order of memory: the ways."""
    data = bytes.fromhex(code)
    if isa in ("x86_64", "i386"):
        return (data,)
    if isa == "arm" and len(data) == 4:  # two numbers when it is Thumb's
        return data[::-1], data[1::-1] + data[:1:-1]
    return (data[::-1],)


def listed(trace, what, thread, first, isa):
    """The same of the trace, and the symbol and the disassembly, to name a place."""
    rows = csv.reader(waymark(what, trace, "--thread", str(thread), "--from", str(first),
                              "--format", "csv"))
    head = next(rows)
    size = head.index("code" if what == "insns" else "insns")
    address, symbol, offset = map(head.index, ("address", "symbol", "offset"))
    for row in rows:
        place = (row[symbol], row[offset])
        if what == "insns":
            code = in_memory(row[size], isa)
            yield int(row[address], 16), code, len(code[0]), place
        else:
            yield int(row[address], 16), None, int(row[size]), place


def pack(head, line, what, isa):
    """A line of the listing as the witness's entry of 16 bytes."""
    row = dict(zip(head, next(csv.reader([line]))))
    code, size = b"", row.get("insns")
    if what == "insns":
        code = in_memory(row["code"], isa)[0]
        size = len(code)
    return struct.pack("<QII", int(row["address"], 16), int.from_bytes(code[:4], "little"),
                       int(size))


def listed_equally(trace, what, stream, log, isa, first):
    """
    Whether the listing is to the byte what the witness saw, and as long as the thread. Most are,
    and the same instructions come again and again, so that each line is parsed once.
    """
    lines = waymark(what, trace, "--thread", str(stream["index"]), "--from", str(first),
                    "--format", "csv")
    head = next(lines).strip().split(",")[1:]  # behind the ordinal
    packed, number = {}, first
    with open(log.path, "rb") as file:
        while number < log.head:
            slot = number % log.capacity
            n = min(log.head - number, log.capacity - slot, 1 << 16)
            got = []
            for line in itertools.islice(lines, n):
                line = line.partition(",")[2]
                if line not in packed:
                    packed[line] = pack(head, line, what, isa)
                got.append(packed[line])
            file.seek(HEADER + slot * ENTRY)
            if b"".join(got) != file.read(n * ENTRY):
                return False
            number += n
    rest = sum(1 for _ in lines)
    return rest == stream["instructions" if what == "insns" else "blocks"] - log.head


def by_vcpu(threads, vcpu_of):
    groups = collections.defaultdict(list)
    for thread in threads:
        groups[vcpu_of(thread)].append(thread)
    return groups


def pair_process(process, streams, logs, killed):
    """[(stream, log)] of one process."""
    streams = by_vcpu(streams, lambda stream: stream["vcpu"])
    logs = by_vcpu(logs, lambda log: log.vcpu)
    for vcpu in streams.keys() | logs.keys():
        mine, seen = streams[vcpu], logs[vcpu]
        if killed and len(mine) == len(seen) + 1 and mine[-1]["blocks"] == 1:
            mine.pop()
        if len(mine) != len(seen):
            raise Differs(f"process {process['pid']}: {len(mine)} threads on vCPU {vcpu}, "
                          f"the witness saw {len(seen)}")
        yield from zip(mine, seen)


def pair(info, folder, killed):
    """[(stream, log)]; every stream that ran and every log must have its other."""
    images = witnessed(folder)
    pairs = []
    for process in info["processes"]:
        streams = [stream for stream in info["threads"]
                   if stream["process"] == process["index"] and stream["instructions"]]
        streams.sort(key=lambda stream: stream["generation"])
        logs = images[process["pid"]].pop(0) if images.get(process["pid"]) else []
        pairs += pair_process(process, streams, logs, killed)
    for pid, left in images.items():
        if any(left):
            raise Differs(f"the trace lacks an image of process {pid}")
    return pairs


def same_size(size, code, wanted):
    early = code is None and 0 < size < wanted[2]  # a block that was left in its middle
    # Up to 8.0 QEMU lists what it looked ahead, two bytes, where a page of Thumb ends.
    ahead = size == wanted[2] - 2 and (wanted[0] + wanted[2]) % 4096 == 0
    return size == wanted[2] or early or ahead


def check_equal(name, number, got, wanted):
    address, code, size, place = got
    bytes_seen = wanted[1].to_bytes(4, "little")[:wanted[2]]
    if (address == wanted[0] and same_size(size, code, wanted) and
            (code is None or bytes_seen[:size] in [way[:4] for way in code])):
        return
    raise Differs(f"{name}: number {number} is {address:#x} {place}, size {size}, code "
                  f"{code[0].hex() if code else ''}; the witness saw {wanted[0]:#x}, size "
                  f"{wanted[2]}, code {bytes_seen.hex()}")


def check_uncertain(trace, stream):
    """Where a thread was cut, the first instruction of its last block did begin."""
    last = listed(trace, "blocks", stream["index"], stream["blocks"] - 1, None)
    size = next(last)[2]
    if stream["uncertain"] >= size:
        raise Differs(f"thread {stream['index']}: {stream['uncertain']} are uncertain in a "
                      f"last block of {size}")


def compare(what, trace, stream, log, isa, killed):
    """Returns how many were compared."""
    name = f"thread {stream['index']} (tid {stream['tid']}, {log.name})"
    count = stream["instructions" if what == "insns" else "blocks"]
    unsure = 0 if what == "blocks" else stream.get("uncertain", 0)
    # The oldest entry may have been overwritten by the one after the last.
    first = max(0, log.head - log.capacity + 1)

    if stream["tid"] not in (0, log.tid):
        raise Differs(f"{name}: the witness saw tid {log.tid}")
    if what == "insns" and unsure:
        check_uncertain(trace, stream)
    if not count - unsure - killed <= log.head <= count:
        raise Differs(f"{name}: {count} {what}, {unsure} uncertain; the witness saw "
                      f"{log.head}")
    if listed_equally(trace, what, stream, log, isa, first):
        return log.head - first
    got = listed(trace, what, stream["index"], first, isa)
    for number, wanted in enumerate(entries(log, first), first):
        check_equal(name, number, next(got, (0, None, -1, "the end")), wanted)
    if len(list(got)) != count - log.head:
        raise Differs(f"{name}: the listing is not as long as info says")
    return log.head - first


def logged(path):
    """The addresses in QEMU's log; "Stopped" takes back the block that it named last."""
    addresses = []
    with open(path, encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("Trace "):
                addresses.append(int(line.split("/")[1], 16))
            elif line.startswith("Stopped "):
                addresses.pop()
    return addresses


def compare_log(path, folder):
    wanted = logged(path)
    (images,) = witnessed(folder).values()
    got = [address for address, _, _ in entries(images[0][0], 0)]
    if got != wanted:
        raise Differs(f"the witness saw {len(got)} instructions, the log has {len(wanted)}")
    print(f"{len(got)} instructions")


def compare_trace(what, trace, folder, unsure_max, killed):
    info = json.loads("".join(waymark("info", trace, "--format", "json")))
    pairs = pair(info, folder, killed)
    unsure = [stream for stream, _ in pairs if stream.get("uncertain")]
    if what == "insns" and len(unsure) > unsure_max:
        raise Differs(f"{len(unsure)} threads are uncertain: " +
                      ", ".join(f"{s['index']} by {s['uncertain']}" for s in unsure))
    total = sum(compare(what, trace, stream, log, info["guest_isa"], killed)
                for stream, log in pairs)
    print(f"{total} {what} of {len(pairs)} threads")


def main(what, path, folder, unsure_max="0", killed=False):
    try:
        if what == "log":
            compare_log(path, folder)
        else:
            compare_trace(what, path, folder, int(unsure_max), killed)
    except Differs as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    words = sys.argv[1:]
    killed_too = "--killed" in words
    sys.exit(main(*(word for word in words if word != "--killed"), killed=killed_too))
