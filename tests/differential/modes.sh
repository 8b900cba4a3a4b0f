#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is awkward about the way a program runs, rather than about the program.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

# equal NAME WORD...: `waymark record WORD...` gives what the log says. $TRACED: how.
equal() {
	name=$1
	shift
	if ${TRACED:-traced} "$@"; then
		passed "$name" "$(tail -n 1 verdict)"
	else
		failed "$name" "$why"
	fi
}

for program in alarm flush; do
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -o "$program" \
		"$SRC/tests/differential/$program.c"
done
TRACED=traced_to_file equal "timer signals" -- ./alarm
cpu=rv64,f=false,d=false,zfinx=true
case $(qemu_version) in
7.*) ;;
*) cpu=$cpu,zfa=false ;;
esac
equal "one instruction in a block" --qemu-arg "$(singlestep)" -- "$GUESTS/qsort.O3"
if "$QEMU" -p 65536 -version >/dev/null 2>&1; then
	equal "large guest pages" --qemu-arg -p --qemu-arg 65536 -- "$GUESTS/pageend.O0"
fi
# From QEMU 10 on, the text of FP instructions depends on the CPU; this guest dies of one.
equal "a CPU without FP" --qemu-arg -cpu --qemu-arg $cpu -- "$GUESTS/float.O3"
equal "translations thrown away" -- ./flush
exit $((failures > 0))
