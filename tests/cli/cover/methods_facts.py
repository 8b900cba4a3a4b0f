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
    """Lines of a report: file, number, missed, covered instructions and branches; and its sums."""
    for source in xml.etree.ElementTree.parse(path).iter("sourcefile"):
        for line in source.iter("line"):
            print(source.get("name"), *(line.get(key) for key in ("nr", "mi", "ci", "mb", "cb")))
        for name, (missed, covered) in counters(source).items():
            print(source.get("name"), name, missed, covered)


def counters(element):
    return {counter.get("type"): (int(counter.get("missed")), int(counter.get("covered")))
            for counter in element.findall("counter")}


def sums(path):
    """Each part of a report has the sums of its parts, and all kinds that are known."""
    report = xml.etree.ElementTree.parse(path).getroot()
    packages = report.findall("package")
    add(report, packages, {"INSTRUCTION", "BRANCH", "LINE", "METHOD", "CLASS"})
    for package in packages:
        sources = package.findall("sourcefile")
        add(package, sources, set(counters(package)))
        for kind in "METHOD", "CLASS":
            want = counters(package)[kind]
            assert want == total(package.findall("class"), kind), kind
        for each in package.findall("class"):
            assert counters(each)["METHOD"] == total(each.findall("method"), "METHOD")
            assert counters(each)["CLASS"] == ((0, 1) if counters(each)["METHOD"][1] else (1, 0))


def total(elements, kind):
    parts = [counters(element).get(kind, (0, 0)) for element in elements]
    return tuple(map(sum, zip(*parts)))


def add(element, parts, kinds):
    assert set(counters(element)) == kinds, element.tag
    for kind in kinds:
        assert counters(element)[kind] == total(parts, kind), (element.tag, kind)


globals()[sys.argv[1]](*sys.argv[2:])
