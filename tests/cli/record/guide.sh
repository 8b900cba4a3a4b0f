#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which guide record takes, what it keeps of CPython's bytecode, and what it refuses.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
cat >app.py <<'PY'
import os, sys
def work(n):
    return sum(i * i for i in range(n))
print(work(100), os.environ.get("LD_PRELOAD"), sys.argv)
sys.exit(3)
PY

refused "a guide that there is not" '*no guide "cobol"; there are *cpython*, auto and none' \
	"$WAYMARK" record --guide cobol -o no.wmk "$GUESTS/mutual.O0"
refused "a guide with --mem=stores" '*guide cpython needs loads: it does not go with --mem=stores' \
	"$WAYMARK" record --guide cpython --mem=stores -L "$sysroot" -o no.wmk -- python3.13 app.py

"$WAYMARK" record -o none.wmk "$GUESTS/mutual.O0" >/dev/null
check "there is none for a C program" sh -c '! "$WAYMARK" info none.wmk | grep -q "^values"'

# Nobody asks for it: the program is one of Python's, if only by the link's target.
ln -s "$sysroot/usr/bin/python3.13" python
run "$WAYMARK" record -L "$sysroot" -o run.wmk -- ./python app.py one
echo "328350 None ['app.py', 'one']" >want
same "the program prints what it does without" want stdout
check "and its status is its own" test "$status" -eq 3
check "the trace is sound" "$WAYMARK" verify run.wmk
"$PYTHON" "$SRC/docs/decoder.py" --notes run.wmk >notes
check "the runtime tells where it fetches bytecodes, of itself, then of its code" sh -c \
	'[ "$(head -3 notes | cut -d" " -f3 | xargs)" = "6 1 2" ]'
check "notes have the code objects, when they are freed, and what their operands name" sh -c \
	'[ "$(cut -d" " -f3 notes | sort -nu | xargs)" = "1 2 3 6 10" ]'
# "work" and "work.<locals>.<genexpr>", as strings.
check "functions are named" grep -q "04776f726b00" notes
check "so are generators" grep -q "17776f726b2e3c6c6f63616c733e2e3c67656e657870723e" notes

check "nothing is said" test ! -s stderr

# With all accesses the same bytecodes are known. What is fetched is told apart by the agent.
"$WAYMARK" record -q -E PYTHONHASHSEED=0 -L "$sysroot" -o run.wmk -- python3.13 -S app.py >stdout || test $? -eq 3
"$WAYMARK" record -q -E PYTHONHASHSEED=0 --mem -L "$sysroot" -o mem.wmk -- python3.13 -S app.py >stdout || test $? -eq 3
for trace in run mem; do
	"$WAYMARK" bytecodes --format csv $trace.wmk | cut -d, -f2- >$trace.csv
done
check "--mem: there are bytecodes" test "$(wc -l <mem.csv)" -gt 10000
same "--mem: they are the same ones" run.csv mem.csv
check "--mem: the trace is sound" "$WAYMARK" verify mem.wmk

# A guide is in what forks, and comes again when execve() begins the program anew: by another name
# of its file, too, for a script, and from a program of another kind.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -xc -o between - <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
	return argc < 2 || execv(argv[1], argv + 1);
}
END
python=$sysroot/usr/bin/python3.13
ln -s "$python" link
cat >child.py <<'PY'
import os
def twice(n):
    return 2 * n
for i in range(10):
    twice(i)
assert os.environ.get("LD_PRELOAD") == os.environ.get("WANTED")
PY
{ echo "#!$PWD/link -S"; cat child.py; } >script
chmod +x script
cat >again.py <<'PY'
import os, subprocess, sys
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
for words in ([sys.executable, "-S"], ["./link", "-S"], ["./between", sys.executable, "-S"]):
    subprocess.run(words + ["child.py"], check=True)
subprocess.run("./script", check=True)
PY
run "$WAYMARK" record -L "$sysroot" -o again.wmk -- python3.13 -S again.py
check "execve(): the programs run as without a guide" test "$status" -eq 0
check "execve(): nothing is said" test ! -s stderr
"$WAYMARK" hot --by method again.wmk >answer
check "execve(): methods of all processes" grep -Eq " 60 +twice +child.py:2$" answer
check "execve(): and of scripts" grep -Eq " 20 +twice +script:3$" answer
check "execve(): the trace is sound" "$WAYMARK" verify again.wmk

