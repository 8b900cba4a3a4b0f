#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - build bare.S for a machine of that many harts.
#
# usage: tests/guests/machine/build.sh FILE HARTS

set -eu
riscv64-linux-gnu-gcc -march=rv64gc -mabi=lp64d -nostdlib -static -Wl,-Ttext=0x80000000 \
	-Wl,--no-warn-rwx-segments -Wl,--defsym=harts="$2" \
	-o "$1" "$(dirname "$0")/bare.S"
