#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes files as QEMU's trace back end "simple" writes them: good ones, and all kinds of
bad ones, for simpletrace.sh. Times are of the trace that tests/unit/make_trace makes,
which begins at 1000 ns."""
import struct

HEADER = (2**64 - 1, 0xF2B177CB0AA429B4, 4)
DROPPED = 2**64 - 2


def header(*fields):
    return struct.pack("=3Q", *fields)


def name(number, text):
    return struct.pack("=QQI", 0, number, len(text)) + text.encode()


def event(number, ns, *words, pid=4242):
    return struct.pack("=QQQII", 1, number, ns, 24 + 8 * len(words), pid) + b"".join(
        struct.pack("=Q", word) for word in words
    )


def write(path, *parts, start=header(*HEADER)):
    with open(path, "wb") as out:
        out.write(start + b"".join(parts))


names = name(3, "guest_user_syscall") + name(4, "user_queue_signal")
good = (names, event(4, 4200, 0x10, 11), event(3, 2050, 56, 0), event(3, 9999, pid=43))
write("good", *good)
write("other", name(9, "other"), event(9, 4300), event(9, 3050), event(9, 900))
write("elsewhen", names, event(3, 10**15), event(3, 10**15 + 1))
write("noted", names, event(DROPPED, 2100, 25), event(77, 2200, 1), event(DROPPED, 2300, 5))
write("cut", *good[:3], event(4, 5000, 1)[:-1])
write("long", *good[:3], struct.pack("=QQQII", 1, 3, 5000, 2**32 - 1, 42), event(3, 5100))
with open("declared", "w") as out:
    out.write("vcpu guest_user_syscall(uint64_t num) \"num=0x%016\"PRIx64\n")
    out.write("disable user_queue_signal(void *env, int sig) \"env=%p signal %d\"\n")
write("old", start=header(HEADER[0], HEADER[1], 3))
write("magic", start=header(HEADER[0], 12345, 4))
write("order.bin", start=struct.pack(">3Q", *HEADER))
write("short.bin", start=b"\xff" * 23)
write("empty", start=b"")
