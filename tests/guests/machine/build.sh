#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - build bare.S for a machine of that many harts, or bare-ARCH.S,
# accesses.S, hostcalls.S (of ARCH: hostcalls-ARCH), replaced.S and replaced.c (their disk is
# FILE-code), tables.S or unlike.S.
#
# usage: tests/guests/machine/build.sh FILE HARTS [ARCH|accesses|hostcalls|hostcalls-aarch64|replaced|tables|unlike]

set -eu
arch=${3-riscv64}
case $arch in
riscv64) set -- "$@" bare.S 0x80000000 -march=rv64gc -mabi=lp64d ;;
accesses | hostcalls | tables | unlike) set -- "$@" "$arch.S" 0x80000000 -march=rv64gc -mabi=lp64d && arch=riscv64 ;;
replaced)
	riscv64-linux-gnu-gcc -march=rv64gc -c -o "$1-code.o" "$(dirname "$0")/replaced-code.S"
	riscv64-linux-gnu-objcopy -O binary -j .text "$1-code.o" "$1-code"
	set -- "$@" replaced.S 0x80000000 -march=rv64gc -mabi=lp64d -mcmodel=medany -O1 -Wall -Werror \
		-ffreestanding -fno-pie -no-pie -fno-stack-protector "$(dirname "$0")/replaced.c"
	arch=riscv64
	;;
hostcalls-aarch64) set -- "$@" hostcalls.S 0x40100000 && arch=aarch64 ;;
aarch64) set -- "$@" bare-aarch64.S 0x40100000 ;;
x86_64) set -- "$@" bare-x86_64.S 0x200000 -no-pie -m64 ;;
esac
file=$1 harts=$2
while [ "${1%.S}" = "$1" ]; do shift; done
source=$(dirname "$0")/$1 address=$2
shift 2
"$arch-linux-gnu-gcc" "$@" -nostdlib -static -Wl,-Ttext="$address" \
	-Wl,--no-warn-rwx-segments -Wl,--defsym=harts="$harts" \
	-o "$file" "$source"
