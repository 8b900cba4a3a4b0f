# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions, files and source lines of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._library import check, ffi, filled, lib, new_error, number, struct_tuple, text

if TYPE_CHECKING:
    from .trace import Trace


class Place(NamedTuple):
    """What an address is part of: struct wm_place."""

    function: int
    name: str
    symbol: str | None
    offset: int
    module: str | None
    build_id: str
    file_off: int


class Frame(NamedTuple):
    """A function, and the source line that it executes."""

    function: str
    source: str | None
    line: int | None
    inlined: bool


class Function(NamedTuple):
    """A function by its number."""

    name: str
    symbol: str | None
    module: str | None
    start: int


class Names:
    """Names of a trace's addresses.

    The same address may hold different code at different times: a question names the
    space, the address, and the id of the block that ran there. With id 0 it is about what
    was mapped there last.
    """

    def __init__(self, trace: Trace) -> None:
        pointer, error = ffi.new("struct wm_names **"), new_error()
        check(lib.wm_names_new(pointer, trace.pointer, error), error)
        self._owned = trace.own(pointer[0], lib.wm_names_free)

    def place(self, space: int, address: int, block_id: int = 0) -> Place:
        """The function and the file of an address. RangeError: there is no such space."""
        place, error = ffi.new("struct wm_place *"), new_error()
        check(lib.wm_names_place_sized(self._owned.pointer, *_where(space, address, block_id),
                                       place, ffi.sizeof(place[0]), error), error)
        return struct_tuple(Place, place, ["name", "symbol", "module", "build_id"])

    def frames(self, space: int, address: int, block_id: int = 0) -> list[Frame]:
        """The source line, from the innermost inlined function outwards."""
        room, n, error = 8, ffi.new("size_t *"), new_error()
        while True:
            frames = ffi.new("struct wm_frame[]", room)
            check(lib.wm_names_frames_sized(self._owned.pointer,
                                            *_where(space, address, block_id), frames,
                                            ffi.sizeof(frames[0]), room, n, error), error)
            if n[0] <= room:
                return [_frame(frames[i]) for i in range(n[0])]
            room = n[0]

    def functions(self) -> list[Function]:
        """Those asked about so far; Place.function - 1 is an index of this list."""
        found = []
        function = ffi.new("struct wm_function *")
        for i in range(1, lib.wm_names_functions(self._owned.pointer) + 1):
            check(lib.wm_names_function_sized(self._owned.pointer, i, function,
                                              ffi.sizeof(function[0])))
            found.append(struct_tuple(Function, function, ["name", "symbol", "module"]))
        return found


def _where(space: int, address: int, block_id: int) -> tuple[int, int, int]:
    return number(space, "space"), number(address, "address", 64), number(block_id, "block")


def _frame(frame: Any) -> Frame:
    return Frame(filled(frame.function), text(frame.source), frame.line or None,
                 frame.inlined)
