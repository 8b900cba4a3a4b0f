#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of instructions, where programs do not go: every word of 16 bits and many of 32.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
version=$(qemu_version)
api=$("$SRC/tests/plugin-api.sh" "$QEMU")
cc -std=gnu17 -D_GNU_SOURCE -DQEMU_PLUGIN_API="$api" -O2 -fPIC -shared -I"$SRC" \
	-I"$SRC/include" -o text.so "$SRC/tests/differential/text-plugin.c" "$SRC"/isa/riscv*.c
# QEMU 10 reads no more than the instruction's own bytes: four of them.
printf '.option norvc\n.globl _start\n_start: ebreak\n.balign 64\n' >start.S
"$cc" -nostdlib -static -march=rv64gc -mabi=lp64d -o start64 start.S
"$cc" -nostdlib -static -march=rv32gc -mabi=ilp32d -Wl,-melf32lriscv -o start32 start.S

# check NAME QEMU GUEST
check() {
	if verdict=$("$2" -plugin "./text.so,qemu=$version,words=3000000" "$3" 2>&1); then
		passed "$1" "$verdict"
	else
		failed "$1" "$verdict"
	fi
}

check "riscv64" "$QEMU" ./start64
check "riscv32" "${QEMU%riscv64}riscv32" ./start32
exit $((failures > 0))
