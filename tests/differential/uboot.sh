#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Firmware without an operating system: Debian's U-Boot under OpenSBI, to its prompt, some commands,
# and the machine's end; every instruction against the witness in the same run. U-Boot copies itself
# to the end of memory and goes on there, so its file is named twice.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"
exec 3>&1
qemu=$(setting_up uboot "$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64) || exit 0
root=$(setting_up uboot "$SRC/tests/sysroot.sh" uboot) || exit 0

"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
uboot=$root/usr/lib/u-boot/qemu-riscv64_smode
moved=0x87708000 # what its command bdinfo says, with 128 MiB

# Each command is typed at a prompt of its own; "$" is no part of what is waited for.
: >console
{
	until_true grep -aq 'stop autoboot' console
	printf ' '
	prompts=1
	for command in version bdinfo 'md.b 80200000 10' poweroff; do
		until_true sh -c 'test "$(grep -ac "^=> " console)" -ge "$1"' sh $prompts
		printf '%s\n' "$command"
		prompts=$((prompts + 1))
	done
	until_true test -s ended
} | {
	"$WAYMARK" record --system --kernel "$uboot/uboot.elf" --kernel "$uboot/uboot.elf@$moved" \
		-o run.wmk -- "$qemu" -M virt -m 128 -kernel "$uboot/u-boot.bin" -display none \
		-bios "$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" \
		-monitor none -serial stdio -plugin "$PWD/witness.so,out=$PWD/seen" >console
	echo ended >ended
}
check "U-Boot obeys" grep -aq "^relocaddr *= 0x00000000${moved#0x}" console
check "the machine is off" grep -aq '^poweroff' console
check "the trace is complete" "$WAYMARK" verify run.wmk
check "every instruction" ./compare run.wmk seen

"$WAYMARK" info run.wmk >info.txt
check "the stream is the hart" grep -q ' hart 0$' info.txt
check "its file is where it was loaded, and where it moved" test \
	"$(grep -cE ' 0x(80200000|87708000)-.* uboot.elf$' info.txt)" -eq 2
# instructions MODE MODULE
instructions() {
	"$WAYMARK" hot --mode "$1" --format csv -f insns,module run.wmk 2>/dev/null |
		awk -F, -v module="$2" '$2 == module { sum += $1 } END { print sum + 0 }'
}
all=$("$WAYMARK" info --format json run.wmk | "$PYTHON" -c 'import json, sys
print(json.load(sys.stdin)["instructions"])')
kernel=$(instructions kernel uboot.elf) firmware=$(instructions firmware fw_dynamic.elf)
check "U-Boot is in supervisor mode, OpenSBI in machine mode, and nothing else but QEMU's ROM" \
	test $((all - kernel - firmware)) -lt 100
check "OpenSBI is not in U-Boot's mode" test "$(instructions kernel fw_dynamic.elf)" -eq 0
"$WAYMARK" events --only trap run.wmk >traps
check "U-Boot calls OpenSBI" grep -q 'exception: .*call.* kernel to firmware' traps

run "$WAYMARK" record --system --kernel "$uboot/uboot.elf@0x" -- "$qemu" -M virt
check "an address that is none" grep -q 'uboot.elf@0x: behind @ belongs an address' stderr
run "$WAYMARK" record --system --kernel "$uboot/uboot.elf@0xg" -- "$qemu" -M virt
check "nor is this" grep -q 'uboot.elf@0xg: behind @ belongs an address' stderr
finish
