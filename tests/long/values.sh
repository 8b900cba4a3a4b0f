#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The accesses of real programs, all of them: sums over what the trace has and over what the
# witness saw in the same run. The programs do as untraced.

# shellcheck source=tests/differential/common
. "$SRC/tests/differential/common"
SYSROOT=$("$SRC/tests/sysroot.sh" riscv64)
# shellcheck source=tests/witness/noted
. "$SRC/tests/witness/noted"

# shellcheck disable=SC2317 # called through eval
check_sum() {
	untraced -L "$SYSROOT" "$@"
	options=
	while [ "${1#-}" != "$1" ]; do
		options="$options --qemu-arg $1 --qemu-arg $2"
		shift 2
	done
	# shellcheck disable=SC2086 # a list of words
	noted sum $options -- "$@" && same_behaviour
}

for name in $("$SRC/tests/workload.sh" --list); do
	for data in "" yes; do
		result="$name${data:+, data}"
		wanted "$result" || continue
		if eval "check_sum $("$SRC/tests/workload.sh" "$name" short)"; then
			passed "$result" "$(cat verdict)"
		else
			failed "$result" "$why"
		fi
	done
done
exit $((failures > 0))
