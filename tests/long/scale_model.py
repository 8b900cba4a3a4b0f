# SPDX-License-Identifier: GPL-2.0-or-later
"""scale_model.py [NAME=VALUE...]: the time of a question on many machines, from what was
measured on one. docs/scale.md explains the terms; tests/long/scale.sh measures some of them.

    T(n) = open + work / n + tail + merge * log2(n) + broadcast
"""
import math
import sys

# Measured, unless a remark says otherwise.
MEASURED = {
    "insns": 1e12,  # of the trace
    "rate": 450e6,  # instructions a second, of one core
    "open": 1.7,  # s: the table of contents and all histograms, in each process
    "merge": 0.05,  # s: two states
    "state": 160e3,  # bytes of the merged state, which all processes get
    "definitions": 31e6,  # bytes of what opening reads, which all processes get
    "near": 600e6,  # bytes a second to all processes of a machine, one hop of a tree
    "latency": 5e-3,  # s for a message between machines: an assumption, of a slow network
    "far": 125e6,  # bytes a second between machines: an assumption, 1 Gbit/s
    "ranks": 8,  # of a machine
}
PIECES = 48  # of a rank's share, see query/team.c; the last one is waited for


def broadcast(of, ranks):
    """Along a tree: first between machines, then inside each."""
    machines = math.ceil(ranks / of["ranks"])
    inside = min(ranks, of["ranks"])
    total = of["state"] + of["definitions"]
    return (math.ceil(math.log2(machines)) * (total / of["far"] + of["latency"]) +
            math.ceil(math.log2(inside)) * total / of["near"])


def terms(of, ranks):
    work = of["insns"] / of["rate"]
    if ranks == 1:
        return {"open": of["open"], "work": work}
    return {
        "open": of["open"],
        "work": work / ranks,
        "tail": work / ranks / PIECES / 2,
        "merge": of["merge"] * math.ceil(math.log2(ranks)),
        "broadcast": broadcast(of, ranks),
    }


def efficiency(of, ranks):
    return sum(terms(of, 1).values()) / ranks / sum(terms(of, ranks).values())


def main():
    of = dict(MEASURED)
    for word in sys.argv[1:]:
        name, value = word.split("=")
        if name not in of:
            sys.exit(f"there is no {name}: {' '.join(of)}")
        of[name] = float(value)
    for ranks in (1, 2, 8, 16, 64, 128, 256):
        parts = terms(of, ranks)
        bound = max((name for name in parts if name != "work"), key=parts.get)
        print(f"{ranks:4} ranks  {sum(parts.values()):9.2f} s  efficiency "
              f"{efficiency(of, ranks):.3f}  " +
              "  ".join(f"{name} {value:.3f}" for name, value in parts.items()) +
              f"  bound by {bound}")


main()
