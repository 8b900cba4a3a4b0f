# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks execution-flow graphs: graph_facts.py FILE is that of fib(12), graph_facts.py flow FILE
those of methods that all have ended.

A frame of fib begins at node 1 and ends behind node 2, which returns n, or node 3, which calls
twice.
"""
import collections
import json
import sys


def check_flow(graph):
    """What is entered is left, each node and the method, also by exceptions."""
    come, go = collections.Counter(), collections.Counter()
    for edge in graph["edges"]:
        come[edge["to"]] += edge["count"]
        go[edge["from"]] += edge["count"]
    assert go["entry"] == come["exit"], graph["method"]
    for node in graph["nodes"]:
        at = node["node"]
        assert come[at] == go[at] == node["executions"], (graph["method"], node)


if sys.argv[1] == "flow":
    for each in json.load(open(sys.argv[2], encoding="utf-8")):
        check_flow(each)
    sys.exit()
graph, = json.load(open(sys.argv[1], encoding="utf-8"))
assert graph["method"] == "fib" and graph["line"] == 1, graph
nodes, edges = graph["nodes"], graph["edges"]
assert [node["executions"] for node in nodes] == [465, 233, 232]
# Node 3 runs before node 2 does: fib(12) calls before any call returns at once.
order = [node["order"] for node in nodes]
assert order[0] < order[2] < order[1], order
assert [node["bytecodes"][0]["offset"] for node in nodes] == [0, 14, 18]
assert all(node["first"]["insn"] <= node["last"]["insn"] for node in nodes)
flow = {(edge["from"], edge["to"]): edge["count"] for edge in edges}
assert flow == {("entry", 1): 465, (1, 2): 233, (1, 3): 232, (2, "exit"): 233,
                (3, "exit"): 232}, flow
orders = [edge["order"] for edge in edges]
assert orders == sorted(orders)
