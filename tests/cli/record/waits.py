# SPDX-License-Identifier: GPL-2.0-or-later
"""On a terminal it is said who is waited for."""
import os, pty, re, sys
pid, master = pty.fork()
if not pid:
    # Under a shell: the end of a session's leader would hang up the terminal.
    os.execv("/bin/sh", ["sh", "-c", '"$@"; exit $?', "sh", *sys.argv[1:]])
seen = b""
while not re.search(rb"waiting for what it left running: \d+ \(orphan\)", seen):
    seen += os.read(master, 4096)
os.close(os.open("go", os.O_WRONLY))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 4)
