#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A compiler in Java by its guide, interpreted and compiled: it does what it does without,
# and its code has names. So has what jshell is given.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

sysroot=$("$SRC/tests/sysroot.sh" java)
java=$sysroot/usr/lib/jvm/java-21-openjdk-riscv64/bin/java
ecj=$sysroot/usr/share/java/eclipse-jdt-core-compiler-batch.jar

# compile FOLDER WORD...: by the command in front
compile() {
	folder=$1
	shift
	"$@" "$java" -cp "$ecj" org.eclipse.jdt.internal.compiler.batch.Main -17 \
		-d "$folder" "$SRC/tests/guests/java/Bytecodes.java"
}

compile plain "$QEMU" -L "$sysroot"
compile recorded "$WAYMARK" record -L "$sysroot" -o run.wmk --
check "the same classes" diff -r plain recorded
check "the trace is sound" "$WAYMARK" verify run.wmk
"$WAYMARK" hot run.wmk -n 1000000 --format csv -f insns,function,module >functions
check "code that is no library's has names" "$PYTHON" \
	"$SRC/tests/cli/bytecodes/java_facts.py" named functions
"$WAYMARK" hot run.wmk --by method -n 1000000 --format csv -f insns,method >methods
check "by method 99.9 % has names" awk -F, \
	'{ all += $1 } $2 ~ /^"?\[/ { bare += $1 } END { exit !all || bare > all / 1000 }' methods
check "compiled code, too" grep -q ' \[C[12] tier [1-4]\]' functions

# jshell runs what it is given in another program, java, which has the guide, too.
cat >ten.jsh <<'END'
int twice(int n) { return 2 * n; }
for (int i = 0; i < 10; i++) twice(i);
/exit
END
"$WAYMARK" record -L "$sysroot" -o run.wmk -- "${java%java}jshell" ten.jsh
check "jshell: the trace is sound" "$WAYMARK" verify run.wmk
check "jshell: methods of what it is given" sh -c \
	'"$WAYMARK" hot --by method run.wmk | grep -Eq " 10 +REPL[.].*twice[(]I[)]I"'

[ "$failures" -eq 0 ]
