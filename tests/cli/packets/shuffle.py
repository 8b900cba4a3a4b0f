#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Mixes the packets of harts, whose own order stays: shuffle.py FORMAT FROM TO.

Numbers of harts have 8 bits.
"""
import random
import sys


def etrace(data):
    """(hart, bytes) of each packet."""
    at = 0
    while at < len(data):
        end = at + 2 + (data[at] & 31)
        yield data[at + 1], data[at:end]
        at = end


def ntrace(data):
    """(hart, bytes) of each message."""
    at = 0
    while at < len(data):
        end = at
        while data[end] & 3 != 3:
            end += 1
        end += 1
        yield data[at + 1] >> 2 | (data[at + 2] >> 2 & 3) << 6, data[at:end]
        at = end


def main():
    data = open(sys.argv[2], "rb").read()
    harts = {}
    for hart, packet in {"etrace": etrace, "ntrace": ntrace}[sys.argv[1]](data):
        harts.setdefault(hart, []).append(packet)
    order = [hart for hart, all_of_it in harts.items() for _ in all_of_it]
    random.Random(1).shuffle(order)
    at = dict.fromkeys(harts, 0)
    with open(sys.argv[3], "wb") as out:
        for hart in order:
            out.write(harts[hart][at[hart]])
            at[hart] += 1


if __name__ == "__main__":
    main()
