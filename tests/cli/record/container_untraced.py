# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes a program for which, and for whose children, ptrace() fails with EPERM.

usage: container_untraced.py PROGRAM [ARGUMENT...]

Some containers are so. Exit status 1: the kernel has no such filters.
"""

import ctypes
import errno
import os
import struct
import sys

PTRACE = {"x86_64": 101, "aarch64": 117}[os.uname().machine]
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
FILTER = 2  # SECCOMP_MODE_FILTER
LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06  # of classic BPF
ALLOW, FAIL = 0x7FFF0000, 0x00050000


def instruction(code, value, if_not=0):
    return struct.pack("<HBBI", code, 0, if_not, value)


program = b"".join((
    instruction(LOAD, 0),  # the number of the call
    instruction(EQUALS, PTRACE, if_not=1),
    instruction(RETURN, FAIL | errno.EPERM),
    instruction(RETURN, ALLOW)))
code = ctypes.create_string_buffer(program)
description = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
prctl = ctypes.CDLL(None).prctl
if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, FILTER, description, 0, 0):
    sys.exit(1)
os.execvp(sys.argv[1], sys.argv[1:])
