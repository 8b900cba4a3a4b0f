#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - cross-build the benchmark kernels.
#
# usage: bench/kernels/build.sh OUTDIR
#
# Makes OUTDIR/<kernel> of every <kernel>.c here, static and -O2, unless newer than its
# source. A kernel's one argument is its size; the default runs 1 to 3 seconds under QEMU.
# CROSS_CC chooses the compiler, JOBS how many run at once (2).

set -eu

[ $# -eq 1 ] || { echo "usage: build.sh OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

export CROSS_CC="${CROSS_CC:-riscv64-linux-gnu-gcc}"
export CFLAGS_KERNEL="-std=gnu17 -g -O2 -static -Wall -Wextra -Werror"

# shellcheck disable=SC2016 # the inner shell expands what is in quotes
for src in "$here"/*.c; do
	prog=$out/$(basename "$src" .c)
	# shellcheck disable=SC3013 # every sh we know of has -nt
	if [ ! "$prog" -nt "$src" ] || [ ! "$prog" -nt "$here/build.sh" ]; then
		printf '%s\0%s\0' "$src" "$prog"
	fi
done | xargs -0 -r -n 2 -P "${JOBS:-2}" sh -c '
	# shellcheck disable=SC2086 # lists of words
	$CROSS_CC $CFLAGS_KERNEL -o "$2.$$" "$1" -lm && mv "$2.$$" "$2" ||
		{ rm -f "$2.$$"; echo "build.sh: $2 failed" >&2; exit 1; }
' build-kernel
