#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All threads of all processes in one listing: each thread's own lines are those it has
# alone, whole and in order; events are in the order of the clock; parts are parts.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o threads \
	"$SRC/tests/cli/record/threads.c"
"$WAYMARK" record -o run.wmk -- ./threads >/dev/null
export WAYMARK

cat >common.py <<'END'
import json, os, subprocess
def listing(command, *options, form="csv"):
    words = [os.environ["WAYMARK"], command, "run.wmk", "--format", form, *options]
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return out.stdout.decode().splitlines(keepends=True)
threads = json.loads(subprocess.run([os.environ["WAYMARK"], "info", "run.wmk", "--format", "json"],
                                    check=True, stdout=subprocess.PIPE).stdout)["threads"]
END
# facts NAME CODE
facts() { check "$1" "$PYTHON" -c "$(cat common.py)
$2"; }

facts "csv: each thread's own lines" '
assert len(threads) > 12 and len({t["process"] for t in threads}) == 4
header, *mixed = listing("blocks", "--interleave")
own = {str(t["index"]): [] for t in threads}
for line in mixed:
    thread, rest = line.split(",", 1)
    own[thread].append(rest)
assert header.startswith("thread,")
for thread, lines in own.items():
    assert lines == listing("blocks", "--thread", thread)[1:], thread'
facts "text: each thread's own lines, and comments" '
mixed = listing("insns", "--interleave", "--process", "1", form="text")
own = {t["index"]: [] for t in threads if t["process"] == 1}
switches = last = 0
for line in mixed:
    if line.startswith("#"): continue
    thread = int(line[:5])
    own[thread].append(line[5:])
    switches += thread != last
    last = thread
assert switches > len(own) > 1
for thread, lines in own.items():
    assert lines == listing("insns", "--thread", str(thread), "--no-events", form="text"), thread'
facts "json lines: each thread's own, with its events" '
own = {t["index"]: [] for t in threads}
clock = 0
for line in listing("blocks", "--interleave", "--events", form="jsonl"):
    row = json.loads(line)
    if "event" in row:
        assert row["ns"] >= clock, (row, clock)
        clock = row["ns"]
    own[row["thread"]].append(row)
for thread, rows in own.items():
    alone = listing("blocks", "--thread", str(thread), "--events", form="jsonl")
    assert [{"thread": thread, **json.loads(line)} for line in alone] == rows, thread'
facts "spike: by core" '
cores = {line[:9] for line in listing("insns", "--interleave", "--process", "0", form="spike")}
assert cores == {"core %3d:" % t["vcpu"] for t in threads if t["process"] == 0}, cores'
facts "--process has the threads of one" '
mine = {str(t["index"]) for t in threads if t["process"] == 2}
got = {line.split(",")[0] for line in listing("blocks", "--interleave", "--process", "2")[1:]}
assert got == mine and len(mine) > 1'
facts "parts are parts of the whole" '
whole = listing("blocks", "--interleave")[1:]
for thread in 0, len(threads) - 1:
    where = [i for i, line in enumerate(whole) if line.startswith(f"{thread},")]
    for first, last in (0, 5), (7, 300), (100, len(where) - 1):
        options = ["--interleave", "--thread", str(thread), "--from", str(first)]
        wanted = whole[where[first] if first else 0:]
        assert listing("blocks", *options)[1:] == wanted, (thread, first)
        assert listing("blocks", *options, "-n", "50")[1:] == wanted[:50]
        got = listing("blocks", *options, "--to", str(last))[1:]
        assert got == wanted[:len(got)]
        mine = [line for line in got if line.startswith(f"{thread},")]
        assert len(mine) == last - first, (thread, first, last)'

facts "parts of instructions" '
whole = listing("insns", "--interleave", "-n", "60000")[1:]
where = [i for i, line in enumerate(whole) if line.startswith("0,")]
for first in range(20000, 20008):
    options = ["--interleave", "--from", str(first)]
    got = listing("insns", *options, "-n", "100")[1:]
    assert got == whole[where[first]:where[first] + 100], first
    assert listing("insns", *options, "--to", str(first + 3))[1:] == got[:3], first'

run "$WAYMARK" insns run.wmk --interleave -n 1
check "standard error tells that it is approximate" grep -q 'approximate' stderr
check "so does the text" grep -q '^# .*approximate' stdout

# usage NAME PATTERN WORD...: exit status 2 and the sentence; argp adds a line of advice.
usage() {
	what=$1 pattern=$2
	shift 2
	run "$WAYMARK" "$@"
	check "$what" test "$status" -eq 2 -a ! -s stdout
	check "$what: says why" grep -qE "$pattern" stderr
}
usage "a format without threads" 'tells threads apart, and qemu does not' \
	insns run.wmk --interleave --format qemu
usage "a format without events" 'not csv' insns run.wmk --events --format csv
usage "an empty part" 'to is before --from' blocks run.wmk --from 5 --to 4
refused "beyond the end of the thread" '*there is no block*' \
	"$WAYMARK" blocks run.wmk --interleave --thread 1 --from 100000000
refused "a name of several" '*"threads" is threads 0, 1, *and * more; say which by number' \
	"$WAYMARK" blocks run.wmk --thread threads
refused "a name of none" '*there is no thread called "nobody"*' \
	"$WAYMARK" blocks run.wmk --thread nobody
refused "not of that process" '*thread 0 is not of process 1' \
	"$WAYMARK" blocks run.wmk --thread 0 --process 1
refused "no number and no pid" '*a process is a number*' "$WAYMARK" blocks run.wmk --process x
finish
