#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Operands of Java's bytecodes by name: each line of each method as javap has it.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# JDK: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${JDK:-java}")
java=$(echo "$sysroot"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)
facts=$SRC/tests/cli/bytecodes/operands_facts.py

# A pool of so many entries that ldc has no room for the last ones.
mkdir plain
awk 'BEGIN {
	print "public class Many {\n\tstatic int all() {\n\t\tint n = 0;"
	for (i = 0; i < 300; i++)
		printf "\t\tn += \"text %d\".length() + (int)%d.5f + %d;\n", i, i, 100000 + i
	for (i = 0; i < 260; i++)
		printf "\t\tint v%d = n++;\n", i
	print "\t\tv259 += 1000;\n\t\treturn v259;\n\t}\n}"
}' >Many.java
javac --release 17 -d plain "$SRC/tests/guests/java/Operands.java" Many.java

run "$WAYMARK" record -L "$sysroot" -o run.wmk -- "$java" -Xint -cp plain Operands
check "its status is its own" test "$status" -eq 0
(cd plain && javap -J-Dfile.encoding=UTF-8 -c -p -s ./*.class) |
	PYTHONIOENCODING=utf-8 "$PYTHON" "$facts" javap >named
"$WAYMARK" annotate --format csv -f place,disassembly,path '*' run.wmk |
	PYTHONIOENCODING=utf-8 "$PYTHON" "$facts" same named '^(Operands|Many)\.java$' >listed
check "each line as javap has it" grep -qE '^1[0-9] methods, [0-9]{4} bytecodes, 0 differ$' listed
sed 's/^/# /' listed
"$WAYMARK" cfg --method 'Operands.arrays*' --format dot run.wmk >graph
check "the graph has them" grep -q 'multianewarray \[\[\[I 2' graph

finish
