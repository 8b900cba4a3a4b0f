#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --symbols: code that a program generated has the names of its map, as perf(1) reads them.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o generated "$SRC/tests/cli/names/generated.c"
"$WAYMARK" record -o run.wmk ./generated names.map
pid=$("$WAYMARK" info --format json run.wmk | sed -n 's/.*"pid": \([0-9]*\).*/\1/p' | head -n 1)
check "it ran, and wrote a map" test "$(wc -l <names.map)" -eq 3 -a -n "$pid"

# hot_of OPTION...: name and instructions of what is in no file
hot_of() {
	"$WAYMARK" hot --format csv -f function,insns,module run.wmk "$@" | tr -d '\r"' |
		awk -F, '$3 !~ /generated$/ && NR > 1 { print $1, $2, $3 }'
}

hot_of >got
printf '%s\n' "[anonymous] 2403 " >wanted
same "without a map it has no names" wanted got

# Counted by hand: two instructions a round, and the return. The later name counts.
hot_of --symbols names.map >got
printf '%s\n' "JS:*count (by one) 2001 names.map" "new::name 402 names.map" >wanted
same "hot: with its map it has" wanted got

cp names.map "perf-$pid.map"
hot_of --symbols "perf-$pid.map" | sed 's/ perf-[0-9]*/ names/' >got
same "the process of perf-PID.map" wanted got
hot_of --symbols "names.map:$pid" >got
same "the process that is given" wanted got
head -n 1 names.map >one.map
tail -n 1 names.map >other.map
hot_of --symbols one.map --symbols other.map | sed 's/ one.map/ names.map/; s/ other.map/ names.map/' >got
same "two maps" wanted got

"$WAYMARK" calls --symbols names.map --format csv -f function,calls run.wmk | tr -d '\r"' |
	grep -E '^(JS|new::|old)' >got
printf '%s\n' "JS:*count (by one),1" "new::name,2" >wanted
same "calls" wanted got

"$WAYMARK" annotate --symbols names.map 'JS:*' run.wmk >got
check "annotate: the function's instructions, with counts" \
	sh -c 'grep -qE "1,?000 .*addi" got && grep -q "JS:\*count (by one)" got'
"$WAYMARK" insns --symbols names.map run.wmk | grep -F 'new::name' >got
check "insns: each line has its name" test "$(wc -l <got)" -eq 402
"$WAYMARK" blocks --symbols names.map run.wmk | grep -cF 'JS:*count (by one)' >got
check "blocks: each line has its name" test "$(cat got)" -ge 999

# Of B nothing is compared but its first instructions: all functions differ.
"$WAYMARK" diff run.wmk run.wmk --symbols names.map --by function --to 1G:9 --format csv >got || true
check "diff: names in both runs" grep -qF "JS:*count (by one)" got
"$WAYMARK" diff run.wmk run.wmk --symbols "names.map:$pid" --by function --to 9:1G --format csv >got || true
check "diff: of the process that is said" grep -qF 'new::name' got

# ---- what is refused ---------------------------------------------------------

refused "no file" '*absent.map*cannot be read*' "$WAYMARK" hot --symbols absent.map run.wmk
refused "no map" '*generated*START SIZE name*' "$WAYMARK" hot --symbols generated run.wmk
refused "diff: no such process" '*no process 1 in*' \
	"$WAYMARK" diff --symbols names.map:1 run.wmk run.wmk
refused "no such process" '*no process 1 in*' "$WAYMARK" hot --symbols names.map:1 run.wmk
finish
