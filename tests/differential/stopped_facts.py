# SPDX-License-Identifier: GPL-2.0-or-later
"""How often a function's loop ran, from the CSV of `waymark annotate`.

usage: stopped_facts.py CSV
"""
import csv
import sys

with open(sys.argv[1], newline="") as file:
    print(max((int(row["executions"]) for row in csv.DictReader(file)), default=0))
