# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways to run a guest that are held beside one another: their names and their looks.

Colours are those of Okabe and Ito, "Color Universal Design" (2008), which people who see
red and green alike can tell apart; no two modes have both the same colour and the same
shape, so figures can be read in grey, too.
"""

from dataclasses import dataclass


SMALL, LARGE = 0.6, 0.8  # of marks


@dataclass(frozen=True)
class Mode:
    """A mode's word in the CSV, its name for people, what comes out, and its mark."""

    word: str
    label: str
    gives: str
    colour: str
    point: int  # gnuplot's type of point
    size: float = SMALL


BLACK, GREY = "#000000", "#8c8c8c"
ORANGE, SKY, GREEN, BLUE = "#e69f00", "#56b4e9", "#009e73", "#0072b2"
VERMILION, PURPLE = "#d55e00", "#cc79a7"
SQUARE, DISC, UP, DOWN, DIAMOND, PENTAGON = 5, 7, 9, 11, 13, 15  # filled; less 1: open
ALL_IN_ORDER = "all, in order"

KNOWN = [
    Mode("none", "no tracing", "nothing", GREY, 2),
    Mode("floor", "floor plugin", "nothing", GREY, DISC - 1),
    Mode("waymark", "Waymark", ALL_IN_ORDER, BLUE, DISC, LARGE),
    Mode("mem", "Waymark --mem", "all, with addresses", BLUE, UP, LARGE),
    Mode("mem-data", "Waymark --mem-values", "all, with addresses and data", BLUE, DOWN,
         LARGE),
    Mode("published", "published scheme", ALL_IN_ORDER, VERMILION, SQUARE),
    Mode("drcov", "QEMU's drcov", "which blocks ran", SKY, PENTAGON - 1),
    Mode("howvec", "QEMU's howvec", "counts", GREEN, DOWN - 1),
    Mode("hotblocks", "QEMU's hotblocks", "counts", GREEN, DIAMOND - 1),
    Mode("bbv", "QEMU's bbv", "counts by interval", ORANGE, UP - 1),
    Mode("cflow", "QEMU's cflow", "counts of branches", ORANGE, SQUARE - 1),
    Mode("execlog", "QEMU's execlog", ALL_IN_ORDER, PURPLE, DIAMOND),
    Mode("log-null", "QEMU's log, discarded", "nothing", BLACK, UP - 1),
    Mode("log", "QEMU's log", ALL_IN_ORDER, BLACK, UP),
]
# Of commands that the user named.
OTHERS = [(VERMILION, 1), (PURPLE, 2), (GREEN, 3), (SKY, 1), (BLACK, 2), (ORANGE, 3)]


def rank(mode):
    """Of a Mode among others: as in KNOWN, and the unknown ones last."""
    return KNOWN.index(mode) if mode in KNOWN else len(KNOWN)


def others(words):
    """Modes that a --peer named."""
    looks = [OTHERS[at % len(OTHERS)] for at in range(len(words))]
    return [Mode(word, word, "see its command", colour, point)
            for word, (colour, point) in zip(words, looks)]


def sorted_modes(words):
    """The Modes of these words, what the project knows before what the user named."""
    known = [mode for mode in KNOWN if mode.word in words]
    names = {mode.word for mode in known}
    return known + others([word for word in words if word not in names])
