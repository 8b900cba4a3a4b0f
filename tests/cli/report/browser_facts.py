# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: browser_facts.py FUNCTION [ARGUMENT...]

What browser.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys


def has_browser(first):
    sys.path.insert(0, first); import browser
    sys.exit(browser.program() is None)


globals()[sys.argv[1]](*sys.argv[2:])
