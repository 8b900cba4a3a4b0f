# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: refused_facts.py FUNCTION [ARGUMENT...]

What refused.sh checks that takes more than a line of shell: one function for each fact.
"""

import signal
import subprocess
import sys


def reader_that_leaves(*words):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    sys.exit(subprocess.call(words, stdout=reader.stdin, restore_signals=False))


globals()[sys.argv[1]](*sys.argv[2:])
