# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: writes_facts.py FUNCTION [ARGUMENT...]

What writes.sh makes and checks: one function for each.
"""

import json
import os
import random
import re
import subprocess
import sys

USER = re.compile(r"core +0: 0 (0x[0-9a-f]{16}) \(0x[0-9a-f]+\)")
STORE = re.compile(r" mem (0x[0-9a-f]+) (0x[0-9a-f]+)$")
REGISTER = re.compile(r" ([xf]\d+ +)(0x[0-9a-f]{16})$")
LOAD = re.compile(r" ([xf]\d+ +)(0x[0-9a-f]{16}) mem (0x[0-9a-f]+)$")


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read().splitlines()


def whole(commits, writes):
    """The kernel's lines of one log, and the program's of another, which may end early."""
    own = read(writes)
    begins = USER.match(own[0])[0]
    taken = 0
    for line in read(commits):
        user = USER.match(line)
        if user and (taken or user[0] == begins):
            if taken == len(own):
                break
            line, taken = own[taken], taken + 1
            assert USER.match(line)[0] == user[0], line
        print(line)
    assert taken == len(own)


def diff(trace, log, *options):
    done = subprocess.run([os.environ["WAYMARK"], "diff", "--format", "json", "-n", "100000",
                           *options, trace, "--spike", log],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    return json.loads(done.stdout)["threads"][0]


def identical(insns):
    compared.identical(insns)


def all_was_compared():
    v = compared.v
    assert v["compared"] == 120 and v["stack_distance"], v


def all_registers_were_compared():
    v = compared.v
    assert v["compared"] == 7693 and v["differ"] == 0, v


def every_register_of_fp():
    t, v = compared.t, compared.v
    assert t["common"] >= 20000 and v["compared"] > 18000 and v["differ"] == 0, v


def fp_from_main_on():
    t, v = compared.t, compared.v
    assert t["common"] >= 20000 and v["compared"] > 2000 and v["differ"] == 0, v


def changed(hexadecimal, bit):
    return f"{int(hexadecimal, 16) ^ 1 << bit:#0{len(hexadecimal)}x}"


def wrong(line, kind, at):
    """The line with one wrong number, and what diff must say of it: a key and its value."""
    found = (STORE if kind.startswith("store") else LOAD).search(line)
    if kind == "written value":
        found = REGISTER.search(line)
        value = changed(found[2], at)
        return line[:found.start(2)] + value, "value", value
    if kind == "store value":
        value = changed(found[2], at % (4 * len(found[2]) - 8))
        return line[:found.start(2)] + value, "value", value
    if kind == "load value":
        value = changed(found[2], at % 8)
        return line[:found.start(2)] + value + line[found.end(2):], "value", value
    group = 1 if kind == "store address" else 3
    address = changed(found[group], at % 36)
    return (line[:found.start(group)] + address + line[found.end(group):], "address",
            hex(int(address, 16)))


KINDS = ("store value", "load value", "store address", "load address", "written value")
FORMS = {"store": STORE, "load": LOAD, "written": REGISTER}


def each_wrong_write(name, trace, count, *options):
    lines = read(f"{name}.log")
    begins = next((i for i, line in enumerate(lines) if " mem " in line and
                   USER.match(line) and (name != "fp" or i > len(lines) - 20000)), 0)
    chance = random.Random(1)
    commits = "commits" in trace
    before = diff(trace, f"{name}.log", *options)["values"]["differ"] if name == "fp" else 0
    for number in range(int(count)):
        kind = KINDS[number % (4 + commits)]
        form = FORMS[kind.split()[0]]
        # Not the first: that one tells where the stack is.
        places = [i for i in range(begins + 1, len(lines))
                  if USER.match(lines[i]) and form.search(lines[i])]
        i = chance.choice(places)
        line, key, value = wrong(lines[i], kind, chance.randrange(64))
        with open("wrong.log", "w", encoding="ascii") as file:
            file.write("\n".join([*lines[:i], line, *lines[i + 1:], ""]))
        v = diff(trace, "wrong.log", *options)["values"]
        mine = [x for x in v["first"] if int(x["address"], 16) == int(USER.match(line)[1], 16)
                and x["b_did"].get(key) == value and x["b_did"]["kind"] == kind.split()[0]]
        # What a load got is the register that it wrote, too.
        more = 2 if commits and kind == "load value" else 1
        assert v["differ"] == before + more and len(mine) == 1, (kind, line, v)
        assert mine[0]["a_did"][key] != value, mine


if __name__ == "__main__":
    if sys.argv[1] not in ("whole", "each_wrong_write"):  # there is what diff said
        import compared
    globals()[sys.argv[1]](*sys.argv[2:])
