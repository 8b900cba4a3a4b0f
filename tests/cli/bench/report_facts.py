# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: report_facts.py FUNCTION [ARGUMENT...]

What report.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys


def report_draws_name_svg(first):
    import sys, xml.dom.minidom as x; x.parse(first)


globals()[sys.argv[1]](*sys.argv[2:])
