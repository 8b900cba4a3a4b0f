# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: plot_facts.py FUNCTION [ARGUMENT...]

What plot.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def parse_xml(first):
    import sys, xml.dom.minidom as x; x.parse(first)


def count_labels():
    print(len(json.load(sys.stdin)["labels"]))


globals()[sys.argv[1]](*sys.argv[2:])
