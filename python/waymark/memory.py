# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory of the library for which objects of this package stand."""

from __future__ import annotations

import itertools
from typing import Any, Callable, NoReturn

from ._library import ffi


class Memory:
    """Memory of the library, which may lie in other memory: a cursor in its trace.

    It is freed once: after its end, when nothing uses it. What was lent uses it: a call that
    runs on another thread, an array that shows it. Operations of lists and dictionaries are
    atomic, so threads need no lock here, which a garbage collection might find locked.
    """

    def __init__(self, pointer: Any, free: Callable[[Any], None],
                 outer: Memory | None = None) -> None:
        self._pointer = pointer
        self._unfreed = [pointer]
        self._free = free
        self._lent: dict[int, None] = {}
        self._numbers = itertools.count()
        self._inner: dict[int, Memory] = {}
        self._outer = outer
        self._keeps = outer.lend() if outer else None
        self.ended = False

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("an open trace can be neither copied nor pickled: hand on its path, "
                        "and open that again")

    def own(self, pointer: Any, free: Callable[[Any], None]) -> Memory:
        """Memory that lies in this one, and ends with it at the latest."""
        inner = Memory(pointer, free, self)
        self._inner[id(inner)] = inner
        if self.ended:
            inner.end()
        return inner

    def lend(self, pointer: Any = None) -> Any:
        """Its pointer, or one into it: the memory is not freed while the result is in use."""
        number = next(self._numbers)
        self._lent[number] = None
        return ffi.gc(self._pointer if pointer is None else pointer,
                      lambda _: self._take_back(number))

    def check(self) -> None:
        """ValueError after its end."""
        if self.ended:
            raise ValueError("the trace is closed" if self._outer and self._outer.ended else
                             "the walk has ended: use what it gives inside of its loop")

    @property
    def pointer(self) -> Any:
        """Its pointer, lent. ValueError after its end."""
        lent = self.lend()
        self.check()
        return lent

    def end(self) -> None:
        """Nothing uses it from now on but what has it; a second time does nothing."""
        self.ended = True
        for inner in list(self._inner.values()):
            inner.end()
        self._settle()

    def _take_back(self, number: int) -> None:
        self._lent.pop(number, None)
        self._settle()

    def _settle(self) -> None:
        if not self.ended or self._lent:
            return
        try:
            pointer = self._unfreed.pop()
        except IndexError:
            return
        self._free(pointer)
        if self._outer:
            self._outer._inner.pop(id(self), None)
        self._keeps = None
