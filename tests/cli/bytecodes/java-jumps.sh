#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Method handles, lambdas and exceptions of a JVM: frames stay while its interpreter jumps to code
# that is not its own. So each execution was reached by one edge and left by one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh" java)
java=$sysroot/usr/lib/jvm/java-21-openjdk-riscv64/bin/java

mkdir classes
javac --release 17 -d classes "$SRC/tests/guests/java/Jumps.java"
"$WAYMARK" record -q -L "$sysroot" -o run.wmk -- "$java" -Xint -cp classes Jumps >said
check "the program ran" grep -q '^-*[0-9]' said
"$WAYMARK" bytecodes --thread main --format csv run.wmk | tr -d '\r' >run.csv
"$WAYMARK" cfg --thread main --method 'Jumps*' run.wmk >graphs
check "graphs" "$PYTHON" "$SRC/tests/cli/bytecodes/gap_facts.py" graphs graphs run.csv

# What a method calls is a part of it, up to its end.
"$WAYMARK" calls --thread main --format csv -n 1000000 run.wmk | tr -d '\r' >calls.csv
total() { awk -F, -v name="Jumps.$1(" 'index($1, name) == 1 { print $4 }' calls.csv; }
check "a method has what it calls" test "$(total main)" -gt "$(total round)"
check "and that has" test "$(total round)" -gt "$(total apply)"
finish
