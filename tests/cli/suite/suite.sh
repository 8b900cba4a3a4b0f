#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Suites: cases under limits, results that are resumed, compared, and read by programs.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

CC=${CROSS_CC:-riscv64-linux-gnu-gcc}
fact() { "$PYTHON" "$SRC/tests/cli/suite/suite_facts.py" "$@"; }

cat >greedy.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *p = malloc(200 << 20);

	(void)argv;
	for (long i = 0; argc > 1 && i < 200 << 20; i += 4096)
		((volatile char *)p)[i] = 1;
	for (;;)
		pause();
}
END
cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int __attribute__((noinline)) helper(int n)
{
	volatile int x = n;
	for (int i = 0; i < 100; i++)
		x += i;
	return x;
}
int main(void)
{
	int n = 0, c;
	while ((c = getchar()) != EOF)
		n += helper(c) != 0;
	fputs("odd \001 \xff \xef\xbf\xbf <&>\n", stderr);
	printf("%d %s\n", n, getenv("WORD"));
	return 3;
}
END
"$CC" -O1 -static -o greedy greedy.c
"$CC" -O1 -static -o work work.c
mkdir inner
printf abc >inner/input
cat >s.toml <<'END'
# what is recorded
name = "a <suite>"
[defaults]
max-seconds = 600
environment = { WORD = "first", OTHER = "x" }
[[case]]
name = "work"
command = ["../work"]
directory = "inner"
input = "input"
environment = { WORD = "a b" }
exit = 3
repeats = 2
[[case]]
name = "slow"
command = ["./greedy"]
max-seconds = 1
[[case]]
name = "large"
command = ["./greedy", "more"]
max-memory = "100M"
[[case]]
name = "status"
command = ["./work"]
[[case]]
name = "budget"
command = ["./work"]
exit = 3
budget = { insns = 100 }
[[case]]
name = "none"
command = ["./missing"]
[[case]]
name = "trace"
command = ["./work"]
exit = 3
max-size = 1_000
END
run "$WAYMARK" suite list s.toml --format csv
check "all are new" test "$(grep -c ',new,' stdout)" -eq 7
"$WAYMARK" suite list s.toml --format json >list
check "the whole command" fact commands
run "$WAYMARK" suite run s.toml -j 2
check "its exit status" test "$status" -eq 1
check "a line for each case" test "$(grep -c '^waymark: [1-7] of 7: ' stderr)" -eq 7
check "with what became of it" grep -q ': work passed, .* instructions, ' stderr
check "and why it was not recorded" grep -q ': none error, .*: no such program: ./missing$' stderr
for what in results junit folder; do
	check "$what" fact $what
done
schema=$SRC/tests/cli/suite/junit.xsd
check "JUnit's schema" xmllint --noout --schema "$schema" suite.results/junit.xml
for wrong in 's/ tests="7"//' 's/failure/fault/g' 's/time="/time="-/' 's/ classname="[^"]*"//'; do
	sed "$wrong" suite.results/junit.xml >wrong.xml
	run xmllint --noout --schema "$schema" wrong.xml
	check "it is no schema of anything: $wrong" test "$status" -eq 3
done
check "output" grep -qx "3 a b" suite.results/work/stdout

# What is done is not run again; what changed is.
before=$(stat -c %i suite.results/work)
slow=$(stat -c %i suite.results/slow)
"$WAYMARK" suite run s.toml --only work >/dev/null
check "a case that is done stays" test "$(stat -c %i suite.results/work)" = "$before"
cp -r suite.results old
run "$WAYMARK" suite report --against old
check "others did not pass" test "$status" -eq 1
check "nothing changed" grep -q "^suite.results against old: 0 of 7 programs changed, 6 did not pass$" stdout
run "$WAYMARK" suite report --against old --by function
check "no function changed" test "$status" -eq 0 -a "$(wc -l <stdout)" -eq 1
printf abcd >inner/input
check "its input changed" sh -c "'$WAYMARK' suite list s.toml | grep -q '^work  *changed'"
run "$WAYMARK" suite run s.toml --only work
check "and it ran" test "$status" -eq 0 -a "$(stat -c %i suite.results/work)" != "$before"
check "others did not" test "$(stat -c %i suite.results/slow)" = "$slow"
run "$WAYMARK" suite report --against old --by function
check "something changed" test "$status" -eq 1
check "by function" fact changed
cp -r suite.results inlined
awk -F'\t' -v OFS='\t' 'NR == 1 { $1 += 1000000000; $2 = 0 } 1' \
	suite.results/work/functions.tsv >inlined/work/functions.tsv
run "$WAYMARK" suite report inlined --against old --by function -n 1 --format csv \
	-f executions,executions_were
