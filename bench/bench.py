# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs, and what it gives.

Every program runs without tracing, with the floor plugin (bench/floor.c) and with
Waymark, one after the other and round again: a machine that slows down slows all three.
A ratio is the median of the rounds' ratios. Then, once each: peak memory, the size of
the trace, and what encoding and decoding cost a block (bench/codec.c). Last, what threads
cost (bench/threads.py), and what is not recorded (bench/windows.py).
"""

import argparse
import json
import os
import platform
import shlex
import signal
import statistics
import sys
import tempfile
import time

import measure
import report
import threads
import windows

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOAD = os.path.join(HERE, "..", "tests", "workload.sh")
PLUGIN_API = os.path.join(HERE, "..", "tests", "plugin-api.sh")
QUICK = ["lua", "python", "cc1", "stencil", "mix"]
INFO_RUNS = 5


class Program:
    """A guest program, and how to start it each way."""

    def __init__(self, name, words, setup):
        self.name = name
        self.options, self.guest = self.split(words)
        self.setup = setup

    @staticmethod
    def split(words):
        """QEMU's options (each with a value) from the program and its arguments."""
        at = 0
        while words[at].startswith("-"):
            at += 2
        return words[:at], words[at:]

    def plain(self, *more):
        setup = self.setup
        return [setup.qemu, "-L", setup.sysroot, *more, *self.options, *self.guest]

    def command(self, mode, trace):
        setup = self.setup
        if mode == "none":
            return self.plain()
        if mode == "floor":
            return self.plain("-plugin", f"{setup.build}/bench/libwaymark-floor-v"
                                         f"{setup.plugin_api}.so")
        options = [word for option in self.options for word in ("--qemu-arg", option)]
        return [f"{setup.build}/waymark", "record", "-o", trace, "--qemu",
                setup.qemu, "-L", setup.sysroot, *options, "--", *self.guest]


def all_programs(setup):
    names = measure.output_of([WORKLOAD, "--list"]).split()
    wanted = setup.only.split(",") if setup.only else QUICK if setup.quick else None
    kernels = sorted(os.listdir(f"{setup.build}/kernels"))
    kernels.remove("threads")
    for name in names + kernels:
        if wanted and name not in wanted:
            continue
        if name in names:
            words = shlex.split(measure.output_of([WORKLOAD, name, "bench"]))
        else:
            words = [f"{setup.build}/kernels/{name}"]
        yield Program(name, words, setup)


def times_of(program, trace, runs):
    """Medians and ratios over `runs` rounds, after one that warms the caches."""
    modes = ("none", "floor", "waymark")
    rounds = []
    measure.cost_of(program.command("none", trace))
    for _ in range(runs):
        rounds.append({m: measure.cost_of(program.command(m, trace)) for m in modes})

    def median(of):
        return statistics.median(of(costs) for costs in rounds)

    row = {"wall_waymark_per_floor":
           median(lambda c: c["waymark"].wall / c["floor"].wall)}
    for mode in modes:
        row[f"wall_{mode}_s"] = median(lambda c: c[mode].wall)
        row[f"cpu_{mode}_s"] = median(lambda c: c[mode].cpu)
        if mode != "none":
            row[f"wall_{mode}_ratio"] = median(lambda c: c[mode].wall / c["none"].wall)
            row[f"cpu_{mode}_ratio"] = median(lambda c: c[mode].cpu / c["none"].cpu)
    return row


def memory_of(program, trace):
    bare, _ = measure.peaks_of(program.command("none", trace))
    qemu, collector = measure.peaks_of(program.command("waymark", trace))
    return {"qemu_mib": bare, "qemu_waymark_mib": qemu, "collector_mib": collector}


def trace_of(program, trace):
    """What the recording holds."""
    command = [f"{program.setup.build}/waymark", "info", trace, "--format", "json"]
    info = json.loads(measure.output_of(command))
    seconds = [measure.cost_of(command).wall for _ in range(INFO_RUNS)]
    return {
        "mblocks": info["blocks"] / 1e6,
        "minsns": info["instructions"] / 1e6,
        "kbytes": info["bytes"] / 1e3,
        "bits_per_insn": info["bytes"] * 8 / info["instructions"],
        "info_s": statistics.median(seconds),
    }


def codec_of(program, trace):
    command = [f"{program.setup.build}/bench/waymark-codec", trace, f"{trace}.again"]
    return json.loads(measure.output_of(command))


def row_of(program, runs):
    with tempfile.TemporaryDirectory(prefix="waymark-bench-") as directory:
        trace = os.path.join(directory, "run.wmk")
        row = {"name": program.name}
        row.update(times_of(program, trace, runs))
        row.update(memory_of(program, trace))
        row.update(trace_of(program, trace))
        row.update(codec_of(program, trace))
    return row


def machine_of(setup):
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    version = measure.output_of([setup.qemu, "--version"]).splitlines()[0]
    cores = len(os.sched_getaffinity(0))
    return [
        f"{model}, {cores} cores, {platform.system()} {platform.release()}",
        version,
        f"{setup.runs} runs of each, in turn; ratios are medians over the rounds",
    ]


def arguments():
    parser = argparse.ArgumentParser(prog="bench/run.sh BUILDDIR")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--sysroot", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--qemu", default="qemu-riscv64", help="the emulator")
    parser.add_argument("--quick", action="store_true", help="few programs, 3 runs")
    parser.add_argument("--runs", type=int, help="rounds (5)")
    parser.add_argument("--only", help="names of programs, with commas between")
    setup = parser.parse_args()
    setup.runs = setup.runs or (3 if setup.quick else 5)
    setup.plugin_api = measure.output_of([PLUGIN_API, setup.qemu]).strip()
    return setup


def main():
    setup = arguments()
    machine = machine_of(setup)
    rows = []
    begin = time.monotonic()
    for program in all_programs(setup):
        row = row_of(program, setup.runs)
        rows.append(row)
        print(f"bench: {row['name']}: floor {row['wall_floor_ratio']:.3f}, waymark "
              f"{row['wall_waymark_ratio']:.3f} times {row['wall_none_s']:.2f} s",
              file=sys.stderr)
    threaded = []
    if not setup.only or "threads" in setup.only.split(","):
        threaded = threads.rows_of(lambda *words: Program(*words, setup), setup)
    in_part = []
    if not setup.only or "windows" in setup.only.split(","):
        in_part = windows.rows_of(lambda *words: Program(*words, setup), setup)
    if not rows and not threaded and not in_part:
        sys.exit("bench: no such program")
    print("\n".join(machine), end="\n\n")
    if rows:
        report.print_table(rows)
        print()
    bars = (report.bars_of(rows) if rows else []) + report.thread_bars_of(threaded) + \
        report.window_bars_of(in_part)
    for bar in bars:
        print(bar.line())
    if report.disturbed(rows):
        print("the machine was busy: measure again", ", ".join(report.disturbed(rows)))
    report.write_csv(rows + threaded + in_part, f"{setup.build}/bench.csv", machine)
    print(f"\n{setup.build}/bench.csv; {time.monotonic() - begin:.0f} s in all")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that files go
    try:
        main()
    except measure.Failed as failed:
        sys.exit(f"bench: {failed}")
