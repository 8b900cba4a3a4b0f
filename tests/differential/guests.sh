#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every program of tests/guests, in every variant: one result for each program.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

check_variants() {
	wanted "$1" || return 0
	said=
	for program in "$GUESTS/$1".*; do
		variant=${program##*.}
		untraced -L /usr/riscv64-linux-gnu "$program"
		if ! traced -L /usr/riscv64-linux-gnu -- "$program" || ! same_behaviour; then
			failed "$1" "$variant: $why"
			return
		fi
		said="$said${said:+ }$variant"
	done
	passed "$1" "$said"
}

for source in "$SRC"/tests/guests/*.c; do
	check_variants "$(basename "$source" .c)"
done
exit $((failures > 0))
