#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a JVM executes, by its guide: each bytecode of each thread, as stamps before every
# bytecode say. The stamps are of a run in the JVM here; the program does the same in any.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# JDK: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${JDK:-java}")
java=$(echo "$sysroot"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)
asm=$("$SRC/tests/sysroot.sh" java)/usr/share/java/asm-9.8.jar

mkdir plain stamped tool
javac --release 17 -d plain "$SRC/tests/guests/java/Bytecodes.java"
javac -cp "$asm" -d tool "$SRC"/tests/witness/java/Stamp*.java
java -cp "$asm:tool" Stamp plain stamped
cp tool/Stamped*.class stamped
java -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote \
	-Dstamps="$PWD/stamps" -cp stamped Bytecodes >want

run "$WAYMARK" record -L "$sysroot" -o run.wmk -- \
	"$java" -Xint -cp plain Bytecodes
same "the program prints what it does without" want stdout
check "its status is its own" test "$status" -eq 0
check "nothing is said of the agent" test ! -s stderr
check "the trace is sound" "$WAYMARK" verify run.wmk

# Of "name", "signature" and offset; classes that the JVM makes for lambdas have no stamps.
for thread in 1 worker-0 worker-1 worker-2 worker-3; do
	"$WAYMARK" bytecodes run.wmk --thread "$thread" --format csv |
		"$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" methods Bytecodes >walked
	name=$thread
	[ "$thread" != 1 ] || name=main
	same "all bytecodes of $name" "stamps.$name" walked
done

for threads in 1 9; do
	"$WAYMARK" hot run.wmk --by bytecode -n 1000000 --format csv -j $threads >hot.$threads
done
same "threads that are followed in parts" hot.1 hot.9

check "steps of browse, by brute force" env WAYMARK="$WAYMARK" "$PYTHON" "$SRC/tests/cli/browse/methods_oracle.py" \
	run.wmk worker-0 Bytecodes.java 8

run "$WAYMARK" bytecodes run.wmk --thread 0
check "of the launcher, where they are" grep -qx \
	'waymark: thread 0 began no bytecode; thread 1 did: --thread 1' stderr
run "$WAYMARK" bytecodes run.wmk -n 3
"$WAYMARK" bytecodes run.wmk --thread 1 -n 3 >first
check "without a thread, the first that has some" cmp -s first stdout
check "and which one that is" grep -Eqx \
	'waymark: of [0-9]+ threads only thread 1 is listed; --thread chooses another' stderr
run "$WAYMARK" bytecodes run.wmk --function toString
check "a part that several methods have" grep -qF 'did you mean "*.toString"?' stderr
run "$WAYMARK" bytecodes run.wmk --thread worker-0 --function Bytecodes.main
check "of a method that another thread ran" grep -q \
	'began no bytecode of "Bytecodes.main"; thread 1 did: --thread 1$' stderr
run "$WAYMARK" bytecodes run.wmk --thread worker-0 -n 3
check "a text of three lines" test "$(wc -l <stdout)" -eq 3
"$WAYMARK" bytecodes run.wmk --thread worker-0 >all
check "a line of it" grep -Eq '^ +[0-9]+ +0  iload_0 +Bytecodes.fib\(I\)I  Bytecodes.java:91$' all
check "a caught exception is inferred" grep -Eq ' [0-9]+~ astore_2 +Bytecodes.caught' all
line=$(sed -n 1000p all)
position=$(echo "$line" | awk '{ print $1 }')
check "from a position" test "$("$WAYMARK" bytecodes run.wmk --thread worker-0 \
	--from "$position" -n 1)" = "$line"
tail -n 2000 all >wanted
"$WAYMARK" bytecodes run.wmk --thread worker-0 --from "$(awk 'NR == 1 { print $1 }' wanted)" >got
same "from a late one" wanted got
check "up to a position" test "$("$WAYMARK" bytecodes run.wmk --thread worker-0 \
	--to "$position" | wc -l)" -eq 999

# Gaps: what is taken out of the list is found again, where there is one way, through calls too.
run "$BUILD/tests/unit/gap_trace" run.wmk "$("$WAYMARK" info --format json run.wmk |
	"$PYTHON" -c 'import json, sys
