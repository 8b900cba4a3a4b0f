#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Gaps of many lengths in a JVM's run, as tests/cli/bytecodes/java-gaps.sh has some: what is
# recovered in them is what a run has that is recorded whole.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

sysroot=$("$SRC/tests/sysroot.sh" java)
java=$sysroot/usr/lib/jvm/java-21-openjdk-riscv64/bin/java
facts=$SRC/tests/cli/bytecodes/gap_facts.py

mkdir classes
javac --release 17 -d classes "$SRC/tests/guests/java/Gaps.java"
# recorded NAME WINDOW...: of the main thread its bytecodes, and the graphs of its methods.
recorded() {
	name=$1
	shift
	"$WAYMARK" record -q "$@" -L "$sysroot" -o "$name.wmk" -- "$java" -Xint -cp classes Gaps 1000
	"$WAYMARK" bytecodes --thread main --format csv "$name.wmk" | tr -d '\r' >"$name.csv"
	"$WAYMARK" cfg --thread main --method 'Gaps*' "$name.wmk" >"$name.graphs"
}
recorded whole
# The first gap's length, and how much longer each is than the one before.
for lengths in "3 1" "40 3" "50 9" "130 4" "480 60" "15 2"; do
	# shellcheck disable=SC2046,SC2086 # words
	recorded windows $("$PYTHON" "$facts" windows whole.csv $lengths)
	check "$lengths: what is recovered ran" \
		"$PYTHON" "$facts" same_way whole.csv windows.csv 0
	check "$lengths: graphs" "$PYTHON" "$facts" graphs windows.graphs windows.csv
	check "$lengths: what ran in all" "$PYTHON" "$facts" together whole.graphs windows.graphs 0
done

# Blocks say at each gap what the list has there.
from=$(grep -m 1 ',Gaps' windows.csv | cut -d, -f1)
for format in text csv jsonl; do
	"$WAYMARK" blocks --thread main --from "insn:$from" --bytecodes --no-events \
		--format $format windows.wmk |
		grep -e ordinal,block -e 'not.recorded' -e gap: >blocks.$format
done
check "gaps among blocks" \
	"$PYTHON" "$facts" listed windows.csv blocks.text blocks.csv blocks.jsonl
finish
