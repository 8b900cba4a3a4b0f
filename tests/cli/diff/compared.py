# SPDX-License-Identifier: GPL-2.0-or-later
"""
What `waymark diff --format json` wrote into the file json, for the *_facts.py beside this:
`d` is all of it, `t` its first pair of threads, `h` the divergences of these as (a, b, only
in A, only in B), `v` its values (None: they were not compared).
"""

import json

with open("json", encoding="utf-8") as file:
    d = json.load(file)
t = d["threads"][0]
v = t["values"]
h = [(f["a"], f["b"], f["a_insns"], f["b_insns"]) for f in t["first_divergences"]]


def identical(insns):
    """No difference among that many instructions; "any": however many they are."""
    assert d["identical"] and t["identical"] and not h and t["divergences"] == 0
    assert t["common"] == t["a_instructions"] == t["b_instructions"], t
    assert insns in (str(t["common"]), "any"), t
