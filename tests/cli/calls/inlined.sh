#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions in tables, trees and profiles of calls: as stacks made with addr2line
# have them. --no-inline has none, and the sums are the same.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$SRC/tests/cli/calls
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wl,--build-id=sha1 -o program \
	"$here/inlined.c"
"$WAYMARK" record -q -o run.wmk ./program >out 2>&1

"$WAYMARK" insns --format jsonl run.wmk >run.insns
"$WAYMARK" calls --no-inline --tree --format csv run.wmk | tr -d '\r' >run.tree
"$WAYMARK" calls --format csv run.wmk | tr -d '\r' >run.calls
"$WAYMARK" calls --graph --format csv run.wmk | tr -d '\r' >run.graph
"$WAYMARK" export folded run.wmk >run.folded
check "tables and stacks are those of addr2line" "$PYTHON" "$here/inlined.py" run program \
	"${CROSS_ADDR2LINE:-riscv64-linux-gnu-addr2line}"
check "the same with the file gone" sh -c 'mv program moved
	"$WAYMARK" export folded run.wmk | cmp - run.folded'

"$WAYMARK" calls --no-inline --format csv run.wmk | tr -d '\r' >no
check "--no-inline: none of them" sh -c '! grep -E "^(halve|note_twice|deeper)," no'
sum() { awk -F, 'NR > 1 { n += $2 } END { print n }' "$1"; }
check "own instructions add up alike" [ "$(sum run.calls)" = "$(sum no)" ]
check "calls are those of the functions' own code" sh -c '
	cut -d, -f1,6,7 no | sort >calls.no
	cut -d, -f1,6,7 run.calls | sort | grep -Fxf calls.no | cmp - calls.no'
check "what is inlined only has none" grep -q "^halve,[0-9]*,[^,]*,[1-9][0-9]*,[^,]*,0,0,,,$" \
	run.calls
check "in a tree they say so" sh -c '"$WAYMARK" calls --tree run.wmk -F descend |
	grep -q "halve() {  /\* inlined \*/"'
check "and take -N" sh -c '! "$WAYMARK" calls --tree run.wmk -F descend -N halve |
	grep -q note_twice'
# A block that goes on behind the end may enter and leave inlined code there.
ends_at() {
	"$WAYMARK" calls --tree --format csv --to "$1" run.wmk | awk -F, -v to="$1" '
		NR > 1 && ($3 > to || ($3 == to && $2 == "entry")) { late = 1 }
		END { exit late }'
}
end_in_blocks() {
	for to in $(seq "$1" $(($1 + 40))); do
		ends_at "$to" || return 1
	done
}
check "a tree ends where --to says, also inside a block" end_in_blocks \
	"$(awk -F, '$2 == "entry" && $6 == "descend" { print $3; exit }' run.tree)"
"$WAYMARK" export callgrind --no-inline run.wmk >cg.no
"$WAYMARK" export callgrind run.wmk >cg
check "callgrind: the sums are the same" sh -c '
	for f in cg cg.no; do grep "^summary:" $f; done | uniq | wc -l | grep -qx 1'
check "callgrind_annotate: self costs are those of the table" sh -c '
	callgrind_annotate --threshold=100 cg 2>&1 | tr -d , |
		sed -n "s/^ *\([0-9]*\) .*:note_twice .*/\1/p" | head -1 >got
	sed -n "s/^note_twice,\([0-9]*\),.*/\1/p" run.calls | cmp - got'
check "callgrind: the line of an inlined call" sh -c '
	line=$(grep -n "unsigned all = deeper(depth)" "$1" | cut -d: -f1)
	grep -A3 "cfn=.*deeper" cg | grep -q "^0x[0-9a-f]* $line "' sh "$here/inlined.c"
finish
