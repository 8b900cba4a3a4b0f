#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A retpoline of x86 is a jump: what it leads to is called by the function that uses it, and
# returns there.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

x86_64-linux-gnu-gcc -std=gnu17 -O2 -static -mindirect-branch=thunk -fcf-protection=none \
	-o guest "$SRC/tests/cli/calls/retpoline.c"
"$WAYMARK" record -o run.wmk ./guest

# calls CALLER CALLEE: how often.
calls() {
	"$WAYMARK" calls --graph --format csv -f caller,callee,calls run.wmk |
		sed -n "s/^$1,$2,//p"
}

thunk=$("$WAYMARK" calls --graph --format csv -f caller,callee run.wmk |
	sed -n 's/^caller,\(__x86_indirect_thunk_[a-z0-9]*\)$/\1/p')
check "the caller calls the thunk" test "$(calls caller "$thunk")" -eq 100
check "the thunk calls what the pointer has" test "$(calls "$thunk" leaf)" -eq 50
check "and the other" test "$(calls "$thunk" outer)" -eq 50
check "which calls in turn" test "$(calls outer leaf)" -eq 50
check "the thunk does not call itself" test -z "$(calls "$thunk" "$thunk")"
"$WAYMARK" calls --tree -F main run.wmk >tree
check "no function is left by a retpoline" test "$(grep -c resumed tree)" -eq 0
check "main has all of it" test "$(grep -c ' caller() {' tree)" -eq 100

# Of Linux that has not patched itself yet, retpolines and functions share one return.
x86_64-linux-gnu-gcc -std=gnu17 -O2 -static -mindirect-branch=thunk-extern \
	-mfunction-return=thunk-extern -fcf-protection=none -o guest \
	"$SRC/tests/cli/calls/retpoline.c" "$SRC/tests/cli/calls/retpoline.S"
"$WAYMARK" record -o run.wmk ./guest
check "a shared return calls what the pointer has" test "$(calls __x86_return_thunk leaf)" -eq 50
check "shared: and the other" test "$(calls __x86_return_thunk outer)" -eq 50
check "shared: which calls in turn" test "$(calls outer leaf)" -eq 50
"$WAYMARK" calls --tree -F main run.wmk >tree
check "no function is left by a shared return" test "$(grep -c resumed tree)" -eq 0
check "shared: main has all of it" test "$(grep -c ' caller() {' tree)" -eq 100
finish
