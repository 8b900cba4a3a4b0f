#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --from and --to take the places of `record`'s windows, and find what is at the same place
# in the whole listing.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -g -static -o places \
	"$SRC/tests/cli/listing/places.c"
"$WAYMARK" record -o run.wmk ./places 500 >/dev/null
"$WAYMARK" insns run.wmk --no-events >all

# the NTH ordinal of an instruction at PATTERN in the whole listing
nth() { awk -v pattern="$2" -v n="$1" '$0 ~ pattern && !--n { print $1; exit }' all; }
# is_at PLACE ORDINAL
is_at() {
	check "$1" test "$("$WAYMARK" insns run.wmk --no-events --from "$1" -n 1 |
		awk '{ print $1 }')" = "$2"
}

is_at main "$(nth 1 ' main ')"
is_at work "$(nth 1 ' work ')"
is_at work@77 "$(nth 77 ' work ')"
is_at places:work@500 "$(nth 500 ' work ')"
is_at work+4 "$(nth 1 ' work.0x4 ')"
address=$(awk '$3 == "work" { print $2; exit }' all)
is_at "$address" "$(nth 1 ' work ')"
is_at "$address@12" "$(nth 12 ' work ')"
line=$(grep -n 'sum += number' "$SRC/tests/cli/listing/places.c" | cut -d: -f1)
is_at "places.c:$line@3" "$(nth 3 ' work ')"
is_at insn:1234 1234
check "ends before the place" test "$("$WAYMARK" insns run.wmk --no-events --to work@7 |
	tail -n 1 | awk '{ print $1 + 1 }')" = "$(nth 7 ' work ')"
check "between two calls" test "$("$WAYMARK" insns run.wmk --from work@7 --to work |
	grep -c ' work ')" -eq 1

# ---- system calls and times --------------------------------------------------

call=$("$WAYMARK" events run.wmk --only write | awk '/write/ && ++n == 3 { print $2 }')
is_at syscall:write@3 "$call"
is_at syscall:64@3 "$call"
check "a part ends with a system call" test "$("$WAYMARK" insns run.wmk --no-events \
	--to syscall:write@3 | wc -l)" -eq "$call"
is_at time:0 0
total=$(wc -l <all)
for part in 1 2 3; do
	time=$("$WAYMARK" info run.wmk --format json | "$PYTHON" -c '
import json, sys
print("%.9f" % (json.load(sys.stdin)["seconds"] * int(sys.argv[1]) / 4))' $part)
	before=$("$WAYMARK" insns run.wmk --no-events --to time:$time | wc -l)
	behind=$("$WAYMARK" insns run.wmk --no-events --from time:$time | wc -l)
	check "a time divides a run: $part" test $((before + behind)) -eq "$total"
done

# ---- blocks, events, tables --------------------------------------------------

"$WAYMARK" blocks run.wmk --no-events >blocks
check "blocks" test "$("$WAYMARK" blocks run.wmk --no-events --from work@9 -n 1)" = \
	"$(awk '/ work/ && ++n == 9' blocks)"
check "blocks up to a place" test "$("$WAYMARK" blocks run.wmk --no-events --to work@9 | wc -l)" \
	-eq "$(awk '/ work/ && ++n == 9 { print $1 }' blocks)"
check "events" test "$("$WAYMARK" events run.wmk --from work@101 --to work@301 --only write |
	grep -c 'write(')" -eq 2
check "a table" test "$("$WAYMARK" hot run.wmk --from work@101 --to work@201 --function work \
	--format csv -f executions | tail -n 1)" -eq 100
check "calls" test "$("$WAYMARK" calls run.wmk --from main --to syscall:write --function work \
	--format csv -f calls | tail -n 1)" -eq 100

# ---- parts that are passed without being decoded -----------------------------

"$WAYMARK" record -o long.wmk ./places 5000000 >/dev/null
check "the run has several chunks" test "$("$WAYMARK" info long.wmk --format json |
	"$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["chunks"])')" -ge 2
