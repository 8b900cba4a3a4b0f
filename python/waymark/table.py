# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers: the rows of a question, as columns."""

from __future__ import annotations

from collections import namedtuple
from keyword import iskeyword
from typing import Any, Callable, Iterator, Mapping, Union

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


class Table(Mapping[str, "list[Cell]"]):
    """Columns by name; iterates over the names, as a dictionary does.

    `pandas.DataFrame(table)` is a data frame of it. A cell without a value is None. An answer
    without rows has columns, too.
    """

    def __init__(self) -> None:
        self._columns: dict[str, list[Cell]] = {}
        self.warnings: list[str] = []
        """What the answer lacks, a sentence each: a file with names is missing."""

    def __getitem__(self, name: str) -> list[Cell]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<waymark.Table: {self.row_count} rows of {', '.join(self)}>"

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(next(iter(self._columns.values()), []))

    def rows(self) -> Iterator[Any]:
        """The rows as named tuples. A keyword gets an underscore: the column "from" is row.from_."""
        names = [name + "_" if iskeyword(name) else name for name in self]
        kind = namedtuple("Row", names, rename=True)  # type: ignore[misc]
        return map(kind._make, zip(*self._columns.values()))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas  # pylint: disable=import-outside-toplevel

        return pandas.DataFrame(self._columns)

    def _begin(self, names: Any) -> None:
        self._columns = {filled(lib.wm_row_name(names, i)): []
                         for i in range(lib.wm_row_columns(names))}

    def _add(self, row: Any) -> None:
        for i, column in enumerate(self._columns.values()):
            column.append(_READERS[lib.wm_row_type(row, i)](row, i)
                          if lib.wm_row_has(row, i) else None)


class _Asking:
    """The calls of the library during an answer; what they raise is kept for the end."""

    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self.table = Table()
        self.progress = progress
        self.raised: BaseException | None = None

    def row(self, row: Any) -> int:
        """One row; the answer ends when a signal's handler, say, has raised something."""
        if self.raised is None:
            self.attempt(self.table._add, row)
        return int(lib.WM_END) if self.raised else 0

    def attempt(self, function: Callable[..., None], *arguments: Any) -> None:
        """An exception cannot pass through the library's frames."""
        try:
            function(*arguments)
        except BaseException as error:  # pylint: disable=broad-except
            self.raised = self.raised or error


def _on_row(cookie: Any, row: Any) -> int:
    asking: _Asking = ffi.from_handle(cookie)
    return asking.row(row)


def _on_columns(cookie: Any, names: Any) -> None:
    asking: _Asking = ffi.from_handle(cookie)
    asking.attempt(asking.table._begin, names)


def _on_warning(cookie: Any, sentence: Any) -> None:
    asking: _Asking = ffi.from_handle(cookie)
    asking.attempt(asking.table.warnings.append, filled(sentence))


def _on_progress(cookie: Any, done: int, whole: int) -> None:
    asking: _Asking = ffi.from_handle(cookie)
    if asking.progress and asking.raised is None:
        asking.attempt(asking.progress, done, whole)


_ROW = ffi.callback("int(void *, const struct wm_row *)", _on_row, error=lib.WM_E_IO)
_COLUMNS = ffi.callback("void(void *, const struct wm_row *)", _on_columns)
_WARN = ffi.callback("void(void *, const char *)", _on_warning)
_PROGRESS = ffi.callback("void(void *, uint64_t, uint64_t)", _on_progress)


def _option(name: str, value: object) -> bytes:
    """Python's names have no hyphen: per_function=True is "per-function=1"."""
    if isinstance(value, bool):
        value = int(value)
    return encoded(f"{name.rstrip('_').replace('_', '-')}={value}")


def ask(trace: Any, question: str, options: Mapping[str, object],
        progress: Callable[[int, int], None] | None) -> Table:
    """Puts a question to an open struct wm_trace."""
    asking = _Asking(progress)
    handle = ffi.new_handle(asking)
    words = [ffi.new("char[]", _option(name, value)) for name, value in options.items()
             if value is not None and value is not False]
    listener = ffi.new("struct wm_listener *",
                       {"cookie": handle, "warn": _WARN, "progress": _PROGRESS,
                        "columns": _COLUMNS})
    error = new_error()
    code = lib.wm_trace_ask_with_listener_sized(
        trace, encoded(question), ffi.new("const char *[]", [*words, ffi.NULL]), _ROW,
        handle, listener, ffi.sizeof(listener[0]), error)
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
