# SPDX-License-Identifier: GPL-2.0-or-later
"""Waymark: read from Python what a program executed.

    import waymark

    with waymark.open("run.wmk") as trace:
        print(trace.summary.insns, trace.meta["command"])
        print(trace.ask("hot", rows=10).to_pandas())
        for run in trace.streams[0].runs():
            ...                             # run.ids: a numpy array, without a copy

It stands on libwaymark, whose header waymark.h says more about every function. numpy is
needed for arrays only, pandas for data frames only. Several threads may use an open trace,
each with walks of its own.
"""

from ._library import DamagedError, Error, FormatError, RangeError, filled, lib
from .bytecodes import Bytecode
from .names import Frame, Function, Names, Place
from .stream import Access, Branch, Event, Mode, Run, Step, Stream
from .table import Question, Table, questions
from .trace import (Block, Check, Chunk, Insn, Module, Process, Space, Summary, Trace,
                    Turn, open)

__version__ = filled(lib.wm_version_text())

FLOW_NEXT: int = lib.WM_FLOW_NEXT
FLOW_BRANCH: int = lib.WM_FLOW_BRANCH
FLOW_JUMP: int = lib.WM_FLOW_JUMP
FLOW_CALL: int = lib.WM_FLOW_CALL
FLOW_CALL_INDIRECT: int = lib.WM_FLOW_CALL_INDIRECT
FLOW_RETURN: int = lib.WM_FLOW_RETURN
FLOW_JUMP_INDIRECT: int = lib.WM_FLOW_JUMP_INDIRECT

ACCESS_LOAD: int = lib.WM_ACCESS_LOAD
ACCESS_STORE: int = lib.WM_ACCESS_STORE
ACCESS_REGISTER: int = lib.WM_ACCESS_REGISTER
ACCESS_WRITTEN: int = lib.WM_ACCESS_WRITTEN
ACCESS_MEMORY: int = lib.WM_ACCESS_MEMORY
ACCESS_RETURNED: int = lib.WM_ACCESS_RETURNED

__all__ = [
    "ACCESS_LOAD", "ACCESS_MEMORY", "ACCESS_REGISTER", "ACCESS_RETURNED", "ACCESS_STORE",
    "ACCESS_WRITTEN", "Access", "Block", "Branch", "Bytecode",
    "Check", "Chunk", "DamagedError", "Error", "Event", "FLOW_BRANCH", "FLOW_CALL",
    "FLOW_CALL_INDIRECT", "FLOW_JUMP", "FLOW_JUMP_INDIRECT", "FLOW_NEXT", "FLOW_RETURN",
    "FormatError", "Frame", "Function", "Insn", "Mode", "Module", "Names", "Place", "Process",
    "Question", "RangeError", "Run", "Space", "Step", "Stream", "Summary", "Table",
    "Trace", "Turn", "__version__", "open", "questions",
]
