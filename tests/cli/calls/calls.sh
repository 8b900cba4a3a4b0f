#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls: against counts known by hand, against what a program's own hooks say of the same
# run, against the same program without tail calls; tables against the tree; and what is
# asked for is what is printed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$SRC/tests/cli/calls
cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
cxx=${CROSS_CXX:-riscv64-linux-gnu-g++}
sysroot=/usr/riscv64-linux-gnu

# record NAME PROGRAM: NAME.wmk, and what the program writes to descriptor 3 in NAME.hooks
record() {
	"$WAYMARK" record -L $sysroot -o "$1.wmk" "$2" >out 3>"$1.hooks"
}

# ---- by hand -----------------------------------------------------------------

# called TRACE FUNCTION CALLS: the calls of a function, summed over its rows
called() {
	got=$("$WAYMARK" calls "$1" --format csv --function "$2" -f calls |
		awk 'NR > 1 { sum += $1 } END { print sum }')
	[ "$got" = "$3" ] || { echo "$2: called $got times, not $3" >&2 && false; }
}

record signal "$GUESTS/signal.O3"
for name in mutual deep tailcall manycalls longjmp; do
	record $name.O0 "$GUESTS/$name.O0"
	record $name.O3 "$GUESTS/$name.O3"
done
# is_even(n) and is_odd(n) for n < 400 call each other n times.
check "mutual recursion" called mutual.O0.wmk 'is_*' 160400
check "mutual recursion, optimised" called mutual.O3.wmk 'is_*' 160400
check "Ackermann's function" called mutual.O0.wmk ackermann 42438
# dive(depth) is called depth + 1 times: 1000, 1400, ... 5000, and 1020 to 1028.
check "deep recursion" called deep.O0.wmk dive 42236
check "deep recursion, optimised" called deep.O3.wmk dive 42236
# 20 runs of 3000 states and the call that finds none left.
check "tail calls that are calls" called tailcall.O0.wmk go 60020
# A call for each of 60,000 rounds, and in every 3000th of all 1024 in order.
check "many functions" called manycalls.O0.wmk 'f[0-3][0-3][0-3][0-3][0-3]' 80480
check "many functions, optimised" called manycalls.O3.wmk 'f[0-3][0-3][0-3][0-3][0-3]' 80480
# climb() is called once more than its depth in each round; those that return had 200.
check "longjmp: 2000 rounds" called longjmp.O0.wmk '*_setjmp' 2001
check "each round is one call" sh -c '"$WAYMARK" calls longjmp.O0.wmk --graph --format csv |
	grep -q "^main,climb,2000,"'

# ---- what programs say of themselves -----------------------------------------

# hooks NAME COMPILER OPTION...: compiled so, the program and the tree agree.
hooks() {
	name=$1
	shift
	"$@" -finstrument-functions -o "$name" 2>errors || cat errors >&2
	record "$name" "./$name"
	check "hooks: $*" "$PYTHON" "$here/compare.py" "$name" "$name.wmk" "$name.hooks"
}
hooks c.O0 "$cc" -std=gnu17 -O0 -static -pthread "$here/instrumented.c"
hooks c.O2 "$cc" -std=gnu17 -O2 -static -pthread "$here/instrumented.c"
hooks c.dyn "$cc" -std=gnu17 -O2 -no-pie -pthread "$here/instrumented.c"
hooks c.now "$cc" -std=gnu17 -O2 -no-pie -pthread -Wl,-z,now "$here/instrumented.c"
# Functions are reported where they are inlined, too.
excluded="-fno-inline -finstrument-functions-exclude-file-list=/usr"
# shellcheck disable=SC2086 # words
for level in -O0 -O2; do
	hooks cxx$level "$cxx" $level $excluded -static "$here/exceptions.cc"
	hooks cxx$level.dyn "$cxx" $level $excluded -no-pie "$here/exceptions.cc"
done

CROSS_NM=x86_64-linux-gnu-nm
export CROSS_NM
hooks c.x86_64 x86_64-linux-gnu-gcc -std=gnu17 -O2 -static -pthread "$here/instrumented.c"
CROSS_NM=aarch64-linux-gnu-nm
hooks c.aarch64 aarch64-linux-gnu-gcc -std=gnu17 -O2 -static -pthread "$here/instrumented.c"
# Returns that authenticate their address, which the disassembler does not know. The CPU that
# QEMU 10.2 emulates when none is named does not have them.
export QEMU_CPU=max
hooks c.retaa aarch64-linux-gnu-gcc -std=gnu17 -O2 -static -pthread -march=armv8.3-a \
	-mbranch-protection=standard "$here/instrumented.c"
