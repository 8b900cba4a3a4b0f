# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers: the rows of a question, as columns."""

from __future__ import annotations

import os
from collections import namedtuple
from keyword import iskeyword
from typing import Any, Callable, Iterable, Iterator, Mapping, Union

from ._library import check, encoded, ffi, filled, lib, new_error

Cell = Union[str, int, float, None]

_READERS: dict[int, Callable[[Any, int], Cell]] = {
    lib.WM_CELL_TEXT: lambda row, i: filled(lib.wm_row_text(row, i)),
    lib.WM_CELL_COUNT: lambda row, i: int(lib.wm_row_count(row, i)),
    lib.WM_CELL_ADDRESS: lambda row, i: int(lib.wm_row_count(row, i)),
    lib.WM_CELL_REAL: lambda row, i: float(lib.wm_row_real(row, i)),
    lib.WM_CELL_CHANGE: lambda row, i: int(lib.wm_row_change(row, i)),
    lib.WM_CELL_SHARE: lambda row, i: float(lib.wm_row_real(row, i)),
}


class Table(dict[str, "list[Cell]"]):
    """Columns by name: a dictionary, which pandas.DataFrame() takes as it is.

    A cell without a value is None. An answer without rows has columns, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[str] = []
        """What the answer lacks, a sentence each: a file with names is missing."""

    def __repr__(self) -> str:
        return f"<waymark.Table: {self.row_count} rows of {', '.join(self)}>"

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.values()), []))

    def rows(self) -> Iterator[Any]:
        """The rows as named tuples. A keyword gets an underscore: the column "from" is row.from_."""
        names = [name + "_" if iskeyword(name) else name for name in self]
        kind = namedtuple("Row", names, rename=True)  # type: ignore[misc]
        return map(kind._make, zip(*self.values()))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame. Whole numbers stay whole, also where cells have no value."""
        import pandas  # pylint: disable=import-outside-toplevel

        exact = {name: pandas.Series(cells, dtype=dtype) for name, cells in self.items()
                 if (dtype := _dtype(cells))}
        return pandas.DataFrame({**self, **exact})

    def _begin(self, names: Any) -> None:
        self.update((filled(lib.wm_row_name(names, i)), [])
                    for i in range(lib.wm_row_columns(names)))

    def _add(self, row: Any) -> None:
        for i, column in enumerate(self.values()):
            column.append(_READERS[lib.wm_row_type(row, i)](row, i)
                          if lib.wm_row_has(row, i) else None)


def _dtype(cells: list[Cell]) -> str | None:
    """The type of pandas for whole numbers of which some are missing; None: it knows itself.

    It would make floating-point numbers of them, which round large ones.
    """
    whole = [cell for cell in cells if isinstance(cell, int)]
    if not whole or len(whole) == len(cells) or len(whole) + cells.count(None) < len(cells):
        return None
    return "UInt64" if max(whole) >= 1 << 63 else "Int64"


class _Asking:
    """The calls of the library during an answer; what they raise is kept for the end.

    An exception cannot pass through the library's frames. KeyboardInterrupt may come before
    the first line of a call, so cffi has to catch it.
    """

    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self.table = Table()
        self.progress = progress
        self.raised: BaseException | None = None

    def add(self, _cookie: Any, row: Any) -> int:
        """One row; the answer ends when a signal's handler, say, has raised something."""
        if self.raised:
            return int(lib.WM_END)
        self.table._add(row)
        return 0

    def begin(self, _cookie: Any, names: Any) -> None:
        """The names of the columns."""
        self.table._begin(names)

    def warn(self, _cookie: Any, sentence: Any) -> None:
        """What the answer lacks."""
        self.table.warnings.append(filled(sentence))

    def tell(self, _cookie: Any, done: int, whole: int) -> None:
        """How much is done."""
        if self.progress and self.raised is None:
            self.progress(done, whole)

    def keep(self, _kind: Any, error: BaseException, _traceback: Any) -> None:
        """What a call has raised; the first one counts."""
        self.raised = self.raised or error

    def callback(self, arguments: str, function: Callable[..., None]) -> Any:
        """A call without a result, as the library takes it."""
        return ffi.callback(f"void({arguments})", function, onerror=self.keep)


def _option(name: str, value: object) -> bytes:
    """Python's names have no hyphen: per_function=True is "per-function=1"."""
    if isinstance(value, bool):
        value = int(value)
    elif isinstance(value, (bytes, os.PathLike)):
        value = os.fsdecode(value)
    elif isinstance(value, Iterable) and not isinstance(value, str):
        raise TypeError(f"{name} takes one value, not a {type(value).__name__}")
    return encoded(f"{name.rstrip('_').replace('_', '-')}={value}")


def ask(trace: Any, question: str, options: Mapping[str, object],
        progress: Callable[[int, int], None] | None) -> Table:
    """Puts a question to an open struct wm_trace."""
    asking = _Asking(progress)
    words = [ffi.new("char[]", _option(name, value)) for name, value in options.items()
             if value is not None and value is not False]
    add = ffi.callback("int(void *, const struct wm_row *)", asking.add, error=lib.WM_END,
                       onerror=asking.keep)
    calls = {"columns": asking.callback("void *, const struct wm_row *", asking.begin),
             "warn": asking.callback("void *, const char *", asking.warn),
             "progress": asking.callback("void *, uint64_t, uint64_t", asking.tell)}
    listener = ffi.new("struct wm_listener *", calls)
    error = new_error()
    code = lib.wm_trace_ask_with_listener_sized(
        trace, encoded(question), ffi.new("const char *[]", [*words, ffi.NULL]), add,
        ffi.NULL, listener, ffi.sizeof(listener[0]), error)
    if asking.raised:
        raise asking.raised
    check(code, error)
    return asking.table


class Question:
    """A question that a trace can be asked: its name, what it asks, and its options."""

    def __init__(self, index: int) -> None:
        self.name = filled(lib.wm_question_name(index))
        self.what = filled(lib.wm_question_what(index))
        self.options: dict[str, str] = {}
        """What each option means, by its name."""
        what = ffi.new("const char **")
        for i in range(1 << 16):
            option = lib.wm_question_option(index, i, what)
            if option == ffi.NULL:
                break
            self.options[filled(option)] = filled(what[0])

    def __repr__(self) -> str:
        return f"<waymark.Question {self.name}: {self.what}>"


def questions() -> list[Question]:
    """All questions."""
    found: list[Question] = []
    while lib.wm_question_name(len(found)) != ffi.NULL:
        found.append(Question(len(found)))
    return found