check "no executions of what was inlined" grep -qE '^,[0-9]+$' stdout
run "$WAYMARK" suite report --against old --html page.html
check "the answer for people" test "$status" -eq 1
check "programs and functions" fact overview
check "as a page" fact page
mv stdout named
run "$WAYMARK" suite run s.toml --only work --against old -n 1
check "run compares, too" test "$status" -eq 1
check "fewer functions" grep -q "work  *([0-9,]* others)" stdout
run "$WAYMARK" suite run s.toml --only work -o made/for/it
check "folders on the way are made" test "$status" -eq 0 -a -s made/for/it/work/trace.wmk
refused "a file in place of the results" "*/s.toml is not a folder" "$WAYMARK" suite run s.toml -o s.toml
run "$WAYMARK" suite run s.toml --against missing
check "an older folder that is missing" grep -q "missing: No such file" stderr
run "$WAYMARK" suite report suite.results --against old --by case --format csv
check "by case" fact cases
run "$WAYMARK" hot suite.results/*/trace.wmk --by trace
check "the traces are traces" test "$status" -eq 0

# What record has to say is the reason, also about its options.
cat >r.toml <<'END'
[[case]]
name = "option"
command = ["./work"]
options = ["--bogus"]
[[case]]
name = "never"
command = ["./work"]
options = ["--window", "helper@9.."]
exit = 3
[[case]]
name = "named"
command = ["./work"]
options = ["-o", "other.wmk"]
exit = 3
[[case]]
name = "comma"
command = ["./work"]
environment = { WORD = "a,b,LANG=c" }
exit = 3
[[case]]
name = "tiny"
command = ["./greedy"]
max-memory = 1
END
run "$WAYMARK" suite run r.toml -o r
row() { grep -qE "^$1  *$2" stdout; }
check "an option that there is not" row option "error .*unrecognized option '--bogus'"
check "a window that never opened" row never "error .*its recording failed: the window helper@9"
check "-o is the suite's" row named passed
check "and no other trace is there" test -s r/named/trace.wmk -a ! -e other.wmk
check "a value with commas" row comma passed
check "is the whole value" grep -qx "0 a,b,LANG=c" r/comma/stdout
check "a limit before there is a trace" row tiny "limit .*max-memory = 1"
printf '[[case]]\nname = "a"\ncommand = ["./work", 3]\n' >array.toml
refused "an array of other things" "*line 3: the array wants a text, not a number" \
	"$WAYMARK" suite list array.toml

printf '[[case]]\nname = "a"\ncommand = ["./work"]\nrepeats = 0\n' >never.toml
refused "a case that never runs" "*line 4: a case runs once at least" \
	"$WAYMARK" suite list never.toml

# A program that counts differently each time: its change is marked.
cat >chance.c <<'END'
#include <stdlib.h>
#include <sys/random.h>
int main(void)
{
	unsigned char n[4];
	volatile int x = 0;

	getrandom(n, sizeof(n), 0);
	for (int i = 0; i < n[0] * 256 + n[1]; i++)
		x += i;
	return 0;
}
END
"$CC" -O1 -static -o chance chance.c
printf '[[case]]\nname = "chance"\ncommand = ["./chance"]\nrepeats = 9\n' >c.toml
"$WAYMARK" suite run c.toml -o c1 >/dev/null
"$WAYMARK" suite run c.toml -o c2 >/dev/null
run "$WAYMARK" suite report c2 --against c1 --by case
check "a change within the spread" test "$status" -eq 0 -a "$(grep -c "within the spread" stdout)" -eq 1
run "$WAYMARK" suite report c2 --against c1 --by function
check "of its functions, too" test "$status" -eq 0 -a "$(grep -c "within the spread" stdout)" -ge 1
run "$WAYMARK" suite report c2 --against c1
check "and no news" test "$status" -eq 0 -a "$(wc -l <stdout)" -eq 1

# How far a program comes that a limit ends is a matter of the machine.
for n in 1 2; do
	cp -r c1 "l$n"
	sed -i "s/^status = .*/status = \"limit\"/; s/insns = .*/insns = $n/" "l$n/chance/result.toml"
	printf '%d\t1\tprog\tmain\n' "$n" >"l$n/chance/functions.tsv"
done
run "$WAYMARK" suite report l2 --against l1
check "ended by a limit both times: no change" test "$(head -n 1 stdout)" = \
	"l2 against l1: 0 of 1 program changed, 1 did not pass"
check "and it is said" grep -q "+1.*ended by a limit" stdout
run "$WAYMARK" suite report l2 --against l1 --by function
check "of its functions, too" test "$status" -eq 0 -a "$(grep -c "ended by a limit" stdout)" -eq 1

# A program that is new, and one that is gone.
cp -r c1 c3
mv c3/chance c3/renamed
run "$WAYMARK" suite report c3 --against c1
check "new and gone" sh -c "test $status -eq 1 && grep -q '^renamed  *passed .* new' stdout &&
	grep -q '^chance  *missing' stdout"

