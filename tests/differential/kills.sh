#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL of QEMU: the trace ends with the block that was entered last. First at chosen
# blocks, where lanes and chunks end; then at random moments, KILLS times (16).

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

# killed_at WHAT N: the witness has the process killed when it has seen N.
killed_at() {
	room=4194304
	[ "$1" = insns ] || room=65536
	WITNESS=,entries=$room,kill=$2
	witnessed "$1" 1 -- "$GUESTS/processes/spin.O3" || true
	[ "$guest" = 137 ] || why="$why exit status $guest"
	got=$(sed 's/ .*//' verdict)
	wanted=$(($2 < room ? $2 : room - 1))
	[ "$got" = "$wanted" ] || why="$why $got instead of $wanted"
	if [ -z "$why" ]; then
		passed "killed at number $2 of its $1" "$(cat verdict)"
	else
		failed "killed at number $2 of its $1" "$why"
	fi
}

for n in 1 2 16383 16384 16385 524287 524288 524289 8388607 8388608 8388609; do
	killed_at blocks $n
done
for n in 1 2 3 4 5 1000 123456; do
	killed_at insns $n
done

"$PYTHON" "$SRC/tests/witness/kill.py" "${KILLS:-16}" "$PWD/witness.so" \
	"$GUESTS/qsort.O0" "$GUESTS/jit.O3" "$GUESTS/threads/generations.O3" \
	"$GUESTS/processes/tree.O3" "$GUESTS/faults/storm.O3" \
	"$GUESTS/processes/threadfork.O3" "$GUESTS/processes/many.O3" || failures=$((failures + 1))
exit $((failures > 0))
