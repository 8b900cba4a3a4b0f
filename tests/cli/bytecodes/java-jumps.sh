#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Method handles, lambdas and exceptions of a JVM: frames stay while its interpreter jumps to code
# that is not its own. So each execution was reached by one edge and left by one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/methods
. "$(dirname "$0")/../export/methods"

# JDK: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${JDK:-java}")
java=$(echo "$sysroot"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)

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

# Compiled code reaches far methods by stubs behind its own code, and an interpreter goes on where
# code is given up. The stack of the thread is one, from begin to end.
"$WAYMARK" record -q -L "$sysroot" -o all.wmk -- "$java" -Xbatch \
	-XX:CompileThresholdScaling=0.02 -cp classes Jumps >stdout
same "compiled: the program prints what it does interpreted" said stdout
check "compiled: one stack" test "$("$WAYMARK" calls --thread main --tree -D 1 -n 1000000000 \
	--format csv all.wmk | grep -c ',entry,[0-9]*,0,origin,')" -eq 1

"$WAYMARK" record -q -L "$sysroot" -o some.wmk -- "$java" -Xbatch \
	-XX:CompileThresholdScaling=0.02 -XX:CompileCommand=quiet \
	"-XX:CompileCommand=compileonly,Jumps*::*" \
	"-XX:CompileCommand=dontinline,Jumps*::*" -cp classes Jumps >stdout
"$WAYMARK" calls --thread main --format csv -n 1000000 some.wmk | tr -d '\r' >calls.csv
# calls_of METHOD: interpreted and compiled.
calls_of() {
	awk -F, -v name="Jumps.$1" 'index($1, name "(") == 1 || index($1, name " [") == 1 {
		n += $(NF - 4) } END { print n }' calls.csv
}
check "compiled: calls" test "$(calls_of round)" -eq 40
check "a method has what compiled ones execute" test "$(total main)" -gt 1000000
method_forms some.wmk --thread main
for part in 1 2 3; do
	"$WAYMARK" calls --thread main --format csv -n 1000000 --part $part/3 --state part$part some.wmk
done
"$WAYMARK" merge -q part1 part2 part3 | tr -d '\r' >merged
same "in parts the same" calls.csv merged

# What is thrown leaves methods of both compilers, up to the one that catches it.
javac --release 17 -d classes "$SRC/tests/guests/java/Thrown.java" "$SRC/tests/guests/java/Virtual.java"
# callers CLASS THREAD OPTION...: which other method called which, as the stack has them
callers() {
	class=$1 thread=$2
	shift 2
	"$WAYMARK" record -q -L "$sysroot" -o "$class.wmk" -- "$java" -Xbatch \
		-XX:CompileThresholdScaling=0.02 -XX:CompileCommand=quiet \
		"-XX:CompileCommand=compileonly,$class*::*" \
		"-XX:CompileCommand=dontinline,$class*::*" "$@" -cp classes "$class" >said
	"$WAYMARK" calls --thread "$thread" --tree --filter "$class*" --format csv "$class.wmk" |
		grep -F "$class." | "$PYTHON" "$SRC/tests/cli/bytecodes/java_facts.py" \
		callers "$class" | awk '$2 != $3'
}
cat >wanted <<-END
	1 - main
	100 bounds implicit
	100 bounds leaf
	100 caught leaf
	100 caught thrown
	395 finals leaf
	100 main round
	100 nulls implicit
	100 nulls leaf
	100 outer finals
	100 outer leaf
	100 rethrow selective
	100 round bounds
	100 round caught
	156 round leaf
	100 round nulls
	100 round outer
	100 round rethrow
	58 selective selective2
	42 selective thrown
	44 selective2 thrown
END
for way in -XX:TieredStopAtLevel=1 -XX:-TieredCompilation; do
	callers Thrown main $way >got
	same "thrown, $way: calls" wanted got
done

# OpenJDK 17 has no virtual threads.
[ "${JDK-}" != java-17 ] || finish

# Virtual threads, one after the other on one carrier: their frames go and come back. Of those that
# came back the callers are not known.
cat >wanted <<-END
	12 body caught
	12 body deep
	12 body fib
	12 body ladder
	12 body locked
	12 body pinned
	12 caught leaf
	12 caught thrown
	210 deep leaf
	30 ladder leaf
	12 locked add
	12 pinned leaf
	12 put leaf
	12 take add
END
callers Virtual 'ForkJoinPool-*' -XX:TieredStopAtLevel=1 \
	-Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1 >all
grep -vE ' (-|lambda[^ ]*) ' all | grep -v ' lambda' >got
same "virtual threads" wanted got
check "one stack" test "$("$WAYMARK" calls --thread 'ForkJoinPool-*' --tree -D 1 \
	--format csv Virtual.wmk | grep -c ',entry,[0-9]*,0,origin,')" -eq 1
finish
