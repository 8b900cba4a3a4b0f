# SPDX-License-Identifier: GPL-2.0-or-later
"""ask.py SOCKET BYTES...: what the recorder answers to each, after which nothing comes."""
import os, socket, sys
for word in sys.argv[2:]:
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.settimeout(int(os.environ["GUARD"]))
    answer = b""
    try:
        s.sendall(eval("b'" + word + "'"))
        s.shutdown(socket.SHUT_WR)
        while chunk := s.recv(65536):
            answer += chunk
    except (BrokenPipeError, ConnectionResetError):
        answer += b"(closed)"
    print(answer[:1], answer[1:2], answer[3:60])
