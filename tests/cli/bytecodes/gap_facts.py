# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists, graphs and listings of runs with gaps: gap_facts.py FACT ...; see gaps.sh, java-gaps.sh."""
import csv
import json
import os
import re
import sys

OWN = ("app.py", "Gaps.java", "Jumps.java")


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_own(path):
    return os.path.basename(path) in OWN


def own_rows(path):
    """Of the program's own code what was executed, and how that is known; None for a gap."""
    for row in rows(path):
        if row["note"].startswith("gap"):
            yield None, row["note"]
        elif is_own(row["file"]):
            yield (row["unit"] + row["detail"], int(row["offset"])), row["note"]


def windows(listed_too, first, longer):
    """Options that leave 30 gaps in the run of Gaps.java: of `first` instructions, and of so many
    more each time."""
    own = [int(row["insn"]) for row in rows(listed_too) if is_own(row["file"])]
    # Classes are loaded and exceptions thrown at the begin, and runs are not quite as long.
    step = (own[-1] - own[0]) // 40
    at = own[0] + 6 * step
    words = [f"--window ..insn:{at}"]
    for i in range(30):
        behind = at + int(first) + i * int(longer)
        at += step
        words.append(f"--window insn:{behind}.." + (f"insn:{at}" if i < 29 else ""))
    print(*words)


def same_way(whole, part, least):
    """The run with gaps executed what the whole one did: each piece between gaps of several ways,
    with what was recovered in it, is found in the whole one, behind the piece before."""
    want = [place for place, _ in own_rows(whole)]
    pieces, recovered, gaps = [[]], 0, 0
    for place, note in own_rows(part):
        recovered += note == "recovered"
        gaps += place is None
        if place:
            pieces[-1].append(place)
        elif pieces[-1]:
            pieces.append([])
    at = 0
    for number, piece in enumerate(pieces):
        begin = piece[:40]
        at = next((i for i in range(at, len(want) - len(piece) + 1)
                   if want[i:i + len(begin)] == begin and want[i:i + len(piece)] == piece), None)
        assert at is not None, f"piece {number} of {len(pieces)} did not run: {piece[:9]}"
        # The program's first and last bytecodes are in the first and the last piece.
        assert number or not at, at
        at += len(piece)
    print(f"{recovered} recovered, {gaps} gaps of several ways")
    assert at == len(want) and recovered >= int(least) and gaps, (at, len(want))


# ---- graphs ---------------------------------------------------------------------------


def graphs_of(path):
    with open(path, encoding="utf-8") as file:
        return {graph["method"]: graph for graph in json.load(file) if is_own(graph["file"])}


def ran(it):
    return it.get("executions", it.get("count")) + it["recovered"]


def executions(graph):
    """How often each bytecode ran, and how often more in gaps."""
    return {code["offset"]: (node["executions"], node["recovered"])
            for node in graph["nodes"] for code in node["bytecodes"]}


def graphs(path, listed_too):
    """What was recorded and what was recovered is what the list has, and each execution was
    reached by one edge and left by one."""
    want = {}
    for place, note in own_rows(listed_too):
        if place:
            counts = want.setdefault(place[0], {}).setdefault(place[1], [0, 0])
            counts[note == "recovered"] += 1
    have = graphs_of(path)
    assert {method: executions(graph) for method, graph in have.items()} == {
        method: {offset: tuple(counts) for offset, counts in it.items()}
        for method, it in want.items()}
    for method, graph in have.items():
        for node in graph["nodes"]:
            into, out = (sum(ran(edge) for edge in graph["edges"] if edge[end] == node["node"])
                         for end in ("to", "from"))
            # What throws goes on in a handler, or nowhere; os._exit() never returns.
            assert into == ran(node), (method, node, into)
            assert "caught" in method or 0 <= ran(node) - out <= (method == "<module>"), (
                method, node, out)


