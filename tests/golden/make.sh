#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make.sh - make a golden file, as was done for those that are here.
#
# usage: sh tests/golden/make.sh BUILDDIR OUT.wmk
#
# For the day a release writes something new: add a file for it, never change one. Then
# put what `golden.sh` prints of the new one into golden.expected, and look at it.

set -eu

[ $# -eq 2 ] || { echo "usage: make.sh BUILDDIR OUT.wmk" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
src=$(dirname "$(dirname "$here")")
build=$(cd "$1" && pwd)
out=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

gcc -std=gnu17 -D_GNU_SOURCE -I"$src" -I"$src/include" -o rechunk "$here/rechunk.c" \
	"$build/libwaymark-tool.a" "$build/libwaymark-core.a" -lzstd -lxxhash -lpthread
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -march=rv64gc -nostdlib -static -ffreestanding \
	-fno-stack-protector -o guest "$here/guest.c"
"$build/waymark" record -o long.wmk ./guest || true
./rechunk long.wmk "$out" 300
