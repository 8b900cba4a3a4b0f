#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real programs of tests/workload.sh, at the size for checking.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

sysroot=$("$SRC/tests/sysroot.sh")

# check NAME WORD...: QEMU's options, each with a value, stand before the program.
# shellcheck disable=SC2317 # called through eval
check() {
	name=$1
	shift
	untraced -L "$sysroot" "$@"
	options=
	while [ "${1#-}" != "$1" ]; do
		options="$options --qemu-arg $1 --qemu-arg $2"
		shift 2
	done
	# shellcheck disable=SC2086 # a list of words
	if traced -L "$sysroot" $options -- "$@" && same_behaviour; then
		passed "$name" "$(tail -n 1 verdict)"
	else
		failed "$name" "$why"
	fi
}

for name in $("$SRC/tests/workload.sh" --list); do
	eval "check $name $("$SRC/tests/workload.sh" "$name" check)"
done
exit $((failures > 0))