# It does not where the guest sets the variable itself: who counts methods is told so.
cat >apart.py <<'PY'
import os, subprocess, sys
library = sys.argv[1]
subprocess.run([sys.executable, "-S", "child.py"], check=True,
               env=dict(os.environ, LD_PRELOAD=library, WANTED=library))
PY
run "$WAYMARK" record -L "$sysroot" -o apart.wmk -- python3.13 -S apart.py \
	"$sysroot/usr/lib/riscv64-linux-gnu/libm.so.6"
check "execve(): what the guest sets stays" test "$status" -eq 0
# Its evaluator is the same code, of which nothing is recorded in that process.
check "execve(): the trace without a guide in one process is sound" "$WAYMARK" verify apart.wmk
told='execve() began python3.13 1 time more, which no guide follows: the methods of that process are not known'
check "execve(): record tells of it" grep -qxF "waymark: $told" stderr
for question in "hot --by method" "hot --by source" calls; do
	check "execve(): so does $question" sh -c \
		'"$1" $2 apart.wmk 2>&1 >answer | grep -qxF "waymark: $3"' - "$WAYMARK" "$question" "$told"
done
check "execve(): hot by function has nothing to tell" sh -c \
	'test -z "$("$1" hot apart.wmk 2>&1 >answer)"' - "$WAYMARK"
check "execve(): info" sh -c '"$1" info apart.wmk | grep -qxF "not followed   $2"' - "$WAYMARK" "$told"
check "execve(): its JSON" sh -c '"$1" info --format json apart.wmk | grep -qF "\"not_followed\": \"$2\""' - \
	"$WAYMARK" "$told"

# So do an agent that is an argument, and one that is another variable.
cat >Anew.java <<'END'
public class Anew {
	static int twice(int n) { return 2 * n; }
	public static void main(String[] words) throws Exception {
		for (int i = 0; i < 10; i++)
			twice(i);
		if (words.length == 0)
			System.exit(new ProcessBuilder(System.getProperty("java.home") + "/bin/java",
				"-Xint", "-cp", ".", "Anew", "last").inheritIO().start().waitFor());
	}
}
END
javac --release 17 Anew.java
jdk=$("$SRC/tests/sysroot.sh" java)
java=$(echo "$jdk"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/java)
run "$WAYMARK" record -L "$jdk" -o anew.wmk -- "$java" -Xint -cp . Anew
check "execve(): java" test "$status" -eq 0 -a ! -s stderr
check "execve(): methods of both" sh -c \
	'"$1" hot --by method anew.wmk | grep -Eq " 20 +Anew[.]twice"' - "$WAYMARK"
jit=$("$SRC/tests/sysroot.sh" jit)
cat >anew.lua <<'END'
local ffi = require "ffi"
local function twice(n) return 2 * n end
for i = 1, 100000 do twice(i) end
ffi.cdef "int execv(const char *, const char *const *);"
if arg[1] then
	assert(not os.getenv("LUA_INIT"))
	ffi.C.execv(arg[1], ffi.new("const char *[3]", { arg[1], "anew.lua" }))
end
END
run "$WAYMARK" record -L "$jit" -o anew.wmk -- luajit anew.lua "$jit/usr/bin/luajit"
check "execve(): luajit" test "$status" -eq 0 -a ! -s stderr
check "execve(): traces of both" sh -c \
	'"$1" hot --by method anew.wmk | grep -Eq " 2 .*anew.lua:3$"' - "$WAYMARK"

# A program that is of no runtime begins some that are: each gets its own guide, in one trace.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -xc -o launch - <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 1, end; i < argc; i = end + 1) {
		int status;
		for (end = i; end < argc && strcmp(argv[end], ";"); end++)
			;
		argv[end] = NULL;
		if (!fork()) {
			execv(argv[i], argv + i);
			_exit(127);
		}
		wait(&status);
		printf("%d %d\n", WEXITSTATUS(status), getenv("LD_PRELOAD") != NULL);
		fflush(stdout);
	}
	return 0;
}
END
mkdir both
for root in "$jdk" "$sysroot"; do
	(cd "$root" && find . -type d) | (cd both && xargs -d '\n' mkdir -p)
	(cd "$root" && find . ! -type d) | while IFS= read -r file; do
		[ -e "both/$file" ] || [ -L "both/$file" ] || ln -s "$root/$file" "both/$file"
	done
