# SPDX-License-Identifier: GPL-2.0-or-later
"""What the published scheme's paper reports of it, and the same of a benchmark's results.

Times over QEMU alone are meant geometrically; shares of the native log's time and size as
the paper means them, arithmetically, so that its own figures come out.
"""

import csv
import os
import statistics
from dataclasses import dataclass

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers", "wang2023.csv")
CITATION = ("Wang T., Qin X., Xu X., Wang L., Fang J.: *Efficient Instruction Tracing "
            "Based on QEMU*. Computer Systems & Applications 2023, 32(11): 3–10 (in "
            "Chinese)")

# Of another tool that has every instruction and access, what its authors say of it.
PEER = ("QEMU's execlog writes them as text. DynamoRIO's drmemtrace, which runs programs of "
        "the host's own ISA, makes them 50 to 100 times slower, most of it output, by its "
        "[maintainers' account](https://github.com/DynamoRIO/dynamorio/issues/3614).")


@dataclass
class Program:
    """One program under a scheme, beside QEMU's log of it; None: not known."""

    name: str
    ratio: float         # time over QEMU alone
    bits_per_insn: float
    time_share: float    # of the native log's
    size_share: float


def program_of(row):
    name = row.pop("program")
    value = {key: float(text) for key, text in row.items()}
    return Program(name, value["scheme_s"] / value["qemu_s"],
                   value["scheme_mb"] * 8e6 / value["instructions"],
                   value["scheme_s"] / value["log_s"],
                   value["scheme_mb"] / value["log_mb"])


def published():
    """The paper's own table."""
    with open(TABLE, encoding="utf-8") as file:
        return [program_of(row) for row in
                csv.DictReader(line for line in file if not line.startswith("#"))]


def quotient(a, b):
    return a / b if a is not None and b else None


def measured(results, part, mode):
    """The same of the guests of a part; shares only where the log ran, too."""
    def median(guest, mode, measure):
        return results.median(part, guest, mode, measure)

    return [Program(guest, median(guest, mode, "wall_ratio"),
                    median(guest, mode, "bits_per_insn"),
                    quotient(median(guest, mode, "wall_ratio"),
                             median(guest, "log", "wall_ratio")),
                    quotient(median(guest, mode, "bits_per_insn"),
                             median(guest, "log", "bits_per_insn")))
            for guest in results.named("guest", part=part, mode=mode)]


def summary(programs, field, mean=statistics.geometric_mean):
    """(mean, least, greatest) over those that have it, or None."""
    values = [getattr(program, field) for program in programs]
    values = [value for value in values if value is not None and value > 0]
    return (mean(values), min(values), max(values)) if values else None
