# SPDX-License-Identifier: GPL-2.0-or-later
"""Retraces what peers/published.c wrote: prints the address of each block executed.

usage: retrace.py PREFIX
"""

import array
import json
import sys


def successors_of(graph):
    after = {}
    for edge in graph["edges"]:
        after.setdefault(edge["from"], []).append(edge["to"])
    return after


def sequence(graph, ids, blocks):
    """The ids of `blocks` blocks: the only successor of each, or the next of `ids`."""
    after = successors_of(graph)
    block = next(ids)
    for _ in range(blocks - 1):
        yield block
        ways = after[block]
        block = ways[0] if len(ways) == 1 else next(ids)
    yield block


def main():
    with open(f"{sys.argv[1]}.json", encoding="utf-8") as file:
        graph = json.load(file)
    ids = array.array("I")
    with open(f"{sys.argv[1]}.bin", "rb") as file:
        ids.frombytes(file.read())
    address = {block["id"]: block["address"] for block in graph["blocks"]}
    blocks = sum(block["executions"] for block in graph["blocks"])
    for block in sequence(graph, iter(ids), blocks):
        print(f"{address[block]:x}")


if __name__ == "__main__":
    main()