def codes(graph):
    """How often each bytecode and each edge ran, by offsets."""
    known = {(offset,): sum(counts) for offset, counts in executions(graph).items()}
    begins, ends = {}, {}
    for node in graph["nodes"]:
        offsets = [code["offset"] for code in node["bytecodes"]]
        begins[node["node"]], ends[node["node"]] = offsets[0], offsets[-1]
        known.update({pair: ran(node) for pair in zip(offsets, offsets[1:])})
    for edge in graph["edges"]:
        key = ends.get(edge["from"], edge["from"]), begins.get(edge["to"], edge["to"])
        known[key] = known.get(key, 0) + ran(edge)
    return known


def together(whole, part, least):
    """With what was recovered nothing ran more often than in the whole run, which has no gaps;
    what the whole run has in addition is behind gaps that are told."""
    want, have = graphs_of(whole), graphs_of(part)
    for graph in want.values():
        assert not any(it["recovered"] or "gap" in it for it in graph["nodes"] + graph["edges"])
    recovered = gaps = 0
    for method, graph in have.items():
        known = codes(want[method])
        for key, count in codes(graph).items():
            if "gap" not in key:
                assert count <= known[key], (method, key, count, known[key])
        for edge in graph["edges"]:
            assert ("gap" in edge) == ("gap" in (edge["from"], edge["to"])), edge
            assert edge.get("gap") in (None, "several ways", "no way known"), edge
            gaps += edge["to"] == "gap"
            recovered += edge["recovered"]
    print(f"{recovered} edges recovered, {gaps} lead into gaps")
    assert recovered >= int(least) and gaps


def pieces(path):
    """A function that ran once and has no branches is cut at the gap, and is connected across it
    by what nobody recorded."""
    once = graphs_of(path)["once"]
    nodes = [(node["executions"], node["recovered"]) for node in once["nodes"]]
    assert nodes == [(1, 0), (0, 1), (1, 0)], nodes
    edges = [(edge["from"], edge["to"], edge["count"], edge["recovered"]) for edge in once["edges"]]
    assert edges == [("entry", 1, 1, 0), (1, 2, 0, 1), (2, 3, 0, 1), (3, "exit", 1, 0)], edges


def begins(path):
    """Nobody saw the program's own frame begin."""
    ways = [(edge["from"], edge.get("gap"), edge["count"])
            for edge in graphs_of(path)["<module>"]["edges"] if edge["from"] in ("entry", "gap")]
    assert ways == [("gap", "no way known", 1)], ways


def ends(path):
    """The program went into a gap, and nothing is known behind."""
    told = [edge["gap"] for edge in graphs_of(path)["<module>"]["edges"] if edge["to"] == "gap"]
    assert told and set(told) == {"several ways"}, told


# ---- listings -------------------------------------------------------------------------


def listed(expected, text, table, lines):
    """What is said of each gap, in all formats, is what the list of bytecodes has there."""
    want = {}
    for row in rows(expected):
        if row["note"] == "recovered":
            want[row["insn"]] = want.get(row["insn"], 0) + 1
        elif row["note"].startswith("gap: "):
            want[row["insn"]] = row["note"][5:]
    with open(lines, encoding="utf-8") as file:
        gaps = [it for it in map(json.loads, file) if "not_recorded" in it]
    # A gap between two bytecodes has none, and the list does not mention it.
    have = [it.get("gap") or it["recovered"] for it in gaps]
    assert len(have) > 9 and [it for it in have if it] == list(want.values()), (have, want)
    table = [row for row in rows(table) if row["note"].startswith("gap")]
    assert [row["note"] for row in table] == [
        f"gap: {it}" + " recovered" * isinstance(it, int) for it in have], table
    assert [row["ordinal"] for row in table] == [str(it["ordinal"]) for it in gaps], table
    assert not any(row[key] for row in table for key in row if key not in ("ordinal", "note"))
    with open(text, encoding="utf-8") as file:
        told = re.findall("not recorded: ([0-9,]+) instructions; (.*)\n", file.read())
    assert told == [(f"{it['not_recorded']:,}", known if isinstance(known, str) else
                     f"{known} bytecode{'s' * (known != 1)} recovered")
                    for it, known in zip(gaps, have)], told


globals()[sys.argv[1]](*sys.argv[2:])
