#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record --inexact: a machine under QEMU 7.2, which does not tell where traps are. What the trace
# has more than a witness is behind such a place, and nothing is missing.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"
exec 3>&1
qemu=$(setting_up inexact "$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64 7.2) || exit 0

"$SRC/tests/witness/build.sh" ./witness.so "$qemu" addresses
for harts in 1 2; do
	"$SRC/tests/guests/machine/build.sh" bare$harts $harts
done

# machine HARTS WORD...: the rest of a command that runs it.
machine() {
	harts=$1
	shift
	"$@" -M virt -m 64 -bios none -kernel bare$harts -smp "$harts" -display none \
		-serial null </dev/null
}

refused "a QEMU without traps" '*, or give --inexact' \
	machine 1 "$WAYMARK" record --system --kernel bare1 -- "$qemu"
machine 1 "$WAYMARK" record --system --inexact --kernel bare1 -- "$qemu" \
	-plugin "$PWD/witness.so,out=$PWD/seen"
"$WAYMARK" insns --format csv >insns 2>err
"$WAYMARK" blocks --format csv >blocks 2>err
handler=$(riscv64-linux-gnu-nm bare1 | sed -n 's/ t on_trap$//p')
run "$PYTHON" "$SRC/tests/differential/machine_unseen.py" seen insns blocks "0x$handler"
check "only what is behind a trap is too much" \
	grep -q '^[1-9][0-9]* instructions too many in [1-9]' stdout
run "$WAYMARK" info
check "info says that traps were not seen" grep -q '^known limits .*where traps leave blocks' stdout
run "$WAYMARK" verify
check "verify says it" grep -q 'complete and sound, but where faults' stdout
"$WAYMARK" hot --format csv >hot.csv
for function in faults devices atomics patches ticks twice on_trap; do
	check "$function has its name" grep -q "\b$function\b" hot.csv
done
run "$WAYMARK" events --only trap,trap_return,mode
check "nothing is said of traps" test "$(wc -l <stdout)" -eq 1

# One of the functions alone, in a window, and two harts at once.
machine 1 "$WAYMARK" record --system --inexact --kernel bare1 --only ticks -- "$qemu"
"$WAYMARK" insns --format csv >insns 2>err
check "a part of it" sh -c 'test "$(grep -c , insns)" -gt 100 && ! grep -v ,ticks, insns | sed 1d | grep .'
machine 2 "$WAYMARK" record --system --inexact --kernel bare2 -- "$qemu"
run "$WAYMARK" verify
check "two harts are sound" grep -q 'complete and sound' stdout
check "and both are recorded" test \
	"$("$WAYMARK" info --format json | grep -o '"name": *"hart [01]"' | sort -u | wc -l)" -eq 2
finish
