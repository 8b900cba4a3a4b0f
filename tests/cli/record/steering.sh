#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot be recorded is refused before the guest starts, in one sentence; and info says
# which part of a run a trace has. Whether the part is right: differential/windows, filters.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

SYSROOT=${SYSROOT:-/usr/riscv64-linux-gnu}
guest=$GUESTS/steering/calls.O3 dynamic=$GUESTS/steering/calls.dyn

# static NAME PATTERN OPTION...; loaded NAME PATTERN OPTION...: of the dynamic program.
static() {
	name=$1 pattern=$2
	shift 2
	refused "$name" "$pattern" "$WAYMARK" record --qemu "$QEMU" "$@" "$guest"
}
loaded() {
	name=$1 pattern=$2
	shift 2
	refused "$name" "$pattern" "$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" "$@" \
		"$dynamic"
}

static "a symbol" '*calls.O3 has no symbol "do_writ"; did you mean "do_write"?' \
	--start do_writ
static "a symbol of a window" '*calls.O3 has no symbol "nowhere"' --window f..nowhere@3
static "an offset after the end" "do_fork has * bytes: byte 4096 is after its end" \
	--start do_fork+0x1000
static "a line without code" "calls.c has no code in line 1; the nearest line with code is *" --stop calls.c:1
static "a line after the last" "calls.c has no code in line 99999; the nearest line with code is *" \
	--stop calls.c:99999
static "an unknown source file" \
	'the debugging information of *calls.O3 has no file "other.c"; was it compiled with -g?' \
	--start other.c:1
static "a system call" \
	'there is no system call "wirte" on riscv64; did you mean "write"?' \
	--start syscall:wirte
static "a function" '*calls.O3 has no function "do_marcs"; did you mean "do_marks"?' \
	--only do_marcs
static "a pattern" '*calls.O3 has no function "nothing?is*"' --except 'nothing?is*'
static "a function of a file" '*calls.O3 has no function "nothing"' --only 'calls*:nothing'
static "an end without an end" "--then exit needs something that ends the recording*" \
	--start f --then exit
static "a window backwards" "the window time:2..time:1 ends before it begins" \
	--window time:2..time:1
static "or of no time" "the window time:0.5..time:0.5 ends before it begins" \
	--start time:0.5 --stop time:0.5
mkdir -p folder-of-twenty-one/folder-of-twenty-one/folder-of-twenty-one
cp "$guest" folder-of-twenty-one/folder-of-twenty-one/folder-of-twenty-one
refused "a long path keeps its end" '.../folder-of-twenty-one/folder-of-twenty-one/calls.O3 has no function "none"*' \
	"$WAYMARK" record --only none folder-of-twenty-one/folder-of-twenty-one/folder-of-twenty-one/calls.O3
loaded "a symbol of no file" \
	'neither *calls.dyn nor its libraries have a symbol "qsrt"; did you mean "qsort"?' \
	--start qsrt
loaded "a function of a library" \
	'neither *calls.dyn nor its libraries have a function "no_such"' \
	--only 'libc.so*:no_such'

# What is no such thing at all; argp adds a line of its own.
wrong() {
	name=$1 pattern=$2
	shift 2
	run "$WAYMARK" record -o none.wmk "$@" "$guest"
	# shellcheck disable=SC2254 # a pattern it is
	case $status/$(head -n 1 stderr) in
	2/$pattern) passed "$name" ;;
	*) failed "$name" "exit status $status" "$(cat stderr)" ;;
	esac
	[ ! -e none.wmk ] || failed "$name: no file"
}
wrong "a place" '*"time:soon" is no place in a run: *' --start time:soon
wrong "a time" '*after @ there is a number from 1 on' --start f@0
wrong "a marker" '*marker: is followed by a number from 0 to 1023' --start marker:1024
wrong "a window" '*"f" is no window: write A..B,*' --window f
wrong "a second start" '*--start is given twice; --window A..B can be' --start f --start g
wrong "a size" '*--max-size takes a size such as 500k, not "big"' --max-size big
wrong "seconds" '*--max-time takes seconds such as 2 or 0.25, not "0"' --max-time 0
wrong "instructions" '*--max-insns takes a number from 1 on, not "0"' --max-insns 0
wrong "what then" '*--then takes stop or exit, not "run"' --then run
wrong "addresses" '*addresses are written as address:0x1000..0x2000, *' \
	--only address:0x10..0x10
wrong "nothing" '*--except "module:" names nothing' --except module:

# A file that is named may come later: dlopen() is not foreseen.
run "$WAYMARK" record --qemu "$QEMU" -o none.wmk --except later.so:f "$guest"
check "a file that may come" [ "$status" = 0 ]

