# SPDX-License-Identifier: GPL-2.0-or-later
"""The sequence of one guest thread: blocks, instructions, events, branches, accesses.

Ordinals are those of the stream, from 0. A range `start`, `stop` is of blocks or of
instructions, as each method says; stop None is the stream's end.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, TypeVar

from ._library import RangeError, check, ffi, filled, lib, new_error, number
from .bytecodes import Bytecode, bytecodes

if TYPE_CHECKING:
    from .trace import Trace


class Step(NamedTuple):
    """A block that begins, or an instruction: struct wm_step."""

    block_ordinal: int
    insn_ordinal: int
    id: int
    space: int
    insn_index: int
    """Of the instruction in its block."""
    insns: int
    uncertain: int


class Event(NamedTuple):
    """What is not a block: a system call, a signal, a marker, a mapping."""

    block_ordinal: int
    insn_ordinal: int
    ns: int
    """CLOCK_MONOTONIC of the recording machine, as all times but those of Trace.ask()."""
    kind: int
    name: str
    """The kind in words: "syscall", "marker"; "" for one of a newer Waymark."""
    space: int | None
    fields: tuple[int, ...]
    text: str
    line: str
    """The event in one line: "openat(AT_FDCWD, "a", 0x80000)"."""


class Branch(NamedTuple):
    """A branch, jump, call or return that was executed, and where control went."""

    block_ordinal: int
    insn_ordinal: int
    address: int
    target: int
    space: int
    id: int
    insn_index: int
    flow: int
    taken: bool


class Mode(NamedTuple):
    """A stream of a whole machine is in a mode from this block on."""

    block_ordinal: int
    name: str
    """user, kernel, hypervisor or firmware."""


class Access(NamedTuple):
    """A load, a store or a register's value beside the path."""

    insn_ordinal: int
    kind: int
    """One of the ACCESS_ numbers."""
    address: int
    """Of a register, its number."""
    size: int
    data: int | None
    id: int
    insn_index: int
    place: int | None
    """Which of the places of `record --value`, from 1."""


# What has a place in the sequence of instructions.
Item = TypeVar("Item", Step, Event, Branch)


class Run:
    """Blocks one after the other, without an event between them.

    `ids` shows the library's memory, which the next run overwrites: copy what is to be kept.
    """

    def __init__(self, cursor: _Cursor, step: Step, ids: Any, n: int) -> None:
        self._cursor = cursor
        self._ids = cursor.borrow(ids)
        self._number = cursor.number
        self.step = step
        """Describes the first block: its ordinals, its space, how much of it began."""
        self.n = n

    def _check(self) -> None:
        """ValueError when the cursor has moved on."""
        if self._number != self._cursor.number:
            raise ValueError("this run was overwritten by the next one: copy what is to be "
                             "kept inside of the loop, as with run.ids.copy()")

    @property
    def ids(self) -> Any:
        """The ids of the blocks: a numpy array[n] of uint32, without a copy; read only."""
        import numpy  # pylint: disable=import-outside-toplevel

        self._check()
        array = numpy.frombuffer(ffi.buffer(self._ids, self.n * 4), numpy.uint32)
        array.flags.writeable = False
        return array

    @property
    def accesses(self) -> Any:
        """The values of these blocks: a structured numpy array, yours to keep.

        Fields: address, data (two numbers, the low half first), block (index in ids), insn
        (index in the block), size, kind, has_data, place. Empty when none were recorded.
        A data frame takes data[:, 0] and data[:, 1] apart.
        """
        import numpy  # pylint: disable=import-outside-toplevel

        self._check()
        pointer, n = self._cursor.accesses()
        size = ffi.sizeof("struct wm_access")
        if not n:
            return numpy.zeros(0, _access_type())
        # The library knows of no stop of a range: the last run's may go beyond it. A copy, as
        # the library moves them when there are more in the next run.
        array = numpy.frombuffer(ffi.buffer(pointer, n * size), _access_type())
        return array[array["block"] < self.n]


