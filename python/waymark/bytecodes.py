# SPDX-License-Identifier: GPL-2.0-or-later
"""The bytecodes that instructions of a managed program are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, NamedTuple

from ._library import check, ffi, filled, lib, new_error, number, text

if TYPE_CHECKING:
    from .trace import Trace


class Bytecode(NamedTuple):
    """A bytecode that a thread executed: struct wm_bytecode."""

    method: str
    signature: str
    """That of a Java method: "(I)I"; else ""."""
    source: str
    """The file, as the runtime names it; "" when it is not known."""
    opcode: str | None
    note: str
    """How it is known: "" it was fetched; "inferred", "compiled", "optimised"."""
    insn_ordinal: int
    """Of the instruction with which it begins."""
    offset: int
    """In the method's bytecode, in bytes."""
    line: int | None


def bytecodes(trace: Trace, stream: int, start: int, stop: int) -> Iterator[Bytecode | None]:
    """That of each instruction start <= ordinal < stop; RangeError: the trace has none."""
    pointer, error = ffi.new("struct wm_bytecodes **"), new_error()
    check(lib.wm_bytecodes_new(pointer, trace.pointer, error), error)
    owned = trace.own(pointer[0], lib.wm_bytecodes_free)
    lent = owned.pointer
    of = ffi.new("struct wm_bytecode *")
    try:
        number(start, "instruction", 64)
        for insn in range(start, stop):
            owned.check()
            code = check(lib.wm_bytecodes_at_sized(lent, stream, insn, of,
                                                   ffi.sizeof(of[0]), error), error)
            yield None if code else Bytecode(
                filled(of.method), filled(of.signature), filled(of.source),
                text(of.opcode), filled(of.note), of.insn_ordinal, of.offset,
                of.line or None)
    finally:
        owned.end()
