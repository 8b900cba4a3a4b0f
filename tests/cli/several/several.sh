#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Questions to several traces at once: their rows are added, by build-id and name.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# The same program in two folders, another one, and accesses for caches.
mkdir here over
cp "$GUESTS/alloca.O3" here/program
cp "$GUESTS/alloca.O3" over/program
"$WAYMARK" record --mem -o a.wmk here/program >/dev/null
"$WAYMARK" record --mem -o b.wmk over/program >/dev/null
"$WAYMARK" record --mem -o c.wmk "$GUESTS/muldiv.O0" >/dev/null

while read -r question; do
	# shellcheck disable=SC2086 # words
	check "$question" "$PYTHON" "$SRC/tests/cli/several/several_facts.py" added $question
done <<END
hot
hot --by line
hot --by loop
hot --by block -f insns,executions,uncertain,size,function,offset,path
mix
mix --by mnemonic
mix --by register
mix --per function
calls
calls --graph
cfg --loops
cfg --loops --trips
cache
cache --by level
cache --by line
END
for fact in by_trace shares builds twice; do
	check "$fact" "$PYTHON" "$SRC/tests/cli/several/several_facts.py" "$fact"
done

# Four traces of two builds that were made at the same path, one after the other, and two more:
# what they add up to is what the witness of each, its blocks one by one, says.
cat >rebuilt.c <<'END'
volatile int sink;
__attribute__((noinline)) void work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 20 * argc; i++)
		work(100 * FACTOR);
	return 0;
}
END
for build in 1 2; do
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -Wl,--build-id -DFACTOR=$build -o rebuilt rebuilt.c
	"$WAYMARK" record --mem -o r$build.wmk ./rebuilt >/dev/null
	"$WAYMARK" record --mem -o s$build.wmk ./rebuilt more >/dev/null
done
"$WAYMARK" record --mem -o small.wmk --max-insns 20k "$GUESTS/alloca.O3" >/dev/null 2>&1
for fact in rebuilt rebuilt_apart formats; do
	check "$fact" "$PYTHON" "$SRC/tests/cli/several/several_facts.py" "$fact"
done

# Builds of one path have the begin of their build-ids behind the module's name; one alone has not.
readelf -n rebuilt | sed -nE 's/.*Build ID: (.{8}).*/rebuilt [\1]/p' >last
"$WAYMARK" hot --format csv -f module,function r1.wmk r2.wmk | grep ',work$' | cut -d, -f1 | sort -u >marked
check "two builds are told apart" test "$(grep -c '^rebuilt \[[0-9a-f]\{8\}\]$' marked)" -eq 2
check "by their build-ids" grep -qxFf last marked
"$WAYMARK" hot --format csv -f module r1.wmk s1.wmk | sort -u >alone
printf 'module\nrebuilt\n' >wanted
same "one build needs no mark" wanted alone

run "$WAYMARK" hot -j 1 a.wmk b.wmk c.wmk
mv stdout one
run "$WAYMARK" hot -j 3 a.wmk b.wmk c.wmk
same "any number of threads" one stdout
# A trace in the middle that is missing, damaged, or none: its name, and no answer.
echo text >none.wmk
"$PYTHON" "$SRC/tests/cli/several/several_facts.py" damage b.wmk damaged.wmk
for question in hot mix cover calls "cfg --loops" cache "phases --interval 10k"; do
	for bad in missing damaged none; do
		# shellcheck disable=SC2086 # words
		run "$WAYMARK" $question a.wmk $bad.wmk c.wmk
		check "$question, one is $bad" sh -c \
			"test $status -eq 2 -a ! -s stdout && grep -q 'waymark.*$bad.wmk' stderr"
	done
done
for words in "mix --interval 1000" "calls --tree" "calls --format folded" "cfg" "annotate" \
	"cache --interval 1000" "cache --cachegrind x"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" $words a.wmk b.wmk
	check "$words is of one" test "$status" -eq 2 -a ! -s stdout -a -s stderr
done

# One trace after the other is open: of a hundred, memory is that of ten.
peak() { /usr/bin/env LC_ALL=C "$PYTHON" "$SRC/tests/cli/several/several_facts.py" peak "$@"; }
for question in hot "hot --by trace" mix cover calls "cfg --loops" "phases --interval 1k"; do
	few=$(peak 10 "$question")
	many=$(peak 100 "$question")
	check "memory of $question ($few and $many KiB)" test "$many" -lt $((few + few / 4))
done
finish