ordinal() { "$WAYMARK" insns long.wmk --from "$1" -n 1 | awk '{ print $1 }'; }
first=$(ordinal work)
step=$(($(ordinal work@2) - first))
for n in 1000000 3999999 5000000; do
	check "call $n" test "$(ordinal work@$n)" -eq $((first + (n - 1) * step))
done
check "the end comes after the beginning" test "$("$WAYMARK" insns long.wmk --from work@4000000 \
	--to work -n 1000 | wc -l)" -eq "$step"

# ---- source lines ------------------------------------------------------------

riscv64-linux-gnu-addr2line -e places "$(echo "$address")" >line
check "--lines: text" sh -c '"$WAYMARK" insns run.wmk --from work -n 1 --lines |
	grep -q "  $(sed "s,.*/,," line | cut -d" " -f1)\$"'
check "--lines: jsonl" sh -c '"$WAYMARK" insns run.wmk --from work -n 1 --lines --format jsonl |
	grep -q "\"source\":\"$(cut -d: -f1 line)\",\"line\":$(cut -d: -f2 line | cut -d" " -f1),"'
misused "--lines in csv" '--lines goes with the formats text and jsonl, not csv' \
	"$WAYMARK" insns run.wmk --lines --format csv
mkdir moved
mv places moved/places
run "$WAYMARK" diff run.wmk run.wmk --symfs moved --from work@3
check "diff --symfs" [ "$status" -eq 0 ]
mv moved/places places

# ---- refused -----------------------------------------------------------------

refused "a mistyped symbol" '*no file of the run has a symbol "wrok"; did you mean "work"?' \
	"$WAYMARK" insns run.wmk --from wrok
refused "too often" '*--from work@501 is not reached: the thread comes there 500 times' \
	"$WAYMARK" hot run.wmk --from work@501
refused "an end that does not come" '*--to main is not reached after --from' \
	"$WAYMARK" hot run.wmk --from work --to main
refused "after the end" '*--from time:1000 is not reached: the thread ends before it' \
	"$WAYMARK" hot run.wmk --from time:1000
refused "no such call" '*there is no system call "wriet" on riscv64; did you mean "write"?' \
	"$WAYMARK" hot run.wmk --from syscall:wriet
misused "a number of more than 64 bits" '*is no place in a run: the number is too large*' \
	"$WAYMARK" hot run.wmk --from 99999999999999999999
misused "no place" '*--from: "12x" is no place in a run: *' "$WAYMARK" hot run.wmk --from 12x

# ---- functions that are mistyped ---------------------------------------------

refused "annotate" '*no function "wrok" ran; did you mean "work"?' "$WAYMARK" annotate wrok run.wmk
run "$WAYMARK" hot run.wmk --function mian
check "a table says so" grep -q 'no function "mian" ran; did you mean "main"?' stderr
run "$WAYMARK" calls run.wmk --tree -F wrok
check "and a tree" grep -q 'no function "wrok" ran; did you mean "work"?' stderr
run "$WAYMARK" hot run.wmk --function 'w[x]rk*'
check "a pattern is not corrected" grep -q 'no function "w.x.rk." ran$' stderr
run "$WAYMARK" hot run.wmk --function work
check "what ran is not mistyped" [ ! -s stderr ]

# A function that ran, and has nothing that the table is of, is not said not to have run.
lacks() {
	lacking=$1 words=$2
	shift 2
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" $words run.wmk --function "$lacking"
	check "$words: what $lacking lacks" grep -qx "waymark: no function \"$lacking\" $*" stderr
}
lacks work "hot -b loop" "ran a loop with a single entry"
lacks work "cfg --loops" "ran a loop"
lacks work "cover -b branch" "has a conditional branch"
lacks _exit "cover -b line" "has a known source line"
lacks _exit "cover -b source" "has a known source line"
lacks _exit "bpred" "executed a branch"
run "$WAYMARK" hot run.wmk -b loop --function mian
check "and one that is mistyped is still corrected" \
	grep -qx 'waymark: no function "mian" ran a loop with a single entry; did you mean "main"?' stderr
finish
