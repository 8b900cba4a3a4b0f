# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the benchmark: each has rows_of(bench), which yields rows as they come."""

from parts import (codec, length, once, onecore, peers, programs, threads, together,
                   values, windows)

ALL = {
    "programs": programs,
    "codec": codec,
    "peers": peers,
    "length": length,
    "threads": threads,
    "onecore": onecore,
    "together": together,
    "windows": windows,
    "values": values,
    "once": once,
}
QUICK = ("programs", "codec", "peers", "length", "once")
