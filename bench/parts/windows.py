# SPDX-License-Identifier: GPL-2.0-or-later
"""What is not recorded costs: waiting for a window to open, and after the last closed.

CPU time of the whole tree, because in both cases the recorder has nothing to do. Programs
are the kernels with the shortest blocks and one with longer ones.
"""

import ways

GUESTS = ("isort", "lu", "fft")
# The first is reached when all has run; the second closes before anything of note has.
WINDOWS = {"waiting": "syscall:exit_group..", "closed": "insn:0..insn:1000"}


def rows_of(bench):
    compared = bench.some("none", "floor")
    compared += [ways.recording(name, "--window", window)
                 for name, window in WINDOWS.items()]
    for guest in bench.guests:
        if guest.name in GUESTS:
            rounds = bench.compare(f"windows: {guest.name}", guest.full, compared,
                                   bench.setup.few_rounds)
            yield from rounds.rows("windows", guest.name)
