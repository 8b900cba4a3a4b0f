#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of tests/guests, as far as they are not RISC-V's own, on the other ISAs; and
# what is awkward about each of these. One result for each ISA and program. Of each program
# one variant runs; with VARIANTS=all, as in tests/long/isas.sh, all of them.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

isas="aarch64 arm x86_64 i386"
riscv64=$QEMU

# sound WORD...: recorded without QEMU's log. It cannot say what ran where an instruction is
# entered several times, in blocks of different lengths, and one of the threads there stopped;
# nor where a second signal comes before a fault's handler begins, or the handler has no stack.
# The witness does (below).
sound() {
	guest=0 why=
	"$WAYMARK" record --wait=all --qemu "$QEMU" -o run.wmk "$@" >out 2>err </dev/null ||
		guest=$?
	"$WAYMARK" verify run.wmk >verdict 2>&1 || why="verify ends with $?: $(cat verdict err)"
	[ -z "$why" ]
}

check_variants() {
	wanted "$isa $1" || return 0
	said= compared=traced
	case $1 in
	split | crossfire | stackless) compared=sound ;;
	esac
	for program in "$GUESTS/$isa/$1".*; do
		variant=${program##*.}
		untraced -L "$SYSROOT" "$program"
		# 10.x cannot log a vsyscall, which has no code: it ends in its own SIGSEGV.
		if [ "$1" = vsyscall ] && ! "$QEMU" -d in_asm -D own.log "$program" >log.out 2>&1; then
			passed "$isa $1" "SKIP QEMU's own log of it ends QEMU"
			return
		fi
		if ! $compared -L "$SYSROOT" -- "$program" || ! same_behaviour; then
			failed "$isa $1" "$variant: $why"
			return
		fi
		said="$said${said:+ }$variant"
	done
	passed "$isa $1" "$said"
}

# QEMU's log does not tell that a block was left in its middle. The ends of $2 threads may be
# uncertain.
check_witness() {
	isa=${1%%/*} QEMU=${riscv64%riscv64}${1%%/*} SYSROOT=/
	wanted "$1, as the witness saw it" || return 0
	if witnessed insns "${2-0}" -- "$GUESTS/$1"; then
		passed "$1, as the witness saw it" "$(cat verdict)"
	else
		failed "$1, as the witness saw it" "$why"
	fi
}

one=--one
[ "${VARIANTS-}" != all ] || one=
# shellcheck disable=SC2086 # lists of words
"$SRC/tests/guests/build-isas.sh" $one "$GUESTS" $isas
ulimit -c 0
for isa in $isas; do
	QEMU=${riscv64%riscv64}$isa
	SYSROOT=$("$SRC/tests/guests/build-isas.sh" --sysroot "$isa")
	for program in $(ls "$GUESTS/$isa" | sed 's/[.].*//' | sort -u); do
		check_variants "$program"
	done
	check_workload sqlite "$isa" short # at its full size in tests/long/isas.sh
done

for program in aarch64/fault.O2 aarch64/signal.O2 aarch64/wide.O2 aarch64/misaligned.O2 \
	aarch64/crossfire.O2 arm/crossfire.O2 x86_64/crossfire.O2 i386/crossfire.O2 \
	arm/fault.mix arm/signal.mix arm/kernel.O2 arm/seam.O2 \
	x86_64/fault.O3 x86_64/signal.O3 x86_64/ownstore.O2 x86_64/repeat.O2 \
	x86_64/seam.O2 x86_64/split.O2 x86_64/vsyscall.O2 x86_64/wide.O2 \
	i386/fault.O2 i386/signal.O2 i386/ownstore.O2 i386/split.O2; do
	check_witness "$program"
done
for program in aarch64/stackless.O2 arm/stackless.O2 x86_64/stackless.O2 i386/stackless.O2; do
	check_witness "$program" 1
done
exit $((failures > 0))