# A run that is killed outright goes on where it was.
printf '[[case]]\nname = "one"\ncommand = ["./work"]\nexit = 3\n[[case]]\nname = "two"\n' >r.toml
printf 'command = ["./greedy"]\nmax-seconds = 1000\n' >>r.toml
"$WAYMARK" suite run r.toml -o r.results -j 1 >/dev/null 2>&1 &
suite=$!
until_true sh -c "ls r.results/.two.*/trace.wmk"
kill -9 "$suite"
wait "$suite" || true
until_true flock -n r.results/.two.* true # its child has ended, too
check "what was done is there" test -e r.results/one/result.toml -a ! -e r.results/two
before=$(stat -c %i r.results/one)
sed -i 's/1000/1/' r.toml
run "$WAYMARK" suite run r.toml -o r.results -f case,status --format csv
printf 'case,status\none,passed\ntwo,limit\n' >wanted
same "the rest is run" wanted stdout
check "and no more" test "$(stat -c %i r.results/one)" = "$before"
check "what was left behind is gone" test -z "$(find r.results -name '.*')"

# Of another machine, and of another case, nothing is removed.
mkdir "r.results/.one.elsewhere.12" "r.results/.one.$(uname -n).12.kept" "r.results/.one.$(uname -n).999999.old"
sed -i 's/exit = 3/exit = 3\nmax-seconds = 999/' r.toml
run "$WAYMARK" suite run r.toml -o r.results --only one
find r.results -name '.*' | sort >found
printf 'r.results/%s\n' ".one.$(uname -n).12.kept" .one.elsewhere.12 | sort >wanted
same "what is not known to be left behind stays" wanted found

# A job that is killed leaves no result, and what it ran ends.
cp greedy "endless$$"
printf '[[case]]\nname = "endless"\ncommand = ["./endless%d"]\n' $$ >k.toml
"$WAYMARK" suite run k.toml -o k.results >/dev/null 2>&1 &
suite=$!
until_true sh -c "ls k.results/.endless.*/trace.wmk"
until_true pgrep -f "qemu-riscv64.*/endless$$"
kill "$suite"
wait "$suite" || true
check "no half result" test ! -e k.results/endless
is_over() { ! pgrep -f "qemu-riscv64.*/endless$$"; }
check "nothing runs on" until_true is_over

# Nor when it is killed before its child has asked for a signal at its end.
cc -shared -fPIC -o late_child.so "$SRC/tests/cli/suite/late_child.c"
is_decided() { ! kill -0 "$child" 2>/dev/null || ls h.results/.endless.*/trace.wmk; }
for held in 1 2; do
	rm -rf h.results held
	HELD=$held LD_PRELOAD="$PWD/late_child.so" "$WAYMARK" suite run k.toml -o h.results >/dev/null 2>&1 &
	suite=$!
	until_true test -s held
	read -r child parent <held
	kill -9 "$parent"
	wait "$suite" || true
	until_true is_decided
	check "its child ends, however late it asks: $held" sh -c '! kill -0 "$1" 2>/dev/null' - "$child"
	kill -9 "$child" 2>/dev/null || true
done

# The example.
cp "$SRC"/examples/nightly.toml .
"$CC" -O2 -g -static -I"$SRC/include" -o sort "$SRC/examples/sort.c"
"$CC" -O2 -g -static -o queue "$SRC/examples/queue.c"
run "$WAYMARK" suite run nightly.toml -o today
check "the example" test "$status" -eq 0
run "$WAYMARK" suite run nightly.toml -o again --against today --html again.html
check "nothing changed in it" sh -c "test $status -eq 0 -a -s again.html &&
	grep -qx 'again against today: 0 of 2 programs changed, all passed' stdout"

# Wrong suites: one sentence, with the line.
wrong() {
	printf '%b' "$1" >w.toml
	run "$WAYMARK" suite list w.toml
	check "$2" sh -c "test $status -eq 2 && grep -q \"$2\" stderr"
}
wrong 'name = 1\n' "line 1: .name. wants a text"
wrong '' "wants cases"
wrong '[[case]]\nname = "a"\n' "wants a command"
wrong '[[case]]\nname = "a/b"\ncommand = ["x"]\n' "wants a name"
wrong '[[case]]\nname = "a"\ncommand = ["x"]\n[[case]]\nname = "a"\ncommand = ["x"]\n' "line 4: another case"
wrong '[[case]]\nname = "a"\ncommand = ["x"]\nmax-second = 1\n' "line 4: there is no key"
wrong '[[case]]\nname = "a"\ncommand = ["x"]\nmax-size = "big"\n' "line 4: a size is"
wrong '[[case]]\nname = "a"\ncommand = "x"\n' "line 3: .command. wants an array"
run "$WAYMARK" suite run s.toml --only nobody
check "a case that is not there" grep -q 'no case "nobody"' stderr
run "$WAYMARK" suite report nowhere
check "a folder that is not there" test "$status" -eq 2 -a -s stderr
check "it says what makes results" grep -q "no folder nowhere: waymark suite run makes" stderr
mkdir empty
refused "a folder in place of a suite" '*empty: Is a directory' "$WAYMARK" suite run empty
refused "a device in place of a suite" '*/dev/null: not a regular file' "$WAYMARK" suite run /dev/null
run "$WAYMARK" suite report empty
check "a folder without results" grep -q "empty has no results: waymark suite run makes" stderr
misused "no such action" '*"rum"; did you mean "run"?' "$WAYMARK" suite rum
run "$WAYMARK" suite
check "no action" test "$status" -eq 2 -a -s stderr
finish
