# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: flip.py FILE OFFSET OUT: writes OUT, a copy of FILE with one bit of a byte changed."""

import sys

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
data[int(sys.argv[2])] ^= 0x40
with open(sys.argv[3], "wb") as file:
    file.write(data)
