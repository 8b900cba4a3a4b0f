#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# hot: inlined functions are functions, as addr2line has them; a stripped file is divided
# where its unwind tables begin a function, as readelf has them, or nm had one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wl,--build-id=sha1 -o program \
	"$SRC/tests/cli/names/inlined.c"
"$WAYMARK" record -o run.wmk ./program 7 >out

"$WAYMARK" insns --format jsonl run.wmk >insns
"$WAYMARK" hot --format csv -f function,insns run.wmk | tr -d '\r"' >hot
check "instructions of inlined functions are those of addr2line" \
	"$PYTHON" "$SRC/tests/cli/names/inlined_facts.py" insns hot program \
	"${CROSS_ADDR2LINE:-riscv64-linux-gnu-addr2line}" innermost
"$WAYMARK" hot --no-inline --format csv -f function,insns run.wmk | tr -d '\r"' >hot.no
check "--no-inline: those of the function around them" \
	"$PYTHON" "$SRC/tests/cli/names/inlined_facts.py" insns hot.no program \
	"${CROSS_ADDR2LINE:-riscv64-linux-gnu-addr2line}" outermost
sum() { awk -F, '{ n += $2 } END { print n }' "$1"; }
check "both add up to all" [ "$(sum hot)" -eq "$(sum hot.no)" ]
"$WAYMARK" hot --format csv -f insns,executions,function --function other run.wmk | tr -d '\r' >got
check "a function that is called keeps its executions" grep -q ',1,other$' got
# executions OPTION...: of each function with code of its own.
executions() {
	"$WAYMARK" hot --format csv -f function,executions "$@" run.wmk | tr -d '\r"' | sort
}
executions --no-inline >of_symbols
executions | grep -v ',$' >own
join -t , of_symbols own >both
check "its first instruction counts, also when it is of an inlined function" \
	[ "$(grep -c . both)" -gt 20 -a -z "$(awk -F, '$2 != $3' both)" ]
mv program moved
"$WAYMARK" hot --format csv -f function,insns run.wmk | tr -d '\r"' >gone
same "the same from what the trace has" hot gone

riscv64-linux-gnu-strip -o stripped moved
"$WAYMARK" record --no-pack -o stripped.wmk ./stripped 7 >out
"$WAYMARK" hot --format csv -f function,start,executions stripped.wmk | tr -d '\r"' >got
check "stripped: functions are called sub_ADDR" [ "$(grep -c "^sub_" got)" -gt 10 ]
readelf -wF stripped 2>/dev/null | sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\..*/sub_\1/p' |
	sort >fdes
"${CROSS_NM:-riscv64-linux-gnu-nm}" moved | sed -n 's/^0*\([0-9a-f]*\) [tTwWi] .*/sub_\1/p' |
	sort - fdes >functions
sed -n 's/^\(sub_[^,@]*\)[,@].*/\1/p' got | sort -u | comm -23 - functions >others
check "each is where readelf or nm has one" [ ! -s others ]
finish
