# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: ctl_facts.py FUNCTION [ARGUMENT...]

What ctl.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def as_json(first, second):
    status = json.load(open("stdout"))
    assert status["recorder"] == int(first) and status["state"] == "recording"
    assert status["processes"] == [{"index": 0, "pid": int(second), "path": "./steps"}]
    thread, = status["threads"]
    assert thread["instructions"] == status["instructions"] > 1000
    assert thread["blocks"] == status["blocks"] > 100


globals()[sys.argv[1]](*sys.argv[2:])
