#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build-programs.sh - programs of a machine's Linux, of work.c.
#
# usage: tests/guests/machine/build-programs.sh OUTDIR
#
# Makes there one and two, which have other functions at the same addresses, moved, which runs at
# an address that the kernel chooses, remap with its libraries, filter, which loads a program of BPF,
# and a list of what initrd.py is to put where: programs.

set -eu
source=$(dirname "$0")/work.c out=$1
compiler=${CROSS_CC:-riscv64-linux-gnu-gcc}
text=0x7650000 # where no other program has code

"$compiler" -O1 -g -static -no-pie -Wl,-Ttext-segment=$text -o "$out/one" "$source"
"$compiler" -O1 -g -static -no-pie -Wl,-Ttext-segment=$text -DOTHER -o "$out/two" "$source"
"$compiler" -O1 -g -fPIE -pie -o "$out/moved" "$source"
for program in remap filter; do
	"$compiler" -O1 -g -static -o "$out/$program" "$(dirname "$0")/$program.c"
done
number=1
for library in first second; do
	"$compiler" -DNAME=$library -DNUMBER=$number -shared -nostdlib -Wl,-z,noseparate-code \
		-Wl,-e,$library -o "$out/$library.so" "$(dirname "$0")/remapped.S"
	number=$((number + 1))
done
for program in one two moved remap filter first.so second.so; do
	echo "bin/$program=$out/$program"
done >"$out/programs"
for library in ld-linux-riscv64-lp64d.so.1 libc.so.6; do
	echo "lib/$library=$("$compiler" -print-file-name=$library)"
done >>"$out/programs"
