#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Gaps between windows of a JVM's run: what is recovered in them is what the same program executes
# in a run that is recorded whole, in the list and in the graphs of all its methods.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# JDK: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${JDK:-java}")
java=$(echo "$sysroot"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)
facts=$SRC/tests/cli/bytecodes/gap_facts.py

mkdir classes
javac --release 17 -d classes "$SRC/tests/guests/java/Gaps.java"
# recorded NAME WINDOW...: of the main thread its bytecodes, and the graphs of its methods.
recorded() {
	name=$1
	shift
	"$WAYMARK" record -q "$@" -L "$sysroot" -o "$name.wmk" -- "$java" -Xint -cp classes Gaps
	"$WAYMARK" bytecodes --thread main --format csv "$name.wmk" | tr -d '\r' >"$name.csv"
	"$WAYMARK" cfg --thread main --method 'Gaps*' "$name.wmk" >"$name.graphs"
}
recorded whole
# shellcheck disable=SC2046 # words
recorded windows $("$PYTHON" "$facts" windows whole.csv 20 8)
# Where the gaps lie differs from run to run, and so does how much is recovered: some 30 to 60.
check "what is recovered ran" "$PYTHON" "$facts" same_way whole.csv windows.csv 8
check "graphs of the whole run" "$PYTHON" "$facts" graphs whole.graphs whole.csv
check "graphs of the one with gaps" "$PYTHON" "$facts" graphs windows.graphs windows.csv
check "what ran in all" "$PYTHON" "$facts" together whole.graphs windows.graphs 8

finish
