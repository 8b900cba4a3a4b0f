# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: stopped.py WAYMARK TRACE

Presses f in main of TRACE, which ends late, and Ctrl-C while that is read. Fails unless browse
stops reading and dies of the signal. Before, it goes to a function whose name is not ASCII, and
takes a letter back.
"""

import os
import pty
import signal
import sys
import termios
import time


def cpu_ticks(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def read_until(fd, shown, wanted):
    while wanted not in shown:
        try:
            data = os.read(fd, 65536)
        except OSError:  # the terminal is closed
            data = b""
        if not data:
            break
        shown += data
    return shown


def ctrl_c():
    """Presses f and Ctrl-C; whether the step had not ended by then."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        os.execvp(sys.argv[1], [sys.argv[1], "browse", "--from", "main", sys.argv[2]])
    termios.tcsetwinsize(fd, (24, 80))
    shown = read_until(fd, b"", b"(capitals: back)")
    assert b"/ search  (capitals: back)" in shown, shown
    os.write(fd, "gzażą".encode() + b"\x7f" + "ółć\r".encode())
    shown = read_until(fd, shown, "zażółć  long.c:".encode())
    assert "zażółć  long.c:".encode() in shown, shown[-2000:]
    os.write(fd, b"Gmain\r")
    shown = read_until(fd, b"", b"main  ")
    before = cpu_ticks(pid)
    os.write(fd, b"f")
    while cpu_ticks(pid) < before + 10:
        time.sleep(0.01)
    os.write(fd, b"\x03")
    shown = read_until(fd, shown, b"nothing ends with this text")
    os.close(fd)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status
    return b"stopped; the position is as it was" in shown


# On a busy machine the step, half a second, may end before this process presses Ctrl-C.
assert any(ctrl_c() for _ in range(20)), "no step was stopped"
