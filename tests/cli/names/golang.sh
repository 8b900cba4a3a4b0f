#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A stripped Go program has the names of its functions, because its runtime needs them.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# build NAME [FLAG...]: the program, stripped, with another table, and its trace.
build() {
	name=$1
	shift
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -s "$@" -o "$name" \
		"$SRC/tests/cli/names/golang.S"
	"$WAYMARK" record --no-pack -o "$name.wmk" "./$name"
}

# functions NAME: what its trace says.
functions() {
	"$WAYMARK" hot -s function --format csv -f function,insns "$1.wmk"
}

cat >wanted <<'END'
function,insns
_rt0_riscv64_linux,5
main.(*Shop).work,8
main.more,3
main.more-tramp0,1
END
build go
functions go >got
same "functions are those of Go's table" wanted got
"$WAYMARK" calls --graph --format csv -f caller,callee,calls go.wmk >got
check "a call through a trampoline is one of the function behind it" \
	sh -c 'grep -qx "_rt0_riscv64_linux,main.more,2" got && ! grep -q tramp got'
build old -DMAGIC=0xfffffff0
functions old >got
same "and of that of Go 1.18" wanted got
build relocated -DTEXT=0
functions relocated >got
same "and where the table does not say where the code begins" wanted got
run "$WAYMARK" record -o window.wmk --window main.more.. ./go
check "a window begins at one" test "$status" -eq 0
"$WAYMARK" hot --format csv -f function,insns window.wmk >got
check "and has it" grep -qx 'main.more,3' got

build unknown -DMAGIC=0xfffffffb
functions unknown >got
check "another release's table is not read" sh -c '! grep -q main got && grep -q sub_ got'
build foreign -DTEXT=0 '-DENTRY="main.start"'
functions foreign >got
check "nothing is named where that is not certain" \
	sh -c '! grep -q main got && grep -q sub_ got'
build damaged -DDAMAGE=0x7fffff00
functions damaged >got
check "a damaged one is read up to there" \
	sh -c '! grep -q main got && grep -q sub_ got'
finish