done
# A pipe: Python does more with a file that is not at its begin.
run sh -c '"$@" | cat' - "$WAYMARK" record -E PYTHONHASHSEED=0 -L both -o late.wmk ./launch "$java" -Xint -cp . Anew last ";" \
	./launch ";" "$python" -S child.py ";" "$python" -S child.py
check "several runtimes: nothing is said" test ! -s stderr
check "several runtimes: the programs run as without guides" test "$(sort -u stdout)" = "0 0"
"$WAYMARK" info late.wmk >info
check "several runtimes: info has both" sh -c \
	'[ "$(grep -c "^runtime  *hotspot\|^runtime  *CPython" info)" = 2 ] && ! grep -q "^not followed" info'
check "several runtimes: info has both guides" grep -qx 'guides  *hotspot, cpython' info
"$WAYMARK" hot --by method late.wmk >answer
check "several runtimes: methods of Java" grep -Eq " 10 +Anew[.]twice" answer
check "several runtimes: methods of both Pythons" grep -Eq " 20 +twice +child.py:2$" answer
check "several runtimes: the trace is sound" "$WAYMARK" verify late.wmk

# A guide that is asked for by its name adds arguments to its runtime alone, whatever that is called.
run "$WAYMARK" record --guide hotspot -L both -o named.wmk ./launch "$java" -Xint -cp . Anew last
check "a guide by name: what begins the runtime gets no arguments" test "$(tail -n 1 stdout)" = "0 0"
check "a guide by name: the runtime has it" sh -c '"$WAYMARK" hot --by method named.wmk | grep -Eq " 10 +Anew[.]twice"'
ln -s "$(dirname "$java")/../lib" lib
mkdir bin
cp "$java" bin/renamed
run "$WAYMARK" record --guide hotspot -L both -o renamed.wmk bin/renamed -Xint -cp . Anew last
check "a guide by name: the runtime has another one" sh -c \
	'"$WAYMARK" hot --by method renamed.wmk | grep -Eq " 10 +Anew[.]twice"'
# Of the last Python, which came when blocks were known that nothing is recorded beside.
thread_of() { "$WAYMARK" info "$1" | awk '$NF == "python3.13" && $1 ~ /^[0-9]+$/ && NF > 7 { n = $1 } END { print n }'; }
last=$(thread_of late.wmk)
"$WAYMARK" cut late.wmk --thread "$last" --from 50M --to 51M -o part.wmk 2>said
"$PYTHON" "$SRC/docs/decoder.py" part.wmk >decoded
"$WAYMARK" blocks --format pc part.wmk >wanted
check "several runtimes: there is a part" test "$(wc -l <wanted)" -gt 100000
same "several runtimes: another decoder has the same path" wanted decoded
"$PYTHON" "$SRC/docs/decoder.py" --accesses part.wmk >decoded
check "several runtimes: and fetches" test "$(wc -l <decoded)" -gt 100
run sh -c '"$@" | cat' - "$WAYMARK" record -E PYTHONHASHSEED=0 -L both -o one.wmk -- "$python" -S child.py
for trace in one late; do
	"$WAYMARK" bytecodes --thread "$(thread_of $trace.wmk)" --format csv $trace.wmk | cut -d, -f2- >$trace.csv
done
check "several runtimes: there are bytecodes" test "$(wc -l <one.csv)" -gt 10000
same "several runtimes: bytecodes are those of Python alone" one.csv late.csv
run "$WAYMARK" record --last 300M -L both -o last.wmk ./launch "$python" -S child.py
check "several runtimes: --last" sh -c '"$WAYMARK" hot --by method last.wmk | grep -Eq " 10 +twice +child.py:2$"'

# What the user preloads is there beside the agent: a program that begins late finds just that.
library=$sysroot/usr/lib/riscv64-linux-gnu/libm.so.6
run "$WAYMARK" record -E LD_PRELOAD="$library" -E WANTED="$library" -L both -o given.wmk ./launch "$python" -S child.py
check "a library that the user preloads: its program runs as without a guide" grep -qx "0 1" stdout
check "a library that the user preloads: methods are known" sh -c \
	'"$WAYMARK" hot --by method given.wmk | grep -Eq " 10 +twice +child.py:2$"'

