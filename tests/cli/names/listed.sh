#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder finds the lists of generated code by itself: jitdumps, and maps for perf.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o listed "$SRC/tests/cli/names/listed.c"
"$WAYMARK" record -o run.wmk ./listed
pids=$("$WAYMARK" info --format json run.wmk | sed -n 's/.*"pid": \([0-9]*\).*/\1/p' | tail -n 1)
rm -f "/tmp/perf-$pids.map"

# hot_of TRACE OPTION...: what is in no file of the disk
hot_of() {
	"$WAYMARK" hot --format csv "$@" | tr -d '\r"' | sed -n 's/,\[jit\]$//p' | sort
}

# Two instructions a round, and the return: 100 rounds each. The first and the second lay at
# one place, and have one block in common, the return: it is the first's.
hot_of -f function,insns,module run.wmk >got
printf '%s\n' "first,202" "of the child,201" "second /a/b.js:12:3,200" "third,201" >wanted
same "names of what was there when it ran" wanted got

hot_of --by line -f source,line,insns,module run.wmk | grep / >got
printf '%s\n' "/a/b.js,b.js:12,200" "/a/lines.js,lines.js:7,200" "/a/lines.js,lines.js:9,1" \
	>wanted
same "lines: those of the list, else that in the name" wanted got

"$WAYMARK" calls --format csv -f function,calls run.wmk | tr -d '\r"' |
	grep -E '^(first|second|third|of the child)' | sort >got
printf '%s\n' "first,1" "of the child,1" "second /a/b.js:12:3,1" "third,1" >wanted
same "calls" wanted got
"$WAYMARK" hot --by method --format csv -f method,source,insns,self,executions,compiled \
	run.wmk | tr -d '\r"' >got
check "methods: what has a place" grep -qx "second,b.js:12,201,200,1,201" got
check "methods: the only one" [ "$(cut -d, -f5 got | grep -c '[0-9]')" -eq 1 ]
check "methods: all else by native function" [ "$(grep -c '^main,listed,' got)" -eq 1 ]
check "methods: nothing is missing" [ "$(awk -F, 'NR > 1 { n += $3 } END { print n }' got)" -eq \
	"$("$WAYMARK" info --format json run.wmk | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["instructions"])')" ]
"$WAYMARK" hot --by method --format csv -f method --function 'sec*' run.wmk | tr -d '\r' >got
printf '%s\n' method second >wanted
same "methods of a name" wanted got
"$WAYMARK" annotate second run.wmk >got 2>&1 || "$WAYMARK" annotate 'second*' run.wmk >got
check "annotate" grep -qF -- "-4" got
check "nothing is said to be missing" test ! -s "$(
	"$WAYMARK" hot run.wmk 2>err >out
	echo err
)"
"$WAYMARK" info run.wmk >got
check "info: how many, and that a block is of two" grep -qE \
	"^generated +4 pieces of code .*; 1 blocks? (is|are) of several" got
check "info: in JSON" sh -c \
	'"$WAYMARK" info --format json run.wmk | tr -d " \n" | grep -q "\"generated\":4,\"shared_blocks\":\"1\""'
check "verify" "$WAYMARK" verify -q run.wmk

"$WAYMARK" record -q --no-pack -o bare.wmk ./listed
pids=$("$WAYMARK" info --format json bare.wmk | sed -n 's/.*"pid": \([0-9]*\).*/\1/p' | tail -n 1)
rm -f "/tmp/perf-$pids.map"
hot_of -f function,insns,module bare.wmk >got
check "--no-pack: none are looked for" test ! -s got
finish
