# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: seek_facts.py FUNCTION [ARGUMENT...]

What seek.sh checks that takes more than a line of shell: one function for each fact.
"""

import subprocess
import sys


def slices_across_chunks(waymark):
    def listing(*options):
        words = [waymark, "blocks", *options, "--format", "pc", "long.wmk"]
        return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
    whole = listing().splitlines(keepends=True)
    for middle in range(0, len(whole), 1 << 20):
        for first in middle - 1, middle, middle + 1:
            if first >= 0:
                got = listing("--from", str(first), "--count", "3")
                assert got == b"".join(whole[first:first + 3]), first


globals()[sys.argv[1]](*sys.argv[2:])
