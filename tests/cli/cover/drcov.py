# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a drcov file of version 2: modules and, for each, its set of (offset, size)."""
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    at = 0

    def line():
        nonlocal at
        end = data.index(b"\n", at)
        text = data[at:end].decode()
        at = end + 1
        return text

    assert line() == "DRCOV VERSION: 2"
    assert line() == "DRCOV FLAVOR: drcov-64"
    head = line()
    assert head.startswith("Module Table: version 2, count "), head
    assert line() == "Columns: id, base, end, entry, path"
    modules = []
    for number in range(int(head.split()[-1])):
        row, base, end, _, path = line().split(", ", 4)
        assert int(row) == number and int(base, 16) < int(end, 16)
        modules.append((int(base, 16), int(end, 16), path, set()))
    head = line().split()
    assert head[:2] == ["BB", "Table:"] and head[3] == "bbs", head
    assert len(data) - at == 8 * int(head[2])
    for start, size, module in struct.iter_unpack("<IHH", data[at:]):
        assert size and (start, size) not in modules[module][3]
        modules[module][3].add((start, size))
    return modules


if __name__ == "__main__":
    for module in read(sys.argv[1]):
        print(module[2], len(module[3]))