# A guide that is asked for by its name is in the first program, too. A static one hands its variable on.
run "$WAYMARK" record --guide cpython -L both -o named.wmk ./launch "$python" -S child.py
check "a guide by its name, and a static launcher: its status" grep -qx "0 1" stdout
check "a guide by its name, and a static launcher: methods are known" sh -c \
	'"$WAYMARK" hot --by method named.wmk | grep -Eq " 10 +twice +child.py:2$"'

# Without such a program the file is that of a run without guides.
"$WAYMARK" record -q -o none.wmk ./launch ./launch >stdout
"$WAYMARK" record -q --guide none -o bare.wmk ./launch ./launch >stdout
check "no runtime: no guide, and no values" sh -c '! "$WAYMARK" info none.wmk | grep -q "^values\|^guide\|^runtime"'
check "no runtime: the same features" sh -c \
	'[ "$(head -c 16 none.wmk | od -An -tx1)" = "$(head -c 16 bare.wmk | od -An -tx1)" ]'

# Nor is one lent where no guide is wanted.
"$WAYMARK" record -q --guide none -L both -o bare.wmk ./launch "$python" -S child.py >stdout
check "--guide none: no bytecodes" sh -c '! "$WAYMARK" bytecodes -n 1 bare.wmk 2>/dev/null | grep -q .'

# The tools of a JDK take what is for their JVM behind -J.
javac=$(echo "$jdk"/usr/lib/jvm/java-[0-9][0-9]-openjdk-riscv64/bin/javac)
run "$WAYMARK" record -L "$jdk" -o tool.wmk -- "$javac" -version
check "javac: it prints its version" grep -qx 'javac [0-9.]*' stdout
check "javac: its status" test "$status" -eq 0
check "javac: nothing is said" test ! -s stderr
check "javac: its methods are known" sh -c \
	'"$1" bytecodes tool.wmk --thread main --function "com.sun.tools.javac.Main.main*" -n 1 | grep -q aload_0' - "$WAYMARK"

