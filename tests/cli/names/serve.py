# SPDX-License-Identifier: GPL-2.0-or-later
"""serve.py FOLDER PORT: serves FOLDER by HTTP as debuginfod does; its port goes to file PORT."""
import functools
import http.server
import os
import sys

folder, port = sys.argv[1:]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
with open(port + ".new", "w") as file:
    file.write(f"{server.server_address[1]}\n")
os.rename(port + ".new", port)
server.serve_forever()
