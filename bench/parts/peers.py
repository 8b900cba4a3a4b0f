# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests cut short, every way there is: what takes longest runs once, on few of them."""

# Those that have no long start, which cannot be cut.
SLOW_GUESTS = ("lua", "sqlite", "stencil", "mix")
QUICK_GUESTS = ("lua",)


def rows_of(bench):
    slow = bench.few(SLOW_GUESTS)
    guests = bench.few(QUICK_GUESTS) if bench.setup.quick else bench.guests
    for guest in guests:
        ways = [way for way in bench.ways.values() if not way.slow or guest in slow]
        rounds = bench.compare(f"peers: {guest.name}", guest.short, ways,
                               bench.setup.few_rounds)
        yield from rounds.rows("peers", guest.name)
