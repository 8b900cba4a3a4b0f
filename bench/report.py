# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark's table as text and CSV, and the project's bars beside the figures."""

import csv
import math
import statistics
from dataclasses import dataclass

# Heading, key of a row, format. A key that a row lacks prints as "-".
COLUMNS = [
    ("program", "name", "{}"),
    ("none s", "wall_none_s", "{:.2f}"),
    ("floor x", "wall_floor_ratio", "{:.3f}"),
    ("waymark x", "wall_waymark_ratio", "{:.3f}"),
    ("wm/floor", "wall_waymark_per_floor", "{:.3f}"),
    ("cpu floor x", "cpu_floor_ratio", "{:.3f}"),
    ("cpu wm x", "cpu_waymark_ratio", "{:.3f}"),
    ("Mblocks", "mblocks", "{:.1f}"),
    ("Minsns", "minsns", "{:.1f}"),
    ("KB", "kbytes", "{:.1f}"),
    ("bits/insn", "bits_per_insn", "{:.5f}"),
    ("qemu MiB", "qemu_mib", "{:.0f}"),
    ("with wm", "qemu_waymark_mib", "{:.0f}"),
    ("coll MiB", "collector_mib", "{:.0f}"),
    ("enc ns", "encode_ns", "{:.2f}"),
    ("dec ns", "decode_ns", "{:.2f}"),
    ("dec all ns", "decode_all_ns", "{:.2f}"),
    ("info s", "info_s", "{:.3f}"),
]

SIZE_BARS = {"cc1": 0.06, "python": 0.04, "sqlite": 0.012, "lua": 0.012}
# Kernels whose paths do not depend on data that looks random.
REGULAR = {"fft", "isort", "lu", "spmv", "stencil"}
REGULAR_BAR = 0.001
DISTURBED = 1.05  # wall over CPU time of the untraced guest


@dataclass
class Bar:
    """A figure, what it must not exceed, and where it comes from."""

    what: str
    limit: float
    figure: float
    note: str = ""

    def line(self):
        verdict = "pass" if self.figure <= self.limit else "MISS"
        note = f"  ({self.note})" if self.note else ""
        return f"{verdict}  {self.what}: {self.figure:.4g} (bar {self.limit:g}){note}"


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def figures(rows, key):
    return [row[key] for row in rows if key in row]


def worst(rows, key):
    """The greatest figure of a column, and whose it is."""
    row = max((row for row in rows if key in row), key=lambda row: row[key])
    return row[key], row["name"]


def size_bar(row):
    limit = SIZE_BARS.get(row["name"], REGULAR_BAR if row["name"] in REGULAR else None)
    if limit is None or "bits_per_insn" not in row:
        return None
    return Bar(f"bits per instruction, {row['name']}", limit, row["bits_per_insn"])


def bars_of(rows):
    means = {
        key: geometric_mean(figures(rows, key))
        for key in ("wall_waymark_ratio", "wall_floor_ratio", "cpu_waymark_ratio")
    }
    result = [
        Bar("wall over the floor, worst", 1.10, *worst(rows, "wall_waymark_per_floor")),
        Bar("wall over none, geometric mean", 1.25, means["wall_waymark_ratio"],
            f"the floor's is {means['wall_floor_ratio']:.3f}"),
        Bar("CPU over none, geometric mean", 1.6, means["cpu_waymark_ratio"]),
    ]
    result += [bar for bar in map(size_bar, rows) if bar]
    if figures(rows, "encode_ns"):
        result += [
            Bar("encode ns per block, median", 2.0,
                statistics.median(figures(rows, "encode_ns"))),
            Bar("decode ns per block, worst", 5.0, *worst(rows, "decode_ns")),
        ]
    return result + [
        Bar("info s, worst", 0.1, *worst(rows, "info_s")),
        Bar("collector MiB, worst", 256, *worst(rows, "collector_mib")),
    ]


def thread_bars_of(rows):
    """What more threads cost, held against one."""
    result = []
    for row in rows[1:]:
        one, more = rows[0], row["threads"] - 1
        result += [
            Bar(f"CPU added per block, {row['threads']} threads over 1", 1.05,
                row["added_ns"] / one["added_ns"],
                f"{row['added_ns']:.2f} ns, {one['added_ns']:.2f} ns"),
            Bar(f"MiB for each more thread, {row['threads']} threads", 64,
                (row["added_mib"] - one["added_mib"]) / more),
        ]
    return result


def window_bars_of(rows):
    """What is not recorded, held against what anything costs."""
    if not rows:
        return []
    return [
        Bar("CPU over the floor, waiting for a window, worst", 1.05,
            *worst(rows, "cpu_waiting_per_floor")),
        Bar("CPU over none, the last window closed, worst", 1.05,
            *worst(rows, "cpu_closed_per_none")),
    ]


def disturbed(rows):
    """Programs that, alone on a core, had to wait for it: their figures mean little."""
    return [row["name"] for row in rows
            if row["wall_none_s"] > DISTURBED * row["cpu_none_s"]]


def cells_of(row):
    return [form.format(row[key]) if key in row else "-" for _, key, form in COLUMNS]


def print_table(rows):
    table = [[head for head, _, _ in COLUMNS]] + [cells_of(row) for row in rows]
    mean = {"name": "geometric mean"}
    for key in ("wall_floor_ratio", "wall_waymark_ratio", "wall_waymark_per_floor",
                "cpu_floor_ratio", "cpu_waymark_ratio"):
        mean[key] = geometric_mean(figures(rows, key))
    table.append(cells_of(mean))
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def write_csv(rows, path, machine):
    keys = ["name"] + sorted({key for row in rows for key in row} - {"name"})
    with open(path, "w", newline="", encoding="utf-8") as file:
        for line in machine:
            file.write(f"# {line}\n")
        out = csv.DictWriter(file, keys, restval="", lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
