#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build-isas.sh - build guest programs of the tests for other ISAs than RISC-V.
#
# usage: tests/guests/build-isas.sh [--one] OUTDIR ISA...
#        tests/guests/build-isas.sh --sysroot ISA    where the shared libraries are
#
# Makes OUTDIR/ISA/<prog>.<variant>, unless newer than its source, of every <prog>.c here
# that has no assembly, in these variants:
#   aarch64  O2 dyn
#   arm      arm thumb mix dyn
#   x86_64   O0 O3 dyn
#   i386     O2 dyn
# arm and thumb are all of that instruction set (except for the C library, which is Thumb), mix
# changes it with each function, dyn is a dynamic PIE; the others are static. Of the folders
# with an ISA's name (x86 is for both, others/ for all) all programs, O2. With --one, of each <prog>.c only one
# variant: mix for arm, the highest optimisation for the others. JOBS compilers run at once (2).

set -eu

usage() {
	echo "usage: build-isas.sh [--one] OUTDIR ISA... | --sysroot ISA" >&2
	exit 2
}

# Debian's names: where a cross compiler's libraries are, and what it is called.
triplet() {
	case $1 in
	aarch64 | x86_64) echo "$1-linux-gnu" ;;
	arm) echo arm-linux-gnueabihf ;;
	i386) echo i686-linux-gnu ;;
	*) usage ;;
	esac
}

one=
if [ "${1-}" = --one ]; then
	one=1
	shift
fi
[ $# -ge 2 ] || usage
if [ "$1" = --sysroot ]; then
	if [ "$2" = x86_64 ]; then echo /; else echo "/usr/$(triplet "$2")"; fi
	exit 0
fi
here=$(cd "$(dirname "$0")" && pwd)
marks=$here/../../include/waymark-mark.h
export INCLUDE="${marks%/*}"
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

variants() {
	case $one$1 in
	1arm) echo mix ;;
	1x86_64) echo O3 ;;
	1*) echo O2 ;;
	arm) echo arm thumb mix dyn ;;
	x86_64) echo O0 O3 dyn ;;
	*) echo O2 dyn ;;
	esac
}

# sources ISA: those for it alone, and for all but RISC-V.
sources() {
	case $1 in
	x86_64) ls "$here"/others/*.c "$here"/x86/*.c "$here"/x86_64/*.c ;;
	i386) ls "$here"/others/*.c "$here"/x86/*.c ;;
	*) ls "$here"/others/*.c "$here/$1"/*.c ;;
	esac
}

# want ISA SOURCE VARIANT...: compiler, variant, source and program of each that is old.
want() {
	isa=$1 src=$2
	shift 2
	for variant; do
		prog=$out/$isa/$(basename "$src" .c).$variant
		# shellcheck disable=SC3013 # every sh we know of has -nt
		if [ ! "$prog" -nt "$src" ] || [ ! "$prog" -nt "$marks" ] ||
			[ ! "$prog" -nt "$0" ]; then
			printf '%s\0' "$(triplet "$isa")-gcc" "$variant" "$src" "$prog"
		fi
	done
}

# shellcheck disable=SC2046 # lists of words
wanted() {
	mkdir -p "$out/$1"
	for portable in $(grep -L __asm__ "$here"/*.c); do
		want "$1" "$portable" $(variants "$1")
	done
	for own in $(sources "$1"); do
		want "$1" "$own" O2
	done
}

# shellcheck disable=SC2016 # the inner shell expands what is in quotes
for isa; do
	wanted "$isa"
done | xargs -0 -r -n 4 -P "${JOBS:-2}" sh -c '
	case $2 in
	O*) how="-static -$2" ;;
	arm | thumb) how="-static -O2 -m$2" ;;
	mix) how="-static -O2 -mflip-thumb" ;;
	dyn) how="-pie -fPIE -O2" ;;
	esac
	# shellcheck disable=SC2086 # lists of words
	$1 -std=gnu17 -g -Wall -Wextra -Werror -I"$INCLUDE" $how -o "$4.$$" "$3" -lm -pthread &&
		mv "$4.$$" "$4" ||
		{ rm -f "$4.$$"; echo "build-isas.sh: $4 failed" >&2; exit 1; }
' build-guest
