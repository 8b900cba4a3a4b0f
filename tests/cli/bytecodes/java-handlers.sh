#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers of exceptions that begin as no compiler of Java has them begin: each bytecode of the
# program, as stamps before every bytecode say. Two of one method that begin with the same call are
# the exception: which of them ran is not known, and not guessed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh" java)
java=$sysroot/usr/lib/jvm/java-21-openjdk-riscv64/bin/java
asm=$sysroot/usr/share/java/asm-9.8.jar

mkdir plain stamped tool
javac -cp "$asm" -d tool "$SRC"/tests/witness/java/Stamp*.java \
	"$SRC/tests/guests/java/MakeHandlers.java"
java -cp "$asm:tool" MakeHandlers plain
java -cp "$asm:tool" Stamp plain stamped
cp tool/Stamped*.class stamped
java -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote \
	-Dstamps="$PWD/stamps" -cp stamped Handlers

run "$WAYMARK" record -L "$sysroot" -o run.wmk -- "$java" -Xint -cp plain Handlers
check "the program ends well" test "$status" -eq 0
"$WAYMARK" bytecodes run.wmk --thread main --format csv >listed
"$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" methods Handlers <listed >walked
# Where the handlers of either() begin.
grep -vE '^Handlers\.either\(I\)I (20|24)$' stamps.main >want
same "all bytecodes but those" want walked
check "one of each of them is missing" \
	test "$(($(wc -l <stamps.main) - $(wc -l <want)))" -eq 6
check "and the list says so" test "$(grep -c 'gap: several ways' listed)" -eq 6
check "in their places" test "$(tr -d '\r' <listed | grep -A 1 'gap: several ways' |
	grep -c '^[0-9]*,Handlers.zero,(Ljava/lang/Object;)I,0,')" -eq 6
"$WAYMARK" hot run.wmk --by bytecode --thread main -n 1000000 --format csv \
	-f executions,method,offset >counted
check "tables have as many" test "$(awk -F, '/,Handlers\./ { n += $1 } END { print n }' counted)" \
	-eq "$(wc -l <want)"

# What a handler's first bytecode calls is compiled: it comes behind that bytecode.
run "$WAYMARK" record -q -L "$sysroot" -o mixed.wmk -- "$java" -Xbatch \
	-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.01 -XX:CompileCommand=quiet \
	"-XX:CompileCommand=compileonly,Handlers::zero" -cp plain Handlers
check "compiled: the program ends well" test "$status" -eq 0
"$WAYMARK" bytecodes mixed.wmk --thread main >listed
check "compiled: something is" grep -q '+ iconst_0  *Handlers.zero' listed
check "compiled: handlers" test "$(grep -c '~ invokestatic  *Handlers.calls' listed)" -eq 6
check "compiled: in order" \
	awk '$1 == "#" { next } $1 + 0 < last { exit 1 } { last = $1 + 0 }' listed
finish
