#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# workload.sh - real programs for tests and benchmarks.
#
# usage: tests/workload.sh NAME check|bench|short [SYSROOT]   print a workload's command line
#        tests/workload.sh --list [SYSROOT]                   list the names
#
# SYSROOT is a name that tests/sysroot.sh knows; it decides which workloads there are.
# Prints one shell-quoted line: what follows "qemu-riscv64 -L SYSROOT" (QEMU options
# first, if a workload needs any). So, with SYSROOT=$(tests/sysroot.sh):
#
#     eval "qemu-riscv64 -L \"\$SYSROOT\" $(tests/workload.sh lua check)"
#
# `check` runs some 5 to 35 million blocks (chez 60, node 120, whose starts are most of
# it; the others are the same for these), `bench` takes 1 to 4 seconds untraced, `short` is
# for what is a hundred times slower: 2 to 5 million blocks, where starting does not take
# more (CPython 16, cc1 35). Inputs are made on first use, in the cache; outputs depend on
# neither time nor chance and go to stdout. QEMU is ${WAYMARK_QEMU:-qemu-riscv64}, needed
# here only to prepare CPython.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$here/guests/work
qemu=${WAYMARK_QEMU:-qemu-riscv64}

die() {
	printf 'workload: %s\n' "$*" >&2
	exit 2
}

# names SYSROOT: what it has workloads for.
names() {
	common="busybox-sha256sum busybox-sort busybox-awk busybox-gzip lua sqlite"
	case $1 in
	riscv64) echo "$common python cc1" ;;
	jit) echo "luajit grep chez node" ;;
	*) echo "$common" ;;
	esac
}

usage="usage: workload.sh --list [SYSROOT] | NAME check|bench|short [SYSROOT]"
if [ "${1-}" = --list ]; then
	for name in $(names "${2-riscv64}"); do
		echo "$name"
	done
	exit 0
fi
[ $# -eq 2 ] || [ $# -eq 3 ] || die "$usage"
name=$1
case $2 in
check | bench | short) how=$2 ;;
*) die "$usage" ;;
esac

sysroot=$("$here/sysroot.sh" "${3-riscv64}")
case " $(names "${3-riscv64}") " in
*" $name "*) ;;
*) die "no workload named $name; see --list" ;;
esac
bin=$sysroot/usr/bin
inputs=$(dirname "$sysroot")/inputs-1 # raise the number when an input changes
mkdir -p "$inputs"

# size CHECK BENCH [SHORT]: the one asked for
size() {
	case $how in
	bench) echo "$2" ;;
	short) echo "${3-$1}" ;;
	*) echo "$1" ;;
	esac
}

# Print the arguments, quoted for the shell, as one line.
quote() {
	line=
	for arg; do
		case $arg in
		'' | *[!A-Za-z0-9/._+:@%=,-]*)
			arg=\'$(printf '%s' "$arg" | sed "s/'/'\\\\''/g")\'
			;;
		esac
		line="$line${line:+ }$arg"
	done
	printf '%s\n' "$line"
}

# text LINES: the path of a text of that many lines, words drawn with a fixed generator.
text() {
	file=$inputs/text-$1
	if [ ! -f "$file" ]; then
		awk -v lines="$1" '
			function draw(limit) {
				seed = (seed * 16807) % 2147483647
				return seed % limit
			}
			BEGIN {
				seed = 20260101
				for (i = 0; i < 700; i++)
					for (j = draw(7) + 2; j > 0; j--)
						word[i] = word[i] substr("etaoinshrdlucmfwyp", draw(18) + 1, 1)
				for (i = 0; i < lines; i++) {
					line = draw(100000)
					for (j = draw(9) + 3; j > 0; j--) {
						k = draw(700)
						line = line " " word[draw(k + 1)]
					}
					print line
				}
			}' >"$file.$$"
		touch -d @0 "$file.$$" # gzip stores it
		mv "$file.$$" "$file"
	fi
	echo "$file"
}

# CPython's packages carry no bytecode. Compile what the script imports once, or each run
# would do little else.
prepare_python() {
	[ ! -f "$sysroot/.bytecode" ] || return 0
	"$qemu" -L "$sysroot" -E PYTHONHASHSEED=0 -U PYTHONPATH,PYTHONHOME \
		"$bin/python3.13" -S -s -P "$work/work.py" 1 >/dev/null
	: >"$sysroot/.bytecode"
}

# preprocessed FAMILIES: the path of a C file for cc1, without line markers.
preprocessed() {
	sum=$(sha256sum <"$work/cc1.c" | cut -c1-12)
	file=$inputs/cc1-$1-$sum.i
	if [ ! -f "$file" ]; then
		${CROSS_CC:-riscv64-linux-gnu-gcc} -E -P -O2 -DFAMILIES="$1" "$work/cc1.c" \
			-o "$file.$$.i" || die "no cross compiler to preprocess with"
		mv "$file.$$.i" "$file"
	fi
	echo "$file"
}

case $name in
busybox-sha256sum)
	file=$(text "$(size 40000 1000000 5000)")
	quote "$bin/busybox" sha256sum "$file"
	;;
busybox-sort)
	file=$(text "$(size 2500 100000 900)")
	quote "$bin/busybox" sort -k2,3 -k1n "$file"
	;;
busybox-awk)
	file=$(text "$(size 1000 40000 300)")
	# shellcheck disable=SC2016 # $ is awk's
	quote "$bin/busybox" awk '
		{
			for (i = 2; i <= NF; i++) { n[$i]++; len += length($i) }
			if ($1 % 7 == 3) gsub(/[aeiou]+/, "<&>")
			if (match($0, /t[^ ]*<o/)) hits += RSTART
			sum = (sum * 31 + $1) % 1000003
		}
		END {
			for (w in n) if (n[w] > best || (n[w] == best && w < top)) {
				best = n[w]; top = w
			}
			printf "%d %d %d %d %s %d %.4f\n", NR, len, hits, sum, top, best, len / NR
		}' "$file"
	;;
busybox-gzip)
	file=$(text "$(size 5000 600000 2000)")
	quote "$bin/busybox" gzip -c "$file"
	;;
lua)
	quote "$bin/lua5.4" "$work/work.lua" "$(size 3 180 1)"
	;;
sqlite)
	quote "$bin/sqlite3" -batch -init /dev/null -cmd "PRAGMA temp_store = memory" \
		-cmd ".parameter set :n $(size 1000 20000 250)" :memory: ".read '$work/work.sql'"
	;;
python)
	prepare_python
	set -- "$work/work.py" "$(size 1 220)"
	[ "$how" != short ] || set -- -c 'print(sum(i * i % 7 for i in range(5000)))'
	quote -E PYTHONHASHSEED=0 -U PYTHONPATH,PYTHONHOME \
		"$bin/python3.13" -B -S -s -P "$@"
	;;
luajit)
	quote "$bin/luajit" "$work/jit.lua" "$(size 50 5000)"
	;;
grep)
	file=$(text "$(size 1000 40000)")
	quote "$bin/grep" -cP '(\w+) \1|e[a-z]+t$' "$file"
	;;
chez)
	quote "$bin/chezscheme" --script "$work/jit.ss"
	;;
node)
	quote "$bin/node" "$work/jit.js"
	;;
cc1)
	file=$(preprocessed "$(size 0 1)")
	opt=$(size -O0 -O2)
	quote "$sysroot/usr/libexec/gcc/riscv64-linux-gnu/14/cc1" -fpreprocessed -quiet \
		"$opt" -march=rv64gc -mabi=lp64d -o /dev/stdout "$file"
	;;
esac
