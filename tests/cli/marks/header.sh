#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# include/waymark-mark.h: compilers take it in every dialect, refuse what is no id, and move
# nothing past a marker.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

order=$SRC/tests/cli/marks/order.c
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror"

# takes WORD...: compiles order.c.
# shellcheck disable=SC2086 # lists of words
takes() { "$@" $strict -I"$SRC/include" -c -o order.o; }

for dialect in c89 gnu89 c99 c11 gnu17 c2x; do
	check "C: $dialect" takes riscv64-linux-gnu-gcc -std=$dialect -O2 "$order"
done
for dialect in c++98 c++11 c++17 c++23; do
	check "C++: $dialect" takes riscv64-linux-gnu-g++ -std=$dialect -O2 -x c++ "$order"
done
check "freestanding, without optimisation" takes riscv64-linux-gnu-gcc -O0 -ffreestanding \
	-nostdinc "$order"

# ---- ids ---------------------------------------------------------------------

# compiles COMPILER LANGUAGE ID: a marker of that id; `number` is a variable.
compiles() {
	printf '#include "waymark-mark.h"\nenum { SIX = 6 };\nint number;\nvoid f(void);\nvoid f(void) { WAYMARK_POINT(%s); }\n' \
		"$3" >id.c
	"$1" -x "$2" -O2 -I"$SRC/include" -c -o id.o id.c 2>errors
}
fails() { ! "$@"; }

for id in 0 1023 7u 7ul SIX 'SIX + 1' "'a'" 0x3ff; do
	check "C takes $id" compiles riscv64-linux-gnu-gcc c "$id"
	check "C++ takes $id" compiles riscv64-linux-gnu-g++ c++ "$id"
	check "C for x86_64 takes $id" compiles gcc c "$id"
done
for id in 1024 -1 number 0x10000000000 -1024; do
	check "C refuses $id" fails compiles riscv64-linux-gnu-gcc c "$id"
	check "C++ refuses $id" fails compiles riscv64-linux-gnu-g++ c++ "$id"
	check "C for x86_64 refuses $id" fails compiles gcc c "$id"
done
assembles() {
	printf '#include "waymark-mark.h"\nWAYMARK_END(%s)\n' "$1" >id.S
	riscv64-linux-gnu-gcc -I"$SRC/include" -c -o id.o id.S 2>errors
}
check "assembly takes 512 + 511" assembles "512 + 511"
check "assembly refuses 1024" fails assembles 1024
check "assembly refuses -1" fails assembles -1

# ---- the order of things -----------------------------------------------------

# keeps NAME STORE PRODUCT MARKER COMPILER...: the disassembly, by those patterns.
keeps() {
	name=$1 store=$2 load=$3 product=$4 marker=$5
	shift 5
	"$@" -I"$SRC/include" -c -o order.o "$order"
	case $1 in
	riscv64* | aarch64*) objdump=${1%-g*}-objdump ;;
	*) objdump=objdump ;;
	esac
	"$objdump" -d --no-show-raw-insn order.o | awk -v store="$store" -v load="$load" \
		-v product="$product" -v marker="$marker" '
		/>:$/ { printf "\n" }
		$0 ~ marker { printf "M"; next }
		$0 ~ product { printf "*"; next }
		$0 ~ store { printf "s"; next }
		$0 ~ load { printf "l"; next }
		END { print "" }' | sed '/^$/d' >got
	printf 'sMssMlMl\nM*M\n' >wanted
	same "nothing moves: $name" wanted got
}

for level in -O1 -O2 -O3 -Os; do
	for compiler in gcc g++; do
		keeps "$compiler $level for riscv64" '[[:space:]]sd[[:space:]]' \
			'[[:space:]]ld[[:space:]]' '[[:space:]]mul[[:space:]]' \
			'slti[[:space:]]+zero,zero' riscv64-linux-gnu-$compiler $level
	done
	keeps "gcc $level for aarch64" '[[:space:]]str[[:space:]]' '[[:space:]]ldr[[:space:]]' \
		'[[:space:]]mul[[:space:]]' 'mov[[:space:]]+xzr' aarch64-linux-gnu-gcc $level
	keeps "gcc $level for x86_64" 'movq[[:space:]]+[$]' \
		'(mov|add)[[:space:]]+[(]%r.*,%r' 'imul' 'nopl[[:space:]]+0x574b' \
		gcc $level
done

# Where there are no markers, nothing is in their place, and the order is the same.
arm-linux-gnueabihf-gcc -O2 -I"$SRC/include" -c -o order.o "$order"
arm-linux-gnueabihf-objdump -d --no-show-raw-insn order.o | awk '
	/>:$/ { printf "\n" } /\tstr/ { printf "s" } /\tldr/ { printf "l" } /\tmul/ { printf "*" }
	/\t(pli|pld|hint)/ { printf "?" } END { print "" }' | sed '/^$/d' >got
printf 'sssll\n*\n' >wanted
same "no code is made without markers: ARM" wanted got
printf '#include "waymark-mark.h"\n#if WAYMARK_HAS_MARKERS\n#error\n#endif\nWAYMARK_END(1)\n' >arm.S
check "ARM's assembly compiles without markers" arm-linux-gnueabihf-gcc -I"$SRC/include" -c -o arm.o arm.S
finish
