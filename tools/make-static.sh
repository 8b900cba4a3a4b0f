#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make-static.sh - makes libwaymark.a: all objects of the library linked into one, whose
# names are local but for those of waymark.h. A program's own walk() then is no other's.
#
# usage: tools/make-static.sh OUTPUT DIR CC... ARCHIVE ARCHIVE ARCHIVE
#
# The first two archives are taken whole, of the third what they need. DIR is for what is
# made on the way.

set -eu

output=$1 dir=$2
shift 2
compiler=
while [ $# -gt 3 ]; do
	compiler="$compiler $1"
	shift
done
mkdir -p "$dir"
# shellcheck disable=SC2086 # the compiler may be several words
$compiler -nostdlib -r -o "$dir/waymark.o" -Wl,--whole-archive "$1" "$2" -Wl,--no-whole-archive "$3"
objcopy --localize-hidden "$dir/waymark.o"
rm -f "$output"
ar rcs "$output" "$dir/waymark.o"
