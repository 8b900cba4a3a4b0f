#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Gaps between windows: what was executed in them is recovered where there is one way only,
# and is what a run without gaps has; where there are several, that is said.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
export PYTHONHASHSEED=0
cat >app.py <<'END'
import os
def many(a, b):
    return (a, 1, b, 2, a, 3, b, 4, a, 5, b, 6, a, 7, b, 8, a, 9, b, 1, a, 2, b, 3, a, 4, b)
for i in range(20):
    many(i, None)
os._exit(0)
END
"$WAYMARK" record -q -L "$sysroot" -o full.wmk -- python3.13 app.py
"$WAYMARK" bytecodes full.wmk >full
grep ' many ' full | cut -c13- >wanted

# Gaps of 10, 30 and 30 instructions in loads of locals and constants, each in a call of its
# own, and one of 2000 around a call. A load takes some 20, and 3 are certain.
set -- $(grep ' 0  RESUME  *many ' full | awk '{ print $1 }')
windows="--window ..insn:$(($2 + 200)) --window insn:$(($2 + 210))..insn:$(($4 + 200))
	--window insn:$(($4 + 230))..insn:$(($6 + 200)) --window insn:$(($6 + 230))..insn:$(($9 + 200))
	--window insn:$(($9 + 2200)).."
# shellcheck disable=SC2086 # a list of words
"$WAYMARK" record -q $windows -L "$sysroot" -o gaps.wmk -- python3.13 app.py
"$WAYMARK" bytecodes gaps.wmk >gaps
check "some are recovered" test "$(grep -c '[0-9]^ ' gaps)" -ge 2
check "of the longest gap it is said that there are several ways" \
	test "$(grep '^# gap' gaps | tail -n 1)" = "# gap: several ways"
# Up to the first gap that is not connected all of the function is as without gaps.
sed '/^# gap/q' gaps | grep ' many ' | cut -c13- | tr '^' ' ' >got
head -n "$(wc -l <got)" wanted >begin
same "what is recovered ran" begin got
check "that is behind the first gap" test "$(wc -l <got)" -gt 100
"$WAYMARK" bytecodes --format csv gaps.wmk >csv
check "the same as CSV" test "$(grep -c ',recovered$' csv)" -eq "$(grep -c '[0-9]^ ' gaps)"
check "gaps as CSV" grep -qE '^[0-9]+,,,,,,,gap: several ways$' csv
# Only what was recorded counts.
"$WAYMARK" hot --by bytecode --format csv -f executions gaps.wmk |
	awk 'NR > 1 { n += $1 } END { print n }' >counted
check "what is recovered is not counted" \
	test "$(cat counted)" -eq "$(grep -vc '^#\|[0-9]^ ' gaps)"

finish
