#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests as packets and back: the path is the same. Harts are told by both formats, with and
# without histories, with many synchronisations and with few. ROUNDTRIP names the guests;
# tests/long/packets.sh takes all of them.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# threads TRACE: how many there are.
threads() {
	"$WAYMARK" info --format json "$1" |
		"$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["threads"]))'
}

# back FORMAT [OPTION...]: run.wmk as packets and back is the same, thread by thread.
back() {
	format=$1
	shift
	"$WAYMARK" packets --format "$format" "$@" run.wmk >packets 2>sums || return 1
	grep -q 'bits an instruction, as a trace' sums || return 1
	contexts=
	case "$format $*" in etrace*--contexts*) contexts=--contexts ;; esac
	# shellcheck disable=SC2086 # none or one
	"$WAYMARK" import "$format" packets $contexts --elf "$guest" --code run.wmk -o back.wmk \
		2>stderr || return 1
	"$WAYMARK" verify back.wmk >/dev/null || return 1
	thread=0
	while [ $thread -lt "$count" ]; do
		"$WAYMARK" diff --thread $thread:$thread run.wmk back.wmk >differs || return 1
		thread=$((thread + 1))
	done
}

# Not there: code that changes while it runs, which no text can tell (jit, churn, patch,
# illegal); and, of E-Trace, a loop without a branch, whose rounds it does not count (exitgroup).
cd "$GUESTS"
# shellcheck disable=SC2086 # patterns, separated by spaces
set -- ${ROUNDTRIP:-qsort.O3 longjmp.O0 deep.O0 signal.O3 fault.O0 threaded.O3 threads/names.O3 switch.nc}
cd "$OLDPWD"
for guest; do
	guest=$GUESTS/$guest
	case $guest in */jit.* | */churn.* | */patch.* | */illegal.* | *'*'*) continue ;; esac
	name=${guest#"$GUESTS"/}
	"$WAYMARK" record -o run.wmk "$guest" >/dev/null 2>&1 </dev/null || true
	[ "$("$WAYMARK" info --format json run.wmk |
		"$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["processes"]))')" -eq 1 ] || continue
	count=$(threads run.wmk)
	check "$name: N-Trace, histories" back ntrace
	case $guest in */exitgroup.*) continue ;; esac
	check "$name: N-Trace, all modes" back ntrace --modes all
	check "$name: E-Trace" back etrace
	check "$name: E-Trace, all modes" back etrace --modes all
	case $guest in
	*.O0 | *.nc) ;;
	*)
		check "$name: E-Trace, synchronised often" back etrace --resync 3 --timestamps
		check "$name: N-Trace, branches" back ntrace --branches --resync 3 --timestamps
		check "$name: N-Trace, all modes, often" back ntrace --modes all --resync 5 --contexts
		check "$name: E-Trace, all modes, often" back etrace --modes all --resync 5 --contexts
		;;
	esac
done

# cut_short FORMAT: without the packets at its end, as from a buffer that was read while the hart ran.
cut_short() {
	"$WAYMARK" packets --format "$1" run.wmk >packets 2>sums || return 1
	for bytes in $(seq 1 40); do
		head -c "-$bytes" packets >begin
		"$WAYMARK" import "$1" begin --elf "$guest" -o back.wmk 2>said || continue
		grep -q '^waymark: back.wmk is cut short: the packets end while a hart' said &&
			"$WAYMARK" info back.wmk | grep -q '^complete  *no: the packets end' &&
			! "$WAYMARK" verify back.wmk >verdict 2>&1 &&
			"$WAYMARK" packets --format "$1" -o again back.wmk 2>said &&
			grep -qx 'waymark: back.wmk is cut short: the packets end while a hart.*' said
		return
	done
	return 1
}

guest=$GUESTS/qsort.O3
"$WAYMARK" record -o run.wmk "$guest" >/dev/null
check "E-Trace without its end" cut_short etrace
check "N-Trace without its end" cut_short ntrace

# A long loop of jumps alone, up to a fault: no branch and no target ends what N-Trace counts.
cat >spin.S <<'END'
	.option norvc
	.globl _start
_start:
	li t0, 5
1:	addi t0, t0, -1
	bnez t0, 1b
	la a0, bytes
2:	lb zero, 0(a0)
	addi a0, a0, 1
	j 2b
	.bss
bytes:	.space 4 << 20
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -o spin spin.S
guest=./spin count=1
"$WAYMARK" record -o run.wmk ./spin 2>/dev/null || true
check "a long loop without a branch: N-Trace, histories" back ntrace
check "a long loop without a branch: N-Trace, all modes" back ntrace --modes all
check "a long loop without a branch: N-Trace, branches" back ntrace --branches
finish
