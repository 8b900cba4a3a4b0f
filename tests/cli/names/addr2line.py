# SPDX-License-Identifier: GPL-2.0-or-later
"""What addr2line says of addresses: the functions around each, from the innermost."""
import subprocess


def chains(addr2line, program, places):
    """{place: [(function, file)]} of all places, by one process."""
    places = sorted(places)
    out = subprocess.run([addr2line, "-afie", program], input="\n".join(places),
                         capture_output=True, text=True, check=True).stdout.split("\n")
    found, at = {}, iter(places)
    for line in out:
        if line.startswith("0x"):
            names = found[next(at)] = []
            name = None
        elif name is None:
            name = line
        else:
            names.append((name, line))
            name = None
    return found
