#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mixes against a witness in the same run that counts by QEMU's own disassembly: each
# mnemonic must have been executed exactly so often, also where blocks were left early.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/mix
. "$SRC/tests/witness/mix"

# check_programs NAME PROGRAM...
check_programs() {
	name=$1
	shift
	for program; do
		if ! counted "" -- "$program"; then
			failed "$name" "${program##*/}: $why"
			return
		fi
	done
	passed "$name" "$(cat verdict)"
}

for source in "$SRC"/tests/guests/*.c "$SRC"/tests/guests/faults/*.c \
	"$SRC"/tests/guests/threads/*.c; do
	name=${source#"$SRC/tests/guests/"}
	name=${name%.c}
	check_programs "$name" "$GUESTS/$name".O3 "$GUESTS/$name".dyn
done
check_programs "mixed, in other variants" "$GUESTS/mixed".*

# Other ISAs: their mnemonics are Capstone's, QEMU's disassembler for them too.
riscv64=$QEMU
for isa in aarch64 x86_64; do
	"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" $isa
	QEMU=${riscv64%riscv64}$isa
	SYSROOT=$("$SRC/tests/guests/build-isas.sh" --sysroot "$isa")
	for name in float strings fault; do
		check_programs "$isa $name" "$GUESTS/$isa/$name".*
	done
	for division in class extension register; do
		if "$WAYMARK" mix run.wmk --by $division >out 2>err || [ -s out ] ||
			! grep -q "^waymark: .*instructions of $isa are known by .*--by mnemonic" err; then
			failed "$isa by $division is refused" "$(cat out err)"
		else
			passed "$isa by $division is refused" "$(cat err)"
		fi
	done
done
exit $((failures > 0))
