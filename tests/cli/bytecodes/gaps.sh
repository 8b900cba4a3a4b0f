#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Gaps between windows: what was executed in them is recovered where there is one way only,
# and is what a run without gaps has; where there are several, that is said. So do the graphs and
# the listings of instructions and blocks.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
facts=$(dirname "$0")/gap_facts.py
export PYTHONHASHSEED=0
# 420 loads in a row: more in one tuple would be a list, which is appended to.
loads=$(yes "($(seq -f 'a, %g,' -s ' ' 14)" | head -n 15)
loads=$(echo "$loads" | tr -d '\n') ends=$(yes ')' | head -n 15 | tr -d '\n')
cat >app.py <<END
import os
def many(a, b):
    return (a, 1, b, 2, a, 3, b, 4, a, 5, b, 6, a, 7, b, 8, a, 9, b, 1, a, 2, b, 3, a, 4, b)
def once(a, b):
    return $loads 0$ends
def down(n):
    return down(n - 1) if n else 0
down(5)
for i in range(40):
    many(i, None)
once(1, 2)
os._exit(0)
END
# run OPTION...: records it. Python asks whether its outputs are at the begin of a file, and does
# more if they are not; so they are no files.
run() {
	"$WAYMARK" record -q "$@" -L "$sysroot" -- python3.13 app.py >/dev/null 2>&1
}
run -o full.wmk
"$WAYMARK" bytecodes full.wmk >full
"$WAYMARK" bytecodes --format csv full.wmk >full.csv

# Gaps of 10 to 120 instructions at the begin of calls' rows of loads of locals and constants, as
# long ones elsewhere in each call and around it, and one of 2000 around calls. A load takes
# some 20, and 3 are certain; so ways may differ where the row's end could be reached.
set -- $(grep ' 0  RESUME  *many ' full | awk '{ print $1 }')
second=$2 fifth=$5
once=$(($(grep ' 0  RESUME  *once ' full | awk '{ print $1 }') + 4000))
shift
windows="--window .." elsewhere=300
for length in 10 30 30 20 30 40 30 120 30 30; do
	for at in $(($1 + 40)) $(($1 + elsewhere)); do
		windows="${windows}insn:$at --window insn:$((at + length)).."
	done
	elsewhere=$((elsewhere + 200))
	shift
done
at=$(($1 + 40))
windows="${windows}insn:$at --window insn:$((at + 2000))..insn:$once --window insn:$((once + 50)).."
# QEMU 8.1 and newer put memory at random addresses, so that runs differ by more than the row has.
# Hence it is tried again until the last gap is where it should be, and one of the others, too.
# The variable is none that is exported, as $_ may be: Python would be in another environment.
for try in $(seq 40); do
	# shellcheck disable=SC2086 # a list of words
	run $windows -o gaps.wmk || continue
	"$WAYMARK" bytecodes gaps.wmk >gaps
	"$WAYMARK" cfg --method '*' gaps.wmk >gaps.graph
	! "$PYTHON" "$facts" pieces gaps.graph 2>/dev/null ||
		! grep -q '[0-9]^ .* many ' gaps || break
done
"$WAYMARK" bytecodes --format csv gaps.wmk >csv
check "what is recovered ran" "$PYTHON" "$facts" same_way full.csv csv 1
check "of the long gap it is said that there are several ways" grep -qx "# gap: several ways" gaps
check "the same as CSV" test "$(grep -c ',recovered$' csv)" -eq "$(grep -c '[0-9]^ ' gaps)"
check "gaps as CSV" grep -qE '^[0-9]+,,,,,,,gap: several ways$' csv
# Only what was recorded counts.
"$WAYMARK" hot --by bytecode --format csv -f executions gaps.wmk |
	awk 'NR > 1 { n += $1 } END { print n }' >counted
check "what is recovered is not counted" \
	test "$(cat counted)" -eq "$(grep -vc '^#\|[0-9]^ ' gaps)"

# The graphs: what was recorded, and apart from it what the gaps with one way have.
"$WAYMARK" cfg --method '*' full.wmk >full.graph
"$WAYMARK" cfg --method '*' gaps.wmk >gaps.graph
check "graphs of a whole run" "$PYTHON" "$facts" graphs full.graph full.csv
check "graphs of one with gaps" "$PYTHON" "$facts" graphs gaps.graph csv
check "what ran in all" "$PYTHON" "$facts" together full.graph gaps.graph 2
check "a way across a gap" "$PYTHON" "$facts" pieces gaps.graph
"$WAYMARK" cfg --method '*' --format dot gaps.wmk >dot
check "a picture of what was recovered" grep -Eq '^m[0-9]+_2 \[style=dashed, label="#[0-9]+  1 recovered' dot
check "and of its edges" test "$(grep -Ec \
	'^m[0-9]+_(1 -> m[0-9]+_2|2 -> m[0-9]+_3) \[style=dashed, label="1 recovered"\];$' dot)" -eq 2
check "and of what was recorded, too" grep -Eq 'label="[0-9]+ [+] [0-9]+ recovered' dot
check "and of a gap" grep -Eq '^m[0-9]+_[0-9]+ -> m[0-9]+_several \[style=dotted, label="[0-9]+"\];$' dot
if command -v dot >/dev/null; then
	"$WAYMARK" cfg --method many --format dot gaps.wmk >dot
	check "dot draws it" dot -Tsvg -o many.svg dot
fi
"$WAYMARK" cfg --method '*' --from "$fifth" full.wmk >part.graph
check "of a part, where its frames began is not known" "$PYTHON" "$facts" begins part.graph
run --last 2k-insns -o last.wmk
"$WAYMARK" cfg --method '*' last.wmk >last.graph
check "nor in a flight recorder's" "$PYTHON" "$facts" begins last.graph

# Instructions and blocks say at each gap what the list has there.
set -- --from "insn:$((second - 500))" --to "insn:$((once + 5000))" gaps.wmk
for kind in insns blocks; do
	for format in text csv jsonl; do
		"$WAYMARK" $kind --bytecodes --no-events --format $format "$@" >$kind.$format
	done
	check "gaps among $kind" "$PYTHON" "$facts" listed csv $kind.text $kind.csv $kind.jsonl
	"$WAYMARK" $kind --format csv "$@" >plain
	check "no row of $kind more without --bytecodes" test "$(wc -l <plain)" -eq \
		"$(grep -vc ',gap: [^,]*$' $kind.csv)"
done

# A gap that nothing comes behind, which the thread ends in.
run --window "..insn:$((at - 9000))" --window "insn:$at..insn:$((at + 5))" -o end.wmk
"$WAYMARK" bytecodes --format csv end.wmk >end.csv
check "gaps at the end are told" test "$(grep -c ',,,,,,,gap: several ways$' end.csv)" -eq 2
check "the last one comes last" sh -c 'tail -n 1 end.csv | grep -q gap'
"$WAYMARK" cfg --method '*' end.wmk >end.graph
check "in the graph, too" "$PYTHON" "$facts" ends end.graph

finish
