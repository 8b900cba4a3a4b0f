# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: sizes.py INFO: how many threads, processes and blocks `info --format json` counts."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    info = json.load(file)
print(len(info["threads"]), len(info["processes"]), info["blocks"])
