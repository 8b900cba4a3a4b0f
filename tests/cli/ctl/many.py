# SPDX-License-Identifier: GPL-2.0-or-later
"""many.py SOCKET: connections that say nothing, and others that do not read."""
import os, socket, sys
held = []
for i in range(40):
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    try:
        s.connect(sys.argv[1])
        s.send([b"", b"st", b"status\n", os.urandom(9000)][i % 4])
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        pass
    held.append(s)
print("held", flush=True)
sys.stdin.read()
