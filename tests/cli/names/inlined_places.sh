#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Filters, windows, positions and listings of functions that were inlined: the code is what addr2line
# has, and the entries are what readelf has.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wl,--build-id=sha1 -o program \
	"$SRC/tests/cli/names/inlined.c"
addr2line=${CROSS_ADDR2LINE:-riscv64-linux-gnu-addr2line}
list() { "$WAYMARK" insns --format jsonl "$@"; }
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/names/inlined_places.py" program "$@"
}

"$WAYMARK" record -o run.wmk ./program 20 >out
list run.wmk >whole
for function in square sum; do
	"$WAYMARK" record -o only.wmk --only $function ./program 20 >out
	"$WAYMARK" record -o except.wmk --except $function ./program 20 >out
	list only.wmk >only
	list except.wmk >except
	facts "record --only and --except $function" $function whole code "$addr2line" only except
done
"$WAYMARK" record -o part.wmk --only 'squar?' ./program 20 >out
list part.wmk >part
"$WAYMARK" record -o only.wmk --only program:square ./program 20 >out
list only.wmk >only
same "a pattern, and a function of a file" part only

"$WAYMARK" record -o part.wmk --window square@3..square@9 ./program 20 >out
list part.wmk >part
facts "a window of entries of an inlined function" square whole window 3 9 part
list --from square@3 --to square@9 run.wmk >part
facts "a part from entry to entry" square whole window 3 9 part
for function in square sum work; do
	"$WAYMARK" annotate --format csv -f executions,address,inlined $function run.wmk >table
	facts "annotate $function" $function whole annotate "$addr2line" table
	mv program gone
	"$WAYMARK" annotate --format csv -f executions,address,inlined $function run.wmk |
		grep -v '^0,' >without
	mv gone program
	grep -v '^0,' table >with
	same "the same without the file: $function" with without
done

# Calls whose code is in pieces, so that where they begin is not where that begins.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -o pieces "$SRC/tests/cli/calls/inlined.c"
"$WAYMARK" record -o pieces.wmk ./pieces
list pieces.wmk >ran
for function in note_twice halve twice; do
	"$WAYMARK" record -o part.wmk --window $function@2..$function@5 ./pieces
	list part.wmk >part
	check "entries of $function are those of readelf" "$PYTHON" \
		"$SRC/tests/cli/names/inlined_places.py" pieces $function ran window 2 5 part
	list --from $function@2 --to $function@5 pieces.wmk >read
	check "and for readers: $function" "$PYTHON" \
		"$SRC/tests/cli/names/inlined_places.py" pieces $function ran window 2 5 read
done

"$WAYMARK" annotate --format csv -f executions,address,inlined twice pieces.wmk 2>told >table
check "annotate has own code and inlined code" "$PYTHON" \
	"$SRC/tests/cli/names/inlined_places.py" pieces twice ran annotate "$addr2line" table
check "and says so" grep -q '^waymark: twice is also inlined, into ' told
"$WAYMARK" annotate --no-inline --format csv -f executions,address,inlined twice pieces.wmk \
	2>told >own
check "--no-inline leaves out the copies" [ "$(grep -c twice own)" -eq 0 ]
check "and is silent" [ ! -s told ]
check "of which there are some" [ "$(grep -c twice table)" -gt 0 ]
refused "--no-inline of a function that is only inlined" \
	'*no function "sum" ran by itself: it is inlined into work *' \
	"$WAYMARK" annotate --no-inline sum run.wmk

for option in --only --except --start --stop; do
	refused "--no-inline $option of a function that is only inlined" \
		'"sum" has no code of its own: it is inlined into work *; leave out --no-inline *' \
		"$WAYMARK" record -o none.wmk --no-inline $option sum ./program
done
"$WAYMARK" record -o part.wmk --no-inline --only work ./program 20 >out
"$WAYMARK" record -o only.wmk --only work ./program 20 >out
list part.wmk >part
list only.wmk >only
same "--no-inline of one that is not inlined" part only
check "info says so" sh -c '"$WAYMARK" info part.wmk | grep -q -e "--only work --no-inline"'
finish
