# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: socket_facts.py FUNCTION [ARGUMENT...]

What socket.sh checks that takes more than a line of shell: one function for each fact.
"""

import socket
import sys


def leave_socket():
    socket.socket(socket.AF_UNIX).bind("runtime/waymark/999999")


globals()[sys.argv[1]](*sys.argv[2:])
