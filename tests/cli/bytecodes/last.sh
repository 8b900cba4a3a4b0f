#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A flight recorder of a managed program has the last bytecodes of the run, with the names of
# methods that were told long before: those of the same run without --last.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
export PYTHONHASHSEED=0
# Code objects come and go at the same addresses, and the file is compacted meanwhile.
cat >churn.py <<'END'
import os
def begin(number):
    text = "def step(x):\n    return x + 1\nfor k in range(40): step(k)\n"
    exec(compile(text, "made-%d" % (number % 7), "exec"), {})
def main():
    for number in range(400):
        begin(number)
main()
os._exit(0)
END

# listed NAME OPTION...: a recording's bytecodes without their positions
listed() {
	name=$1
	shift
	"$WAYMARK" record -q "$@" -L "$sysroot" -o "$name.wmk" -- python3.13 churn.py
	check "$name: sound" "$WAYMARK" verify "$name.wmk"
	"$WAYMARK" bytecodes --format csv "$name.wmk" | sed 1d | cut -d, -f2- >"$name"
}

listed full
for last in 64k 300k-insns 20M-insns; do
	listed part --last "$last"
	lines=$(wc -l <part)
	check "--last $last: there are some, and not all" \
		test "$lines" -gt 500 -a "$lines" -lt "$(wc -l <full)"
	tail -n "$lines" full >wanted
	same "--last $last: the last of the run" wanted part
done

# What is kept may be behind the last bytecode: an empty list, and why.
"$WAYMARK" record -q --last 1k-insns -L "$sysroot" -o end.wmk -- python3.13 churn.py
run "$WAYMARK" bytecodes --format csv end.wmk
check "behind the last bytecode: none" test "$status" -eq 0 -a "$(wc -l <stdout)" -eq 1
check "and that is said" grep -q \
	'^waymark: thread 0 began no bytecode in what was kept, the last 1k-insns of the run: ' stderr
run "$WAYMARK" bytecodes part.wmk -n 0
check "none were wanted" test "$status" -eq 0 -a ! -s stdout -a ! -s stderr

finish
