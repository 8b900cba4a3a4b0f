# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb's part of its remote protocol: continues the guest of QEMU's -g, prints how it ended.

usage: gdb_end.py SOCKET
"""
import contextlib
import socket
import sys
import time


def packet(text):
    return b"$%s#%02x" % (text, sum(text) & 255)


def connect(path):
    while True:  # until QEMU has made it
        try:
            gdb = socket.socket(socket.AF_UNIX)
            gdb.connect(path)
            return gdb
        except OSError:
            gdb.close()
            time.sleep(0.02)


gdb = connect(sys.argv[1])
gdb.sendall(b"+" + packet(b"c"))
said = b""
while data := gdb.recv(4096):
    said += data
    if b"$W" in said:
        break
    # QEMU waits for no answer when it ends, and what it said last may be unread.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        gdb.sendall(b"+")
print(said.decode(errors="replace").partition("$")[2].partition("#")[0])
