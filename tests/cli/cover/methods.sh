#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Coverage of what interpreters run: coverage.py and JaCoCo's agent have the same of the same
# program.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

facts=$(dirname "$0")/methods_facts.py
sysroot=$("$SRC/tests/sysroot.sh")
# A module without lines, whose path comes first.
sed 's/^import sys$/import sys, absent/' "$SRC/tests/guests/python/covered.py" >covered.py
: >absent.py
"$WAYMARK" record -q --guide cpython -L "$sysroot" -o run.wmk -- python3.13 covered.py >stdout
run "$WAYMARK" cover run.wmk --format coverage-py
cp stdout mine
check "which lines ran" "$PYTHON" "$facts" lines mine covered.py \
	"2 4 7-8 10 13-15 18-19 21-22 24-25 28-31 34 37-42 44-45 47 50-54 56 59 64-68 70"
if "$PYTHON" -c 'import coverage' 2>/dev/null; then
	"$PYTHON" -m coverage run --data-file=its covered.py >stdout
	"$PYTHON" -m coverage report --data-file=its --include='*/covered.py' -m >want
	"$PYTHON" -m coverage report --data-file=mine --include='*/covered.py' -m >got
	same "coverage.py reports the same" want got
else
	echo "ok coverage.py # SKIP it is not installed"
fi
"$WAYMARK" cover run.wmk --branches --only-source '[ac]*.py' --format lcov >info
check "a branch that went both ways" grep -q '^BRDA:29,0,0,1$' info
check "a branch that went one way" grep -q '^BRDA:31,0,1,0$' info
check "a function that did not run" grep -q '^FNDA:0,never$' info
"$WAYMARK" cover run.wmk run.wmk --by line --only-source covered.py --format csv >twice
check "two runs add up" grep -q '^4,.*covered.py:29,' twice

java=$("$SRC/tests/sysroot.sh" java)
jars=$java/usr/share/java
classes=$jars/org.jacoco.core.jar
for name in asm asm-tree asm-commons asm-analysis; do
	classes=$classes:$jars/$name.jar
done
mkdir classes tool
javac -cp "$classes" -d tool "$SRC/tests/witness/java/Reached.java"
"$PYTHON" -c 'if True:
	import sys, zipfile
	with zipfile.ZipFile(sys.argv[1]) as jar:
		jar.extract("jacocoagent.jar")' "$jars/org.jacoco.agent.jar"

# ran CLASS [OPTION...]: records it, in CLASS.java, under the JVM with these options, in CLASS.wmk.
ran() {
	class=$1
	shift
	mkdir -p ran
	javac --release 17 -g -d ran "$class.java"
	"$WAYMARK" record -q -L "$java" -o "$class.wmk" -- \
		"$java/usr/lib/jvm/java-21-openjdk-riscv64/bin/java" "$@" -cp ran "$class" >stdout
}

# as_jacoco CLASS: JaCoCo's agent counts the same in a program, on this machine.
as_jacoco() {
	mkdir "$1"
	javac --release 17 -g -d "$1" "$SRC/tests/guests/java/$1.java"
	java -javaagent:jacocoagent.jar=destfile="$1.exec" -cp "$1" "$1" >want
	java -cp "$classes:tool" Reached "$1.exec" "$1" | sort >reached
	run "$WAYMARK" record -q --guide hotspot -L "$java" -o java.wmk -- \
		"$java/usr/lib/jvm/java-21-openjdk-riscv64/bin/java" -Xint -cp "$1" "$1"
	same "$1 prints what it does with an agent" want stdout
	"$WAYMARK" cover java.wmk --only-source "$1.java" --format jacoco >xml
	"$PYTHON" "$facts" jacoco xml | sort >got
	same "JaCoCo has the bytecodes and branches of each line of $1, and the sums" reached got
}
as_jacoco Added
"$WAYMARK" cover java.wmk --by function --only-source Added.java --format csv -f function >got
check "what a compiler added is no function" \
	sh -c '! grep -E "valueOf|toString|id[(]|Helper.<init>" got'
as_jacoco Covered
"$WAYMARK" cover java.wmk --format jacoco >all
check "sums are those of the parts" "$PYTHON" "$facts" sums all
if command -v xmllint >/dev/null; then
	"$PYTHON" -c 'if True:
		import sys, zipfile
		with zipfile.ZipFile(sys.argv[1]) as jar:
			jar.extract("org/jacoco/report/xml/report.dtd")' "$jars/org.jacoco.report.jar"
	check "the report is as its DTD says" \
		sh -c 'xmllint --noout --nonet --dtdvalid "$1" xml all 2>xmllint.stderr' - \
		org/jacoco/report/xml/report.dtd
else
	echo "ok the report's DTD # SKIP xmllint is not installed"
fi
"$WAYMARK" cover java.wmk --only-source java/lang/String.java --format jacoco |
	grep '^<package' >got
echo '<package name="java/lang">' >wanted
same "a package is that of its classes" wanted got

# HotSpot does not tell whose code C1 made last, here "return 1": it is not the line's before.
cat >Last.java <<END
public class Last {
	static int last(int i) {
		if (i > 100000)
			return 100;
		return 1;
	}
	public static void main(String[] args) {
		int sum = 0;
		for (int i = 0; i < 5000; i++)
			sum += last(i);
		System.out.println(sum);
	}
}
END
ran Last -Xbatch -XX:TieredStopAtLevel=1
"$WAYMARK" cover Last.wmk --by line --only-source Last.java --format csv -f executions,line >lines
check "a line that did not run" grep -q '^0,Last.java:4' lines
check "and one that did" grep -q '^[1-9][0-9]*,Last.java:5' lines
"$WAYMARK" hot Last.wmk --by method --function 'Last.last*' --format csv -f compiled >compiled
check "in compiled code, too" grep -q '^[1-9]' compiled

# What a compiler made of a method is no function of its own, and reaches the method.
cat >Loop.java <<'END'
public class Loop {
    static int step(int n) { return n % 3 == 0 ? n + 1 : n + 2; }
    static int step(String s) { return s.length(); }
    static int never(int n) { return n; }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 10; i++)
            sum += step(i) + step("abc");
        System.out.println(sum);
    }
}
END
ran Loop -Xcomp -XX:TieredStopAtLevel=1 -XX:CompileCommand=quiet \
	-XX:CompileCommand=compileonly,Loop::step
"$WAYMARK" cover Loop.wmk --by function --only-source Loop.java --format csv \
	-f executions,function,first | sort >got
sort >wanted <<'END'
executions,function,first
0,Loop.<init>()V,
0,Loop.never(I)I,
1,Loop.main([Ljava/lang/String;)V,Loop.wmk
10,Loop.step(I)I,Loop.wmk
10,Loop.step(Ljava/lang/String;)I,Loop.wmk
END
same "compiled methods are reached, once each" wanted got
"$WAYMARK" cover Loop.wmk --only-source Loop.java --format jacoco >xml
check "and JaCoCo's report has them so" grep -q \
	'<counter type="METHOD" missed="2" covered="3"/>' xml

# Calls count, whether they are interpreted, compiled, or inlined where the loop was replaced.
cat >Many.java <<'END'
public class Many {
    static int step(int n) { return n % 3 == 0 ? n + 1 : n + 2; }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 100000; i++)
            sum += step(i);
        System.out.println(sum);
    }
}
END
ran Many
"$WAYMARK" cover Many.wmk --by function --only-source Many.java --format csv \
	-f executions,function >got
check "as many calls as there were" grep -q '^100000,Many.step(I)I$' got

finish
