#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A function's own instructions: the calls against the hot functions and against all that
# ran, over programs whose control goes where it likes, and whatever their symbols are; and
# the stubs of static programs.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$SRC/tests/cli/calls
cross=/usr/riscv64-linux-gnu

# agree NAME [OPTION...]: of NAME.wmk
agree() {
	trace=$1.wmk
	shift
	check "self is what is hot: $trace $*" "$PYTHON" "$here/self.py" "$trace" "$@"
}

# ---- guests ------------------------------------------------------------------

for name in signal.O3 jit.dyn longjmp.O3 qsort.dyn fnptr.nc threaded.dyn tailcall.O3 \
	varargs.dyn; do
	"$WAYMARK" record -L $cross -o $name.wmk "$GUESTS/$name" >out
	agree $name
done
agree signal.O3 --from 1001 --to 30007
agree jit.dyn --from 20003
for threads in 2 5; do
	agree jit.dyn -j $threads
done
strip() {
	"${CROSS_STRIP:-riscv64-linux-gnu-strip}" -o "$1.stripped" "$GUESTS/$1"
	"$WAYMARK" record -L $cross -o "$1.stripped.wmk" "./$1.stripped" >out
	agree "$1.stripped"
}
strip signal.O3
strip jit.dyn

# ---- code made by hand -------------------------------------------------------

# Compiled code that jumps into an interpreter's middle, and blocks of two functions.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o middle "$here/middle.c"
"$WAYMARK" record -o middle.wmk ./middle
agree middle
"$WAYMARK" calls middle.wmk --format csv -f function,calls,open,self_insns >rows
check "what is jumped into the middle of has not been called" grep -q '^interpret,1,0,' rows
check "what is run on into has" grep -q '^second,1000,0,' rows
"$WAYMARK" calls middle.wmk --tree -F interpret -D 2 -n 3 | cut -c 33- >tree
check "and is inside it" grep -q '^  \[anonymous\]+0x[0-9a-f]*();  /\* tail call \*/$' tree

# A handler's last call is a tail call: what returns from the signal is not the callee's.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -static -o handler "$here/handler.c"
"$WAYMARK" record -o handler.wmk ./handler
agree handler
"$WAYMARK" calls handler.wmk --graph --format csv --function 'handle*' \
	-f caller,callee,calls,max_insns >rows
check "the handler's callee takes what it takes when called" awk -F, '
	$2 == "handle_last" { n++; if (n > 1 && $4 != most) exit 1; most = $4 }
	END { exit n != 2 }' rows

# ---- static programs ---------------------------------------------------------

# stubs NAME: nothing calls a stub, and some have run
stubs() {
	agree "$1"
	"$WAYMARK" hot "$1.wmk" --function '*@plt' --format csv >hot
	check "there are stubs: $1" test "$(wc -l <hot)" -gt 1
	"$WAYMARK" calls "$1.wmk" --graph --format csv >graph
	check "nobody calls them: $1" sh -c '! grep @plt graph'
}
for cc in aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc x86_64-linux-gnu-gcc; do
	"$cc" -O1 -fno-builtin -static -o "$cc.static" "$here/static.c"
	"$WAYMARK" record -o "$cc.wmk" "./$cc.static" >out
	stubs "$cc"
done
check "a stub has the name of what chooses" grep -q '^[0-9].*,strlen@plt,' hot
check "its caller calls what is chosen" grep -qE '^main,__strlen_[a-z0-9]+,50,' graph
sysroot=$("$SRC/tests/sysroot.sh")
"$WAYMARK" record -o busybox.wmk "$sysroot/usr/bin/busybox" sort "$here/self.py" >out
stubs busybox
"$WAYMARK" record -L "$sysroot" -o lua.wmk "$sysroot/usr/bin/lua5.4" -e '
	local t = {}
	for i = 1, 3000 do t[i % 100] = (t[i % 100] or "") .. i end
	print(pcall(error, "far"))' >out
agree lua
finish
