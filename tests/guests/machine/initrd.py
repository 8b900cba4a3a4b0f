#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes an initrd for Linux: busybox, an init that is given, and other files.

usage: initrd.py BUSYBOX INIT OUT [PATH=FILE...]

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


def content(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    busybox, init, out, *others = sys.argv[1:]
    entries = [entry(name, stat.S_IFDIR | 0o755) for name in ("bin", "dev", "proc", "tmp")]
    entries += [
        entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
        entry("dev/null", stat.S_IFCHR | 0o666, device=(1, 3)),
        entry("bin/busybox", stat.S_IFREG | 0o755, content(busybox)),
        entry("init", stat.S_IFREG | 0o755, content(init)),
    ]
    for other in others:
        path, file = other.split("=", 1)
        folders = path.split("/")[:-1]
        entries += [entry("/".join(folders[: i + 1]), stat.S_IFDIR | 0o755) for i in range(len(folders))]
        entries.append(entry(path, stat.S_IFREG | 0o755, content(file)))
    entries.append(entry("TRAILER!!!", 0))
    with open(out, "wb") as file:
        file.write(gzip.compress(b"".join(entries), mtime=0))


main()
