# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: inputs_facts.py FUNCTION [ARGUMENT...]

What inputs.sh checks that takes more than a line of shell: one function for each fact.
"""

import struct
import sys

import xxhash


def make_logs():
    line = "0x1000:  00000013          nop\n"
    with open("long-line", "w") as log:
        log.write("IN: \n0x1000:  " + "0" * 2000000 + "  nop\n")
    with open("long-block", "w") as log:
        log.write("IN: \n" + line * 100000 + "\n")
    with open("many", "w") as log:
        for i in range(2000):
            log.write(f"IN: \n0x{i * 4:x}:  00000013          nop\n\n"
                      f"Trace {i}: 0x{i + 1:x} [0/{i * 4:x}/0/200]\n")


def make_newer(trace):
    """Of format 2: the version is changed, and the header's checksum fits."""
    with open(trace, "rb") as file:
        data = bytearray(file.read())
    data[8:12] = struct.pack("<I", 2)
    data[24:32] = struct.pack("<Q", xxhash.xxh3_64_intdigest(bytes(data[:24])))
    with open("newer.wmk", "wb") as file:
        file.write(data)


globals()[sys.argv[1]](*sys.argv[2:])
