# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: inputs_facts.py FUNCTION [ARGUMENT...]

What inputs.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys


def make_logs():
    line = "0x1000:  00000013          nop\n"
    with open("long-line", "w") as log:
        log.write("IN: \n0x1000:  " + "0" * 2000000 + "  nop\n")
    with open("long-block", "w") as log:
        log.write("IN: \n" + line * 100000 + "\n")
    with open("many", "w") as log:
        for i in range(2000):
            log.write(f"IN: \n0x{i * 4:x}:  00000013          nop\n\n"
                      f"Trace {i}: 0x{i + 1:x} [0/{i * 4:x}/0/200]\n")


globals()[sys.argv[1]](*sys.argv[2:])
