#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Looks which kinds of accesses a list of `waymark mem --format csv` has, and whether they have
values.

usage: accesses_kept.py KINDS yes|no <LIST

KINDS: words with blanks between, "load store". Exit status 1 when it is otherwise.
"""

import csv
import sys

rows = list(csv.DictReader(sys.stdin))
kinds = " ".join(sorted({row["kind"] for row in rows}))
values = {bool(row["value"]) for row in rows}
print(len(rows), kinds, values)
sys.exit(kinds != sys.argv[1] or values != {sys.argv[2] == "yes"})
