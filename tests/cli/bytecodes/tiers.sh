#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Java that is compiled: calls are those of the program, in all tiers, and compiled code counts
# in the method that it is of.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# JDK: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${JDK:-java}")
java=$(echo "$sysroot"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)
facts=$SRC/tests/cli/bytecodes/java_facts.py

mkdir classes
javac --release 17 -d classes "$SRC/tests/guests/java/Tiers.java"
java -cp classes Tiers >want

# recorded NAME OPTION...: the JVM compiles the program at once, and waits for its compilers.
recorded() {
	name=$1
	shift
	run "$WAYMARK" record -L "$sysroot" -o "$name.wmk" -- "$java" -Xbatch \
		-XX:CompileThresholdScaling=0.02 -XX:CompileCommand=quiet \
		"-XX:CompileCommand=compileonly,Tiers*::*" "$@" -cp classes Tiers
	same "$name: the program prints what it does without" want stdout
	check "$name: the trace is sound" "$WAYMARK" verify -q "$name.wmk"
	"$WAYMARK" hot "$name.wmk" --by method -n 100000 --format csv \
		-f insns,executions,method,interpreted,compiled,optimised | tr -d '\r' >"$name.methods"
	insns=$("$WAYMARK" info --format json "$name.wmk" | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["instructions"])')
	check "$name: methods have all instructions" \
		test "$(awk -F, '{ n += $1 } END { printf "%.0f", n }' "$name.methods")" -eq "$insns"
}

# Without inlining every call is one, whatever it is compiled by.
for tier in 1 4; do
	recorded "tier$tier" -XX:TieredStopAtLevel=$tier "-XX:CompileCommand=dontinline,Tiers*::*"
	check "tier $tier: calls" "$PYTHON" "$facts" calls "tier$tier.methods"
done
"$WAYMARK" calls --tree --thread main --format csv tier1.wmk >tree
"$WAYMARK" calls --tree --methods --thread main --format csv tier1.wmk >methods
check "a tree of methods, compiled or not" "$PYTHON" "$SRC/tests/cli/calls/methods_facts.py" \
	alone tree methods ' \(\S*\.java(:\d+)?\)$|\S \[C1 [^]]*\]$'
rm tree methods
# Compiled code does not say when a method that calls itself returns.
check "C1: steps of browse, by brute force" env WAYMARK="$WAYMARK" "$PYTHON" \
	"$SRC/tests/cli/browse/methods_oracle.py" tier1.wmk main Tiers.java 6 Tiers.fib
check "C1's code is compiled" grep -Eq ',Tiers.collatz.J.I,[0-9]+,[1-9][0-9]+,0$' tier1.methods
check "C2's is optimised" grep -Eq ',Tiers.collatz.J.I,[0-9]+,[0-9]+,[1-9][0-9]+$' tier4.methods

# A thread that runs no method has its native functions, as without methods.
for by in method function; do
	"$WAYMARK" hot tier4.wmk --by $by --thread "C2 CompilerThre" -n 1000000 --format csv \
		-f insns,$by | tail -n +2 | sort >compiler.$by
done
check "the compiler's thread is long" test "$(awk -F, '{ n += $1 } END { print n }' \
	compiler.function)" -gt 10000000
same "the compiler's functions" compiler.function compiler.method

# C1 keeps the order of the bytecodes, and none of them counts twice: each is executed as often as
# when all are interpreted, or less, where it has no code of its own.
run "$WAYMARK" record -L "$sysroot" -o all.wmk -- "$java" -Xint -cp classes Tiers
for name in all tier1; do
	"$WAYMARK" hot $name.wmk --by bytecode -n 1000000 --format csv \
		-f executions,method,offset,opcode >$name.bytecodes
done
check "C1: executions of bytecodes" "$PYTHON" "$facts" at_most all.bytecodes tier1.bytecodes
# So are lines: what C1 made of them does not count again as native code.
for name in all tier1; do
	"$WAYMARK" cover $name.wmk --by line --only-source Tiers.java --format csv \
		-f executions,line | tr -d '\r' >$name.lines
done
check "C1: executions of lines" "$PYTHON" "$facts" lines_at_most all.lines tier1.lines

# Threads have the names that Java gives them.
check "the main thread by its name" test "$("$WAYMARK" bytecodes tier1.wmk --thread main |
	grep -c 'Tiers.main')" -gt 0
check "a long name" sh -c '"$WAYMARK" info tier1.wmk | grep -q "  Notification Thread$"'

