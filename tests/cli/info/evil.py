# SPDX-License-Identifier: GPL-2.0-or-later
import struct, xxhash

def section(kind, payload):
    header = struct.pack("<4sIQQ", kind, 0, len(payload), len(payload))
    seed = xxhash.xxh3_64_intdigest(header)
    return header + struct.pack("<Q", xxhash.xxh3_64_intdigest(payload, seed)) + payload

def string(text):
    text = text.encode() + b"\x1b]0;title\x07\x1b[31m\r\x08\x7f\xc2\x9b31m"
    return bytes([len(text)]) + text

def packed(raw):
    return bytes([len(raw), len(raw)]) + raw

def fact(key, value):
    return section(b"META", bytes([len(key)]) + key.encode() + string(value))

file = b"\211WMK\r\n\032\n" + struct.pack("<IIII", 1, 0, 0, 0)
file += struct.pack("<Q", xxhash.xxh3_64_intdigest(file))
file += fact("command", "command") + fact("qemu-version", "7.2") + fact("guest-isa", "riscv64")
file += section(b"PROC", struct.pack("<IIIQ", 0, 1, 2**32 - 1, 1) + string("/bin/program"))
file += section(b"PROC", struct.pack("<IIIQ", 1, 2, 0, 1) + string("/bin/program"))
file += section(b"STRM", struct.pack("<IIIII", 0, 0, 0, 0, 1) + string("thread"))
file += section(b"MODU", struct.pack("<IQQQ", 0, 0, 2**17, 0) + string("/bin/module") +
                struct.pack("<IQ", 0, 0) + string("id"))
file += section(b"SYMS", string("id") + string("/bin/module") +
                packed(b"\1\0\xff\1\0\1\1\0\1" + string("symbol")[1:] + b"\0"))
file += section(b"BLKS", struct.pack("<III", 1, 1, 1) + b"\0\1\1\0")
file += section(b"DISA", b"\2\1\0" + string("text"))
path = len(file)
event = b"\1" + bytes([56, 1, 2, 3, 4, 5, 6]) + string("/path")[1:]
file += section(b"PATH", packed(b"\3\3") + packed(b"") + packed(b"\0\1") +
                packed(b"\0\1" + bytes([len(event)]) + event))
file += section(b"CHNK", struct.pack("<IIQQQQQQIII", 0, 9, 9, 0, 0, 1, 2, path, 0, 1, 1) +
                packed(b"\1\x09"))
file += section(b"ENDS", string("cut"))
open("evil.wmk", "wb").write(file)
