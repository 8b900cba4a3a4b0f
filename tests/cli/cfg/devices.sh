#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Loops of a machine that begin right behind an access to a device, where QEMU leaves its block.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
exec 3>&1
qemu=$(setting_up devices "$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64) || exit 0

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -Wl,-Ttext=0x80000000 -Wl,--build-id=none \
	-o devices "$SRC/tests/cli/cfg/devices.S"
"$WAYMARK" record --system --kernel devices -o run.wmk -- "$qemu" -M virt -bios none -m 64 \
	-kernel devices -display none -serial null </dev/null 2>err || cat err >&2
"$WAYMARK" cfg run.wmk --loops --trips --format csv -f entries,iterations,least,most >loops
check "each entry of a loop has its iterations" grep -qx '20,100,5,5' loops
check "the loop around it" grep -qx '1,20,20,20' loops
check "a loop without end is entered once" grep -Eqx '1,([0-9]+),\1,\1' loops
check "nothing is interrupted" sh -c '"$WAYMARK" cfg run.wmk --format json >edges &&
	! grep interrupted edges'
finish
