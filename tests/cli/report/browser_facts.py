# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: browser_facts.py FUNCTION [ARGUMENT...]

What browser.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def has_browser(first):
    sys.path.insert(0, first); import browser
    sys.exit(browser.program() is None)


def with_boot(page, out):
    """Puts a boot into a page: 60 steps, the last the longest, of functions that the page names."""
    kinds = ["start", "init", "initcall", "async"]
    steps = [[i * 25_000_000, 1_000_000 if i < 59 else 400_000_000, 1000 + i, kinds[i % 4], i % 5 + 1, 0]
             for i in range(60)]
    boot = {"program": "/init", "program_ns": 2_000_000_000, "steps": steps, "others": 7,
            "others_ns": 3_000_000}
    start = '<script type="application/json" id="data">'
    with open(page, encoding="utf-8") as file:
        before, data = file.read().split(start)
    data, after = data.split("</script>", 1)
    data = json.loads(data)
    facts = {**dict(data["provenance"]), "qemu": "/usr/bin/qemu-system-riscv64"}
    text = json.dumps({**data, "boot": boot, "provenance": list(facts.items())}).replace("<", "\\u003c")
    with open(out, "w", encoding="utf-8") as file:
        file.write(before + start + text + "</script>" + after)


globals()[sys.argv[1]](*sys.argv[2:])
