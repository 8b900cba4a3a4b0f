# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: watches.py SOCKET ADDRESS TIMES
#
# A debugger at QEMU's socket: stops the machine that many times where an instruction accesses the 8
# bytes at the address, lets that one instruction run each time, and then lets the machine go.

import socket
import sys
import time


def connect(path):
    """The socket has its name before QEMU listens."""
    while True:
        stub = socket.socket(socket.AF_UNIX)
        try:
            stub.connect(path)
            return stub
        except (FileNotFoundError, ConnectionRefusedError):
            stub.close()
            time.sleep(0.01)


def ask(stub, text):
    """What the stub answers; "" when the machine is gone."""
    stub.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) % 256))
    answer = b""
    while answer[-3:-2] != b"#":
        got = stub.recv(1)
        if not got:
            return ""
        answer += got
    stub.sendall(b"+")
    return answer[answer.index(b"$") + 1:-3].decode()


path, address, times = sys.argv[1], sys.argv[2].removeprefix("0x"), int(sys.argv[3])
stub = connect(path)
for _ in range(times):
    for command, answer in (f"Z4,{address},8", "OK"), ("c", "T05"), (f"z4,{address},8", "OK"), ("s", "T05"):
        got = ask(stub, command)
        if not got.startswith(answer):
            sys.exit(f"{command}: {got}")
try:
    ask(stub, "c")
except OSError:
    pass
