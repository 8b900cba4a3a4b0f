# SPDX-License-Identifier: GPL-2.0-or-later
"""Overwrites what is read of a trace to open it: both ends, facts and blocks.

spoil.py TRACE...
"""

import struct
import sys

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = 32
    while at + 32 <= len(data):
        kind, _, stored = struct.unpack_from("<4sIQ", data, at)
        if kind in (b"META", b"BLKS"):
            data[at + 32 : at + 32 + stored] = b"x" * stored
        at += 32 + stored
    data[:32] = b"x" * 32
    data[-64:] = b"x" * 64
    with open(path, "wb") as file:
        file.write(data)