# What is known of how much of it.
"$WAYMARK" info tier1.wmk >facts
check "which runtime" grep -q '^runtime  *hotspot [0-9]*\.[^ ]*, mixed mode' facts
check "its interpreter" grep -Eq '^interpreted +[0-9.]+% of instructions: every bytecode$' facts
check "no code is optimised" sh -c 'grep -q "^compiled  *[0-9.]*%" facts && ! grep -q "^optimised" facts'
"$WAYMARK" info --format json tier4.wmk | "$PYTHON" "$facts" regions
check "as JSON" test $? -eq 0

# Inlined calls are no calls, and their code is the inlined method's.
recorded inlined -XX:TieredStopAtLevel=1
calls=$(sed -n 's/^[0-9]*,\([0-9]*\),Tiers.fib(I)I,.*/\1/p' inlined.methods)
"$WAYMARK" calls --tree --thread main --format csv inlined.wmk | grep -c ',inline,Tiers' >want
"$WAYMARK" calls --tree --methods --thread main --format csv inlined.wmk |
	grep -c ',inline,Tiers' >got
check "some calls are inlined" test "$(cat want)" -gt 1000
same "a tree of methods has them" want got
check "fib is inlined into itself" test "$calls" -gt 1000 -a "$calls" -lt 21000

# Instructions of compiled code say which bytecode they are of, as often as the table does.
for name in tier1 tier4; do
	note=compiled
	[ $name = tier1 ] || note=optimised
	from=$("$WAYMARK" bytecodes "$name.wmk" --thread main --format csv | tr -d '\r' |
		awk -F, -v note=$note '$2 == "Tiers.collatz" && $8 == note { print $1; exit }')
	to=$((from + 30000))
	"$WAYMARK" insns --thread main --bytecodes --from "$from" --to "$to" --format csv "$name.wmk" >labelled
	"$WAYMARK" hot --thread main --by bytecode --from "$from" --to "$to" -n 100000 --format csv "$name.wmk" >summed
	check "$name: labels of compiled code" \
		"$PYTHON" "$SRC/tests/cli/bytecodes/label_facts.py" sums labelled summed
	check "$name: its mark" grep -q ",$note\$" labelled
done

"$WAYMARK" bytecodes tier1.wmk --thread main >listed
check "code of C1 in the list" grep -Eq '[0-9]\+ (ifeq|lcmp) +Tiers.collatz\(J\)I  Tiers.java:' listed
"$WAYMARK" bytecodes tier4.wmk --thread 1 --format csv | tr -d '\r' >listed
check "code of C2 in the list" grep -Eq ',Tiers.collatz,.*,optimised$' listed

# C2 may have the code by which a method is entered as that of one that is inlined into it.
cat >First.java <<END
public class First {
	static class Odd extends RuntimeException { Odd(String s) { super(s, null, false, false); } }
	static class Worse extends Odd { Worse(String s) { super(s); } }
	static class Part implements AutoCloseable {
		final int number;
		Part(int n) { number = n; if (n == 3) throw new Odd("made"); }
		public void close() { if (number == 2) throw new Worse("closed"); }
	}
	static int closed;
	static int outer(int n, boolean fails) {
		try (Part a = new Part(n); Part b = new Part(n + 1)) {
			if (fails) throw new Odd("body");
			return a.number + b.number;
		} catch (Worse e) { return 100 + e.getSuppressed().length;
		} catch (Odd e) { return 200 + e.getSuppressed().length;
		} finally { closed++; }
	}
	public static void main(String[] args) {
		int sum = 0;
		for (int i = 0; i < 400; i++) sum += outer(i % 4, i / 4 % 2 == 0);
		System.out.println(sum);
	}
}
END
javac --release 17 -d classes First.java
"$WAYMARK" record -q -L "$sysroot" -o first.wmk -- "$java" -Xbatch -XX:-TieredCompilation \
	-XX:CompileThresholdScaling=0.02 -XX:CompileCommand=quiet \
	"-XX:CompileCommand=compileonly,First*::*" "-XX:CompileCommand=dontinline,First*::*" \
	-cp classes First >stdout
"$WAYMARK" hot first.wmk --by method --function 'First*' --format csv -f executions,method |
	sed '1d; s/(.*//' | sort >got
cat >want <<'END'
1,First.main
200,First$Worse.<init>
400,First.outer
500,First$Odd.<init>
500,First$Part.close
700,First$Part.<init>
END
same "calls of methods that begin with inlined ones" want got
finish
