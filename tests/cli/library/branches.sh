#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which way each branch went, as the library has it, against the next instruction that ran:
# on all guest ISAs, with signals, faults and gaps, one after the other and by a walk.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/library/common
. "$(dirname "$0")/common"

check "the helper builds" build branches "$SRC/tests/cli/library/branches.c" \
	-D_POSIX_C_SOURCE=200809L

cat >compare.py <<'END'
import json, subprocess, sys
trace = sys.argv[1]
NEXT, BRANCH, JUMP, CALL, CALL_INDIRECT, RETURN, JUMP_INDIRECT = range(7)

def fail(*why):
    print(*why)
    sys.exit(1)

branches = {}
for line in open("branches.out"):
    if line.startswith("thread"):
        mine = branches.setdefault(int(line.split()[1]), {})
        continue
    ordinal, address, flow, taken, target, *_ = (int(x, 0) for x in line.split())
    if ordinal in mine:
        fail("twice:", line)
    mine[ordinal] = address, flow, taken, target

total = kinds = 0
for thread, mine in branches.items():
    text = subprocess.run([sys.argv[2], "insns", "--events", "--format", "jsonl", "--thread", str(thread), trace],
                          capture_output=True, text=True).stdout
    last, broken, seen = None, None, 0
    for line in text.splitlines():
        row = json.loads(line)
        if "address" not in row or "code" not in row:
            if row.get("event") == "signal":
                broken = int(row["pc"], 0)
            elif row.get("gap") or row.get("event") in ("window", "gap"):
                last = None
            continue
        address, ordinal = int(row["address"], 0), row["ordinal"]
        size = len(row["code"]) // 2
        if last:
            at, was, behind, calls = last
            to = broken if broken is not None else address
            branch = mine.get(at)
            if branch:
                seen += 1
                if branch[0] != was or branch[3] != to:
                    fail("thread", thread, "insn", at, branch, "went to", hex(to))
                if branch[2] != (branch[1] != BRANCH or to != behind):
                    fail("thread", thread, "insn", at, branch, "behind is", hex(behind))
            elif to != behind and to != was and broken is None and not calls:
                fail("thread", thread, "insn", at, hex(was), "went to", hex(to), "and is not listed")
        calls = row["disassembly"].split()[:1] in (["ecall"], ["svc"], ["syscall"], ["int"])
        last, broken = (ordinal, address, address + size, calls), None
    if seen != len(mine):
        fail("thread", thread, len(mine), "branches,", seen, "of them ran")
    total += seen
    kinds |= sum({1 << b[1] for b in mine.values()})
if total < int(sys.argv[3]) or kinds & 1 or bin(kinds).count("1") < 4:
    fail(total, "branches of kinds", bin(kinds))
END

# outcomes NAME LEAST: run.wmk
outcomes() {
	run ./branches run.wmk
	check "$1: listed" test "$status" -eq 0
	mv stdout branches.out
	check "$1: as what ran next" "$PYTHON" compare.py run.wmk "$WAYMARK" "$2"
	for threads in 1 3; do
		run ./branches run.wmk $threads
		same "$1: by a walk on $threads threads" branches.out stdout
	done
}

for guest in signal.O3 fault.O3 jit.O3 threads/names.O3; do
	[ -x "$GUESTS/$guest" ] || continue
	"$WAYMARK" record -o run.wmk "$GUESTS/$guest" >/dev/null 2>&1 || true
	outcomes "$guest" 500
done

"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" aarch64 arm x86_64 i386
for guest in aarch64/fault.O2 aarch64/signal.O2 arm/signal.mix arm/fault.mix \
	x86_64/fault.O3 x86_64/signal.O3 i386/signal.O2; do
	"$WAYMARK" record -o run.wmk --qemu "qemu-${guest%%/*}" "$GUESTS/$guest" >/dev/null 2>&1 || true
	outcomes "$guest" 500
done

# ---- gaps, blocks that were left early, many threads: a trace made by hand ----
"$BUILD/tests/unit/make_trace" run.wmk
run ./branches run.wmk
mv stdout branches.out
run ./branches run.wmk 2
same "a trace made by hand: by a walk" branches.out stdout
finish
