# SPDX-License-Identifier: GPL-2.0-or-later
"""Fail unless all executable memory of QEMU's own is within 2 GiB of the plugin's code.

usage: near.py /proc/PID/maps
"""

import sys

REACH = 1 << 31  # of a call with a 32-bit displacement

plugin, code = [], []
for line in open(sys.argv[1], encoding="utf-8"):
    words = line.split(maxsplit=5)
    start, end = (int(address, 16) for address in words[0].split("-"))
    if len(words) > 5 and "libwaymark-v" in words[5] and words[1] == "r-xp":
        plugin += [start, end]
    elif words[1] == "rwxp":
        code += [start, end]
if not plugin or not code:
    sys.exit("no plugin, or no translated code")
distance = max(max(plugin) - min(code), max(code) - min(plugin))
if distance >= REACH:
    sys.exit(f"{distance:#x} bytes apart")
