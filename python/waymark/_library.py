# SPDX-License-Identifier: GPL-2.0-or-later
"""The shared library, its errors, and structs of it as tuples.

Every function that fills in a struct has the struct's size as an argument, so that the
library and this package may be of different versions: see "Structs grow" in waymark.h.
"""

from __future__ import annotations

import ctypes.util
import os
from pathlib import Path
from typing import Any, NamedTuple, Sequence, TypeVar

import cffi

from ._declarations import DECLARATIONS

ffi = cffi.FFI()
ffi.cdef(DECLARATIONS)


def _load() -> Any:
    """The library; WAYMARK_LIBRARY is the path of another one.

    The one that was installed together with this package, in PREFIX/lib above
    pythonX.Y/site-packages, comes before others, and needs no setup of the loader.
    """
    beside = Path(__file__).resolve().parents[3] / "libwaymark.so.1"
    names = [os.environ.get("WAYMARK_LIBRARY"), str(beside) if beside.exists() else None,
             "libwaymark.so.1", ctypes.util.find_library("waymark")]
    problem: Exception = OSError("libwaymark.so.1 is not installed")
    for name in filter(None, names):
        try:
            return ffi.dlopen(name)
        except OSError as error:
            problem = error
    raise ImportError(f"{problem}; set WAYMARK_LIBRARY to the path of libwaymark.so.1")


lib = _load()


class Error(Exception):
    """What the library could not do: a sentence, a code, and a place in the file."""

    def __init__(self, text: str, code: int = 0, offset: int = 0) -> None:
        super().__init__(text)
        self.code = code
        """One of WM_E_IO, WM_E_FORMAT, ... of waymark.h: a negative number."""
        self.offset = offset
        """Where in the file, in bytes; 0 when the error has no place."""


class FormatError(Error):
    """Not a trace, or one of a newer format."""


class DamagedError(Error):
    """A checksum or a field of the trace is wrong."""


class RangeError(Error, LookupError):
    """No such stream, block, ordinal, question, option or column."""


def text(pointer: Any) -> str | None:
    """A C string, whose bytes need not be UTF-8; None for NULL."""
    if pointer == ffi.NULL:
        return None
    return bytes(ffi.string(pointer)).decode("utf-8", "surrogateescape")


def filled(pointer: Any) -> str:
    """A C string of a field that is never NULL."""
    return text(pointer) or ""


def encoded(string: str | os.PathLike[str]) -> bytes:
    """A C string from a path or a text. ValueError: it has a NUL, where C's would end."""
    there = os.fsencode(string)
    if b"\0" in there:
        raise ValueError(f"a NUL character in {os.fsdecode(there)!r}")
    return there


def new_error() -> Any:
    """An empty struct wm_error."""
    return ffi.new("struct wm_error *")


def number(value: int, what: str, bits: int = 32) -> int:
    """A number of something in the trace. RangeError: C's type of it cannot have this one."""
    if not 0 <= value < 1 << bits:
        raise RangeError(f"there is no {what} {value} in the trace", lib.WM_E_RANGE)
    return value


def check(code: int, error: Any = None, what: str = "such thing") -> int:
    """Returns a code that is no failure; raises the error otherwise.

    Functions without an `error` fail for what is not in the trace, and `what` names it.
    """
    if code >= 0:
        return code
    if error is not None and error.code:
        sentence, offset = filled(error.text), int(error.offset)
    else:
        sentence, offset = f"there is no {what} in the trace", 0
        if code != lib.WM_E_RANGE:
            sentence = f"{what} cannot be read: Trace.verify() says why"
    if code == lib.WM_E_NOMEM:
        raise MemoryError(sentence)
    kind = {lib.WM_E_FORMAT: FormatError, lib.WM_E_NEWER: FormatError,
            lib.WM_E_DAMAGED: DamagedError, lib.WM_E_RANGE: RangeError}.get(code, Error)
    raise kind(sentence, code, offset)


Row = TypeVar("Row", bound=NamedTuple)


def struct_tuple(kind: type[Row], struct: Any, strings: Sequence[str] = ()) -> Row:
    """A NamedTuple from the struct's members of the same names; `strings` are char *."""
    values: list[Any] = []
    for name in kind._fields:
        value = getattr(struct, name)
        values.append(text(value) if name in strings else value)
    return kind(*values)
