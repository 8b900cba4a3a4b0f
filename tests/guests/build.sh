#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - cross-build the guest programs of the tests.
#
# usage: tests/guests/build.sh OUTDIR
#
# Makes OUTDIR/<prog>.<variant> of every <prog>.c here, unless newer than its source:
#   O0   static, not optimised
#   O3   static, compressed instructions
#   nc   static, -O2, no compressed instructions in the program's own code
#   dyn  a dynamic PIE, -O2: run it with -L /usr/riscv64-linux-gnu
# CROSS_CC chooses the compiler, JOBS how many run at once (2).

set -eu

[ $# -eq 1 ] || { echo "usage: build.sh OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

export CROSS_CC="${CROSS_CC:-riscv64-linux-gnu-gcc}"
export CFLAGS_GUEST="-std=gnu17 -g -Wall -Wextra -Werror"

# shellcheck disable=SC2016 # the inner shell expands what is in quotes
for src in "$here"/*.c; do
	for variant in O0 O3 nc dyn; do
		prog=$out/$(basename "$src" .c).$variant
		# shellcheck disable=SC3013 # every sh we know of has -nt
		if [ ! "$prog" -nt "$src" ] || [ ! "$prog" -nt "$here/build.sh" ]; then
			printf '%s\0%s\0%s\0' "$variant" "$src" "$prog"
		fi
	done
done | xargs -0 -r -n 3 -P "${JOBS:-2}" sh -c '
	case $1 in
	O0) how="-static -O0" ;;
	O3) how="-static -O3 -march=rv64gc" ;;
	nc) how="-static -O2 -march=rv64g" ;;
	dyn) how="-pie -fPIE -O2" ;;
	esac
	# shellcheck disable=SC2086 # lists of words
	$CROSS_CC $CFLAGS_GUEST $how -o "$3.$$" "$2" -lm && mv "$3.$$" "$3" ||
		{ rm -f "$3.$$"; echo "build.sh: $3 failed" >&2; exit 1; }
' build-guest