# Without its agent, and with what it does not go with, the program runs as without a guide.
cp "$WAYMARK" waymark
ln -s "$(dirname "$(realpath "$WAYMARK")")"/*.so* .
mkdir -p guides/cpython
cp "$SRC/guides/cpython/guide" guides/cpython
for option in --no-pack --mem=stores; do
	[ "$option" = --no-pack ] || cp "$(dirname "$(realpath "$WAYMARK")")/guides/cpython/agent.so" guides/cpython
	run ./waymark record $option -L "$sysroot" -o left.wmk -- python3.13 app.py one
	same "$option: the program prints what it does" want stdout
	check "$option: its status, too" test "$status" -eq 3
	check "$option: one line tells of it" sh -c \
		'[ "$(grep -c "^waymark: guide cpython .*, so it is left out$" stderr)" = 1 -a "$(wc -l <stderr)" = 1 ]'
	check "$option: there is no guide in the trace" sh -c \
		'! ./waymark bytecodes -n 1 left.wmk 2>/dev/null | grep -q .'
done
# A process that cannot reach the agent any more begins the program without it.
cat >gone.py <<'PY'
import os, subprocess, sys
os.rename("guides", "gone")
subprocess.run([sys.executable, "-S", "child.py"], check=True)
PY
run ./waymark record -L "$sysroot" -o gone.wmk -- python3.13 -S gone.py
check "the agent is gone: its status" test "$status" -eq 0
check "the agent is gone: its user is told" sh -c \
	'[ "$(cat stderr)" = "waymark: $1" ]' - "$told"
mv gone guides
run ./waymark record --guide none --mem=stores -L "$sysroot" -o left.wmk -- python3.13 app.py one
check "none: nothing is told" test ! -s stderr

# A program of a runtime's name that is none.
mkdir other
echo 'int main(void) { return 5; }' |
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -xc -o other/python3.13 -
run "$WAYMARK" record -L "$sysroot" -o left.wmk -- other/python3.13
check "no Python: its status" test "$status" -eq 5
check "no Python: nothing is said" test ! -s stderr
run "$WAYMARK" bytecodes left.wmk
check "no Python: bytecodes says that there was none" grep -qx \
	"waymark: left.wmk: the trace has no bytecodes: guide cpython saw no runtime begin" stderr

# A Java of a release that is not known: its agent tells no more than this program does.
mkdir strange
cat >java.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static const char note[] = "\7hotspot" "\4""99.1" "\20interpreted mode";

	printf("%d\n", argc);
	syscall(0x574d4b, 1, note, sizeof(note) - 1);
	return 4;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -w -o strange/java java.c
run "$WAYMARK" record -o strange.wmk strange/java
check "a release that is not known: the status" test "$status" -eq 4
check "a release that is not known is told of" grep -qx \
	"waymark: guide hotspot does not know hotspot 99.1: there are no methods in the trace (--guide none records without it)" stderr
check "info says so" sh -c '"$WAYMARK" info strange.wmk |
	grep -qx "runtime  *hotspot 99.1, interpreted mode: its guide does not know this release, so it has no methods"'
check "so does its JSON" sh -c '"$WAYMARK" info --format json strange.wmk | grep -q "\"known\": false"'
run "$WAYMARK" bytecodes strange.wmk
check "bytecodes says why there are none" grep -qx \
	"waymark: strange.wmk: the trace has no bytecodes: guide hotspot does not know hotspot 99.1" stderr

# A runtime that ends before it begins: Python prints its version.
"$WAYMARK" record -q -L "$sysroot" -o begun.wmk -- ./python --version >stdout
run "$WAYMARK" bytecodes begun.wmk
check "no runtime: bytecodes says so" grep -qx \
	"waymark: begun.wmk: the trace has no bytecodes: guide cpython saw no runtime begin" stderr
check "no runtime: so does info" sh -c \
	'"$WAYMARK" info begun.wmk | grep -qx "runtime  *none began that guide cpython follows"'

# pgrep -f of a guest looks through command lines: a program has not what other programs get.
busybox=$("$SRC/tests/sysroot.sh")/bin/busybox
# QEMU shows a process its own command line without QEMU's part, but not that of its parent.
cat >parent <<'END'
"$1" cat /proc/$$/cmdline
[ "$2" ] || "$1" sh "$0" "$1" inner
END
"$WAYMARK" record -o line.wmk "$busybox" sh ./parent "$busybox" | tr '\0' '\n' >line
check "a command line: the recorder's memory is in both" test "$(grep -c arena= line)" = 2
check "a command line: no other program's guide is" sh -c \
	'! grep -E "hotspot|cpython|javac|luajit|node" line'

# A program may say anything by an agent's call. What makes no sense is not in the trace.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -xc -o liar - <<'END'
#include <unistd.h>
int main(void)
{
	static const struct {
		long kind;
		const char *data;
	} lies[] = { { 2, "abc" }, { 6, "\x80" }, { 7, "abc" }, { 9, "abc" }, { 11, "abc" },
		     { 11, "\x80\x80\x04\x20\x02" }, { 11, "\0\xff\xff\xff\xff\xff\x0f\x02" } };

	for (int i = 0; i < 7; i++)
		syscall(0x574d4b, lies[i].kind, lies[i].data, i == 1 ? 1 : i < 5 ? 3 : i < 6 ? 5 : 8);
	return 0;
}
END
"$WAYMARK" record -q -o lies.wmk ./liar
check "lies: the trace is sound" "$WAYMARK" verify lies.wmk
for question in calls cover; do
	check "lies: $question" sh -c '"$WAYMARK" "$1" lies.wmk >answer' - $question
done

# Nor does it make the file one that readers refuse because so much is compressed into it.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -xc -o talker - <<'END'
#include <unistd.h>
static char zeros[4 << 20];
int main(void)
{
	for (int i = 0; i < 40; i++)
		syscall(0x574d4b, 1, zeros, sizeof(zeros));
	return 0;
}
END
"$WAYMARK" record -q -o talk.wmk ./talker
run "$WAYMARK" verify talk.wmk
check "too much is told: the trace says so" \
	grep -q 'sound as far as it goes, but cut short: the guest told more about its code' stdout
check "too much is told: calls" sh -c '"$WAYMARK" calls talk.wmk >answer'
[ "$failures" -eq 0 ]