def _access_type() -> Any:
    """struct wm_access, as numpy describes it."""
    import numpy  # pylint: disable=import-outside-toplevel

    formats = {"address": "u8", "data": ("u8", (2,)), "block": "u4", "insn": "u4",
               "size": "u1", "kind": "u1", "has_data": "?", "place": "u2"}
    return numpy.dtype({
        "names": list(formats), "formats": list(formats.values()),
        "offsets": [ffi.offsetof("struct wm_access", name) for name in formats],
        "itemsize": ffi.sizeof("struct wm_access")})


def event_of(trace: Any, event: Any) -> Event:
    """An Event from a struct wm_event of an open trace."""
    name = lib.wm_event_name(event.kind)
    size = ffi.sizeof(event[0])
    length = lib.wm_event_text_sized(trace, event, size, ffi.NULL, 0)
    line = ffi.new("char[]", length + 1)
    lib.wm_event_text_sized(trace, event, size, line, length + 1)
    said = bytes(ffi.buffer(event.text, event.text_bytes)) if event.text_bytes else b""
    return Event(event.block_ordinal, event.insn_ordinal, event.ns, event.kind,
                 filled(name) if name != ffi.NULL else "",
                 None if event.space == 0xffffffff else event.space,
                 tuple(event.fields[i] for i in range(event.n_fields)),
                 said.decode("utf-8", "surrogateescape"), filled(line))


def _step(step: Any) -> Step:
    return Step(step.block_ordinal, step.insn_ordinal, step.id, step.space, step.index,
                step.insns, step.uncertain)


class _Cursor:
    """A cursor of the library. Of a closed trace it is freed when its walk is gone."""

    def __init__(self, trace: Trace, stream: int) -> None:
        pointer = ffi.new("struct wm_cursor **")
        self.error = new_error()
        check(lib.wm_cursor_new(pointer, trace.pointer, stream, self.error), self.error)
        self._owned = trace.own(pointer[0], lib.wm_cursor_free)
        self._lent: Any = self._owned.pointer
        self.number = 0
        """Of the current run."""
        self._step = ffi.new("struct wm_step *")
        self._event = ffi.new("struct wm_event *")
        self._ids, self._n = ffi.new("const uint32_t **"), ffi.new("size_t *")

    def __enter__(self) -> _Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self._lent = None
        self._owned.end()

    @property
    def pointer(self) -> Any:
        """Lent for the whole walk: to lend it for each step takes as long as the step."""
        self._owned.check()
        return self._lent

    def borrow(self, pointer: Any) -> Any:
        """A pointer into the cursor's memory, which lives as long as the result."""
        return self._owned.lend(pointer)

    def seek_block(self, ordinal: int) -> None:
        check(lib.wm_cursor_seek_block(self.pointer, number(ordinal, "block", 64),
                                       self.error), self.error)

    def seek_insn(self, ordinal: int) -> None:
        check(lib.wm_cursor_seek_insn(self.pointer, number(ordinal, "instruction", 64),
                                      self.error), self.error)

    def steps(self, function: Any) -> Iterator[Step]:
        """What wm_cursor_next_block or wm_cursor_next_insn return."""
        step, size = self._step, ffi.sizeof(self._step[0])
        while check(function(self.pointer, step, size, self.error), self.error) == 0:
            yield _step(step)

    def insns(self) -> Iterator[Step]:
        return self.steps(lib.wm_cursor_next_insn_sized)

    def runs(self) -> Iterator[Run]:
        step, size = self._step, ffi.sizeof(self._step[0])
        while check(lib.wm_cursor_next_run_sized(self.pointer, self._ids, self._n, step,
                                                 size, self.error), self.error) == 0:
            self.number += 1
            yield Run(self, _step(step), self._ids[0], self._n[0])

    def accesses(self) -> tuple[Any, int]:
        """Those of the last step: a pointer and how many; none were recorded: 0."""
        pointer = ffi.new("const struct wm_access **")
        code = check(lib.wm_cursor_accesses_sized(
            self.pointer, pointer, ffi.sizeof("struct wm_access"), self._n, self.error),
            self.error)
        return pointer[0], 0 if code else self._n[0]

    def events(self, trace: Trace) -> Iterator[Event]:
        event, size = self._event, ffi.sizeof(self._event[0])
        while check(lib.wm_cursor_next_event_sized(self.pointer, event, size, self.error),
                    self.error) == 0:
            yield event_of(trace.pointer, event)

    def branches(self) -> Iterator[Branch]:
        pointer, branch = ffi.new("struct wm_branches **"), ffi.new("struct wm_branch *")
        check(lib.wm_branches_new(pointer, self.pointer, self.error), self.error)
        owned = self._owned.own(pointer[0], lib.wm_branches_free)
        lent, size = owned.pointer, ffi.sizeof(branch[0])
        try:
            while check(lib.wm_branches_next_sized(lent, branch, size, self.error),
                        self.error) == 0:
                yield Branch(branch.block_ordinal, branch.insn_ordinal, branch.address,
                             branch.target, branch.space, branch.id, branch.index,
                             branch.flow, branch.taken)
                owned.check()
        finally:
            owned.end()


