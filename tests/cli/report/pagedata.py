# SPDX-License-Identifier: GPL-2.0-or-later
"""The data in a report's page, for the checks of its numbers."""

import json
import re
import sys


def report_data(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page,
                         re.S)
    assert "<" not in data
    return json.loads(data)


def same(what, got, want):
    if got != want:
        sys.exit(f"{what}: {str(got)[:300]} instead of {str(want)[:300]}")
