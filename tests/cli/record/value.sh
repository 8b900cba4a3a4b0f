#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What record --value and --commits keep, and what they refuse.
# tests/differential/commits.sh compares registers with what a witness saw.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# values: what the trace has beside the path, "pc kind register bytes value" each.
values() { "$PYTHON" "$SRC/docs/decoder.py" --accesses run.wmk; }

# keeps NAME COUNT LINE OPTION...: records two functions with the options; so many lines of values have
# LINE, an extended regular expression.
keeps() {
	name=$1 count=$2 line=$3
	shift 3
	"$WAYMARK" record --only ackermann --only main "$@" -o run.wmk \
		"$GUESTS/mutual.O0" >stdout 2>stderr
	values >found 2>>stderr
	if [ "$(grep -cE "$line" found)" -eq "$count" ] &&
		"$WAYMARK" verify run.wmk >verified 2>&1; then
		passed "$name"
	else
		failed "$name" "$(head -5 found)" "$(cat stderr verified)"
	fi
}

# no NAME PATTERN OPTION...: record refuses them.
no() {
	what=$1 says=$2
	shift 2
	misused "$what" "$says" "$WAYMARK" record "$@" -o no.wmk "$GUESTS/mutual.O0"
}

no "a register that there is not" '*no register "b7"*a0 to a7*' --value main:b7
no "a register of machines only" 'programs have no mcause:*--system*' --value main:mcause
no "memory at one" 'programs have no satp:*--system*' --value "main:mem(satp,4)"
no "a function that there is not" '*no symbol "ackerman"*ackermann*' --value ackerman:a0
no "a place without items" '*takes PLACE:ITEMS*' --value main
no "a place that counts" '*each time*' --value main@2:a0
no "a time" '*recorded at a function*' --value time:2:a0
no "memory of 3 bytes" '*SIZE of 1, 2, 4, 8 or 16*' --value 'main:mem(sp+8,3)'
no "memory that does not end" '*write mem(*' --value 'main:mem(sp+8,4'
no "memory at no number" '"mem(sp+,4)" is no memory: write mem(*' --value 'main:mem(sp+,4)'
no "memory at no register" '"mem(foo,4)" is no memory: write mem(*no register "foo"; there are *a0 to a7*' \
	--value 'main:mem(foo,4)'
no "memory at an address" '"mem(0x10,4)" is no memory: write mem(*' --value 'main:mem(0x10,4)'
no "memory as assembly has it" '"8(sp)" is no memory: write mem(*' --value 'main:8(sp)'
no "memory without parentheses" '"mem" is no memory: write mem(*' --value main:mem,a0
no "what a line returns" '*name the function*' --value mutual.c:25:ret
no "too many items" '*more than 16 items*' \
	--value main:a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0,a0

# ackermann(3, 5) makes 42438 calls, 21096 of them with 0, and is 253.
keeps "registers at the entry of a function" 84876 ' register 0x[ab] 8 ' \
	--value ackermann:a0,a1
keeps "what a function returns" 42438 ' returned 0xa 8 0x00000000000000' \
	--value ackermann:ret
keeps "a register by its number" 42438 ' register 0xb 8 ' --value ackermann:x11
keeps "memory at a line" 21096 ' memory 0x[0-9a-f]* 4 0x00000000$' \
	--value 'mutual.c:23:mem(s0-36,4)'
keeps "memory that is not there" 0 . --value 'ackermann:mem(zero,8)'
keeps "one of several options" 42438 ' returned 0xa 8 ' --value main:sp \
	--value ackermann:ret
keeps "nothing of what a filter leaves out" 0 . --except ackermann \
	--value ackermann:a0,ret
case $("${WAYMARK_QEMU:-qemu-riscv64}" -version) in
*" version 7."*)
	no "CSRs of a QEMU that does not show them" \
		'*needs QEMU 9.2*setup-qemu 10.2*--qemu 10.2 chooses it' --value main:fflags
	no "vectors of the same" '*needs QEMU 9.2*' --value 'main:a0,v8'
	;;
*)
	keeps "CSRs and vectors" 2 ' register 0x(40|68) (8|16) 0x0*$' --value main:fflags,v8
	;;
esac
# What they return follows from their arguments; the calls nest.
cat >ackermann.py <<-'END'
	import sys
	calls = []
	for line in sys.stdin:
	    pc, kind, register, _, value = line.split()
	    value = int(value, 16)
	    if kind == "returned":
	        m, n = calls.pop()
	        assert value == (n + 1, n + 2, 2 * n + 3, 2**(n + 3) - 3)[m], line
	    elif register == "0xa":
	        calls.append([value])
	    else:
	        calls[-1].append(value)
	assert not calls
END
"$WAYMARK" record --value ackermann:a0,a1,ret -o run.wmk "$GUESTS/mutual.O3" >stdout 2>stderr
values >found 2>>stderr
check "each call's value" "$PYTHON" ackermann.py <found

keeps "accesses, too" 1 ' register 0x2 8 ' --mem --value main:sp

# What main() writes to ra: the return addresses of its calls, the last one too.
keeps "every write in a window" 801 ' written 0x1 8 .*' --commits \
	--window main..ackermann
finish
