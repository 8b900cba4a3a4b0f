# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: status_facts.py FUNCTION [ARGUMENT...]

What status.sh checks that takes more than a line of shell: one function for each fact.
"""

import subprocess
import sys


def status_of(*words):
    print(subprocess.run(words, stderr=subprocess.DEVNULL).returncode)


globals()[sys.argv[1]](*sys.argv[2:])
