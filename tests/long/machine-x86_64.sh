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
	'general protection' 'illegal instruction' 'system call' 'software interrupt' interrupt; do
	check "bare: $cause" grep -q "trap: [a-z]*: $cause at" events
done
check "a system call is where it is" grep -q 'system call at .* user to kernel' events
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
finish
