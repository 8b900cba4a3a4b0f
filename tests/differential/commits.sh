#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The registers of a commit log: what every instruction has written, as a witness saw them
# change in the same run. On other ISAs than RISC-V where QEMU's API gives registers.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

SYSROOT=${SYSROOT:-/usr/riscv64-linux-gnu}
"$SRC/tests/witness/build.sh" ./registers.so "$QEMU" registers
"${CC:-cc}" -std=c17 -O2 -Wall -Wextra -Werror -I"$SRC/include" -o accesses \
	"$SRC/tests/witness/accesses.c" "$BUILD/libwaymark.so" -Wl,-rpath,"$BUILD"

# committed WORD...: a commit log of the guest, recorded beside the witness, and compared.
# Status 0: equal; else `why` says what is wrong.
committed() {
	rm -rf seen got run.wmk out err verdict remarks
	mkdir seen got
	guest=0
	"$WAYMARK" record --wait=all --qemu "$QEMU" -L "$SYSROOT" --commits --qemu-arg \
		-plugin --qemu-arg "$PWD/registers.so,dir=$PWD/seen" \
		-o run.wmk "$@" >out 2>err </dev/null || guest=$?
	why=
	{ ./accesses run.wmk got written &&
		"$PYTHON" "$SRC/tests/witness/registers.py" run.wmk got seen; } \
		>verdict 2>remarks || why="$(cat verdict remarks err)"
	"$WAYMARK" verify run.wmk >verified 2>&1 || why="$why $(cat verified)"
	[ -z "$why" ]
}

# same WORD...: a guest's commit log has what the witness saw; the guest does as untraced.
same() {
	name=$(basename "$1")
	[ "$isa" = riscv64 ] || name="$isa $name"
	wanted "$name" || return 0
	untraced -L "$SYSROOT" "$@"
	if committed "$@" && same_behaviour; then
		passed "$name" "$(cat verdict)"
	else
		failed "$name" "$why (exit status $guest)"
	fi
}

isa=riscv64
# Where signals come faster than handlers end, beside a slow witness, none of them ends.
for program in float.O3 signal.O3 fault.O3 varargs.O3 jit.O3 faults/altstack.O3 \
	faults/threads.O3 faults/patch.O3 faults/crossfire.O3 threads/chain.O3 \
	threads/generations.O3 processes/tree.O3; do
	same "$GUESTS/$program"
done
case $("$QEMU" -version) in
*" version 7."* | *" version 8."*) exit $((failures > 0)) ;;
esac
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -march=rv64gcv -nostdlib -static -o vectors \
	"$SRC/tests/differential/vectors.S"
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -march=rv64gcv -nostdlib -static -o csrs \
	"$SRC/tests/differential/csrs.S"
same ./vectors
same ./csrs

# A load that may stop early stops early where QEMU has memory callbacks for it: only the
# options that need them may cost that.
if wanted "first-fault"; then
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -march=rv64gcv -nostdlib -static -o first-fault \
		"$SRC/tests/differential/first-fault.S"
	export QEMU_CPU=rv64,v=true
	untraced ./first-fault
	wrong=
	[ "$plain" -eq 8 ] || wrong="untraced: $plain elements of 8."
	for option in --strict --precise --value=_start:a0,sp; do
		got=0
		"$WAYMARK" record -q --qemu "$QEMU" "$option" -o run.wmk ./first-fault \
			>out 2>err || got=$?
		[ "$got" -eq "$plain" ] || wrong="$wrong $option: $got elements. $(cat err)"
	done
	if [ -z "$wrong" ]; then
		passed "first-fault" "8 elements, as untraced"
	else
		failed "first-fault" "$wrong"
	fi
	unset QEMU_CPU
fi

for bits in 256 1024; do
	export QEMU_CPU=rv64,v=true,vlen=$bits
	cp vectors "vectors-$bits"
	same "./vectors-$bits"
done
unset QEMU_CPU

riscv64=$QEMU
"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" aarch64 x86_64
for isa in aarch64 x86_64; do
	# Atomics of one instruction, but no SVE: the witness takes long to read what that has.
	[ $isa = x86_64 ] || export QEMU_CPU=cortex-a76
	QEMU=${riscv64%riscv64}$isa
	SYSROOT=$("$SRC/tests/guests/build-isas.sh" --sysroot "$isa")
	for program in float signal fault varargs atomics strings threaded repeat misaligned wide; do
		for path in "$GUESTS/$isa/$program".*; do
			if [ -x "$path" ]; then
				same "$path"
				break
			fi
		done
	done
	unset QEMU_CPU
done

# asks ISA CC NAME: a program of registers that few others write, which asks for some of them.
asks() {
	isa=$1 QEMU=${riscv64%riscv64}$1 SYSROOT=/
	wanted "$1 $3" || return 0
	"$2" -nostdlib -static -o "$3" "$SRC/tests/differential/$3.S"
	same "./$3"
	"$WAYMARK" insns --values --format jsonl run.wmk >insns
	if "$PYTHON" "$SRC/tests/differential/commits_facts.py" <insns >answers; then
		passed "$1 $3, what it asks for" "$(cat answers)"
	else
		failed "$1 $3, what it asks for" "$(cat answers)"
	fi
}
asks aarch64 "${AARCH64_CC:-aarch64-linux-gnu-gcc}" sve
asks x86_64 "${X86_64_CC:-x86_64-linux-gnu-gcc}" x87
if wanted "x86_64 x87" && "$WAYMARK" info run.wmk | grep -q '^values lack *flags'; then
	passed "x86_64 x87, info says what is not there" "flags"
elif wanted "x86_64 x87"; then
	failed "x86_64 x87, info says what is not there" "$("$WAYMARK" info run.wmk)"
fi
exit $((failures > 0))