print([it["index"] for it in json.load(sys.stdin)["threads"] if it["name"] == "worker-0"][0])')"
check "what is found in gaps was there" test "$status" -eq 0
# Of OpenJDK 17's methods fewer lead one way only.
[ "${JDK-}" = java-17 ] && least=80 || least=100
check "calls are followed" awk -v least="$least" '/^one [0-9][0-9][0-9][0-9]+, none 0, / {
	sub(".* calls ", ""); enough = $1 + 0 >= least } END { exit !enough }' stdout

# A label anywhere is that of the walk from the begin, though less is walked for it.
"$WAYMARK" bytecodes run.wmk --thread worker-0 --format csv >all.csv
if ldd "$BUILD/libwaymark.so.1" | grep -q libasan; then
	echo "ok labels anywhere # SKIP the library is sanitized"
else
	worker=$("$WAYMARK" info --format json run.wmk | "$PYTHON" -c '
import json, sys
print([it["index"] for it in json.load(sys.stdin)["threads"] if it["name"] == "worker-0"][0])')
	check "labels anywhere" env PYTHONPATH="$BUILD/python" \
		WAYMARK_LIBRARY="$BUILD/libwaymark.so.1" PYTHONDONTWRITEBYTECODE=1 "$PYTHON" \
		"$SRC/tests/cli/bytecodes/label_facts.py" late all.csv run.wmk "$worker" 10
fi

# The interpreter's methods are on the stack of calls, as often as they were called.
"$WAYMARK" calls run.wmk -n 1000000 --format csv >calls
"$WAYMARK" hot run.wmk --by method -n 1000000 --format csv \
	-f executions,method,source >methods
check "calls of methods" "$PYTHON" "$SRC/tests/cli/calls/methods_facts.py" counts calls methods
"$WAYMARK" calls run.wmk --thread worker-0 --graph --function 'Bytecodes.fib*' --format csv >graph
check "who calls whom" grep -q '^Bytecodes.fib(I)I (Bytecodes.java:91),Bytecodes.fib(I)I (' graph

# The interpreter's own code has names, too.
"$WAYMARK" hot run.wmk -n 100000 --format csv -f insns,function >functions
check "no code is nameless" "$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" named functions

# Calls have the names of what is called, as javap has them; switches have their targets.
javap -c -p -s -cp plain Bytecodes |
	"$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" javap >named
"$WAYMARK" annotate --format csv -f place,disassembly 'Bytecodes.*' run.wmk |
	"$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" annotated named >listed
check "bytecodes with names: those of javap" grep -qE '^[0-9]{2,} calls, [0-9]+ switches$' listed
check "and no other ones" test "$(wc -l <listed)" -eq 1
"$WAYMARK" cfg --method 'Bytecodes.main*' --format dot run.wmk >graph.dot
check "the graph has them" grep -q 'invoke[a-z]* Bytecodes\.' graph.dot
check "dot accepts it" dot -Tplain -o graph.plain graph.dot

# Of the agent the program sees nothing among the JVM's arguments.
javac --release 17 -d plain "$SRC/tests/guests/java/Arguments.java"
run "$WAYMARK" record -q -L "$sysroot" -o seen.wmk -- \
	"$java" -Xint -Dthis=that -cp plain Arguments
echo '[-Xint, -Dthis=that]' >want
same "the JVM's arguments are the user's" want stdout
check "and yet the agent is there" sh -c \
	'"$1" bytecodes --thread main -n 1 seen.wmk | grep -q .' - "$WAYMARK"

# Two runs: classes that the JVM made have no addresses in their names.
"$WAYMARK" diff --by method --function 'Bytecodes*Lambda*' run.wmk seen.wmk >rows || true
check "lambdas of two runs" sh -c 'grep -q "Bytecodes\$\$Lambda\.run()V" rows && ! grep "+0x" rows'

"$WAYMARK" record -o none.wmk "$GUESTS/mutual.O0" >/dev/null
refused "a program that has none" '*has no bytecodes: record a managed program with --guide' \
	"$WAYMARK" bytecodes none.wmk
"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" aarch64
"$WAYMARK" record --qemu "${QEMU%riscv64}aarch64" -o other.wmk "$GUESTS/aarch64/echo.O2" >/dev/null
refused "a program of another ISA" '*has no bytecodes: there are guides for riscv64 only' \
	"$WAYMARK" bytecodes other.wmk
run "$WAYMARK" bytecodes --format xml none.wmk
check "another format is refused" test "$status" -eq 2

finish
