# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program and writes what sys.monitoring says: a line for each instruction, by thread:
function, file, offset and line.

usage: witness.py FOLDER PROGRAM [ARGUMENT...]
"""
import asyncio  # noqa: F401: what a program imports is not its own
import sys
import threading

folder, program = sys.argv[1:3]
sys.argv = sys.argv[2:]
events = {}
tool = sys.monitoring.DEBUGGER_ID
current = threading.get_ident


def on_instruction(code, offset):
    events.setdefault(current(), []).append((code, offset))


with open(program) as opened:
    text = compile(opened.read(), program, "exec")
sys.monitoring.use_tool_id(tool, "witness")
sys.monitoring.register_callback(tool, sys.monitoring.events.INSTRUCTION, on_instruction)
sys.monitoring.set_events(tool, sys.monitoring.events.INSTRUCTION)
try:
    exec(text, {"__name__": "__main__", "__file__": program})
finally:
    sys.monitoring.set_events(tool, 0)
lines = {}  # of each code by offset
for number, ran in enumerate(events.values()):
    with open(f"{folder}/thread-{number}", "w") as out:
        for code, offset in ran:
            if code not in lines:
                lines[code] = [place[0] for place in code.co_positions()]
            print(code.co_qualname, code.co_filename, offset, lines[code][offset // 2] or "",
                  sep="\t", file=out)
