#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: tests/long/machine-x86_64.sh [QEMU]
#
# What machine.sh is, of x86, from SeaBIOS in real mode on.

arch=x86_64 console=console=ttyS0
qemu=${1-$("$SRC/tools/setup-qemu.sh" --system --target $arch 10.2)}
# Firmware comes with Debian's package.
packaged=$("$SRC/tools/setup-qemu.sh" --system --packaged --target $arch 11.1)
share=${packaged%/bin/*}/root/usr/share
board="-M q35 -no-reboot -nic none -L $share/qemu -L $share/seabios"
# shellcheck source=tests/long/machine_common
. "$SRC/tests/long/machine_common"

bare "one hart" 1
"$WAYMARK" hot --format csv run.wmk >hot.csv
for function in faults devices atomics patches ticks twice on_plain; do
	check "$function has its name" grep -q "\b$function\b" hot.csv
done
"$WAYMARK" info run.wmk >info
check "info says what is not exact" grep -q '^known limits .*before 64-bit mode' info
"$WAYMARK" events run.wmk >events
for cause in 'page fault (load)' 'page fault (store)' 'divide error' breakpoint \
	'general protection' 'illegal instruction' 'system call' 'software interrupt' interrupt \
	'guest page fault (load)' 'guest page fault (store)' 'trapped instruction' 'hypervisor call'; do
	check "bare: $cause" grep -q "trap: [a-z]*: $cause at" events
done
check "a system call is where it is" grep -q 'system call at .* user to kernel' events
check "and leads to its handler" grep -q 'system call at .* handler 0x[1-9a-f]' events
bare "one instruction a block" 1 -accel tcg,one-insn-per-tb=on
# How harts meet differs from run to run.
for round in 1 2 3 4 5 6 7 8; do
	bare "two harts, $round" 2
done
bare "four harts" 4
run "$WAYMARK" record --system -o no.wmk "$qemu" -M q35 -icount shift=0
check "-icount is refused" grep -q 'not recorded with -icount' stderr

linux
boots "a boot on one hart"
questions
boots "a boot on two harts" -smp 2
killed "SIGKILL"

# A program of 32 bits: the vDSO has syscall on AMD's processors, sysenter on Intel's.
i686-linux-gnu-gcc -nostdlib -static -o narrow "$machine/narrow.S"
printf '%s\n' '#!/bin/busybox sh' /bin/narrow '/bin/busybox poweroff -f' >init
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" init initrd.gz bin/narrow=narrow
cp narrow files/bin
for processor in qemu64 Nehalem; do
	name="32 bits, $processor"
	boots "$name" -cpu $processor
	check "$name: it writes" grep -q '^narrow' console
	"$WAYMARK" events --only syscall --process narrow run.wmk >events
	check "$name: no calls by the names of others" test "$(grep -c '(' events)" -eq 0
	"$WAYMARK" hot --mode user --process narrow --format csv run.wmk >hot.csv
	check "$name: the kernel is no user's code" test "$(grep -c vmlinuz hot.csv)" -eq 0
	"$WAYMARK" calls --tree --process narrow run.wmk >tree
	check "$name: both calls lead to their handler" test \
		"$(grep -c 'entry_[A-Z]*_compat() {  /\* system call' tree)" -eq 2
done
finish
