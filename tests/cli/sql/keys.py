# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of the shell: the prompt, the Tab key, and the lines before.

usage: keys.py WAYMARK TRACE [PRELOADED]

The shell has a terminal. Each key is pressed when what the one before it prints is there, and
the shell takes single keys.
"""
import os, pty, re, signal, sys, termios, time

# What is typed, and what the terminal then shows. How it shows a line that is being edited is
# its own matter, so most of these are results.
STEPS = (
    ("", r"waymark> "),
    # "disassembly" is the only word that begins so.
    ("select count(disassem\t) as n from insns where insn < 7;\r", r"\nn\r\n7\r\n.*waymark> "),
    (".sche\tmark%\r", r"\nmarks\(thread.*waymark> "),
    ("sele\t6 * 7 as answer;\r", r"answer\r\n *42\r\n.*waymark> "),
    # Columns of several tables are offered once.
    ("select proc\t\t", r"process +processes *\r\n"),
    # The line is dropped; the one before the last one comes back.
    ("\x15\x1b[A\x1b[A\r", r"\nmarks\(thread.*waymark> "),
    # Ctrl-C gives up a statement, of several lines too, and not the shell; Ctrl-D leaves it.
    ("select 8,\r9", r"\.\.\.> .*9"),
    ("\x03", r"\r\nwaymark> "),
    ("select 10 as y;\r", r"\n *y\r\n10\r\n.*waymark> "),
    ("\x03", r"\r\nwaymark> "),
    ("\x04", r"\r\n"),
)


def shown(terminal, wanted):
    """Reads until `wanted` is there; what was read when the shell ends before."""
    text = ""
    while not re.search(wanted, text, re.DOTALL):
        try:
            text += os.read(terminal, 4096).decode()
        except OSError:
            raise SystemExit(f"not ok keys of the shell\n# no {wanted} in {text!r}") from None
    return text


def press(terminal, keys):
    """
    Presses keys when the shell takes them one by one. libedit prints its prompt before it asks
    the terminal for that. A Ctrl-D that comes in between is read as a NUL, which libedit takes
    for the key that quotes the next one.
    """
    while termios.tcgetattr(terminal)[3] & termios.ICANON:
        time.sleep(0.001)
    os.write(terminal, keys.encode())


# What never comes ends the test, not the wait for it.
signal.alarm(300)
pid, terminal = pty.fork()
if not pid:
    os.environ["TERM"] = "xterm"
    if len(sys.argv) > 3:
        os.environ["LD_PRELOAD"] = sys.argv[3]
    os.execv(sys.argv[1], [sys.argv[1], "sql", "--color=never", sys.argv[2]])
for keys, wanted in STEPS:
    if keys:
        press(terminal, keys)
    shown(terminal, wanted)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
what = "keys of the shell, read late" if len(sys.argv) > 3 else "keys of the shell"
print(f"ok {what}" if status == 0 else f"not ok {what}\n# {status}")
sys.exit(status != 0)
