# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts for methods.sh: methods_facts.py FACT ..."""

import sqlite3
import sys
import xml.etree.ElementTree


def lines(path, name, want):
    """Whether these lines of a file ran, "3-6 9", by coverage.py's data."""
    expected = set()
    for part in want.split():
        first, _, last = part.partition("-")
        expected |= set(range(int(first), int(last or first) + 1))
    query = ("select numbits from line_bits join file on file.id = file_id "
             "where path like '%/' || ?")
    rows = sqlite3.connect(path).execute(query, (name,)).fetchall()
    bits = rows[0][0]
    got = {8 * i + bit for i, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}
    sys.exit(f"{sorted(got ^ expected)}" if got != expected or len(rows) != 1 else 0)


def jacoco(path):
    """Lines of a report: file, number, missed, covered instructions and branches."""
    for source in xml.etree.ElementTree.parse(path).iter("sourcefile"):
        for line in source.iter("line"):
            print(source.get("name"), *(line.get(key) for key in ("nr", "mi", "ci", "mb", "cb")))


globals()[sys.argv[1]](*sys.argv[2:])
