# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace: what was recorded, its threads and code, and the questions it answers."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Callable, Iterator, NamedTuple, NoReturn

from ._library import (Error, RangeError, check, encoded, ffi, filled, lib, new_error, number,
                       struct_tuple, text)
from .memory import Memory
from .names import Names
from .stream import Event, Stream, event_of
from .table import Table, ask


class Summary(NamedTuple):
    """The whole trace in numbers: struct wm_summary."""

    blocks: int
    insns: int
    uncertain: int
    bytes: int
    chunks: int
    known_blocks: int
    streams: int
    spaces: int
    processes: int
    modules: int
    complete: bool
    cut: str | None


class Space(NamedTuple):
    """What guest addresses mean: a process, or the machine that processes lie over."""

    kind: int
    over: int | None
    name: str


class Process(NamedTuple):
    """A guest process. `status` is that of waitpid(), None when it is not known."""

    pid: int
    parent: int | None
    path: str
    status: int | None
    begin_ns: int
    end_ns: int


class Module(NamedTuple):
    """A file mapped into a space, from the moment code was first seen in it."""

    space: int
    start: int
    end: int
    file_off: int
    path: str
    known_blocks: int
    ns: int
    build_id: str
    packed: bool


class Chunk(NamedTuple):
    """A part of a stream that is decoded alone."""

    stream: int
    space: int
    first_block: int
    first_insn: int
    blocks: int
    insns: int
    begin_ns: int
    end_ns: int
    file_off: int
    file_bytes: int
    lost: bool


class Block(NamedTuple):
    """A translation block: instructions at one address. A gap has none."""

    id: int
    address: int
    sizes: bytes
    """The bytes of each instruction: one number for each."""
    code: bytes

    @property
    def addresses(self) -> list[int]:
        """The address of each instruction."""
        found, address = [], self.address
        for size in self.sizes:
            found.append(address)
            address += size
        return found


class Insn(NamedTuple):
    """An instruction of a block: its class and where control goes after it."""

    address: int
    code: bytes
    insn_class: str
    flow: int
    """One of the WM_FLOW_ numbers: see waymark.FLOW_BRANCH and its neighbours."""
    target: int | None
    extension: str | None
    precision: str | None


class Turn(NamedTuple):
    """A hart turns to a stream, from this block of it on."""

    ns: int
    hart: int
    stream: int
    block_ordinal: int


class Check(NamedTuple):
    """What Trace.verify() has read and found sound."""

    chunks: int
    blocks: int
    insns: int
    gaps: int
    accesses: int


NONE = 0xffffffff


def _or_none(index: int) -> int | None:
    return None if index == NONE else index


