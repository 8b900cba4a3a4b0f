# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: signalled.py WAYMARK TRACE PRELOADED

Fails unless browse, to which a signal comes before it waits for a key, dies of it at once and
gives the terminal back.
"""

import os
import pty
import signal
import sys

waymark, trace, preloaded = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", LD_PRELOAD=preloaded)
    os.execv(waymark, [waymark, "browse", trace])
shown = b""
try:
    while data := os.read(fd, 65536):
        shown += data
except OSError:  # the terminal is closed
    pass
_, status = os.waitpid(pid, 0)
assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM, status
assert b"\x1b[?1049l" in shown, shown[-2000:]
