#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes an initrd for Linux: busybox, and an init that is given.

usage: initrd.py BUSYBOX INIT OUT

The format is cpio's "newc": a header of hexadecimal numbers, a name, the data, each padded
to 4 bytes. Device nodes, which need no root here, are entries with a number and no data.
"""
import gzip
import stat
import sys


def padded(data):
    return data + bytes(-len(data) % 4)


def entry(name, mode, data=b"", device=(0, 0)):
    name = name.encode() + b"\0"
    fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields)
    return padded(head + name) + padded(data)


def main():
    busybox, init, out = sys.argv[1:]
    with open(busybox, "rb") as file:
        program = file.read()
    with open(init, "rb") as file:
        script = file.read()
    entries = [entry(name, stat.S_IFDIR | 0o755) for name in ("bin", "dev", "proc", "tmp")]
    entries += [
        entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
        entry("dev/null", stat.S_IFCHR | 0o666, device=(1, 3)),
        entry("bin/busybox", stat.S_IFREG | 0o755, program),
        entry("init", stat.S_IFREG | 0o755, script),
        entry("TRAILER!!!", 0),
    ]
    with open(out, "wb") as file:
        file.write(gzip.compress(b"".join(entries), mtime=0))


main()
