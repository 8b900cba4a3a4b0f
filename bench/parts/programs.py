# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests of full length: without tracing, with the floor plugin, with Waymark, and by the
published scheme, which takes longest, some of them: among the peers it has all."""

import ways

PUBLISHED_GUESTS = ("lua", "sqlite", "python", "cc1", "fft", "lu")


def rows_of(bench):
    published = [] if bench.setup.quick else bench.few(PUBLISHED_GUESTS)
    for guest in bench.guests:
        longest = ("published",) if guest in published else ()
        compared = bench.some(*ways.ALWAYS, *longest)
        rounds = bench.compare(f"programs: {guest.name}", guest.full, compared,
                               bench.setup.rounds, keep={"waymark": bench.place_of(guest)})
        yield from rounds.rows("programs", guest.name)
