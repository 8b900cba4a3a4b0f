#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# HotSpot makes methods for method handles before its agent begins, if the program names modules.
# Their own constants name no file of source.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# JDK: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${JDK:-java}")
java=$(echo "$sysroot"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)

mkdir classes
javac --release 17 -d classes "$SRC/tests/guests/java/Handles.java"
run "$WAYMARK" record -L "$sysroot" -o run.wmk -- \
	"$java" --add-modules jdk.compiler -cp classes Handles
echo 999000 >want
same "the program prints what it does without" want stdout
check "its status is its own" test "$status" -eq 0
check "nothing is said of the agent" test ! -s stderr

# Code of linkToStatic, whichever method of its class stands for it, is of the class's file.
"$PYTHON" "$SRC/docs/decoder.py" --notes run.wmk | awk '$3 == 4' >notes
name=$(printf 'java.lang.invoke.MethodHandle.' | od -An -tx1 -v | tr -d ' \n')
file=$(printf 'java/lang/invoke/MethodHandle.java' | od -An -tx1 -v | tr -d ' \n')
grep "$name" notes >theirs
check "there are such methods" test "$(wc -l <theirs)" -gt 0
check "they have the class's file" sh -c '! grep -v "$1" theirs' - "$file"

finish