unset QEMU_CPU
# This C library has no names for the code that jumps for longjmp().
sysroot=/usr/aarch64-linux-gnu
hooks c.aarch64.dyn aarch64-linux-gnu-gcc -std=gnu17 -O2 -no-pie -pthread "$here/instrumented.c"
sysroot=/usr/riscv64-linux-gnu
unset CROSS_NM

# ---- calls and returns that go on behind themselves ---------------------------

# passes NAME COMPILER TOTALS: the instructions of the calls by outer(), by leaf() and by main()
passes() {
	"$2" -O2 -static -o "$1" "$here/passes.c"
	record "$1" "./$1"
	"$WAYMARK" calls "$1.wmk" --graph --format csv -s calls \
		-f caller,callee,calls,open,total_insns >graph
	grep -E '^(main|outer|leaf),' graph >passes.got
	# shellcheck disable=SC2086 # words
	printf '%s\n' outer,outer,50,0,$3 outer,leaf,30,0,$4 main,outer,10,0,$5 >passes.expected
	same "each call once: $2" passes.expected passes.got
}
passes passes.arm arm-linux-gnueabihf-gcc 480 100 610
passes passes.x86_64 x86_64-linux-gnu-gcc 620 30 760
strip -s -o passes.stripped passes.x86_64
record passes.stripped ./passes.stripped
check "a call of the next instruction begins no function" sh -c '
	"$WAYMARK" calls passes.x86_64.wmk --format csv -f calls --function outer >of.outer
	"$WAYMARK" calls passes.stripped.wmk --format csv -f calls >of.all
	[ "$(sed -n 2p of.outer)" = 60 ] && [ "$(grep -cx 60 of.all)" = 1 ]'

# ---- tail calls --------------------------------------------------------------

# tails NAME OPTION...: the calls in main(), without what they took and how they were made
tails() {
	name=tails.$1
	shift
	# Bound at once: else the first call of a stub goes through the resolver, a function, too.
	"$cc" -O2 -Wl,-z,now "$@" -o "$name" "$here/tails.c"
	record "$name" "./$name"
	"$WAYMARK" calls "$name.wmk" --tree -F main >"$name.tree"
	sed '1d; s/^.\{32\}//; s,  /\* tail call \*/,,' "$name.tree" >"$name.calls"
}
for how in -static -pie -no-pie; do
	tails with$how $how -foptimize-sibling-calls
	tails without$how $how -fno-optimize-sibling-calls
	check "there are tail calls: $how" \
		test "$(grep -c 'tail call' tails.with$how.tree)" -ge 300
	same "tail calls are calls: $how" tails.with$how.calls tails.without$how.calls
done
check "stubs are not seen" sh -c '! "$WAYMARK" calls tails.with-pie.wmk --tree | grep @plt'
check "what they stand for is" sh -c '"$WAYMARK" calls tails.with-pie.wmk --graph --format csv |
	grep -qE "^put,(_IO_)?puts,1,"'
"$WAYMARK" calls tailcall.O3.wmk --tree --no-inline -F main --format csv >tree
check "tail calls in a loop do not nest without end" \
	awk -F, 'NR > 1 && $4 > most { most = $4 } END { exit !(most > 60 && most < 80) }' tree

# ---- tables and tree ---------------------------------------------------------

for trace in mutual.O0 deep.O3 longjmp.O3 signal c.O2 c.dyn cxx-O2.dyn; do
	check "tables are sums of the tree: $trace" "$PYTHON" "$here/sums.py" $trace.wmk
done
"$cc" -std=gnu17 -O2 -Wno-infinite-recursion -static -o parts "$here/parts.c"
record parts ./parts
check "there are several parts" test "$("$WAYMARK" info parts.wmk --format json |
	"$PYTHON" "$SRC/tests/cli/calls/calls_facts.py" chunks)" -ge 4
check "tables are sums of the tree: several parts" "$PYTHON" "$here/sums.py" parts.wmk
check "calls in several parts" called parts.wmk dive 72
check "longjmp over parts" called parts.wmk climb 61
check "a part of parts" "$PYTHON" "$here/sums.py" parts.wmk --from 30000000 --to 130000000
check "of a part" "$PYTHON" "$here/sums.py" longjmp.O3.wmk --from 1000000 --to 3000001
check "of a thread" "$PYTHON" "$here/sums.py" c.O2.wmk --thread 2
"$WAYMARK" calls --tree -F main c.O2.wmk >main.txt
check "a tree names the threads that have a call" [ "$(grep '^thread' main.txt)" = "thread 0, c.O2" ]
for mode in "" --graph; do
	# shellcheck disable=SC2086 # no word when empty
	for threads in 1 2 5; do
		"$WAYMARK" calls parts.wmk $mode -j $threads --format json >threads.$threads
	done
	same "-j 2 $mode" threads.1 threads.2
	same "-j 5 $mode" threads.1 threads.5
