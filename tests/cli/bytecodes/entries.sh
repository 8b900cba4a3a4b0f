#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How often Java's methods are called: as JVMTI's MethodEntry says in the same run.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh" java)
java=$sysroot/usr/lib/jvm/java-21-openjdk-riscv64/bin/java
include=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")/include

mkdir classes
javac --release 17 -d classes "$SRC/tests/guests/java/Bytecodes.java"
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -D_GNU_SOURCE -O1 -Wall -Wextra -shared -fPIC \
	-I "$include" -I "$include/linux" -o entries.so "$SRC/tests/witness/java/entries.c"
run "$WAYMARK" record -L "$sysroot" -o run.wmk -- \
	"$java" -Xint "-agentpath:$PWD/entries.so=$PWD/entries" -cp classes Bytecodes
check "the program ends well" test "$status" -eq 0
sort entries >want

for column in hot calls; do
	case $column in
	hot) "$WAYMARK" hot run.wmk --by method -n 1000000 --format csv -f executions,method ;;
	calls) "$WAYMARK" calls run.wmk -n 1000000 --format csv -f calls,function ;;
	esac | "$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" entered want | sort >got
	same "$column: each method's calls" want got
done
check "of more than a few" test "$(awk '{ n += $2 } END { print n }' want)" -gt 1000

finish
