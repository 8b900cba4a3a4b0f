#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions, source lines and inlined frames of every address that ran, as the library has
# them, against what binutils' addr2line and the commands say of the same ones.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/library/common
. "$(dirname "$0")/common"

here=$SRC/tests/cli/library
check "the helper builds" build names "$here/names.c" -pthread -D_GNU_SOURCE
riscv64-linux-gnu-gcc -O2 -g -static -o inlined "$here/inlined.c"
"$WAYMARK" record --no-pack -o run.wmk ./inlined >/dev/null

run ./names run.wmk
check "names" test "$status" -eq 0
mv stdout names.out
run ./names run.wmk 8
same "8 threads ask at once" names.out stdout

# ---- addr2line: a static program's addresses are those of its file -----------
cut -f1 names.out >addresses
riscv64-linux-gnu-addr2line -e inlined -f -i -a <addresses >addr2line.out
"$PYTHON" - <<'END'
import re

def theirs():
    """{address: [(function, source, line), ...]}"""
    all, frames, lines = {}, None, open("addr2line.out").read().split("\n")
    at = 0
    while at < len(lines) and lines[at]:
        if lines[at].startswith("0x"):
            frames = all.setdefault(int(lines[at], 16), [])
            frames.clear()
            at += 1
        else:
            path, _, line = lines[at + 1].partition(" (discriminator")[0].rpartition(":")
            frames.append((lines[at], path, int(line) if line.isdigit() else 0))
            at += 2
    return all

mine = {}
for row in open("names.out"):
    address, name, offset, module, *frames = row.rstrip("\n").split("\t")
    mine[int(address, 16)] = [re.match(r"(.*)@(.*):(\d+)$", f).groups() for f in frames]
wanted = theirs()
lines = depth = 0
wrong = []
for address, frames in mine.items():
    other = wanted[address]
    known = other[0][2] > 0
    got = [(path, int(line)) for _, path, line in frames]
    # Without a line binutils gives the object file's name, or none.
    if known and got != [(path, line) for _, path, line in other]:
        wrong.append((hex(address), frames, other))
    if known and [f for f, _, _ in frames[:-1]] != [f for f, _, _ in other[:-1]]:
        wrong.append((hex(address), frames, other))
    lines += known
    depth = max(depth, len(frames))
print("ok" if not wrong else "not ok", "lines and frames: as addr2line -f -i")
for row in wrong[:9]:
    print("#", *row)
print("ok" if lines > 50 and depth >= 3 else "not ok", "there are some, and inlined ones")
own = [f[-1][0] for a, f in mine.items() if f[-1][1].endswith("inlined.c")]
their = [wanted[a][-1][0] for a, f in mine.items() if f[-1][1].endswith("inlined.c")]
print("ok" if own == their and own else "not ok", "and functions")
END

# ---- the commands ------------------------------------------------------------
"$WAYMARK" insns --format jsonl run.wmk | "$PYTHON" -c 'import json, sys
names = {}
for row in open("names.out"):
    address, name, offset, module, *_ = row.rstrip("\n").split("\t")
    names[address] = name, int(offset)
seen, wrong = set(), []
for line in sys.stdin:
    insn = json.loads(line)
    if "address" not in insn or insn["address"] in seen:
        continue
    seen.add(insn["address"])
    if names[insn["address"]] != (insn["symbol"], insn["offset"]):
        wrong.append((insn, names[insn["address"]]))
print("ok" if not wrong and len(seen) > 1000 else "not ok", "functions: as insns")
for row in wrong[:9]: print("#", *row)'
"$WAYMARK" hot --by line --format csv -f source,number run.wmk | sed -n 's/^\(.*\),\([0-9]*\)$/\1:\2/p' |
	grep ^/ | sort -u >hot.lines
cut -f5 names.out | sed 's/^[^@]*@//' | grep -v ':0$' | sort -u >our.lines
check "lines: none that hot has not" test -z "$(comm -13 our.lines hot.lines)"

# ---- files that changed, or are gone -----------------------------------------
mv inlined elsewhere
run ./names run.wmk
check "without the file there are no lines" sh -c '! grep -q "inlined.c" stdout'
check "and functions by its name" grep -q '\[inlined\]' stdout
finish
