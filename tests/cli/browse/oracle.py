# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps of a debugger by brute force over a list of all instructions of a thread.

usage: oracle.py TRACE STEPS

Presses keys in `waymark browse` from many positions, and compares where it is then with what
the list says. Depth rises after a call and falls after a return; what is not a call or a
return leaves it. Nothing here is as browse/ does it: no blocks, no memory of what was seen.
"""
import csv, io, os, random, subprocess, sys

WAYMARK = os.environ["WAYMARK"]
trace, steps = sys.argv[1], int(sys.argv[2])


def out(*words):
    return subprocess.run([WAYMARK, *words], check=True, text=True, stdout=subprocess.PIPE).stdout


rows = list(csv.DictReader(io.StringIO(out(
    "sql", "--format", "csv", trace,
    "SELECT address, class, function, offset, source, line FROM insns WHERE thread = 0"))))
change = [{"call": 1, "indirect call": 1, "call indirect": 1, "return": -1}.get(row["class"], 0)
          for row in rows]
lines = [(row["source"], row["line"]) if row["line"] else None for row in rows]
assert 1 in change and -1 in change, set(row["class"] for row in rows)


def insn(at, back, depth):
    """(position, depth) one instruction on."""
    to = at + (-1 if back else 1)
    if not 0 <= to < len(rows):
        raise IndexError
    return to, depth + (-change[to] if back else change[at])


def until(at, back, most):
    depth = 0
    while True:
        at, depth = insn(at, back, depth)
        if depth <= most:
            return at, depth


def over(at, back):
    return until(at, back, 0)


def rewind(at, step):
    while True:
        try:
            to, depth = step(at, True)
        except IndexError:
            return at
        if depth or lines[to] != lines[at]:
            return at
        at = to


def line(at, back, step, leaves):
    start = lines[at]
    depth = 0
    while True:
        at, change_of = step(at, back)
        depth += change_of
        if lines[at] and (lines[at] != start or leaves and depth < 0):
            return rewind(at, step) if back else at


def one(at, back):
    return insn(at, back, 0)


def found(at, back, wanted):
    while True:
        at += -1 if back else 1
        if not 0 <= at < len(rows):
            raise IndexError
        if wanted(at):
            return at


def expect(at, key):
    back = key.isupper()
    try:
        return {"i": lambda: one(at, back)[0], "o": lambda: over(at, back)[0],
                "f": lambda: until(at, back, -1)[0], "s": lambda: line(at, back, one, False),
                "n": lambda: line(at, back, over, True)}[key.lower()]()
    except IndexError:
        return None


def positions(keys):
    """Where browse is after each key; None: it could not."""
    for text in out("browse", "--keys", keys, trace).splitlines():
        yield int(text.split(" of ")[0].replace(",", "")) if " of 0" not in text and " of " in text \
            and text[0].isdigit() else None


random.seed(7)
known = [at for at in range(len(rows)) if lines[at]]
starts = [random.choice(known if known and i % 2 else range(len(rows))) for i in range(steps)]
asked = [(at, key) for at in starts for key in "iIoOfFsSnN"]
keys = " ".join(f"g{at}; {key}" for at, key in asked)
got = list(positions(keys))[1:]
assert len(got) == 2 * len(asked), (len(got), len(asked))
wrong = []
for i, (at, key) in enumerate(asked):
    wanted = expect(at, key)
    if got[2 * i] != at or got[2 * i + 1] != wanted:
        wrong.append(f"{key} from {at}: {got[2 * i + 1]}, not {wanted}")
print("ok" if not wrong else "not ok", f"{len(asked)} steps of {trace} are those of the list")
for text in wrong[:9]:
    print("#", text)

# To the next and previous execution of an address, of a function.
wrong = []
for at in starts[:20]:
    other = random.choice(rows)
    address = int(other["address"], 0)
    begins = [r["function"] == other["function"] and int(r["offset"] or 1) == 0 for r in rows]
    for back, key in ((False, "g"), (True, "G")):
        for words, wanted in ((f"{address:#x}", lambda i: int(rows[i]["address"], 0) == address),
                              (other["function"], lambda i: begins[i])):
            if "[" in words or "@" in words:
                continue
            try:
                to = found(at, back, wanted)
            except IndexError:
                to = None
            now = list(positions(f"g{at}; {key}{words};"))[-1]
            if now != to:
                wrong.append(f"{key} {words} from {at}: {now}, not {to}")
print("ok" if not wrong else "not ok", "to the next and the previous execution")
for text in wrong[:9]:
    print("#", text)
sys.exit(0)
