# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests/cli/phases/common.sh knows of its traces: kernels by letters.

common_facts.py FACT
"""

import csv
import sys

PHASES = list(csv.DictReader(open("phases.csv", encoding="utf-8")))
TRACES = list(csv.DictReader(open("traces.csv", encoding="utf-8")))
LENGTHS = dict(line.split() for line in open("lengths", encoding="utf-8"))
NAMES = {"a": "add", "m": "multiply", "s": "shift"}


def of(trace):
    """Phase: share of a trace."""
    return {row["phase"]: float(row["weight"]) for row in TRACES if row["trace"] == trace + ".wmk"}


def phases_of(function):
    return {row["phase"] for row in PHASES if row["function"] == function}


def columns():
    assert list(PHASES[0]) == ["phase", "trace", "simpoint", "from", "intervals", "weight", "function"]
    assert list(TRACES[0]) == ["trace", "phase", "intervals", "weight", "simpoint_trace", "from"]


def weights():
    """Every interval of every trace is in one phase."""
    for trace, n in LENGTHS.items():
        rows = [row for row in TRACES if row["trace"] == trace + ".wmk"]
        assert sum(int(row["intervals"]) for row in rows) == int(n), trace
        assert abs(sum(of(trace).values()) - 1) < 1e-3, trace
    for row in PHASES:
        parts = [int(one["intervals"]) for one in TRACES if one["phase"] == row["phase"]]
        assert sum(parts) == int(row["intervals"]), row
    assert abs(sum(float(row["weight"]) for row in PHASES) - 1) < 1e-3


def functions():
    """Each kernel has a phase of its own, which just the traces with its letter are in."""
    for letter, name in NAMES.items():
        assert phases_of(name), name
        for trace in ("aam", "ms", "aammss"):
            share = sum(of(trace).get(phase, 0) for phase in phases_of(name))
            # Intervals at the bounds may be with either neighbour.
            assert (share > 0.1) == (letter in trace), (trace, name, share)
            assert share > 0.1 or share < 0.05, (trace, name, share)


def same_code():
    """The program under another name has the same weights: its start differs by its name."""
    one, other = of("aam"), of("other")
    for phase in set(one) | set(other):
        assert abs(one.get(phase, 0) - other.get(phase, 0)) < 0.05, (one, other)


def points():
    """The SimPoint lies in an interval of its trace that is in the phase."""
    for row in PHASES:
        trace = row["trace"].removesuffix(".wmk")
        assert int(row["simpoint"]) < int(LENGTHS[trace])
        assert int(row["from"]) == 100000 * int(row["simpoint"])
        assert of(trace)[row["phase"]] > 0
        for one in TRACES:
            if one["phase"] == row["phase"]:
                assert (one["simpoint_trace"], one["from"]) == (row["trace"], row["from"])


globals()[sys.argv[1]]()
