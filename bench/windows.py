# SPDX-License-Identifier: GPL-2.0-or-later
"""What is not recorded costs: waiting for a window to open, and after the last one closed.

CPU time of the whole tree, because in both cases the recorder has nothing to do. Programs
are the kernels with the shortest blocks and one with longer ones.
"""

import os
import statistics
import tempfile

import measure

PROGRAMS = ("isort", "lu", "fft")
# The first is reached when all has run; the second closes before anything of note has.
WINDOWS = {"waiting": "syscall:exit_group..", "closed": "insn:0..insn:1000"}


def commands_of(program, trace):
    recorded = program.command("waymark", trace)
    commands = {mode: program.command(mode, trace) for mode in ("none", "floor")}
    for name, window in WINDOWS.items():
        commands[name] = recorded[:2] + ["--window", window] + recorded[2:]
    return commands


def row_of(program, runs):
    with tempfile.TemporaryDirectory(prefix="waymark-bench-") as directory:
        commands = commands_of(program, os.path.join(directory, "run.wmk"))
        rounds = [{name: measure.cost_of(command).cpu
                   for name, command in commands.items()} for _ in range(runs)]
    return {
        "name": f"{program.name}, in part",
        "cpu_waiting_per_floor":
            statistics.median(cpu["waiting"] / cpu["floor"] for cpu in rounds),
        "cpu_closed_per_none":
            statistics.median(cpu["closed"] / cpu["none"] for cpu in rounds),
    }


def rows_of(make_program, setup):
    """One row for each program; make_program(name, words) starts a guest."""
    return [row_of(make_program(name, [f"{setup.build}/kernels/{name}"]), setup.runs)
            for name in PROGRAMS]
