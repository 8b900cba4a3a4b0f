#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real programs of tests/workload.sh on the other ISAs, and all variants of the programs of
# tests/guests.

# shellcheck source=tests/differential/common
. "$SRC/tests/differential/common"

riscv64=$QEMU
for isa in aarch64 arm x86_64 i386; do
	QEMU=${riscv64%riscv64}$isa
	for name in $("$SRC/tests/workload.sh" --list "$isa"); do
		check_workload "$name" "$isa"
	done
done
QEMU=$riscv64 VARIANTS=all "$SRC/tests/differential/isas.sh" || failures=$((failures + 1))
exit $((failures > 0))