class Trace:
    """An open trace. Close it, or use it in a `with` statement.

    Streams, blocks and names of a trace must not be used after it is closed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        pointer, error = ffi.new("struct wm_trace **"), new_error()
        try:
            check(lib.wm_trace_open(pointer, encoded(path), error), error)
        except Error as failure:
            # Which of many files it is.
            name = os.fsdecode(path)
            if not str(failure).startswith((f"cannot open {name}:", f"cannot read {name}:")):
                failure.args = (f"{name}: {failure}",)
            raise
        self._memory = Memory(pointer[0], lib.wm_trace_close)
        self.path = os.fspath(path)
        self.summary = self._summary()
        self.meta = dict(self._meta())
        """What is known of the run: "command", "guest-isa", "qemu-version", ..."""
        self.streams = tuple(Stream(self, i) for i in range(self.summary.streams))
        """The sequences of the guest's threads."""

    # ---- opening and closing

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_memory"):
            self.close()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._memory.__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return f"<waymark.Trace {self.path}: {self.summary.insns:,} instructions>"

    def close(self) -> None:
        """Closes the file; a second time does nothing. Arrays of runs stay valid.

        What other threads ask, and a loop that walks, keep it until they are over.
        """
        self._memory.end()

    @property
    def pointer(self) -> Any:
        """The struct wm_trace *, for calls of the library that this package lacks."""
        lent = self._memory.lend()
        if self._memory.ended:
            raise ValueError(f"the trace {self.path} is closed")
        return lent

    def own(self, pointer: Any, free: Callable[[Any], None]) -> Memory:
        """Something of the library that must be freed before the trace is closed."""
        return self._memory.own(pointer, free)

    # ---- what was recorded

    def _summary(self) -> Summary:
        summary = ffi.new("struct wm_summary *")
        lib.wm_trace_summary_sized(self.pointer, summary, ffi.sizeof(summary[0]))
        return struct_tuple(Summary, summary, ["cut"])

    def _meta(self) -> Iterator[tuple[str, str]]:
        key, value = ffi.new("const char **"), ffi.new("const char **")
        index = 0
        while not check(lib.wm_trace_meta_at(self.pointer, index, key, value)):
            yield filled(key[0]), filled(value[0])
            index += 1

    def _get(self, function: Any, index: int, struct: str) -> Any:
        """The struct that wm_trace_..._sized(trace, index, struct, bytes) fills in."""
        place, what = ffi.new(f"struct {struct} *"), struct.removeprefix("wm_")
        check(function(self.pointer, number(index, what), place, ffi.sizeof(place[0])),
              what=f"{what} {index}")
        return place

    @property
    def spaces(self) -> list[Space]:
        """All spaces, by index."""
        found = []
        for i in range(self.summary.spaces):
            space = self._get(lib.wm_trace_space_sized, i, "wm_space")
            found.append(Space(space.kind, _or_none(space.over), filled(space.name)))
        return found

    @property
    def processes(self) -> dict[int, Process]:
        """Those of the spaces that are processes, by the index of the space."""
        found = {}
        for i, space in enumerate(self.spaces):
            if space.kind != lib.WM_SPACE_PROCESS:
                continue
            process = self._get(lib.wm_trace_process_sized, i, "wm_process")
            found[i] = Process(process.pid, _or_none(process.parent),
                               filled(process.path),
                               None if process.status == -1 else process.status,
                               process.begin_ns, process.end_ns)
        return found

    @property
    def modules(self) -> list[Module]:
        """The files that were mapped, in the order in which they were first seen."""
        return [struct_tuple(Module, self._get(lib.wm_trace_module_sized, i, "wm_module"),
                             ["path", "build_id"])
                for i in range(self.summary.modules)]

    @property
    def chunks(self) -> list[Chunk]:
        """The chunks, in the order of the file."""
        return [struct_tuple(Chunk, self._get(lib.wm_trace_chunk_sized, i, "wm_chunk"))
                for i in range(self.summary.chunks)]

    def timeline(self) -> Iterator[Event]:
        """Events that have no place in a thread's sequence, in the order of their time."""
        pointer, error = ffi.new("struct wm_timeline **"), new_error()
        check(lib.wm_timeline_new(pointer, self.pointer, error), error)
        owned = self.own(pointer[0], lib.wm_timeline_free)
        try:
            event, space = ffi.new("struct wm_event *"), ffi.new("uint32_t *")
            size = ffi.sizeof(event[0])
            while check(lib.wm_timeline_next_sized(owned.pointer, space, event, size)) == 0:
                event.space = space[0]
                yield event_of(self.pointer, event)
        finally:
            owned.end()

    def schedule(self) -> Iterator[Turn]:
        """The turns of harts, where streams move between them; else none."""
        pointer, error = ffi.new("struct wm_schedule **"), new_error()
        check(lib.wm_schedule_new(pointer, self.pointer, error), error)
        owned = self.own(pointer[0], lib.wm_schedule_free)
        try:
            turn = ffi.new("struct wm_turn *")
            size = ffi.sizeof(turn[0])
            while check(lib.wm_schedule_next_sized(owned.pointer, turn, size, error),
                        error) == 0:
                yield struct_tuple(Turn, turn)
        finally:
            owned.end()

    # ---- code

    def block(self, block_id: int) -> Block:
        """The block of an id, from 1 to summary.known_blocks. RangeError."""
        block = self._get(lib.wm_trace_block_sized, block_id, "wm_block")
        return Block(block_id, block.address,
                     bytes(ffi.buffer(block.sizes, block.insns)),
                     bytes(ffi.buffer(block.code, block.bytes)))

    def insn(self, block_id: int, index: int) -> Insn:
        """Instruction `index`, from 0, of a block. RangeError."""
        insn = ffi.new("struct wm_insn *")
        check(lib.wm_trace_insn_sized(self.pointer, number(block_id, "block"),
                                      number(index, "instruction"), insn,
                                      ffi.sizeof(insn[0])),
              what=f"instruction {index} of block {block_id}")
        return Insn(insn.address, bytes(ffi.buffer(insn.code, insn.bytes)),
                    filled(lib.wm_insn_class_name(insn.insn_class)), insn.flow,
                    insn.target if insn.has_target else None, text(insn.extension),
                    text(insn.precision))

    def disas(self, block_id: int, index: int) -> str:
        """The disassembly of an instruction; "" when it is not known. RangeError."""
        where = number(block_id, "block"), number(index, "instruction")
        size = 256
        while True:
            buffer = ffi.new("char[]", size)
            length = lib.wm_trace_disas(self.pointer, *where, buffer, size)
            if not length:
                self.insn(*where)  # C's function has no error of an instruction that is not there
            if length < size:
                return filled(buffer)
            size = length + 1

    def register_name(self, number: int) -> str | None:
        """The name of a register, such as the address of an ACCESS_REGISTER; None: no such."""
        if not 0 <= number < 1 << 64:
            return None
        return text(lib.wm_trace_register_name(self.pointer, number))

    def names(self) -> Names:
        """The functions, files and source lines of addresses."""
        return Names(self)

    # ---- answers

    def counts(self, stream: int | None = None) -> Any:
        """How often each block was executed: a numpy array[known_blocks + 1] by id.

        Of one stream, or of all. From histograms: the sequence is not decoded. RangeError:
        there is no such stream.
        """
        import numpy  # pylint: disable=import-outside-toplevel

        if stream is not None and not 0 <= stream < self.summary.streams:
            raise RangeError(f"there is no stream {stream} in the trace", lib.WM_E_RANGE)
        counts = numpy.zeros(self.summary.known_blocks + 1, numpy.uint64)
        pairs, n, error = ffi.new("struct wm_count **"), ffi.new("size_t *"), new_error()
        size = ffi.sizeof("struct wm_count")
        kind = numpy.dtype({"names": ["id", "count"], "formats": ["u4", "u8"],
                            "offsets": [0, 8], "itemsize": size})
        for index, chunk in enumerate(self.chunks):
            if stream not in (None, chunk.stream) or chunk.lost:
                continue
            check(lib.wm_trace_histogram_sized(self.pointer, index, pairs, size, n,
                                               error), error)
            owned = ffi.gc(pairs[0], _C.free)
            if n[0]:
                part = numpy.frombuffer(ffi.buffer(owned, n[0] * size), kind)
                counts[part["id"]] += part["count"]  # ids are distinct in a chunk
        return counts

    def ask(self, question: str, progress: Callable[[int, int], None] | None = None,
            **options: object) -> Table:
        """Puts a question of the command line: ask("hot", by="line", rows=10).

        See waymark.questions() for all of them and their options; an underscore stands
        for a hyphen, and `from_` for `from`. `progress` is called now and then with the
        instructions done and those of all. RangeError for what does not exist.
        """
        return ask(self.pointer, question, options, progress)

    def verify(self, threads: int = 0) -> Check:
        """Reads and checks everything; DamagedError with the first fault."""
        result, error = ffi.new("struct wm_check *"), new_error()
        result.threads = threads
        check(lib.wm_trace_verify_sized(self.pointer, result, ffi.sizeof(result[0]),
                                        error), error)
        return struct_tuple(Check, result)


# Of the C library, which allocated what wm_trace_histogram() hands out.
ffi.cdef("void free(void *);")
_C = ffi.dlopen(None)


def open(path: str | os.PathLike[str]) -> Trace:  # pylint: disable=redefined-builtin
    """Opens a trace. One that was cut short or damaged opens too, up to the damage."""
    return Trace(path)
