# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: decoder_facts.py FUNCTION [ARGUMENT...]

What decoder.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import sys


def events_of_no_thread():
    kinds = dict(vcpu_init=6, vcpu_exit=7, tb_translate=8, block_version=9, clock=17)
    for line in sys.stdin:
        event = json.loads(line)
        if event["thread"] is None:
            first = [int(str(value), 0) for key, value in event.items()
                     if key in ("vcpu", "address", "realtime")][0]
            print(-1 if event["process"] is None else event["process"], kinds[event["event"]], first)


globals()[sys.argv[1]](*sys.argv[2:])
