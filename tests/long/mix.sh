#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mixes of the first 50 million instructions of real programs, and of all of them, against
# a witness in the same run (tests/witness/kinds.c).

# shellcheck source=tests/differential/common
. "$SRC/tests/differential/common"
SYSROOT=$("$SRC/tests/sysroot.sh" riscv64)
# shellcheck source=tests/witness/mix
. "$SRC/tests/witness/mix"

# check NAME LIMIT WORD...: QEMU's options, each with a value, stand before the program.
# shellcheck disable=SC2317 # called through eval
check() {
	name=$1 first=$2
	shift 2
	options=
	while [ "${1#-}" != "$1" ]; do
		options="$options --qemu-arg $1 --qemu-arg $2"
		shift 2
	done
	# shellcheck disable=SC2086 # a list of words
	if counted "$first" $options -- "$@"; then
		passed "$name, ${first:-all}" "$(cat verdict)"
	else
		failed "$name, ${first:-all}" "$why"
	fi
}

for workload in python sqlite cc1; do
	command=$("$SRC/tests/workload.sh" $workload check)
	eval "check $workload 50000000 $command"
	eval "check $workload '' $command"
done
exit $((failures > 0))
