#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs with markers: each is where it ran, and nothing else is one; every instruction is
# as the witness saw it, though code is cut at them; and the programs do what they do untraced.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

riscv64=$QEMU

# marked NAME WORD...: records WORD... beside the witness.
marked() {
	name=$1
	shift
	untraced -L "$SYSROOT" "$program"
	if ! witnessed insns 0 "$@" -- "$program" || ! same_behaviour; then
		failed "$name" "$why"
	elif ! "$PYTHON" "$SRC/tests/differential/markers.py" run.wmk >marked; then
		failed "$name" "$(cat marked)"
	else
		passed "$name" "$(cat marked), $(cat verdict)"
	fi
}

for program in "$GUESTS"/marks.* "$GUESTS"/faults/marks.* "$GUESTS"/processes/marks.*; do
	marked "riscv64 ${program#"$GUESTS"/}"
done
marked "riscv64 ${program#"$GUESTS"/} --precise" --precise

isas="aarch64 x86_64 i386"
# shellcheck disable=SC2086 # a list of words
"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" $isas arm
for isa in $isas; do
	QEMU=${riscv64%riscv64}$isa
	SYSROOT=$("$SRC/tests/guests/build-isas.sh" --sysroot "$isa")
	for program in "$GUESTS/$isa"/marks.*; do
		marked "$isa ${program##*/}"
	done
done

# ---- what a marker does: nothing ---------------------------------------------

# still ISA COMPILER: QEMU's own account of the processor's state, of before and behind each.
still() {
	: >verdict
	if "$2" -nostdlib -static -I"$SRC/include" -o "still.$1" \
		"$SRC/tests/differential/still.S" &&
		"${riscv64%riscv64}$1" "$(singlestep)" -d in_asm,cpu,nochain -D still.log "still.$1" &&
		"$PYTHON" "$SRC/tests/differential/still.py" still.log >verdict; then
		passed "a marker of $1 changes no register" "$(cat verdict)"
	else
		failed "a marker of $1 changes no register" "$(cat verdict)"
	fi
}
still riscv64 riscv64-linux-gnu-gcc
still aarch64 aarch64-linux-gnu-gcc
still x86_64 x86_64-linux-gnu-gcc
still i386 i686-linux-gnu-gcc
exit $((failures > 0))
