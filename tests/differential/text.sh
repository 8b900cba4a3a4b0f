#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of instructions, where programs do not go: every word of 16 bits and many of 32.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
version=$(qemu_version)
api=$("$SRC/tests/plugin-api.sh" "$QEMU")
cc -std=gnu17 -D_GNU_SOURCE -DQEMU_PLUGIN_API="$api" -O2 -fPIC -shared -I"$SRC" \
	-I"$SRC/include" -o text.so "$SRC/tests/differential/text-plugin.c" "$SRC/plugin/core/dialect.c" \
	"$SRC"/isa/riscv*.c
# QEMU 10 reads no more than the instruction's own bytes: four of them.
printf '.option norvc\n.globl _start\n_start: ebreak\n.balign 64\n' >start.S
"$cc" -nostdlib -static -march=rv64gc -mabi=lp64d -o start64 start.S
"$cc" -nostdlib -static -march=rv32gc -mabi=ilp32d -Wl,-melf32lriscv -o start32 start.S

# check NAME WORDS LEAST COMMAND...: that many words are random, that many known at least.
check() {
	name=$1
	plugin=./text.so,qemu=$version,words=$2,least=$3
	shift 3
	if verdict=$(QEMU_PLUGIN=$plugin "$@" 2>&1); then
		passed "$name" "$verdict"
	else
		failed "$name" "$verdict"
	fi
}

check "riscv64" 3000000 1 "$QEMU" ./start64
check "riscv32" 3000000 1 "${QEMU%riscv64}riscv32" ./start32

# Of a CPU that the user chose, most words are known nevertheless.
case $version in
7.2.*)
	check "-cpu sifive-u54" 30000 1400000 "$QEMU" -cpu sifive-u54 ./start64
	check "-cpu x-rv128" 30000 0 "$QEMU" -cpu x-rv128 ./start64
	;;
1[01].*)
	no_fp=f=off,d=off,zfa=off
	for cpu in max rv64 rv64i thead-c906 sifive-u54 veyron-v1 \
		rv64,v=true,zba=false,zbb=false,zbs=false rv64,zfinx=on,$no_fp \
		rv64,zfinx=on,zcmp=on,zcmt=on,$no_fp rv64,zcmp=on,zcmt=on,d=off; do
		check "-cpu $cpu" 30000 1200000 "$QEMU" -cpu $cpu ./start64
	done
	check "QEMU_CPU" 30000 1200000 env QEMU_CPU=rv64,zfinx=on,$no_fp "$QEMU" ./start64
	;;
esac
exit $((failures > 0))
