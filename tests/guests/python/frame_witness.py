# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program and writes what sys.monitoring says of its frames, in order: "+" and a name
where one begins or goes on, "-" where it is left.

usage: frame_witness.py FILE PROGRAM
"""
import sys

out, program = sys.argv[1:3]
sys.argv = sys.argv[2:]
seen = []
tool = sys.monitoring.DEBUGGER_ID
events = sys.monitoring.events


def enter(code, *rest):
    seen.append(("+", code))


def leave(code, *rest):
    seen.append(("-", code))


with open(program) as opened:
    text = compile(opened.read(), program, "exec")
sys.monitoring.use_tool_id(tool, "witness")
for event in events.PY_START, events.PY_RESUME, events.PY_THROW:
    sys.monitoring.register_callback(tool, event, enter)
for event in events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND:
    sys.monitoring.register_callback(tool, event, leave)
sys.monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_THROW |
                          events.PY_RETURN | events.PY_YIELD | events.PY_UNWIND)
try:
    exec(text, {"__name__": "__main__", "__file__": program})
finally:
    sys.monitoring.set_events(tool, 0)
with open(out, "w") as opened:
    for sign, code in seen:
        if code.co_filename == program:
            print(sign, code.co_qualname, file=opened)
