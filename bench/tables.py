# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of text, for a terminal and in Markdown; and numbers as people read them."""

NOTHING = "–"


def short(value, digits=3):
    """With that many significant digits, and all digits before the point."""
    if value is None:
        return NOTHING
    if value == 0:
        return "0"
    places = digits - 1 - int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:,.{max(0, places)}f}"


def spread(figure, digits=3):
    """The median with the least and the greatest, where there is more than one."""
    if figure is None:
        return NOTHING
    if figure.n == 1:
        return short(figure.median, digits)
    ends = f"{short(figure.low, digits)}–{short(figure.high, digits)}"
    return f"{short(figure.median, digits)} ({ends})"


def size(count):
    """Bytes, in the unit that suits."""
    if count is None:
        return NOTHING
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{short(count / unit)} {name}"
    return f"{count:.0f} B"


def percent(part, digits=3):
    return NOTHING if part is None else f"{short(part * 100, digits)} %"


class Table:
    """Rows of cells; the first columns, `words` of them, are words, the others numbers."""

    def __init__(self, *headings, words=1):
        self.headings = list(headings)
        self.words = words
        self.rows = []

    def add(self, *cells):
        assert len(cells) == len(self.headings)
        self.rows.append(list(cells))

    def without_empty_columns(self):
        """The same without columns in which nothing was measured."""
        kept = [at for at in range(len(self.headings))
                if at < self.words or any(row[at] != NOTHING for row in self.rows)]
        slim = Table(*(self.headings[at] for at in kept), words=self.words)
        slim.rows = [[row[at] for at in kept] for row in self.rows]
        return slim

    def text(self):
        lines = [self.headings] + self.rows
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0])] +
                      [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])])
            .rstrip() for line in lines)

    def markdown(self):
        numbers = len(self.headings) - self.words
        marks = ["---"] * self.words + ["---:"] * numbers
        lines = [self.headings, marks] + self.rows
        return "\n".join("| " + " | ".join(map(escaped, line)) + " |" for line in lines)


def escaped(cell):
    return "".join(c if c.isprintable() else "?" for c in cell).replace("|", "\\|")