done
"$WAYMARK" calls deep.O3.wmk --format json >json
check "json is what csv is" "$PYTHON" "$SRC/tests/cli/calls/calls_facts.py" json_is_what_csv_is
"$WAYMARK" calls deep.O3.wmk --tree >text
check "lines end in deep recursion" awk '/\[2,000\] dive\(\)/ { deep = 1 }
	length > 700 { exit 1 } END { exit !deep }' text
"$WAYMARK" calls deep.O3.wmk --tree --format json >json
check "the tree in json" "$PYTHON" "$SRC/tests/cli/calls/calls_facts.py" the_tree_in_json

# ---- selecting a part --------------------------------------------------------

tree() { "$WAYMARK" calls mutual.O0.wmk --tree --format csv "$@" | sed 1d; }
check "-D" test "$(tree -F main -D 1 | wc -l)" -eq 2
check "-D counts from -F" test "$(tree -F main -D 2 | cut -d, -f4 | sort -u | xargs)" = "0 1"
check "-F twice" test "$(tree -F is_even -F is_odd -D 1 | wc -l)" -eq 1600
check "-N" test "$(tree -F main -N ackermann -N 'is_*' | grep -cE ',(ackermann|is_odd),')" -eq 0
check "-n" test "$(tree -n 5 | grep -c entry)" -eq 5
check "-n closes what it opens" test "$(tree -n 5 | grep -cE ',(exit|cut),')" -eq 5
tree -F main -D 2 -n 4 >cut
check "a call that -n cuts is marked" test "$(grep -c ',cut,' cut)" -eq 1
check "the rest has returned" test "$(grep -c ',exit,' cut)" -eq 3
tree -F main -D 2 >all
head -n 7 all >begin
grep -v ',cut,' cut >whole
same "and the other rows are those without -n" whole begin
check "where the next would be shown" test "$(grep ',cut,' cut | cut -d, -f3)" = \
	"$(sed -n 8p all | cut -d, -f3)"
tree -F main -D 1 -n 1 >cut
tree -F main -D 1 >whole
same "nothing is cut where no more begin" cut whole
check "no exits are invented" test "$(tree | grep -c ',exit,')" -lt "$(tree | grep -c entry)"
check "calls open at the end are marked" sh -c '"$WAYMARK" calls mutual.O0.wmk --tree --format csv |
	tail -n 1 | grep -q ",open,.*,0,call,_start,"'
check "text marks calls that -n cuts" sh -c '"$WAYMARK" calls mutual.O0.wmk --tree -n 5 | tail -n 1 |
	grep -q "} /\* .*, cut by -n \*/$"'
check "open calls have no mean" sh -c '"$WAYMARK" calls mutual.O0.wmk --format csv --function exit \
	-f calls,open,min_insns,mean_insns,max_insns | grep -qx "1,1,,,"'
check "rows" test "$("$WAYMARK" calls mutual.O0.wmk -n 3 --format csv | wc -l)" -eq 4
check "the order of rows" sh -c '"$WAYMARK" calls mutual.O0.wmk -s calls -n 1 --format csv -f function |
	grep -q "^is_"'
check "--function of a graph" sh -c '"$WAYMARK" calls mutual.O0.wmk --graph --function main --format csv |
	sed 1d | grep -v main >left; test ! -s left'
"$WAYMARK" calls c.O0.wmk --tree -F signals -N '__cyg*' --thread 0 | sed 1d | cut -c 33- >text
cat >expected <<'END'
signals() {
  raise() {
END
head -n 2 text >begin
same "text" begin expected
check "handlers" grep -q '^ *outer_handler() {  /\* signal handler \*/$' text
check "what never ends" sh -c '"$WAYMARK" calls c.O0.wmk --tree --thread 0 |
	grep -q "} /\* exit, still in it \*/$"'

# ---- refused -----------------------------------------------------------------

# twice MESSAGE WORD...: exit status 2; argp adds a line
usage() {
	message=$1
	shift
	run "$WAYMARK" calls mutual.O0.wmk "$@"
	check "refused: $*" test "$status" -eq 2 -a ! -s stdout
	check "with a reason: $*" grep -qF -- "$message" stderr
}
usage "either --graph or --tree" --graph --tree
usage "-D, -F and -N are for --tree" -D 3
usage "--depth takes a number from 1" --tree -D 0
usage "--tree takes no -s" --tree -s calls
usage "nothing" -s nothing
refused "no such thread" '*there is no thread called "nobody"*' \
	"$WAYMARK" calls mutual.O0.wmk --thread nobody
refused "no trace" '*cannot open nothing.wmk*' "$WAYMARK" calls nothing.wmk
run sh -c "'$WAYMARK' calls mutual.O0.wmk --tree >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
"$WAYMARK" calls mutual.O0.wmk --tree 2>stderr | head -n 1 >stdout
check "head" test -s stdout -a ! -s stderr
finish
