# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests of full length: without tracing, with the floor plugin, with Waymark, and by the
published scheme, which takes longest (in quick it is among the peers only)."""

import ways


def rows_of(bench):
    compared = bench.some(*ways.ALWAYS, *(() if bench.setup.quick else ("published",)))
    for guest in bench.guests:
        rounds = bench.compare(f"programs: {guest.name}", guest.full, compared,
                               bench.setup.rounds, keep=bench.place_of(guest))
        yield from rounds.rows("programs", guest.name)
