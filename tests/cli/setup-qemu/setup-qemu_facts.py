# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: setup-qemu_facts.py FUNCTION [ARGUMENT...]

What setup-qemu.sh checks that takes more than a line of shell: one function for each fact.
"""

import os
import signal
import sys


def interruptible(*words):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(words[0], words)


globals()[sys.argv[1]](*sys.argv[2:])