# Where the libraries cannot be found nothing is certain: QEMU is to say it.
mkdir no-libraries
run "$WAYMARK" record --qemu "$QEMU" -L no-libraries -o none.wmk --start do_it "$dynamic"
case $status/$(tail -n 1 stderr) in
2/*"QEMU did not start"*) passed "libraries that are not there" ;;
*) failed "libraries that are not there" "exit status $status" "$(cat stderr)" ;;
esac

# ---- libraries: under the sysroot, where LD_LIBRARY_PATH says, and later -----

run "$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" -o lib.wmk --only 'libc.so*:qsort*' "$dynamic"
"$WAYMARK" insns lib.wmk --format csv | awk -F, 'NR > 1 && $5 != "" { print $3 }' |
	sort -u >symbols
if [ "$status" = 0 ] && grep -qx 'qsort.*' symbols && ! grep -qvx '_*qsort.*' symbols; then
	passed "a function of the sysroot's library"
else
	failed "a function of the sysroot's library" "$(cat stderr symbols)"
fi

run "$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" -o lib.wmk --only 'number1.so:*' \
	"$GUESTS/libraries/dlopen.dyn" "$GUESTS/libraries"
"$WAYMARK" info lib.wmk --format json >info.json
if [ "$status" = 0 ] && grep -q 'number1.so' info.json && "$WAYMARK" verify lib.wmk >stdout &&
	[ "$("$WAYMARK" hot lib.wmk --format csv | grep -c number1.so)" -gt 0 ] &&
	! "$WAYMARK" hot lib.wmk --format csv | tail -n +2 | grep -qv number1.so; then
	passed "a library that is loaded later"
else
	failed "a library that is loaded later" "$(cat stderr)" \
		"$("$WAYMARK" hot lib.wmk --format csv)"
fi

# A library of the program's own: beside it, by the environment, and not at all.
cc="${CROSS_CC:-riscv64-linux-gnu-gcc}"
mkdir -p own/lib other
echo 'int only_here(int x) { return x + 1; }' >here.c
echo 'int only_here(int x); int main(void) { return only_here(41) - 42; }' >uses.c
$cc -shared -fPIC -o own/lib/libhere.so here.c
# shellcheck disable=SC2016 # the loader expands it
$cc -o own/uses uses.c -Lown/lib -lhere '-Wl,-rpath,$ORIGIN/lib'

# found NAME OPTION...: only_here() is, and a name that is mistyped is refused.
found() {
	what=$1
	shift
	run "$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" "$@" -o lib.wmk \
		--window only_here.. --except module:uses own/uses
	"$WAYMARK" insns lib.wmk 2>stderr | grep -q ' only_here ' || status="no such function"
	check "$what" [ "$status" = 0 ]
	refused "$what, and nothing else" '*did you mean "only_here"?' \
		"$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" "$@" --start only_her own/uses
}
found "a library beside the program"
mv own/lib/libhere.so other
found "a library by LD_LIBRARY_PATH" -E "LD_LIBRARY_PATH=$PWD/other"
run "$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" -o lib.wmk --start only_here own/uses
case $status/$(cat stderr) in
2/*"cannot open shared object file"*) passed "a library that is missing" ;;
*) failed "a library that is missing" "exit status $status" "$(cat stderr)" ;;
esac

# ---- what info says ----------------------------------------------------------

run "$WAYMARK" record --qemu "$QEMU" -o part.wmk --window f@3..f@5 --window f@2000.. \
	--only f --except thread:9 --max-insns 7k "$guest"
check "a window that never opened" [ "$status" = 2 ]
"$WAYMARK" info part.wmk | sed -n 's/^\(windows\|never\|filters\|limits\)/&/p' >got
cat >wanted <<-END
	windows        --window f@3..f@5 --window f@2000..
	never opened   f@2000..
	filters        --only f --except thread:9
	limits         --max-insns 7k
END
same "info" wanted got
"$WAYMARK" info part.wmk --format json |
	grep -E '"(windows|windows_missed|filters|limits|limit_reached|threads_left_out)"' |
	sed 's/^ *//' >got
cat >wanted <<-END
	"windows": "--window f@3..f@5 --window f@2000..",
	"windows_missed": "f@2000..",
	"filters": "--only f --except thread:9",
	"limits": "--max-insns 7k",
	"limit_reached": false,
	"threads_left_out": 0,
END
same "info --format json" wanted got

run "$WAYMARK" record --qemu "$QEMU" -o part.wmk --except thread:1 --except thread:2 \
	--max-size 1G "$guest" threads
"$WAYMARK" info part.wmk | grep -E '^(filters|limits|left out)' >got
cat >wanted <<-END
	filters        --except thread:1 --except thread:2
	limits         --max-size 1G
	left out       2 threads
END
same "what is left out" wanted got
exit $((failures > 0))
