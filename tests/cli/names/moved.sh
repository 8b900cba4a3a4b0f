#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is known of the code that ran is in the trace: names, lines and inlined calls are the
# same when the program was moved, was rebuilt, or is not there.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

build() {
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wl,--build-id=sha1 "$@"
}
cp "$SRC/tests/cli/names/inlined.c" .
build -o program inlined.c

# answers TRACE: what names, lines and inlined calls make of it.
answers() {
	"$WAYMARK" hot --format csv -f insns,executions,function,symbol,start "$1"
	"$WAYMARK" hot --by line --format csv -f insns,line,function,source "$1"
	"$WAYMARK" calls --format csv "$1"
	"$WAYMARK" insns "$1" | sed 1000q
	"$WAYMARK" annotate --format csv work "$1"
	# Each line as a place; those that were not reached are refused either way.
	n=0
	while [ $((n += 1)) -le "$(wc -l <inlined.c)" ]; do
		echo "line $n: $("$WAYMARK" insns --from "./inlined.c:$n" -n 1 "$1" 2>refusal)"
	done
}

"$WAYMARK" record -o run.wmk ./program 7 >out
"$WAYMARK" record --no-pack -o bare.wmk ./program 7 >out
answers run.wmk >there 2>remarks
check "no remark while the file is there" [ ! -s remarks ]
check "names, lines and an inlined function" \
	sh -c 'grep -q ",work," there && grep -q "inlined.c:" there && grep -q square there'
check "places by lines" test "$(grep -c '^line [0-9]*: .*0x' there)" -ge 5
mv program moved
answers run.wmk >gone 2>remarks
same "the same when it was moved" there gone
check "without a remark" [ ! -s remarks ]
build -O0 -DOTHER -o program inlined.c
answers run.wmk >rebuilt 2>remarks
same "the same when another is in its place" there rebuilt
check "without a remark" [ ! -s remarks ]
"$WAYMARK" hot bare.wmk 2>remarks >stdout
check "--no-pack: its names are not known" \
	sh -c '! grep -q work stdout && grep -q "was changed since" remarks'

# Each line that the reference decoder reads, beside addr2line and its chain of inlined calls.
"$PYTHON" "$SRC/docs/decoder.py" --names run.wmk >decoded
check "lines and inlined calls are those of addr2line" \
	"$PYTHON" "$SRC/tests/cli/names/packed_lines.py" decoded moved "${CROSS_ADDR2LINE:-riscv64-linux-gnu-addr2line}"

sizes=$(stat -c %s bare.wmk run.wmk | tr '\n' ' ')
check "it takes at most 8 kB, or 2 % of the file" \
	sh -c 'set -- '"$sizes"'; test $(($2 - $1)) -gt 100 && test $(($2 - $1)) -lt $((8192 + $1 / 50))'
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'
finish
