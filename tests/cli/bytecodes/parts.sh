#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Behind a gap in the recording no bytecode is known, up to the next one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
here=$(dirname "$0")
cat >app.py <<'PY'
def work(n):
    return sum(i * i for i in range(n))
print(work(3000))
PY
# The number of the first instruction of a bytecode in the middle of `work`.
"$WAYMARK" record -q -L "$sysroot" -o whole.wmk -- python3.13 app.py >want
middle=$("$WAYMARK" bytecodes whole.wmk | grep genexpr | awk 'NR == 9000 { print $1 }')
# Three gaps: counts differ from run to run, and behind one of them a fetch may come at once.
run "$WAYMARK" record -L "$sysroot" -o run.wmk --window "..insn:$middle" \
	--window "insn:$((middle + 20000))..insn:$((middle + 22000))" \
	--window "insn:$((middle + 40000))..insn:$((middle + 42000))" \
	--window "insn:$((middle + 60000)).." -- python3.13 app.py
same "the program prints what it does without" want stdout
check "the trace is sound" "$WAYMARK" verify -q run.wmk
"$WAYMARK" insns --bytecodes --no-events --format jsonl run.wmk \
	--from "$((middle - 3000))" --to "$((middle + 6000))" >lines
check "nothing is known behind a gap up to the next fetch" "$PYTHON" "$here/label_facts.py" gap lines

# What is counted is what the labels say.
from=$((middle - 3000)) to=$((middle + 6000))
"$WAYMARK" insns --bytecodes --format csv run.wmk --from $from --to $to >labelled
"$WAYMARK" hot --by bytecode -n 100000 --format csv run.wmk --from $from --to $to >summed
check "sums" "$PYTHON" "$here/label_facts.py" sums labelled summed
check "some are of no bytecode" grep -q ',,,,,$' labelled

# A part that is a trace of its own has the fetches, too. It begins with that of a bytecode.
from=$middle
run "$WAYMARK" cut whole.wmk --thread 0 --from "insn:$from" --to "insn:$to" -o cut.wmk
check "a part is cut" test "$status" -eq 0
check "and sound" "$WAYMARK" verify -q cut.wmk
"$WAYMARK" hot --by bytecode -n 100000 whole.wmk --thread 0 --from $from --to $to >wanted
"$WAYMARK" hot --by bytecode -n 100000 cut.wmk >got
same "what the part executed" wanted got

# Tables of a managed program, in parts of an array job.
for by in method bytecode source; do
	"$WAYMARK" hot --by $by -n 30 whole.wmk >wanted
	for i in 1 2 3; do
		"$WAYMARK" hot --by $by -n 30 --part $i/3 --state p$i.wms whole.wmk
	done
	"$WAYMARK" merge p2.wms p3.wms p1.wms >got
	check "hot --by $by has rows" test "$(wc -l <wanted)" -gt 10
	same "and from parts the same" wanted got
done

finish
