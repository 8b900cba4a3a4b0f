#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What QEMU's disassembler prints wrong: "qemu" and "execlog" print QEMU's own words, which
# `verify --against` finds in its log; everything else the right ones.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

CC=${CROSS_CC:-riscv64-linux-gnu-gcc}

cat >slips.S <<'END'
	.globl _start
_start:
	fmv.d	fa5, fs10
	fneg.d	fs0, fa4
	fabs.d	fa3, fa6
	fmv.s	ft1, fs2
	fneg.s	ft2, fs3
	fabs.s	ft3, fs4
	fence.tso
	lui	a0, 4
	mv	a1, sp
	amoadd.w.aqrl a2, a0, (a1)
	.option arch, +zfh
	fadd.h	ft0, ft1, ft2
	li	a0, 0
	li	a7, 93
	ecall
END
case $("$QEMU" --version) in
*" version 7."*) export QEMU_CPU=rv64,Zfh=true ;;
*) export QEMU_CPU=rv64,zfh=true ;;
esac
"$CC" -nostdlib -static -march=rv64gc -mabi=lp64d -o slips slips.S
"$WAYMARK" record --qemu "$QEMU" -o slips.wmk ./slips
"$QEMU" -d in_asm,exec,nochain -D log ./slips

cat >right <<'END'
fmv.d fa5,fs10
fneg.d fs0,fa4
fabs.d fa3,fa6
fmv.s ft1,fs2
fneg.s ft2,fs3
fabs.s ft3,fs4
fence.tso
lui a0,4
mv a1,sp
amoadd.w.aqrl a2,a0,(a1)
fadd.h dyn,ft0,ft1,ft2
END

insns='(fmv|fneg|fabs)\.[ds] +[a-z0-9,]+|fence\.tso|lui +[a-z0-9,]+|mv +a1,sp|'\
'amoadd[a-z.]* +[a-z0-9,()]+|fadd\.h +[a-z0-9,]+|illegal'

# words: the instructions of a listing, a space between name and operands.
words() {
	grep -oE "$insns" | tr -s ' '
}

for command in "insns" "insns --format csv" "insns --format jsonl" "insns --format spike" \
	"cfg --format json" "annotate _start" "annotate --format csv _start"; do
	# shellcheck disable=SC2086
	"$WAYMARK" $command slips.wmk | words >shown
	same "$command" right shown
done
sed -n 's/^0x[0-9a-f]*: *[0-9a-f]*  *//p' log | words >logged
"$WAYMARK" insns --format qemu slips.wmk | sed 's/^0x[0-9a-f]*: *[0-9a-f]*  *//' | words >shown
same "insns --format qemu" logged shown
"$WAYMARK" insns --format execlog slips.wmk | words >shown
same "insns --format execlog" logged shown
run "$WAYMARK" verify --against log slips.wmk
check "verify --against" test "$status" -eq 0
exit $((failures > 0))
