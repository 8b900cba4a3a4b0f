# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of the shell: the prompt, the Tab key, and the lines before.

usage: keys.py WAYMARK TRACE [PRELOADED]

The shell has a terminal. Each key is pressed when what the one before it prints is there.
"""
import os, pty, re, signal, sys, termios

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
    # Ctrl-C gives up a statement, of several lines too, and not the shell.
    ("select 8,\r9", r"\.\.\.> .*9"),
    ("\x03", r"\r\nwaymark> "),
    ("select 10 as y;\r", r"\n *y\r\n10\r\n.*waymark> "),
    ("\x03", r"\r\nwaymark> "),
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


def press_early(terminal):
    """Ctrl-D while .read waits for its file: it is there when the next prompt comes."""
    os.mkfifo("waited-for")
    os.write(terminal, b".read waited-for\r")
    with open("waited-for", "w") as file:
        os.write(terminal, b"\x04#")
        shown(terminal, "#")
        file.write("select 11 as z;")
    os.remove("waited-for")


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
        os.write(terminal, keys.encode())
    shown(terminal, wanted)
press_early(terminal)
shown(terminal, r" z\r\n11\r\nwaymark> .*\r\n")
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if not termios.tcgetattr(terminal)[3] & termios.ICANON:
    status = "the terminal is not as it was"
what = "keys of the shell, read late" if len(sys.argv) > 3 else "keys of the shell"
print(f"ok {what}" if status == 0 else f"not ok {what}\n# {status}")
sys.exit(status != 0)
