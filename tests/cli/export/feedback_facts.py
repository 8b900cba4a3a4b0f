# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: feedback_facts.py FACT FILE WORD...

What profiles for compilers say, and what BOLT says when it reads one.
"""

import csv
import re
import sys

fact, path, *words = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    text = file.read()


def bodies():
    """The lines of a sample profile: (names from the function inwards, place) -> the rest."""
    found, names = {}, []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip(" "))
        place, rest = line.strip().split(":", 1)
        del names[max(depth, 1) if depth else 0:]
        if not depth:
            names = [place]
            found[place, "total"] = rest
        elif re.fullmatch(r"\d+( .*)?", rest.strip()):
            found["/".join(names), place] = rest.strip()
        else:
            name, total = rest.strip().rsplit(":", 1)
            names.append(name)
            found["/".join(names), "total"] = total
    return found


def counts():
    calls = int(words[0])
    found = bodies()
    rare = calls // 16
    common = calls - rare
    # The body of a function is entered and left by each call.
    assert found["mix_common", "total"] == f"{2 * common}:{common}", found
    assert found["mix_rare", "total"] == f"{2 * rare}:{rare}", found
    assert found["run", "total"].endswith(":1")
    # Line 5 of run() calls through a pointer, line 9 has step(0, ...) inlined.
    assert sorted(found["run", "5"].split()) == sorted(
        [str(calls), f"mix_common:{common}", f"mix_rare:{rare}"]), found["run", "5"]
    assert found["run/step", "4"] in (str(calls), "0")
    assert any(key[0] == "run/step" for key in found)
    assert found["main", "5"].split()[0] == "16"
    assert "run:1" in found["main", "6"] and "printf:1" in found["main", "6.1"]
    # Code that did not run is known not to have run.
    assert any(value == "0" for value in found.values())


def nested():
    found = bodies()
    outer = "_ZL3sumPVi/_ZNK6shapes6square4areaEv"
    inner = outer + "/_ZN6shapes6square7area_ofEi"
    assert (outer, "total") in found and (inner, "total") in found, sorted(found)
    assert found[inner, "2"] == "1000", found


def executed():
    """
    BOLT's own sum over the functions it understood, before it changed them. Those that it calls
    not simple, for a table of jumps beside a part that was split off, are none of them.
    """
    stated = int(re.search(r"(\d+) : executed instructions\n", text).group(1))
    left_out = set()
    for function in open(words[0]).read().split("Binary Function")[1:]:
        at, size, simple = (int(re.search(rf"  {key} *: (\w+)", function)[1], 0)
                            for key in ("Address", "Size", "IsSimple"))
        if not simple:
            left_out.update(range(at, at + size))
    with open(words[1], newline="") as file:
        wanted = sum(int(block["insns"]) for block in csv.DictReader(file)
                     if int(block["address"], 0) not in left_out)
    assert 0.98 * wanted < stated <= wanted, (stated, wanted)
    assert "stale" not in text


def profiled():
    found = re.search(r"(\d+) out of \d+ functions in the binary .* have non-empty", text)
    assert int(found.group(1)) >= 8 and "stale" not in text, text


globals()[fact]()
