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
# of those in the folders faults, processes, steering and threads, OUTDIR/<folder>/<prog>.O3
# and .dyn; and of libraries/ what its test needs: two libraries and a program that loads them.
# CROSS_CC chooses the compiler, JOBS how many run at once (2).

set -eu

[ $# -eq 1 ] || { echo "usage: build.sh OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
# One builder at a time: `meson test` runs many tests, and each of them begins here.
exec 9>"$out/lock"
flock 9

export CROSS_CC="${CROSS_CC:-riscv64-linux-gnu-gcc}"
export CFLAGS_GUEST="-std=gnu17 -g -Wall -Wextra -Werror -I$here/../../include"

# want VARIANT SOURCE PROGRAM: said to the builders below, unless it is there and new.
want() {
	for newer in "$2" "${2%/*}"/*.h "$here"/../../include/waymark-mark.h \
		"$here/build.sh"; do
		# shellcheck disable=SC3013 # every sh we know of has -nt
		if [ -e "$newer" ] && [ ! "$3" -nt "$newer" ]; then
			printf '%s\0%s\0%s\0' "$1" "$2" "$3"
			return
		fi
	done
}

wanted() {
	for src in "$here"/*.c; do
		program=${src##*/}
		for variant in O0 O3 nc dyn; do
			want $variant "$src" "$out/${program%.c}.$variant"
		done
	done
	for folder in faults processes steering threads; do
		mkdir -p "$out/$folder"
		for src in "$here/$folder"/*.c; do
			program=${src##*/}
			for variant in O3 dyn; do
				want $variant "$src" "$out/$folder/${program%.c}.$variant"
			done
		done
	done
	mkdir -p "$out/libraries"
	want dyn "$here/libraries/dlopen.c" "$out/libraries/dlopen.dyn"
	for number in 1 2; do
		want so$number "$here/libraries/number.c" "$out/libraries/number$number.so"
	done
}

# shellcheck disable=SC2016 # the inner shell expands what is in quotes
wanted | xargs -0 -r -n 3 -P "${JOBS:-2}" sh -c '
	case $1 in
	O0) how="-static -O0" ;;
	O3) how="-static -O3 -march=rv64gc" ;;
	nc) how="-static -O2 -march=rv64g" ;;
	dyn) how="-pie -fPIE -O2" ;;
	so*) how="-shared -fPIC -O2 -DNUMBER=${1#so}" ;;
	esac
	# shellcheck disable=SC2086 # lists of words
	$CROSS_CC $CFLAGS_GUEST $how -o "$3.$$" "$2" -lm && mv "$3.$$" "$3" ||
		{ rm -f "$3.$$"; echo "build.sh: $3 failed" >&2; exit 1; }
' build-guest
