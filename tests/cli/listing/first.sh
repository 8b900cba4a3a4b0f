#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Of several threads the first with instructions is listed when none is named, and a remark says so, wherever
# the listing goes; a choice that leaves one thread needs no remark.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o threads \
	"$SRC/tests/cli/record/threads.c"
"$WAYMARK" record --no-follow -o run.wmk -- ./threads >/dev/null
threads=$("$WAYMARK" info --format json run.wmk |
	"$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["threads"]))')
check "there are several threads" test "$threads" -gt 1

# remark NAME SENTENCE WORD...: the command writes one line to stderr.
remark() {
	what=$1 sentence=$2
	shift 2
	run "$WAYMARK" "$@"
	check "$what" test "$status" -eq 0 -a -s stdout
	check "$what: a remark" test "$(cat stderr)" = "$sentence"
}

first="waymark: of $threads threads only thread 0 is listed; --thread chooses another"
remark "instructions" "$first, --interleave shows all" insns run.wmk -n 1
remark "blocks" "$first, --interleave shows all" blocks run.wmk -n 1
remark "a format that cannot mix threads" "$first" insns --format qemu run.wmk -n 1
remark "a format that writes by itself" "$first" blocks --format ctf run.wmk -n 1
remark "all threads" "waymark: the order of the threads is approximate; each thread's own is exact" \
	insns --interleave run.wmk -n 1
remark "a thread that is named" "" insns --thread 1 run.wmk -n 1
remark "quiet" "" insns -q run.wmk -n 1

# Of the first thread nothing is recorded.
"$WAYMARK" record -q --no-follow --only work -o only.wmk -- ./threads >/dev/null
remark "the first of which something was recorded" \
	"waymark: of $threads threads only thread 1 is listed; --thread chooses another, --interleave shows all" \
	insns only.wmk -n 1
"$WAYMARK" record -q --no-follow --mem --only work -o mem.wmk -- ./threads >/dev/null
remark "of accesses of memory, too" \
	"waymark: of $threads threads only thread 1 is listed; --thread chooses another" \
	mem --format lackey mem.wmk -n 1

finish
