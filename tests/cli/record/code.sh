#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code that is left in the program's files (--code=files): the trace is smaller and says the
# same, also when the program was rebuilt; and it says what is missing when it is elsewhere.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
cp "$SRC/tests/cli/names/inlined.c" .

# build NAME OPTION...
build() {
	name=$1
	shift
	"$cc" -O2 -g -static "$@" -o "$name" inlined.c
}
build program -Wl,--build-id=sha1

# lists TRACE: every instruction that ran, with its bytes, and what runs most.
lists() {
	"$WAYMARK" insns --format qemu "$1"
	"$WAYMARK" hot --format csv -f insns,executions,function,start "$1"
	"$WAYMARK" mix --format csv "$1"
}

"$WAYMARK" record -o trace.wmk ./program 7 >out
"$WAYMARK" record --code=files -o files.wmk ./program 7 >out
lists trace.wmk >wanted
lists files.wmk >got
same "the same instructions" wanted got
check "they are some" [ "$(wc -l <got)" -gt 1000 ]
check "in less than half the bytes" \
	[ $(($(wc -c <files.wmk) * 2)) -lt "$(wc -c <trace.wmk)" ]
check "the whole trace has no such section" \
	sh -c '! "$WAYMARK" info --format json trace.wmk | grep -q "\"code\""'
check "info says so" sh -c '"$WAYMARK" info files.wmk | grep -q "^code  *in the program"'
check "info says so as JSON" \
	sh -c '"$WAYMARK" info --format json files.wmk | grep -q "\"code\": \"files\""'
check "the reference decoder reads it" \
	sh -c '"$PYTHON" "$SRC/docs/decoder.py" --insns files.wmk >decoded &&
		[ "$(wc -l <decoded)" -eq "$(grep -c "^0x" got)" ]'

# The copy is not more than the file's code, and there is one for each build.
copy=$(find cache -type f)
check "a copy of the program's beginning is kept" \
	cmp -n "$(wc -c <"$copy")" program "$copy"
check "debugging information is not" [ "$(wc -c <"$copy")" -lt "$(wc -c <program)" ]
inode=$(stat -c %i "$copy")
"$WAYMARK" record --code=files -o again.wmk ./program 7 >out
check "it is kept once" [ "$(stat -c %i "$(find cache -type f)")" = "$inode" ]
: >"$copy"
"$WAYMARK" record --code=files -o again.wmk ./program 7 >out
check "half a copy is made anew" sh -c '"$WAYMARK" verify again.wmk >out && cmp -s -n 10000 program '"$copy"

# ---- below --symfs ---------------------------------------------------------------

mkdir below
cp program below/program
mv program aside
mv cache uncached
refused "packets: the code is missing" '*' "$WAYMARK" packets files.wmk
"$WAYMARK" packets trace.wmk >whole 2>told
"$WAYMARK" packets --symfs below files.wmk >part 2>told
same "packets --symfs" whole part
refused "import: the code is missing" '*' \
	"$WAYMARK" import etrace part --code files.wmk -o imported.wmk
"$WAYMARK" import etrace part --symfs below --code files.wmk -o imported.wmk >told 2>&1
addresses() { "$WAYMARK" insns --format jsonl "$1" | sed 's/.*"address":"\([^"]*\).*/\1/'; }
addresses imported.wmk >part
addresses trace.wmk >whole
same "import --symfs" whole part
rm imported.wmk
mv uncached cache
mv aside program

# ---- the program is another one ------------------------------------------------

mkdir moved
mv program moved
build program -Wl,--build-id=sha1 -DOTHER -O0
lists files.wmk >got
same "the program was rebuilt" wanted got

rm -r cache
run "$WAYMARK" hot files.wmk
check "without the copy it is an error" [ "$status" -eq 2 ]
check "that names the file and what to do" \
	grep -q "not in the trace; --symfs DIR says where its file is, of build [0-9a-f]*: .*/program" stderr
