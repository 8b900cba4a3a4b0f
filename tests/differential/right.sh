#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The right text of instructions, where QEMU's is wrong and where not: against binutils.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
tools=${cc%gcc}
extensions=v_h_zfh_zba_zbb_zbc_zbs_zbkb_zbkx_zkne_zknd_zknh_zksed_zksh_zawrs_zicbom_zicboz
extensions=${extensions}_zicbop_zihintpause_svinval_zifencei_zicsr
cc -std=gnu17 -O2 -I"$SRC" -I"$SRC/include" -o words "$SRC/tests/differential/right-words.c" \
	"$SRC"/isa/riscv*.c

# check XLEN ABI LEAST
check() {
	./words "$1" 20 >words.txt
	sed 's/\(.*\)|.*/.insn 4, 0x\1/; 1i .option norvc' words.txt >words.s
	"${tools}as" "-march=rv${1}gc$extensions" "-mabi=$2" words.s -o words.o
	"${tools}objdump" -d words.o >disassembly
	if verdict=$("$PYTHON" "$SRC/tests/differential/right.py" words.txt disassembly "$3"); then
		passed "rv$1" "$verdict"
	else
		failed "rv$1" "$(printf '%s\n' "$verdict" | tail -n 20)"
	fi
}

check 64 lp64d 13000
check 32 ilp32d 12000
exit $((failures > 0))
