# SPDX-License-Identifier: GPL-2.0-or-later
"""Time and size against the length of the run: a kernel and an interpreter with less and
more to do, some 10^7 to 10^10 instructions. QEMU's log is there for the shortest only."""

import dataclasses

# The last argument of each length.
ARGUMENTS = {
    "mix": ("20", "200", "2100", "21500"),
    "lua": ("1", "6", "57", "568"),
}
QUICK_LENGTHS = 2


def with_last(invocation, argument):
    return dataclasses.replace(invocation, words=[*invocation.words[:-1], argument])


def rows_of(bench):
    for guest in bench.guests:
        arguments = ARGUMENTS.get(guest.name, ())
        for at, argument in enumerate(arguments[:QUICK_LENGTHS] if bench.setup.quick
                                      else arguments):
            names = ("none", "waymark") if at else ("none", "waymark", "log")
            rounds = bench.compare(f"length: {guest.name} {argument}",
                                   with_last(guest.short, argument), bench.some(*names),
                                   1 if at == 3 else bench.setup.few_rounds)
            if rounds.facts:
                yield from rounds.rows("length", guest.name, rounds.facts["instructions"])