class Stream:
    """The sequence of one guest thread."""

    def __init__(self, trace: Trace, index: int) -> None:
        stream = ffi.new("struct wm_stream *")
        check(lib.wm_trace_stream_sized(trace.pointer, index, stream,
                                        ffi.sizeof(stream[0])))
        self._trace = trace
        self.index = index
        self.space: int = stream.space
        """The space in which it begins; see space_at()."""
        self.vcpu: int = stream.vcpu
        self.generation: int = stream.generation
        self.tid: int | None = stream.tid or None
        self.name = filled(stream.name)
        self.blocks: int = stream.blocks
        """How many steps() there are: gaps count, too."""
        self.insns: int = stream.insns
        self.chunks: int = stream.chunks
        self.uncertain: int = stream.uncertain
        self.passed: int = stream.passed

    def __repr__(self) -> str:
        return (f"<waymark.Stream {self.index} {self.name!r}: "
                f"{self.insns:,} instructions>")

    def space_at(self, block_ordinal: int) -> int:
        """The space in which a block of the stream runs. RangeError: behind its end."""
        space = ffi.new("uint32_t *")
        check(lib.wm_trace_space_at(self._trace.pointer, self.index,
                                    number(block_ordinal, "block", 64), space, ffi.NULL),
              what=f"block {block_ordinal} of stream {self.index}")
        return int(space[0])

    def modes(self) -> Iterator[Mode]:
        """The modes it was in, in order; the first one begins with block 0.

        RangeError: the trace is of a program, or was recorded without events of traps.
        """
        pointer, error = ffi.new("struct wm_modes **"), new_error()
        check(lib.wm_modes_new(pointer, self._trace.pointer, self.index, error), error)
        owned = self._trace.own(pointer[0], lib.wm_modes_free)
        try:
            change = ffi.new("struct wm_mode_change *")
            size = ffi.sizeof(change[0])
            while check(lib.wm_modes_next_sized(owned.pointer, change, size, error),
                        error) == 0:
                yield Mode(change.block_ordinal, filled(lib.wm_modes_name(change.mode)))
        finally:
            owned.end()

    def runs(self, start: int = 0, stop: int | None = None) -> Iterator[Run]:
        """Blocks start <= ordinal < stop, many at once: the fast way.

        A block that was left early comes alone, and so does a gap (its id is a block
        without instructions).
        """
        stop = self._checked(stop, self.blocks)
        with _Cursor(self._trace, self.index) as cursor:
            cursor.seek_block(start)
            for run in cursor.runs():
                if run.step.block_ordinal >= stop:
                    return
                run.n = min(run.n, stop - run.step.block_ordinal)
                yield run

    def block_ids(self, start: int = 0, stop: int | None = None) -> Any:
        """The ids of blocks start <= ordinal < stop: a numpy array of uint32."""
        import numpy  # pylint: disable=import-outside-toplevel

        stop = self._checked(stop, self.blocks)
        ids = numpy.empty(max(stop - number(start, "block", 64), 0), numpy.uint32)
        for run in self.runs(start, stop):
            at = run.step.block_ordinal - start
            ids[at:at + run.n] = run.ids
        return ids

    def steps(self, start: int = 0, stop: int | None = None) -> Iterator[Step]:
        """Blocks start <= ordinal < stop, one by one."""
        stop = self._checked(stop, self.blocks)
        with _Cursor(self._trace, self.index) as cursor:
            cursor.seek_block(start)
            for step in cursor.steps(lib.wm_cursor_next_block_sized):
                if step.block_ordinal >= stop:
                    return
                yield step

    def insns_between(self, start: int = 0, stop: int | None = None) -> Iterator[Step]:
        """Instructions start <= ordinal < stop, one by one."""
        with self._at_insn(start) as cursor:
            yield from self._before(stop, cursor.insns())

    def accesses(self, start: int = 0, stop: int | None = None) -> Iterator[Access]:
        """The loads, stores and registers of instructions start <= ordinal < stop.

        Run.accesses is the fast way, with columns instead of tuples.
        """
        with self._at_insn(start) as cursor:
            for step in self._before(stop, cursor.insns()):
                pointer, n = cursor.accesses()
                for i in range(n):
                    yield _access(step, pointer[i])

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[Event]:
        """The events before instructions start <= ordinal < stop, and at the end."""
        with self._at_insn(start) as cursor:
            events = cursor.events(self._trace)
            yield from events if stop is None else self._before(stop, events)

    def branches(self, start: int = 0, stop: int | None = None) -> Iterator[Branch]:
        """The branches, jumps, calls and returns of a range of instructions.

        RangeError when the instructions of the guest are not known.
        """
        with self._at_insn(start) as cursor:
            yield from self._before(stop, cursor.branches())

    def bytecodes(self, start: int = 0,
                  stop: int | None = None) -> Iterator[Bytecode | None]:
        """The bytecode of each instruction start <= ordinal < stop; None where none is.

        Of a managed program that was recorded with its guide; else RangeError. Goes through
        some of the stream before `start`.
        """
        if start > self.insns:
            raise _ends_at(self.insns, start)
        return bytecodes(self._trace, self.index, start, self._checked(stop, self.insns))

    def _at_insn(self, insn: int) -> _Cursor:
        cursor = _Cursor(self._trace, self.index)
        cursor.seek_insn(insn)
        return cursor

    def _before(self, stop: int | None, items: Iterator[Item]) -> Iterator[Item]:
        """The items up to an instruction, the stream's last one if it is None."""
        most = self._checked(stop, self.insns)
        return itertools.takewhile(lambda item: item.insn_ordinal < most, items)

    @staticmethod
    def _checked(stop: int | None, most: int) -> int:
        if stop is None:
            return most
        if stop < 0:
            raise RangeError(f"a range cannot end at {stop}: ordinals count from 0",
                             lib.WM_E_RANGE)
        if stop > most:
            raise _ends_at(most, stop)
        return stop


def _ends_at(most: int, wanted: int) -> RangeError:
    return RangeError(f"the stream ends at {most}, before {wanted}", lib.WM_E_RANGE)


def _access(step: Step, access: Any) -> Access:
    data = access.data[0] | access.data[1] << 64 if access.has_data else None
    return Access(step.insn_ordinal, access.kind, access.address, access.size, data,
                  step.id, step.insn_index, access.place or None)
