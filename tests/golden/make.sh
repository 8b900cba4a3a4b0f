#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make.sh - make a golden file, as was done for those that are here.
#
# usage: sh tests/golden/make.sh BUILDDIR v1|...|v10 OUT.wmk
#
#   v1   two threads, in many small chunks, with QEMU's text
#   v2   processes, events, blocks left early, modules and names
#   v3   windows, a filter, markers, events of the clock: the sequence has gaps
#   v4   memory accesses with their data, registers and memory at places, results
#   v5   stores only, of processes, in blocks left early
#   v6   accesses of another ISA, with data
#   v7   every register and memory write of the last instructions
#   v8   code in files: the copy of the program is kept in waymark/code, beside OUT.wmk
#   v9   fetches of a made-up interpreter
#   v10  the automaton with ways (FORMAT.md, 7); all before it are of the old one
#
# What is made today of v1 to v9 is of today's automaton, too.
#
# For the day a release writes something new: add a file for it, never change one. Then
# put what `golden.sh` prints of the new one into golden.expected, and look at it.

set -eu

usage() {
	echo "usage: make.sh BUILDDIR v1|...|v10 OUT.wmk" >&2
	exit 2
}

[ $# -eq 3 ] || usage
here=$(cd "$(dirname "$0")" && pwd)
src=$(dirname "$(dirname "$here")")
build=$(cd "$1" && pwd)
out=$(realpath "$3")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# guest SOURCE: builds it as ./guest.
guest() {
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -march=rv64gc -nostdlib -static \
		-ffreestanding -fno-stack-protector -I"$src/include" -Wl,--build-id=sha1 -o guest "$here/$1"
}

case $2 in
v1)
	guest guest.c
	"$build/waymark" record -o long.wmk ./guest || true
	"$build/tests/unit/rechunk" long.wmk "$out" 300
	;;
v2 | v3 | v4 | v5 | v6 | v7 | v8 | v10)
	# Which machine it was is nobody's business.
	echo '#include <string.h>
	#include <sys/utsname.h>
	int uname(struct utsname *name) { return !memset(name, 0, sizeof(*name)); }' |
		gcc -shared -fPIC -xc -o uname.so -
	options=
	case $2 in
	v2) guest guest2.c ;;
	v3)
		guest guest3.c
		options="--window marker:1@3..marker:1@6 --window shown@15..insn:9500
			--except hidden --events tb_translate,block_version"
		;;
	v4)
		guest guest4.c
		options="--mem --mem-values --value mix:a0,ret --value strided:sp,mem(sp+0,8)"
		;;
	v5)
		guest guest2.c
		options=--mem=stores
		;;
	v6)
		cp "$build/guests/aarch64/strings.O2" guest
		options="--mem --mem-values --max-insns 3000"
		;;
	v7)
		guest guest4.c
		options="--mem --commits --last 500-insns"
		;;
	v8)
		guest guest2.c
		options=--code=files
		XDG_CACHE_HOME=$(dirname "$out")
		export XDG_CACHE_HOME
		;;
	v10)
		cp "$build/guests/mixed.O3" guest
		options="--max-insns 60000"
		;;
	esac
	# shellcheck disable=SC2086 # a list of words
	LD_PRELOAD=$dir/uname.so "$build/waymark" record --pack $options -o "$out" ./guest ||
		true
	;;
v9) "$build/tests/unit/make_trace" "$out" fetches ;;
*) usage ;;
esac
