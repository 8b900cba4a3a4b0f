# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs where there is no second core for the collector."""

import os
from contextlib import contextmanager

GUESTS = ("lua", "cc1", "stencil")


@contextmanager
def one_core():
    """For us, and so for all that we start."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(all_cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)


def rows_of(bench):
    with one_core():
        for guest in bench.few(GUESTS):
            rounds = bench.compare(f"onecore: {guest.name}", guest.full,
                                   bench.some("none", "floor", "waymark"),
                                   bench.setup.few_rounds)
            yield from rounds.rows("onecore", guest.name)