run "$WAYMARK" verify files.wmk
check "which is no damage" sh -c '[ '"$status"' -eq 2 ] && ! grep -q damaged stderr'
run "$WAYMARK" recover files.wmk -o recovered.wmk
check "recover says the same" grep -q "not in the trace; --symfs DIR" stderr
check "and writes nothing" [ ! -e recovered.wmk ]
# What to do must be there however long the path is.
deep=$(printf 'deep/%.0s' $(seq 40))
mkdir -p "$deep"
cp moved/program "$deep/program"
"$WAYMARK" record --code=files -o deep.wmk "$deep/program" 7 >out
rm -r cache deep
run "$WAYMARK" mix deep.wmk
check "a long path hides neither" grep -q -- "--symfs DIR .*: \.\.\..*deep/deep/program" stderr
check "facts need no code" sh -c '"$WAYMARK" info files.wmk >out'

run "$WAYMARK" verify --symfs moved files.wmk
check "it is found below --symfs" [ "$status" -eq 0 ]
"$WAYMARK" hot --symfs moved --format csv -f insns,executions,function,start files.wmk >hot
check "by questions, too" sh -c 'grep -xF -f hot wanted | cmp -s - hot'
"$WAYMARK" cut --symfs moved files.wmk -o whole.wmk >out
lists whole.wmk >got
same "cut makes a trace that needs no file" wanted got
check "and says nothing else" sh -c '! "$WAYMARK" info whole.wmk | grep -q "^code"'
head -c $(($(wc -c <files.wmk) - 30)) files.wmk >short.wmk
"$WAYMARK" recover --symfs moved short.wmk -o recovered.wmk >out
"$WAYMARK" verify --symfs moved recovered.wmk >out 2>&1 || true
check "what is recovered refers, too" grep -q 'retraced' out
mv moved/program moved/intact
"$PYTHON" - moved/intact moved/program <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for i in range(0x1000, 0x20000):
    data[i] ^= 0x80
open(sys.argv[2], "wb").write(data)
END
run "$WAYMARK" verify --symfs moved files.wmk
check "a patched file is refused" \
	sh -c '[ '"$status"' -eq 2 ] && grep -q "patched since" stderr'

# ---- what goes into the trace in any case --------------------------------------

build nameless -Wl,--build-id=none
"$WAYMARK" record --code=files -o nameless.wmk ./nameless 7 >out
rm nameless
check "a file without a build-id" sh -c '"$WAYMARK" verify nameless.wmk >out'
XDG_CACHE_HOME=/proc/nowhere "$WAYMARK" record --code=files -o nocache.wmk ./program 7 >out
mv program other
check "a file that cannot be kept" sh -c '"$WAYMARK" verify nocache.wmk >out'
# Its own code is written while it runs, and code made at run time is in no file.
for guest in jit churn; do
	"$WAYMARK" record -o trace.wmk "$GUESTS/$guest.O3" >out
	"$WAYMARK" record --code=files -o files.wmk "$GUESTS/$guest.O3" >out
	# Where it is made may differ from run to run.
	"$WAYMARK" insns --format qemu trace.wmk | sed 's/^[^:]*://' >wanted
	"$WAYMARK" insns --format qemu files.wmk | sed 's/^[^:]*://' >got
	same "code that is made at run time: $guest" wanted got
done
# Sizes of instructions are listed; values need all programs of blocks.
for guest in aarch64/qsort.O2 x86_64/qsort.O3; do
	[ -e "$GUESTS/$guest" ] || continue
	"$WAYMARK" record --mem -o trace.wmk "$GUESTS/$guest" >out
	"$WAYMARK" record --mem --code=files -o files.wmk "$GUESTS/$guest" >out
	"$WAYMARK" insns --format qemu trace.wmk >wanted
	"$WAYMARK" insns --format qemu files.wmk >got
	same "another machine: $guest" wanted got
	check "is smaller" [ "$(wc -c <files.wmk)" -lt "$(wc -c <trace.wmk)" ]
done
"$WAYMARK" record --code=files --last 20k-insns -o last.wmk "$GUESTS/qsort.O3" >out
check "the newest part" sh -c '"$WAYMARK" verify last.wmk >out'
run "$WAYMARK" record --code=somewhere -o no.wmk ./other
check "a place that is not one" sh -c '[ '"$status"' -eq 2 ] && grep -q "trace" stderr'
