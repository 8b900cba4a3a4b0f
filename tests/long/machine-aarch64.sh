#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: tests/long/machine-aarch64.sh [QEMU]
#
# What machine.sh is, of AArch64.

arch=aarch64 console=console=ttyAMA0
qemu=${1-$("$SRC/tools/setup-qemu.sh" --system --target $arch 10.2)}
board="-M virt,gic-version=2 -nic none -cpu max,pauth-impdef=on"
# shellcheck source=tests/long/machine_common
. "$SRC/tests/long/machine_common"

bare "one hart" 1
"$WAYMARK" hot --format csv run.wmk >hot.csv
for function in faults devices atomics patches ticks twice on_trap; do
	check "$function has its name" grep -q "\b$function\b" hot.csv
done
"$WAYMARK" info run.wmk >info
check "info says what is not exact" grep -q '^known limits .*AArch32' info
"$WAYMARK" events run.wmk >events
for cause in 'access fault (load)' 'access fault (store)' 'misaligned load' breakpoint \
	'illegal instruction' 'system call' 'supervisor call' interrupt; do
	check "bare: $cause" grep -q "trap: [a-z]*: $cause at" events
done
# Before each system call the guest enters user mode by such a return, too.
check "a return for each trap" test \
	$(($(grep -c 'trap: ' events) + $(grep -c 'system call at' events))) -eq \
	"$(grep -c 'trap_return: ' events)"
check "as many to user mode as come from there" test "$(grep -c 'user to kernel' events)" -eq \
	"$(grep -c 'trap_return: .*kernel to user' events)"
bare "-icount" 1 -icount shift=0
bare "one instruction a block" 1 -accel tcg,one-insn-per-tb=on
# How harts meet differs from run to run.
for round in 1 2 3 4 5 6 7 8; do
	bare "two harts, $round" 2
done
bare "four harts" 4
run "$WAYMARK" record --system -o no.wmk "$qemu" -M virt -nic none -smp 2 -icount shift=0
check "harts that take turns are refused" grep -q 'are recorded of riscv64 only' stderr

linux
board="-M virt -nic none -cpu cortex-a72"
boots "a boot on one hart"
questions
boots "a boot with -icount" -icount shift=auto
board="-M virt -nic none -cpu max,pauth-impdef=on"
boots "a boot on two harts" -smp 2
killed "SIGKILL"

# A program of 32 bits, whose instructions are counted by hand.
arm-linux-gnueabihf-gcc -nostdlib -static -o narrow "$machine/narrow-arm.S"
printf '%s\n' '#!/bin/busybox sh' /bin/narrow /bin/narrow '/bin/busybox poweroff -f' >init
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" init initrd.gz bin/narrow=narrow
cp narrow files/bin
boots "32 bits" -smp 2
check "32 bits: it writes" test "$(grep -c '^narrow' console)" -eq 2
"$WAYMARK" hot --mode user --process narrow --format csv run.wmk >hot.csv
check "32 bits: ARM" grep -q "^$((2 * 206)),.*,_start,narrow$" hot.csv
check "32 bits: Thumb" grep -q "^$((2 * 213)),.*,thumb,narrow$" hot.csv
check "32 bits: nothing else" test "$(wc -l <hot.csv)" -eq 3
"$WAYMARK" events --process narrow --only trap run.wmk >events
check "32 bits: faults are where they are" test \
	"$(grep -c 'page fault (store) at 0x100e2, ' events)" -eq 2

finish
